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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates_match),
    };
    return cmocka_run_group_tests_name("template", tests, NULL, NULL);
}
