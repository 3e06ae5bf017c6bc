#include "unit.h"

#include "mcp/ask.h"
#include "mcp/elicit.h"

#include <sys/stat.h>
#include <unistd.h>

static void defaults_are_filled_in(void **state)
{
    static const struct mct_str params = MCT_STR("{\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
        "\"name\":{\"type\":\"string\",\"default\":\"John \\\"D\\\"\"},\"age\":{\"type\":\"integer\",\"default\":30},"
        "\"score\":{\"type\":\"number\",\"default\":95.50},\"ok\":{\"type\":\"boolean\"}},\"required\":[\"ok\"]}}");
    struct mct_buf b;
    struct mct_error err;
    (void)state;
    mct_buf_init(&b, 1000);
    mct_elicit_put_accept(&b, params, MCT_STR("{\"age\":7,\"ok\":true}"));
    assert_buf(&b, "{\"action\":\"accept\",\"content\":{\"age\":7,\"ok\":true,\"name\":\"John \\\"D\\\"\",\"score\":95.50}}");
    assert_int_equal(mct_elicit_check(params, mct_json_get(mct_buf_str(&b), "content"), &err), 0);
    mct_buf_clear(&b);
    mct_elicit_put_accept(&b, params, MCT_STR("{}"));
    assert_int_equal(mct_elicit_check(params, mct_json_get(mct_buf_str(&b), "content"), &err), -1);
    assert_non_null(strstr(err.message, "\"ok\""));
    mct_buf_done(&b);
}

static void capabilities_say_what_is_there(void **state)
{
    const struct mct_answerer all = { .form = true, .url = true, .sampling = true, .roots = "[]" };
    const struct mct_answerer url = { .url = true };
    struct mct_buf b;
    (void)state;
    mct_buf_init(&b, 1000);
    mct_capabilities_put(&b, NULL);
    assert_buf(&b, "{}");
    mct_buf_clear(&b);
    mct_capabilities_put(&b, &all);
    assert_buf(&b, "{\"roots\":{},\"elicitation\":{\"form\":{},\"url\":{}},\"sampling\":{}}");
    mct_buf_clear(&b);
    mct_capabilities_put(&b, &url);
    assert_buf(&b, "{\"elicitation\":{\"url\":{}}}");
    mct_buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_filled_in),
        cmocka_unit_test(capabilities_say_what_is_there),
    };
    return cmocka_run_group_tests_name("elicit", tests, NULL, NULL);
}
