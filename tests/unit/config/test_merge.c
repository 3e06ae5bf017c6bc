#include "unit.h"

#include "config/import/import.h"

static const char *const servers[] = { "mcpServers", NULL };

static void merges(const char *before, const char *const *path, const char *key, const char *json, const char *after)
{
    struct mct_error err;
    struct mcti_buf text;
    mcti_buf_init(&text, 1u << 20);
    mcti_buf_addz(&text, before);
    int r = mcti_config_merge(&text, path, key, mcti_str_of(json), &err);
    assert_int_equal(r, strcmp(before, after) ? 0 : 1);
    mcti_buf_addc(&text, '\0');
    assert_string_equal(text.p, after);
    mcti_buf_done(&text);
}

static void a_new_file_is_made(void **state)
{
    (void)state;
    merges("", servers, "a", "{}", "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n");
    merges("{}", servers, "a", "1", "{\n  \"mcpServers\": {\n    \"a\": 1\n  }\n}");
}

/* Comments, commas and white space of the file stay where they are. */
static void everything_else_stays(void **state)
{
    (void)state;
    merges("{\"mcpServers\":{\"a\":{}}}", servers, "b", "1", "{\"mcpServers\":{\"a\":{},\n  \"b\": 1\n}}");
    merges("{ // x\n\t\"mcpServers\": {\n\t\t\"a\": {}, // y\n\t} // z\n}", servers, "b", "1",
           "{ // x\n\t\"mcpServers\": {\n\t\t\"a\": {}, // y\n\t\t\"b\": 1\n\t} // z\n}");
    merges("{\n  \"mcpServers\": {\n    \"a\": {} /* , */\n    // no comma, here\n  }\n}\n", servers, "b", "{\"c\":[]}",
           "{\n  \"mcpServers\": {\n    \"a\": {}, /* , */\n    // no comma, here\n    \"b\": {\n      \"c\": []\n    "
           "}\n  "
           "}\n}\n");
    merges("{\"mcpServers\":{\"a\":1/* x *//* , */}}", servers, "b", "1",
           "{\"mcpServers\":{\"a\":1,/* x *//* , */\n  \"b\": 1\n}}");
    merges("{\"mcpServers\":{\"a\":1/* x *//**/,}}", servers, "b", "1",
           "{\"mcpServers\":{\"a\":1/* x *//**/,\n  \"b\": 1\n}}");
    merges("{\"mcpServers\":{\"a\":1/*/ x */,//y\n}}", servers, "b", "1",
           "{\"mcpServers\":{\"a\":1/*/ x */,//y\n  \"b\": 1\n}}");
    merges("{\r\n  \"mcpServers\": {\r\n  }\r\n}\r\n", servers, "b", "1",
           "{\r\n  \"mcpServers\": {\r\n    \"b\": 1\r\n  }\r\n}\r\n");
    merges("{\n  \"x\": 1\n}\n", servers, "b", "1", "{\n  \"x\": 1,\n  \"mcpServers\": {\n    \"b\": 1\n  }\n}\n");
}

static void what_is_there_is_kept(void **state)
{
    static const char *const nested[] = { "mcptools", "mcp", NULL };
    (void)state;
    merges("{\"mcpServers\":{\"a\":{}}}", servers, "a", "1", "{\"mcpServers\":{\"a\":{}}}");
    merges("{\n  \"mcptools\": {\n    \"mcp\": {\n      \"x\": 1\n    }\n  }\n}\n", nested, "y", "2",
           "{\n  \"mcptools\": {\n    \"mcp\": {\n      \"x\": 1,\n      \"y\": 2\n    }\n  }\n}\n");
}

static void what_is_no_configuration_is_refused(void **state)
{
    static const char *const texts[] = { "[]", "{", "1", "{\"mcpServers\":1}", "{\"mcpServers\":[]}", "{} x" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct mct_error err = { 0 };
        struct mcti_buf text;
        mcti_buf_init(&text, 1u << 20);
        mcti_buf_addz(&text, texts[i]);
        assert_int_equal(mcti_config_merge(&text, servers, "a", MCT_STR("1"), &err), -1);
        assert_int_equal(err.kind, MCT_ERR_CONFIG);
        assert_true(mcti_str_is(mcti_buf_str(&text), texts[i]));
        mcti_buf_done(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_file_is_made),
        cmocka_unit_test(everything_else_stays),
        cmocka_unit_test(what_is_there_is_kept),
        cmocka_unit_test(what_is_no_configuration_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
