#include "unit.h"

#include "read.h"
#include "config/config.h"
#include "config/expand/expand.h"
#include "config/notation/jsonc.h"

#include <time.h>

static void comments_and_commas_are_blanked(void **state)
{
    static const struct {
        const char *in, *out;
    } rows[] = {
        { "{\"a\":1,}", "{\"a\":1 }" },
        { "[1, 2 , ]", "[1, 2   ]" },
        { "{} // end", "{}       " },
        { "/* a\nb */{}", "    \n    {}" },
        { "{\"u\":\"http://x/*y*/,]\"}", "{\"u\":\"http://x/*y*/,]\"}" },
        { "{\"q\":\"\\\"//\"}", "{\"q\":\"\\\"//\"}" },
        { "[,]", "[,]" },
        { "[1,,]", "[1,,]" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = strdup(rows[i].in);
        mcti_jsonc_blank(text, strlen(text));
        assert_string_equal(text, rows[i].out);
        free(text);
    }
}

static void variables_expand_once(void **state)
{
    struct mct_error err;
    (void)state;
    setenv("MCT_TEST_A", "value", 1);
    setenv("MCT_TEST_NESTED", "${MCT_TEST_A}", 1);
    setenv("MCT_TEST_EMPTY", "", 1);
    unsetenv("MCT_TEST_UNSET");
    static const char *const pairs[][2] = {
        { "plain", "plain" },
        { "${MCT_TEST_A}", "value" },
        { "a${MCT_TEST_A}b", "avalueb" },
        { "${MCT_TEST_UNSET:-d}", "d" },
        { "${MCT_TEST_UNSET:-}", "" },
        { "${MCT_TEST_EMPTY:-d}", "d" },
        { "${MCT_TEST_EMPTY}", "" },
        { "${MCT_TEST_NESTED}", "${MCT_TEST_A}" },
        { "$HOMEless $", "$HOMEless $" },
        { "$${X}", "${X}" },
        { "kill $$", "kill $$" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *got = mcti_expand(pairs[i][0], &err);
        assert_non_null(got);
        assert_string_equal(got, pairs[i][1]);
        free(got);
    }
    assert_null(mcti_expand("${MCT_TEST_UNSET}", &err));
    assert_non_null(strstr(err.message, "MCT_TEST_UNSET"));
    assert_null(mcti_expand("${", &err));
    assert_null(mcti_expand("${a b}", &err));
    assert_null(mcti_expand("${MCT_TEST_UNSET:-${HOME}}", &err)); /* the first "}" would end it */
    assert_string_equal(err.message, "\"${MCT_TEST_UNSET:-…}\": a default cannot have variables");
}

static void command_lines_split_into_words(void **state)
{
    static const struct {
        const char *line, *words[5];
    } rows[] = {
        { "npx -y pkg", { "npx", "-y", "pkg" } },
        { "  a  'b c' \"d \\\" e\" f\\ g ", { "a", "b c", "d \" e", "f g" } },
        { "x 'it'\"'\"'s' ''", { "x", "it's", "" } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_config_server *s = mcti_config_add_server(&config, "s");
        struct mct_error err;
        assert_int_equal(mcti_config_split(rows[i].line, s, &err), 0);
        assert_string_equal(s->command, rows[i].words[0]);
        for (size_t k = 0; k < s->args.n; k++)
            assert_string_equal(s->args.v[k], rows[i].words[k + 1]);
        assert_null(rows[i].words[s->args.n + 1]);
    }
    struct mct_error err;
    assert_int_equal(mcti_config_split("a 'b", mcti_config_add_server(&config, "s"), &err), -1);
    assert_int_equal(mcti_config_split("  ", mcti_config_add_server(&config, "s"), &err), -1);
}

static void paths_get_the_folder_of_the_configuration(void **state)
{
    static const char *const rows[][2] = {
        { "${file:a/b}", "${file:/usr/a/b}" },
        { "x${file:a}${file:../b}y", "x${file:/usr/a}${file:/usr/../b}y" },
        { "${file:/a}", "${file:/a}" },
        { "${file:~/a}", "${file:~/a}" },
        { "${file:-a}", "${file:-a}" },
        { "${file:}", "${file:}" },
        { "$${file:a}${file:b}", "$${file:a}${file:/usr/b}" },
        { "${cmd:echo '${file:a}'}${file:b}", "${cmd:echo '${file:a}'}${file:/usr/b}" },
        { "${file:a", "${file:a" },
        { "${cmd:'${file:a}", "${cmd:'${file:/usr/a}" }, /* a mistake in any case */
        { "plain", "plain" },
    };
    char *none = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = strdup(rows[i][0]);
        assert_int_equal(mcti_expand_anchor(&text, "/usr/mcptools.json"), 0);
        assert_string_equal(text, rows[i][1]);
        free(text);
    }
    char *text = strdup("${file:a}");
    assert_int_equal(mcti_expand_anchor(&text, "/mcptools.json"), 0);
    assert_string_equal(text, "${file://a}");
    free(text);
    assert_int_equal(mcti_expand_anchor(&none, "/usr/mcptools.json"), 0);
    assert_null(none);
}

static void secrets_end_where_their_texts_end(void **state)
{
    static const struct {
        const char *text;
        size_t at;
    } rows[] = {
        { "${a}b}", 3 },      { "${file:'}'}", 8 }, { "${cmd:'}'}x", 9 }, { "${cmd:\"}\\\"}\"}x", 12 },
        { "${cmd:\\}}x", 8 }, { "${cmd:a}", 7 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_ptr_equal(mcti_expand_end(rows[i].text), rows[i].text + rows[i].at);
    assert_null(mcti_expand_end("${cmd:'}"));
    assert_null(mcti_expand_end("${cmd:\\}"));
    assert_null(mcti_expand_end("${a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_and_commas_are_blanked),
        cmocka_unit_test(variables_expand_once),
        cmocka_unit_test(paths_get_the_folder_of_the_configuration),
        cmocka_unit_test(secrets_end_where_their_texts_end),
        cmocka_unit_test_setup_teardown(command_lines_split_into_words, setup, teardown),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
