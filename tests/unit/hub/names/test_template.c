#include "unit.h"

#include "hub/names/template.h"

static void templates_match(void **state)
{
    static const struct {
        const char *template, *uri;
        bool match;
    } rows[] = {
        { "demo://greeting/{name}", "demo://greeting/Ada", true },
        { "demo://greeting/{name}", "demo://greeting/", true },
        { "demo://greeting/{name}", "demo://greeting/a/b", false },
        { "demo://greeting/{name}", "demo://greetings/Ada", false },
        { "file:///{+path}", "file:///a/b/c", true },
        { "file:///{path*}", "file:///a/b/c", true },
        { "x://{a}/mid/{b}.txt", "x://1/mid/2.txt", true },
        { "x://{a}/mid/{b}.txt", "x://1/mid/2.md", false },
        { "x://{a}-{b}", "x://1-2-3", true },
        { "x://q{?a,b}", "x://q?a=1&b=2", true },
        { "x://fixed", "x://fixed", true },
        { "x://fixed", "x://fixed2", false },
        { "x://{unclosed", "x://y", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mcti_template_matches(mcti_str_of(rows[i].template), mcti_str_of(rows[i].uri)) != rows[i].match)
            fail_msg("%s against %s", rows[i].template, rows[i].uri);
}

static void templates_are_valid(void **state)
{
    static const char *const good[] = { "", "x://fixed", "x://{a}", "x:{?a,b}{&c*}", "{+path}" };
    static const char *const bad[] = { "{", "}", "{}", "{?}", "x://{a", "x://a}", "x://{a{b}}", "x://{a}}" };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(mcti_template_valid(mcti_str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(mcti_template_valid(mcti_str_of(bad[i])));
}

static void variables_are_found(void **state)
{
    static const struct {
        const char *template, *uri, *variables;
    } rows[] = {
        { "x://{name}", "x://Ada", "{\"name\":\"Ada\"}" },
        { "x://{name}", "x://", "{\"name\":\"\"}" },
        { "x://{name}", "x://a%20%22%zz%4", "{\"name\":\"a \\\"%zz%4\"}" },
        { "x://{name}", "x://%ff%00", "{\"name\":\"\xef\xbf\xbd\\u0000\"}" },
        { "x://{name}", "y://a", "{}" },
        { "x://{a}/mid/{b}.txt", "x://1/mid/2.3.txt", "{\"a\":\"1\",\"b\":\"2.3\"}" },
        { "x://{a}-{b}", "x://1-2-3", "{\"a\":\"1\",\"b\":\"2-3\"}" },
        { "file:///{+path}", "file:///a/b", "{\"path\":\"a/b\"}" },
        { "file:///{path*}", "file:///a/b", "{\"path\":\"a/b\"}" },
        { "x:{/a,b}", "x:/1/2", "{\"a\":\"1\",\"b\":\"2\"}" },
        { "x:{a,b}", "x:1,2", "{\"a\":\"1\",\"b\":\"2\"}" },
        { "x:{a:3}", "x:abc", "{\"a\":\"abc\"}" },
        { "x://q{?a,b}", "x://q?b=2&a=1", "{\"b\":\"2\",\"a\":\"1\"}" },
        { "x://{p}{?a}", "x://q?a=1", "{\"p\":\"q\",\"a\":\"1\"}" },
        { "x://{p}{?a}", "x://q", "{\"p\":\"q\"}" },
        { "x://{p}{#f}", "x://q#f", "{\"p\":\"q\",\"f\":\"f\"}" },
        { "x:{;a,b}", "x:;a=1;b", "{\"a\":\"1\",\"b\":\"\"}" },
        { "x:{}", "x:y", "{}" },
        { "x:{?}", "x:?", "{}" },
        { "x:{+}", "x:y", "{}" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf b;
        mcti_buf_init(&b, 1000);
        mcti_template_put_variables(&b, mcti_str_of(rows[i].template), mcti_str_of(rows[i].uri));
        if (!mcti_str_is(mcti_buf_str(&b), rows[i].variables))
            fail_msg("%s against %s: %.*s", rows[i].template, rows[i].uri, MCT_STR_ARG(mcti_buf_str(&b)));
        mcti_buf_done(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates_match),
        cmocka_unit_test(templates_are_valid),
        cmocka_unit_test(variables_are_found),
    };
    return cmocka_run_group_tests_name("template", tests, NULL, NULL);
}
