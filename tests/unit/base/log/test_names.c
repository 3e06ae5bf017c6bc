#include "unit.h"

#include "base/log/names.h"

/* Appends names behind a message, and returns what the message is then. */
static const char *names_after(struct mct_error *err, const char *before, const char *name, int n)
{
    char one[1000];
    struct mcti_names names = { .err = err };
    mcti_fail(err, MCT_ERR_USAGE, "%s", before);
    for (int i = 0; i < n; i++) {
        snprintf(one, sizeof one, "%s%d", name, i);
        mcti_names_add(&names, mcti_str_of(one));
    }
    assert_int_equal(mcti_names_end(&names), -1);
    return err->message;
}

static void names_that_fit_are_all_there(void **state)
{
    struct mct_error err;
    (void)state;
    assert_string_equal(names_after(&err, "known: ", "s", 0), "known: ");
    assert_string_equal(names_after(&err, "known: ", "s", 1), "known: s0");
    assert_string_equal(names_after(&err, "known: ", "s", 3), "known: s0, s1, s2");
}

static void others_are_counted(void **state)
{
    struct mct_error err;
    int n, more, last;
    (void)state;
    for (n = 60; n < 100000; n *= 10) {
        const char *text = names_after(&err, "known: ", "a-server-with-a-name-", n), *end = strstr(text, " and ");
        assert_non_null(end);
        assert_memory_equal(text, "known: a-server-with-a-name-0, a-server-with-a-name-1, ", 50);
        assert_int_equal(sscanf(end, " and %d more", &more), 1);
        while (end[-1] >= '0' && end[-1] <= '9')
            end--;
        assert_int_equal(sscanf(end, "%d and", &last), 1);
        assert_int_equal(last + 1 + more, n);
        assert_true(strlen(text) > 400);
    }
}

static void the_first_one_is_cut_between_characters(void **state)
{
    struct mct_error err;
    char name[900] = "";
    (void)state;
    for (size_t shift = 0; shift < 3; shift++) {
        memset(name, 'x', shift);
        for (size_t i = shift; i + 3 < sizeof name; i += 3)
            strcpy(name + i, "\xe2\x82\xac");
        size_t len = strlen(names_after(&err, "", name, 2)) - strlen(" and 1 more");
        assert_string_equal(err.message + len, " and 1 more");
        assert_true(len > 400 && len % 3 == shift);
    }
}

static void a_full_message_stays_whole(void **state)
{
    struct mct_error err;
    char before[512];
    (void)state;
    memset(before, 'm', sizeof before - 1);
    before[sizeof before - 1] = '\0';
    assert_string_equal(names_after(&err, before, "s", 5), before);
    before[sizeof before - 15] = '\0';
    assert_memory_equal(names_after(&err, before, "s", 5), before, sizeof before - 15);
    assert_string_equal(err.message + sizeof before - 15, "5 more");
}

static void no_error_is_wanted(void **state)
{
    struct mcti_names names = { 0 };
    (void)state;
    mcti_names_add(&names, MCT_STR("a"));
    assert_int_equal(mcti_names_end(&names), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_fit_are_all_there),
        cmocka_unit_test(others_are_counted),
        cmocka_unit_test(the_first_one_is_cut_between_characters),
        cmocka_unit_test(a_full_message_stays_whole),
        cmocka_unit_test(no_error_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
