#include "same.h"
#include "base/log/utf8.h"
#include "json/write.h"
#include "resources/lines/block.h"

#include <jansson.h>

static uint64_t seed;

static unsigned pick(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

static void put_random_text(struct mcti_buf *to)
{
    static const unsigned edges[] = { '"',      '\\',  '\n',   0,      0x1f,   0x7f,   0x85,   0x9f,   0xa0,
                                      0x7ff,    0x800, 0x2028, 0x2029, 0xd7ff, 0xe000, 0xfe0f, 0xffff, 0x10000,
                                      0x10ffff, '{',   '}',    '|',    ':',    ',',    '[',    ']',    '/' };
    for (unsigned n = pick(8); n; n--)
        mcti_utf8_put(to, pick(3) ? 'a' + pick(26) : edges[pick(sizeof edges / sizeof *edges)]);
}

static void put_random_string(struct mcti_buf *to)
{
    struct mcti_buf text;
    mcti_buf_init(&text, 1000);
    put_random_text(&text);
    mcti_json_put_string(to, mcti_buf_str(&text));
    mcti_buf_done(&text);
}

static void put_random_value(struct mcti_buf *to, unsigned depth);

static void put_random_object(struct mcti_buf *to, unsigned depth)
{
    static const char *const keys[] = { "agent", "a", "B_2", "_", "true" };
    unsigned n = pick(4);
    mcti_buf_addc(to, '{');
    for (unsigned i = 0; i < n; i++) {
        mcti_buf_addz(to, i ? "," : "");
        if (pick(2))
            mcti_json_put_string(to, mcti_str_of(keys[pick(5)]));
        else
            put_random_string(to);
        mcti_buf_addc(to, ':');
        put_random_value(to, depth);
    }
    mcti_buf_addc(to, '}');
}

static void put_random_value(struct mcti_buf *to, unsigned depth)
{
    static const char *const words[] = { "true", "false", "null", "0", "-1", "0.5", "-12.30", "18446744073709551616" };
    unsigned kind = pick(depth ? 5 : 3);
    if (kind == 0) {
        mcti_buf_addz(to, words[pick(8)]);
    } else if (kind < 3) {
        put_random_string(to);
    } else if (kind == 3) {
        put_random_object(to, depth - 1);
    } else {
        mcti_buf_addc(to, '[');
        for (unsigned n = pick(4), i = 0; i < n; i++) {
            mcti_buf_addz(to, i ? "," : "");
            put_random_value(to, depth - 1);
        }
        mcti_buf_addc(to, ']');
    }
}

/* For blocks whose summary is a line and whose JSON is as json/write.h makes it: what was written is read. */
static void what_is_written_is_read(void **state)
{
    struct mcti_buf summary, data, meta;
    (void)state;
    seed = 2;
    mcti_buf_init(&summary, TEXT);
    mcti_buf_init(&data, 1u << 20);
    mcti_buf_init(&meta, 1u << 20);
    for (int i = 0; i < 20000; i++) {
        struct mcti_block parsed, b = { .state = (enum mcti_block_state)pick(MCT_BLOCK_N_STATES) };
        mcti_buf_clear(&summary);
        mcti_buf_clear(&data);
        mcti_buf_clear(&meta);
        mcti_buf_clear(&out);
        for (unsigned n = pick(5); n; n--)
            mcti_utf8_put(&summary, "ab\\|{:"[pick(6)]);
        put_random_object(&data, 4);
        put_random_object(&meta, 2);
        b.summary = mcti_buf_str(&summary);
        b.data = pick(8) ? mcti_buf_str(&data) : MCT_STR_NONE;
        b.meta = pick(8) ? mcti_buf_str(&meta) : MCT_STR_NONE;
        b.one_line = (b.data.p || b.meta.p) && pick(2);
        assert_int_equal(mcti_block_put(&out, &b), 0);
        must_parse(mcti_buf_str(&out), &parsed);
        same_block(&parsed, &b);
        assert_true(mcti_utf8_valid(mcti_buf_str(&out)));
        size_t n_lines = 1;
        for (size_t at = 0; at < out.len; at++)
            n_lines += out.p[at] == '\n';
        assert_int_equal(n_lines, b.one_line ? 2 : 2 + !!b.data.p + !!b.meta.p);
    }
    mcti_buf_done(&summary);
    mcti_buf_done(&data);
    mcti_buf_done(&meta);
}

/* Spoils the form of JSON without its meaning: space, and letters as escapes. */
static void respell(struct mcti_buf *to, struct mcti_str text)
{
    bool inside = false;
    for (size_t i = 0, n; i < text.len; i += n) {
        char c = text.p[i];
        n = c != '\\' ? 1 : text.p[i + 1] == 'u' ? 6 : 2;
        inside ^= c == '"';
        if (inside && c >= 'a' && c <= 'z' && !pick(4))
            mcti_buf_printf(to, "\\u%04X", (unsigned)c);
        else
            mcti_buf_add(to, (struct mcti_str){ text.p + i, n });
        if (!inside && strchr("{}[],:", c))
            mcti_buf_addz(to, pick(3) ? "" : "\r\n\t ");
    }
}

/* False when jansson cannot say: it knows no keys with U+0000. */
static bool jansson_agrees(struct mcti_str a, struct mcti_str b)
{
    const size_t flags = JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL;
    if (memmem(a.p, a.len, "\\u0000", 6))
        return false;
    json_t *before = json_loadb(a.p, a.len, flags, NULL), *after = json_loadb(b.p, b.len, flags, NULL);
    assert_true(before && after && json_equal(before, after));
    json_decref(before);
    json_decref(after);
    return true;
}

static void the_meaning_survives_any_spelling(void **state)
{
    struct mcti_buf plain, spelt;
    int n_compared = 0;
    (void)state;
    seed = 3;
    mcti_buf_init(&plain, 1u << 20);
    mcti_buf_init(&spelt, 1u << 20);
    for (int i = 0; i < 5000; i++) {
        struct mcti_block parsed, b = { .summary = MCT_STR("s") };
        mcti_buf_clear(&plain);
        mcti_buf_clear(&spelt);
        mcti_buf_clear(&out);
        put_random_object(&plain, 4);
        respell(&spelt, mcti_buf_str(&plain));
        b.data = mcti_buf_str(&spelt);
        assert_int_equal(mcti_block_put(&out, &b), 0);
        must_parse(mcti_buf_str(&out), &parsed);
        assert_true(mcti_str_eq(parsed.data, mcti_buf_str(&plain)));
        n_compared += jansson_agrees(b.data, parsed.data);
    }
    assert_true(n_compared > 1000);
    mcti_buf_done(&plain);
    mcti_buf_done(&spelt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(the_meaning_survives_any_spelling),
    };
    return cmocka_run_group_tests_name("block generated", tests, setup, teardown);
}
