/* Members of a long message that its check has noted. */
#include "unit.h"

#include "json/noted.h"
#include "mcp/message.h"

enum { LONG = 1 << 20 };

/* Returns a checked message with this result, in which '@' stands for a long text. */
static struct mcti_chunk *message(const char *result, struct mcti_msg *ret)
{
    struct mcti_buf b;
    struct mcti_json_scan *check = NULL;
    mcti_buf_init(&b, 4 * LONG);
    mcti_buf_addz(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":");
    for (const char *p = result; *p; p++)
        for (int n = 0; n < (*p == '@' ? LONG : 1); n++)
            mcti_buf_addc(&b, *p == '@' ? 'x' : *p);
    mcti_buf_addc(&b, '}');
    mcti_json_arrived(&check, mcti_buf_str(&b));
    struct mcti_chunk *chunk = mcti_json_chunk_take(&b, &check);
    assert_non_null(chunk);
    assert_int_equal(mcti_msg_parse_chunk(mcti_chunk_str(chunk), chunk, ret, NULL), 0);
    return chunk;
}

static const struct {
    const char *result;
    bool is_known;
    const char *value; /* NULL: absent */
} rows[] = {
    { "{\"content\":[\"@\"],\"isError\":true}", true, "true" },
    { "{\"isError\":false,\"content\":[\"@\"],\"isError\":true}", true, "false" },
    { "{\"content\":[\"@\"],\"is\\u0045rror\":true}", true, "true" },
    { "{\"content\":[{\"isError\":true,\"a\":\"@\"}],\"structuredContent\":{\"isError\":true}}", true, NULL },
    { "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":\"@\",\"isError\":true}", false, NULL },
    { "{\"content\":\"@\"}", true, NULL },
};

static void members_of_the_result(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_msg msg;
        struct mcti_str value;
        struct mcti_chunk *chunk = message(rows[i].result, &msg);
        assert_int_equal(mcti_json_noted(chunk, msg.result, "isError", &value), rows[i].is_known);
        assert_int_equal(value.p != NULL, rows[i].value != NULL);
        assert_true(!value.p || mcti_str_is(value, rows[i].value));
        assert_false(mcti_json_noted(chunk, mcti_json_get(msg.result, "content"), "isError", &value));
        assert_false(mcti_json_noted(NULL, msg.result, "isError", &value));
        mcti_chunk_unref(chunk);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(members_of_the_result) };
    return cmocka_run_group_tests_name("noted", tests, NULL, NULL);
}
