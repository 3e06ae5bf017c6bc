#include "unit.h"

#include "mcp/ask.h"
#include "mcp/elicit.h"

#include <sys/stat.h>
#include <unistd.h>

static void defaults_are_filled_in(void **state)
{
    static const struct mcti_str params = MCT_STR(
        "{\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
        "\"name\":{\"type\":\"string\",\"default\":\"John \\\"D\\\"\"},\"age\":{\"type\":\"integer\",\"default\":30},"
        "\"score\":{\"type\":\"number\",\"default\":95.50},\"ok\":{\"type\":\"boolean\"}},\"required\":[\"ok\"]}}");
    struct mcti_buf b;
    struct mct_error err;
    (void)state;
    mcti_buf_init(&b, 1000);
    mcti_elicit_put_accept(&b, params, MCT_STR("{\"age\":7,\"ok\":true}"));
    assert_buf(
        &b, "{\"action\":\"accept\",\"content\":{\"age\":7,\"ok\":true,\"name\":\"John \\\"D\\\"\",\"score\":95.50}}");
    assert_int_equal(mcti_elicit_check(params, mcti_json_get(mcti_buf_str(&b), "content"), &err), 0);
    mcti_buf_clear(&b);
    mcti_elicit_put_accept(&b, params, MCT_STR("{}"));
    assert_int_equal(mcti_elicit_check(params, mcti_json_get(mcti_buf_str(&b), "content"), &err), -1);
    assert_non_null(strstr(err.message, "\"ok\""));
    mcti_buf_done(&b);
}

static void capabilities_say_what_is_there(void **state)
{
    const struct mcti_answerer all = { .form = true, .url = true, .sampling = true, .roots = "[]" };
    const struct mcti_answerer url = { .url = true };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 1000);
    mcti_capabilities_put(&b, NULL);
    assert_buf(&b, "{}");
    mcti_buf_clear(&b);
    mcti_capabilities_put(&b, &all);
    assert_buf(&b, "{\"roots\":{},\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{}}");
    mcti_buf_clear(&b);
    mcti_capabilities_put(&b, &url);
    assert_buf(&b, "{\"elicitation\":{\"url\":{}}}");
    mcti_buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_filled_in),
        cmocka_unit_test(capabilities_say_what_is_there),
    };
    return cmocka_run_group_tests_name("elicit", tests, NULL, NULL);
}
