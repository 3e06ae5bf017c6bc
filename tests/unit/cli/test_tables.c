#include "unit.h"

#include "cli/command.h"
#include "cli/option.h"

#include <ctype.h>

/* ---- examples ---- */

enum { N_WORDS = 32 };

/* Splits an example into the words of a command line, up to a redirection or pipe. */
static int split(const char *line, struct mcti_config *config, char *ret[N_WORDS])
{
    struct mct_error err;
    struct mcti_config_server *s = mcti_config_add_server(config, "example");
    int n = 0;
    assert_int_equal(mcti_config_split(line, s, &err), 0);
    ret[n++] = (char *)"mcptools";
    ret[n++] = s->command;
    for (size_t i = 0; i < s->args.n && !strchr("<>|", *s->args.v[i]); i++)
        ret[n++] = s->args.v[i];
    assert_true(n < N_WORDS);
    ret[n] = NULL;
    return n;
}

static void examples_are_valid_command_lines(void **state)
{
    (void)state;
    for (const struct mcti_command *c = mcti_commands; c->name; c++) {
        size_t n = 0;
        for (; n < MCT_N_EXAMPLES && c->examples[n].line; n++) {
            struct mcti_app app = { .event_fd = -1 };
            struct mct_error err = { 0 };
            char *words[N_WORDS];
            mcti_config_init(&app.inst.config);
            int n_words = split(c->examples[n].line, &app.inst.config, words);
            if (mcti_options_parse(&app, n_words, words, &err) < 0)
                fail_msg("mcptools %s: %s", c->examples[n].line, err.message);
            assert_string_equal(app.command->name, c->name);
            assert_non_null(c->examples[n].what);
            mcti_config_done(&app.inst.config);
            mcti_strings_clear(&app.opt.config_files);
            mcti_strings_clear(&app.opt.servers);
            mcti_strings_clear(&app.opt.roots);
            mcti_strings_clear(&app.opt.subscribe);
        }
        if (n < 2)
            fail_msg("'%s' has fewer than two examples", c->name);
    }
}

/* ---- texts ---- */

static void check_sentence(const char *name, const char *text)
{
    size_t n = strlen(text);
    if (!n || isupper((unsigned char)*text) || text[n - 1] == '.')
        fail_msg("%s: '%s': must begin in lower case and have no full stop", name, text);
}

static void texts_have_one_form(void **state)
{
    (void)state;
    for (const struct mcti_command *c = mcti_commands; c->name; c++) {
        check_sentence(c->name, c->summary);
        for (size_t i = 0; i < MCT_N_EXAMPLES && c->examples[i].line; i++)
            check_sentence(c->name, c->examples[i].what);
        if (c->more && c->more[strlen(c->more) - 1] != '.')
            fail_msg("%s: '%s': must end with a full stop", c->name, c->more);
    }
    for (const struct mcti_option *o = mcti_options; o->name; o++)
        check_sentence(o->name, o->help);
}

static void options_belong_to_commands(void **state)
{
    (void)state;
    for (const struct mcti_option *o = mcti_options; o->name; o++) {
        struct mcti_str only = mcti_str_of(o->only), word;
        while (mcti_str_split(&only, ' ', &word)) {
            char name[32];
            snprintf(name, sizeof name, "%.*s", MCT_STR_ARG(word));
            if (!mcti_command_find(name))
                fail_msg("%s: no command '%s'", o->name, name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_are_valid_command_lines),
        cmocka_unit_test(texts_have_one_form),
        cmocka_unit_test(options_belong_to_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
