#include "unit.h"

#include "mcp/ask.h"

#define HOP "\"io.modelcontextprotocol/oauth-client-credentials\":{}"

/* What a server is told of a client's capabilities, with the gateway's own extensions. */
static const struct {
    const char *open;
    enum mcti_extensions which;
    const char *own;
    const char *told;
} rows[] = {
    { "{\"extensions\":{\"x/y\":{\"a\":1}}}", MCT_EXTENSIONS_SINGLE, NULL, "{\"extensions\":{\"x/y\":{\"a\":1}}}" },
    { "{\"extensions\":{" HOP ",\"x/y\":{}}}", MCT_EXTENSIONS_SINGLE, NULL, "{\"extensions\":{\"x/y\":{}}}" },
    { "{\"extensions\":{" HOP "}}", MCT_EXTENSIONS_SINGLE, NULL, "{}" },
    { "{\"extensions\":{\"x/y\":{}}}", MCT_EXTENSIONS_SINGLE, "o/w", "{\"extensions\":{\"x/y\":{},\"o/w\":{}}}" },
    { "{\"extensions\":{\"x/y\":{}}}", MCT_EXTENSIONS_NONE, "o/w", "{\"extensions\":{\"o/w\":{}}}" },
    { "{\"extensions\":{" HOP "}}", MCT_EXTENSIONS_SINGLE, "io.modelcontextprotocol/oauth-client-credentials",
      "{\"extensions\":{" HOP "}}" },
    { "", MCT_EXTENSIONS_SINGLE, "o/w", "{\"extensions\":{\"o/w\":{}}}" },
    { "", MCT_EXTENSIONS_SINGLE, NULL, "{}" },
};

static void ways_to_authenticate_end_here(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const own[] = { rows[i].own, NULL };
        const struct mcti_answerer a = { .open = *rows[i].open ? mcti_str_of(rows[i].open) : MCT_STR_NONE,
                                         .which = rows[i].which,
                                         .own = rows[i].own ? own : NULL };
        struct mcti_buf b;
        mcti_buf_init(&b, 4096);
        mcti_capabilities_put(&b, &a);
        assert_buf(&b, rows[i].told);
        mcti_buf_done(&b);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_to_authenticate_end_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
