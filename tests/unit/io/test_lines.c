#include "unit.h"

#include "io/lines.h"

struct seen {
    char text[4096];
    int n, stop_after;
};

static bool on_line(void *data, struct mcti_str line)
{
    struct seen *s = data;
    strncat(s->text, line.p, line.len);
    strcat(s->text, "|");
    return ++s->n != s->stop_after;
}

/* Feeds the bytes; returns the number of lines that were dropped. */
static int feed(struct mcti_lines *l, const char *p, size_t n, struct seen *s)
{
    struct mcti_str bytes = { p, n };
    int dropped = 0;
    while (mcti_lines_feed(l, &bytes, on_line, s) < 0)
        dropped++;
    return dropped;
}

/* The same bytes give the same lines wherever they are split. */
static void cuts_do_not_matter(void **state)
{
    static const char bytes[] = "{\"a\":1}\n\n  \r\n{\"b\":2}\r\nlast";
    (void)state;
    for (size_t a = 0; a < sizeof bytes; a++) {
        for (size_t b = a; b < sizeof bytes; b++) {
            struct seen s = { "", 0, 0 };
            struct mcti_lines l;
            mcti_lines_init(&l, 100);
            mcti_lines_feed(&l, &(struct mcti_str){ bytes, a }, on_line, &s);
            mcti_lines_feed(&l, &(struct mcti_str){ bytes + a, b - a }, on_line, &s);
            mcti_lines_feed(&l, &(struct mcti_str){ bytes + b, sizeof bytes - 1 - b }, on_line, &s);
            assert_string_equal(s.text, "{\"a\":1}|{\"b\":2}|");
            mcti_lines_done(&l);
        }
    }
}

static void long_lines_are_dropped_alone(void **state)
{
    static const char bytes[] = "short\n0123456789abcdef\nnext\n";
    (void)state;
    for (size_t cut = 0; cut < sizeof bytes; cut++) {
        struct seen s = { "", 0, 0 };
        struct mcti_lines l;
        mcti_lines_init(&l, 10);
        int n = feed(&l, bytes, cut, &s) + feed(&l, bytes + cut, sizeof bytes - 1 - cut, &s);
        assert_int_equal(n, 1);
        assert_true(l.head_len > 0 && !memcmp(l.head, "0123456789abcdef", l.head_len));
        assert_string_equal(s.text, "short|next|");
        mcti_lines_done(&l);
    }
}

static void reader_can_stop(void **state)
{
    struct seen s = { "", 0, 2 };
    struct mcti_lines l;
    (void)state;
    mcti_lines_init(&l, 100);
    struct mcti_str bytes = MCT_STR("a\nb\nc\nd");
    mcti_lines_feed(&l, &bytes, on_line, &s);
    assert_string_equal(s.text, "a|b|");
    assert_span(bytes, "c\nd");
    s.stop_after = 0;
    mcti_lines_feed(&l, &bytes, on_line, &s);
    assert_string_equal(s.text, "a|b|c|");
    assert_int_equal(bytes.len, 0);
    mcti_lines_done(&l);
}

/* Pretty-printed JSON from an HTTP client must not break the framing of a child's stdin. */
static void frames_lose_their_line_breaks(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 100);
    mcti_lines_put(&b, MCT_STR("{\r\n \"a\": 1\n}"));
    assert_buf(&b, "{   \"a\": 1 }\n");
    mcti_lines_put(&b, MCT_STR("\n1"));
    assert_buf(&b, "{   \"a\": 1 }\n 1\n");
    mcti_buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_do_not_matter),
        cmocka_unit_test(long_lines_are_dropped_alone),
        cmocka_unit_test(reader_can_stop),
        cmocka_unit_test(frames_lose_their_line_breaks),
    };
    return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
