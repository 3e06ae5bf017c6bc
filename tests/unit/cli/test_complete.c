#include "unit.h"

#include "cli/complete/impl.h"

/* What can follow, as one text. */
static struct mcti_buf followers;

static void note(struct mcti_complete *c, struct mcti_str thing, bool is_literal)
{
    (void)c;
    mcti_buf_printf(&followers, "%s%s%.*s", followers.len ? " " : "", is_literal ? "=" : "", MCT_STR_ARG(thing));
}

static void usage_lines_are_a_grammar(void **state)
{
    static const struct {
        const char *usage, *words[4], *follows;
    } rows[] = {
        { "", { 0 }, "" },
        { "SERVER", { 0 }, "SERVER" },
        { "SERVER", { "a" }, "" },
        { "[SERVER] URI", { 0 }, "SERVER URI" },
        { "[SERVER] URI", { "a" }, "URI" },
        { "[SERVER] URI", { "a", "b" }, "" },
        { "SERVER.TOOL [ARGUMENT]...", { 0 }, "SERVER.TOOL" },
        { "SERVER.TOOL [ARGUMENT]...", { "a", "b", "c" }, "ARGUMENT" },
        { "FILE... FOLDER", { 0 }, "FILE" },
        { "FILE... FOLDER", { "a", "b" }, "FILE FOLDER" },
        { "bash|zsh|fish", { 0 }, "=bash =zsh =fish" },
        { "list\nget SERVER\nimport FILE", { 0 }, "=list =get =import" },
        { "list\nget SERVER\nimport FILE", { "get" }, "SERVER" },
        { "list\nget SERVER\nimport FILE", { "list" }, "" },
        { "list\nget SERVER\nimport FILE", { "other" }, "" },
        { "SERVER|URL", { 0 }, "SERVER URL" },
        { "--for PROFILE [FILE|-]", { 0 }, "FILE =-" },
        { "[--dry-run] FILE", { 0 }, "FILE" },
        { "[--from FORMAT] FILE", { 0 }, "FILE" },
        { "-- COMMAND [WORD]...", { 0 }, "COMMAND" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_complete c = { 0 };
        mcti_buf_init(&followers, 1000);
        for (size_t k = 0; k < 4 && rows[i].words[k]; k++)
            mcti_strings_add(&c.words, mcti_str_of(rows[i].words[k]));
        mcti_complete_usage(&c, rows[i].usage, note);
        assert_buf(&followers, rows[i].follows);
        mcti_buf_done(&followers);
        mcti_strings_clear(&c.words);
    }
}

static void quotes_are_removed(void **state)
{
    static const char *const rows[][2] = {
        { "", "" },           { "a", "a" },
        { "'a b'", "a b" },   { "\"a b\"", "a b" },
        { "a\\ b", "a b" },   { "'a", "a" },
        { "\"a", "a" },       { "\"a\\\"b\"", "a\"b" },
        { "'a\\b'", "a\\b" }, { "\"a\\b\"", "a\\b" },
        { "$(x)", "$(x)" },   { "\"$x\"", "$x" },
        { "a\\", "a" },       { "a'b'\"c\"d", "abcd" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *plain = mcti_complete_unquote(rows[i][0]);
        assert_string_equal(plain, rows[i][1]);
        free(plain);
    }
}

/* ---- the tables ---- */

struct things {
    char v[16][64];
    size_t n;
};

static struct things *found;

static void collect(struct mcti_complete *c, struct mcti_str thing, bool is_literal)
{
    if (!is_literal && !mcti_complete_knows(thing))
        fail_msg("completion does not know %.*s of %s: add a row to src/cli/complete/sources.c", MCT_STR_ARG(thing),
                 c->typed);
    assert_true(found->n < 16);
    snprintf(found->v[found->n++], 64, "%.*s", MCT_STR_ARG(thing));
}

/* Visits everything that can stand on the usage lines. */
static void walk(struct mcti_complete *c, const char *usage, unsigned depth)
{
    struct things here = { 0 };
    found = &here;
    mcti_complete_usage(c, usage, collect);
    for (size_t i = 0; i < here.n && depth; i++) {
        mcti_strings_add(&c->words, mcti_str_of(here.v[i]));
        walk(c, usage, depth - 1);
        free(c->words.v[--c->words.n]);
    }
}

static void each_word_of_usage_lines_is_known(void **state)
{
    struct mcti_complete c = { 0 };
    (void)state;
    for (const struct mcti_command *command = mcti_commands; command->name; command++) {
        c.typed = (char *)command->name;
        walk(&c, command->args, 3);
    }
    mcti_strings_clear(&c.words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_lines_are_a_grammar),
        cmocka_unit_test(quotes_are_removed),
        cmocka_unit_test(each_word_of_usage_lines_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
