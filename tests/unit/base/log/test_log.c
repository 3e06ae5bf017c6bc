#include "unit.h"

#include "base/log/log.h"
#include "base/log/utf8.h"
#include "base/log/visible.h"

/* ---- utf8, base64 ---- */

static void utf8_is_strict(void **state)
{
    static const char *const good[] = {
        "", "a", "\xc2\x80", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "\xee\x80\x80"
    };
    static const char *const bad[] = { "\x80",
                                       "\xc0\x80",
                                       "\xc1\xbf",
                                       "\xe0\x9f\xbf",
                                       "\xed\xa0\x80",
                                       "\xf0\x8f\xbf\xbf",
                                       "\xf4\x90\x80\x80",
                                       "\xf5\x80\x80\x80",
                                       "\xe2\x82",
                                       "\xff",
                                       "a\xe2(\xa1" };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(mcti_utf8_valid(mcti_str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(mcti_utf8_valid(mcti_str_of(bad[i])));
}

/* Every scalar value at the edges of the lengths is read as it is written. */
static void utf8_counts_characters(void **state)
{
    static const unsigned points[] = { 0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff };
    enum { N = sizeof points / sizeof *points };
    size_t ends[N + 1] = { 0 }, n;
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 100);
    for (size_t i = 0; i < N; i++) {
        mcti_utf8_put(&b, points[i]);
        assert_int_equal(mcti_utf8_at(b.p + ends[i], b.len - ends[i]), points[i]);
        ends[i + 1] = b.len;
    }
    for (size_t i = 0; i <= N; i++) {
        assert_int_equal(mcti_utf8_head(mcti_buf_str(&b), i, &n).len, ends[i]);
        assert_int_equal(n, i);
    }
    assert_int_equal(mcti_utf8_head(mcti_buf_str(&b), SIZE_MAX, &n).len, b.len);
    assert_int_equal(n, N);
    assert_int_equal(mcti_utf8_head(MCT_STR("\xe8\xb5x"), 2, &n).len, 2);
    mcti_buf_done(&b);
}

/* White_Space of Unicode goes at both ends and stays inside; what only looks like it, and broken bytes, stay. */
static void utf8_trims_white_space(void **state)
{
    static const char *const rows[][2] = {
        { "", "" },
        { " \n\t\v\f\r", "" },
        { "\u00a0\u3000\u2029\xc2\x85\u1680\u200a", "" },
        { " \u2003a \u00a0 b\u202f\u205f", "a \u00a0 b" },
        { "\u200bx\ufeff", "\u200bx\ufeff" },
        { " \xc2", "\xc2" },
        { "\xa0 x \xe3\x80", "\xa0 x \xe3\x80" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_str s = mcti_utf8_trim(mcti_str_of(rows[i][0]));
        assert_int_equal(s.len, strlen(rows[i][1]));
        assert_memory_equal(s.p, rows[i][1], s.len);
    }
    assert_null(mcti_utf8_trim(MCT_STR_NONE).p);
}

/* ---- error, log, random ---- */

static void keep_line(enum mct_log_level level, const char *line, void *data)
{
    (void)level;
    strcpy(data, line);
}

static void log_hides_control_characters(void **state)
{
    char got[1024] = "";
    struct mcti_log log = { MCT_LOG_WARN, keep_line, got };
    (void)state;
    mcti_log(&log, MCT_LOG_INFO, "quiet");
    assert_string_equal(got, "");
    mcti_log(&log, MCT_LOG_ERROR, "a\x1b[31mb\nc");
    assert_string_equal(got, "a?[31mb?c");
}

static void check_visible(const char *text, enum mcti_visible_form form, const char *expected)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 4096);
    mcti_visible_put(&b, mcti_str_of(text), form);
    assert_buf(&b, expected);
    mcti_buf_done(&b);
}

static void foreign_text_is_made_visible(void **state)
{
    static const char text[] = "a\x1b[2J\tb\r\n\rc\xc2\x9b\xd8\x9c\xe2\x80\xae\x7f\xc3\xa9\x9b\xf0\x9f\x98\x80\xe2\x80";
    char line[sizeof text];
    (void)state;
    check_visible(text, MCT_VISIBLE_LINE, "a?[2J?b???c????\xc3\xa9?\xf0\x9f\x98\x80??");
    check_visible(text, MCT_VISIBLE_TEXT, "a?[2J\tb\r\n?c????\xc3\xa9?\xf0\x9f\x98\x80??");
    check_visible("{\"a\":\t\"\xc2\x9b\xe2\x81\xa6\x7f\xc3\xa9\"}\n", MCT_VISIBLE_JSON,
                  "{\"a\":\t\"\\u009b\\u2066\\u007f\xc3\xa9\"}\n");
    memcpy(line, text, sizeof line);
    mcti_visible(line);
    assert_string_equal(line, "a?[2J?b???c????\xc3\xa9?\xf0\x9f\x98\x80??");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_is_strict),
        cmocka_unit_test(utf8_counts_characters),
        cmocka_unit_test(utf8_trims_white_space),
        cmocka_unit_test(log_hides_control_characters),
        cmocka_unit_test(foreign_text_is_made_visible),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
