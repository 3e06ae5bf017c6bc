#include "unit.h"

#include "cli/terminal/wrap.h"

static void lines_break_between_words(void **state)
{
    static const struct {
        const char *in;
        struct mcti_wrap wrap;
        const char *out;
    } rows[] = {
        { "one two three", { .columns = 0 }, "one two three" },
        { "one\ntwo three", { .columns = 0, .indent = 2 }, "one\n  two three" },
        { "one two three", { .columns = 13 }, "one two three" },
        { "one two three", { .columns = 12 }, "one two\nthree" },
        { "one two three", { .columns = 12, .indent = 2 }, "one two\n  three" },
        { "one two three", { .columns = 12, .at = 6, .indent = 2 }, "one\n  two three" },
        { "one\ntwo", { .columns = 12, .indent = 2 }, "one\n  two" },
        { "a  b", { .columns = 12 }, "a  b" },
        { "", { .columns = 12 }, "" },
        { "abcdefghij", { .columns = 4 }, "abcd\nefgh\nij" },
        { "x abcdefghij", { .columns = 4 }, "x\nabcd\nefgh\nij" },
        { "x abcdefghij y", { .columns = 4, .keeps_words = true }, "x\nabcdefghij\ny" },
        { "  ab cd", { .columns = 5, .indent = 2, .keeps_words = true }, "  ab\n  cd" },
        { "日本語日本語", { .columns = 6 }, "日本語\n日本語" },
        { "äöü äöü", { .columns = 4 }, "äöü\näöü" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf b;
        mcti_buf_init(&b, 1000);
        mcti_wrap_put(&b, mcti_str_of(rows[i].in), &rows[i].wrap);
        assert_buf(&b, rows[i].out);
        mcti_buf_done(&b);
    }
}

static void columns_are_those_of_a_terminal(void **state)
{
    (void)state;
    assert_int_equal(mcti_text_columns(MCT_STR("abc")), 3);
    assert_int_equal(mcti_text_columns(MCT_STR("a\xcc\x88")), 1);
    assert_int_equal(mcti_text_columns(MCT_STR("日本")), 4);
    assert_int_equal(mcti_text_columns(MCT_STR("\xff")), 1);
    setenv("COLUMNS", "72", 1);
    assert_int_equal(mcti_terminal_columns(-1), 72);
    setenv("COLUMNS", "3", 1);
    assert_int_equal(mcti_terminal_columns(-1), 20);
    setenv("COLUMNS", "wide", 1);
    assert_int_equal(mcti_terminal_columns(-1), 80);
    unsetenv("COLUMNS");
    assert_int_equal(mcti_terminal_columns(-1), 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_break_between_words),
        cmocka_unit_test(columns_are_those_of_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
