/* base/log/near.c */
#include "unit.h"

#include "base/log/near.h"

static const char *const names[] = { "list", "call", "serve", "status", "resources", "config", "read" };

static const char *nearest(const char *word)
{
    static struct mcti_near near;
    near = (struct mcti_near){ .word = mcti_str_of(word) };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        mcti_near_try(&near, mcti_str_of(names[i]));
    return near.best;
}

static void finds_the_nearest(void **state)
{
    (void)state;
    static const struct {
        const char *word, *best;
    } rows[] = {
        { "lst", "list" },
        { "lsit", "list" },
        { "liist", "list" },
        { "LIST", "list" },
        { "resourcse", "resources" },
        { "confog", "config" },
        { "stauts", "status" },
        { "raed", "read" },
        { "x", "" },
        { "", "" },
        { "banana", "" },
        { "li", "" },
        { "serv", "serve" },
        { "rescources", "resources" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(nearest(rows[i].word), rows[i].best);
}

static void long_names_are_left_out(void **state)
{
    (void)state;
    char word[200];
    memset(word, 'a', sizeof word);
    struct mcti_near near = { .word = { word, MCT_NEAR_NAME_BYTES } };
    mcti_near_try(&near, (struct mcti_str){ word, MCT_NEAR_NAME_BYTES + 1 });
    assert_string_equal(near.best, "");
    mcti_near_try(&near, (struct mcti_str){ word, MCT_NEAR_NAME_BYTES });
    assert_int_equal(strlen(near.best), MCT_NEAR_NAME_BYTES);
    char hint[MCT_NEAR_HINT_BYTES];
    assert_int_equal(strlen(mcti_near_hint(&near, hint)), MCT_NEAR_NAME_BYTES + strlen("; did you mean ''?"));
}

static void of_equals_the_first_counts(void **state)
{
    (void)state;
    struct mcti_near near = { .word = MCT_STR("cat") };
    mcti_near_try(&near, MCT_STR("bat"));
    mcti_near_try(&near, MCT_STR("rat"));
    assert_string_equal(near.best, "bat");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_nearest),
        cmocka_unit_test(long_names_are_left_out),
        cmocka_unit_test(of_equals_the_first_counts),
    };
    return cmocka_run_group_tests_name("near", tests, NULL, NULL);
}
