#include "unit.h"

#include "json/edit.h"

#include <jansson.h>

enum { DEPTH = 64 };

static bool valid(const char *text)
{
    return mcti_json_valid(mcti_str_of(text), DEPTH, NULL, NULL);
}

/* ---- the grammar ---- */

static const char *const good[] = {
    "{}",
    "[]",
    " { } ",
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1.0",
    "-1.5e+10",
    "1E5",
    "1e400",
    "12345678901234567890123",
    "\"\"",
    "\"a\\u0000b\"",
    "\"\\ud800\"",
    "\"\\uDC00\\uD800\"",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    "[1,2,[3,{\"a\":null}]]",
    "{\"a\":1,\"a\":2}",
    "\t\n\r [ \n1 ,\t2 ] ",
    "\"\xe2\x82\xac \xf0\x9f\x98\x80\"",
    "\"0123456789abcdef0123456789abcdef\"",
    "{\"\":\"\"}",
};

static const char *const bad[] = {
    "",
    " ",
    "{",
    "}",
    "[",
    "]",
    "[1,]",
    "[,1]",
    "{\"a\":1,}",
    "{,}",
    "{a:1}",
    "{'a':1}",
    "{\"a\" 1}",
    "{\"a\":}",
    "{\"a\":1 \"b\":2}",
    "[1 2]",
    "01",
    "-",
    "+1",
    "1.",
    ".5",
    "1e",
    "1e+",
    "0x1",
    "NaN",
    "Infinity",
    "-Infinity",
    "tru",
    "nul",
    "True",
    "\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\u12g4\"",
    "\"a\nb\"",
    "\"a\tb\"",
    "\"\x01\"",
    "\"\x80\"",
    "\"\xc0\xaf\"",
    "\"\xed\xa0\x80\"",
    "\"\xf4\x90\x80\x80\"",
    "\xef\xbb\xbf{}",
    "{} {}",
    "// c\n{}",
    "[1]x",
    "\"0123456789abcdef\x1f\"",
    "{\"a\":\"0123456789abcdef",
};

static void grammar_is_strict(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!valid(good[i]))
            fail_msg("refused: %s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (valid(bad[i]))
            fail_msg("accepted: %s", bad[i]);
    assert_false(mcti_json_valid((struct mcti_str){ "\"a\0b\"", 5 }, DEPTH, NULL, NULL));
    assert_false(mcti_json_valid((struct mcti_str){ "1\0", 2 }, DEPTH, NULL, NULL));
    assert_false(mcti_json_valid(MCT_STR_NONE, DEPTH, NULL, NULL));
}

/* Gives the same verdict as jansson, except for documented differences. */
static void agrees_with_jansson(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        json_error_t e;
        json_t *j = json_loads(good[i], JSON_DECODE_ANY | JSON_ALLOW_NUL, &e);
        bool differs = strstr(good[i], "1e400") || strstr(good[i], "12345678901234567890") ||
                       strstr(good[i], "\\ud800") || strstr(good[i], "\\uDC00"); /* jansson refuses these */
        if (!j != differs)
            fail_msg("jansson differs on %s: %s", good[i], j ? "accepted" : e.text);
        json_decref(j);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *j = json_loads(bad[i], JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        if (j)
            fail_msg("jansson accepts %s", bad[i]);
    }
}

static void depth_is_bounded(void **state)
{
    char text[400];
    struct mcti_json_fault fault;
    (void)state;
    for (int depth = 1; depth < 200; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        bool ok = mcti_json_valid((struct mcti_str){ text, 2 * (size_t)depth }, DEPTH, NULL, &fault);
        assert_int_equal(ok, depth <= DEPTH);
    }
    assert_string_equal(fault.why, "nested too deeply");
    assert_int_equal(fault.offset, DEPTH + 1);
}

static void fault_names_the_place(void **state)
{
    struct mcti_json_fault f;
    (void)state;
    assert_false(mcti_json_valid(MCT_STR("{\"a\": 1,\n \"b\" 2}"), DEPTH, NULL, &f));
    assert_int_equal(f.offset, 14);
    assert_string_equal(f.why, "':' expected");
}

static void objects_are_read(void **state)
{
    struct mcti_str object = MCT_STR_NONE;
    struct mct_error err = { 0 };
    (void)state;
    assert_int_equal(mcti_json_read_object(MCT_STR(" {\"a\":1}\n"), "it", &object, &err), 0);
    assert_span(object, "{\"a\":1}");
    assert_int_equal(mcti_json_read_object(MCT_STR("{\"a\"}"), "it", &object, &err), -1);
    assert_string_equal(err.message, "it: not valid JSON at byte 4: ':' expected");
    assert_int_equal(mcti_json_read_object(MCT_STR("[]"), "it", &object, &err), -1);
    assert_string_equal(err.message, "it: must be a JSON object");
    assert_int_equal(mcti_json_read_object(MCT_STR_NONE, "it", &object, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_USAGE);
}

/* Every position of the byte that ends a run, over the width of the vector registers. */
static void strings_end_anywhere(void **state)
{
    static const char *const inserts[] = { "\\n", "\xc3\xa9", "\x1f", "\xff", "\"" };
    static const bool fine[] = { true, true, false, false, false };
    (void)state;
    for (size_t k = 0; k < 5; k++) {
        for (size_t at = 0; at < 70; at++) {
            char text[128];
            size_t n = strlen(inserts[k]);
            memset(text, 'x', sizeof text);
            text[0] = '"';
            memcpy(text + 1 + at, inserts[k], n);
            text[100] = '"';
            assert_int_equal(mcti_json_valid((struct mcti_str){ text, 101 }, DEPTH, NULL, NULL), fine[k]);
        }
    }
}

static void top_members_are_noted(void **state)
{
    struct mcti_json_top top;
    (void)state;
    assert_true(mcti_json_valid(MCT_STR(" {\"id\" : 7 , \"x\":{\"y\":[1,{}]},\"s\":\"a\\\"b\"} "), DEPTH, &top, NULL));
    assert_int_equal(top.n, 3);
    assert_span(top.member[0].key, "id");
    assert_span(top.member[0].value, "7");
    assert_span(top.member[1].value, "{\"y\":[1,{}]}");
    assert_span(top.member[2].value, "\"a\\\"b\"");
    assert_span(top.value, "{\"id\" : 7 , \"x\":{\"y\":[1,{}]},\"s\":\"a\\\"b\"}");
    assert_true(mcti_json_valid(MCT_STR("{\"1\":1,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"9\":9}"),
                                DEPTH, &top, NULL));
    assert_int_equal(top.n, 9);
}

static void members_of_members_are_noted(void **state)
{
    struct mcti_json_top top;
    (void)state;
    assert_true(
        mcti_json_valid(MCT_STR("{\"a\":{\"x\": 1,\"y\":{\"z\":2}},\"b\":[{\"no\":3}],\"c\":{},\"d\":{\"w\":\"}\"}}"),
                        DEPTH, &top, NULL));
    assert_int_equal(top.n, 4);
    assert_int_equal(top.n_inner, 3);
    assert_span(top.inner[0].member.key, "x");
    assert_span(top.inner[0].member.value, "1");
    assert_span(top.inner[1].member.value, "{\"z\":2}");
    assert_int_equal(top.inner[1].of, 0);
    assert_span(top.inner[2].member.value, "\"}\"");
    assert_int_equal(top.inner[2].of, 3);
    assert_true(mcti_json_valid(MCT_STR("[{\"a\":{\"x\":1}},2]"), DEPTH, &top, NULL));
    assert_int_equal(top.n, 0);
    assert_true(
        mcti_json_valid(MCT_STR("{\"a\":{\"1\":1,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"9\":9}}"),
                        DEPTH, &top, NULL));
    assert_int_equal(top.n_inner, 9);
}

static void keys_are_found(void **state)
{
    static const struct mcti_str names[] = { MCT_STR("name"), MCT_STR("a\\b"), MCT_STR("") };
    static const struct {
        const char *raw;
        size_t at;
    } rows[] = { { "name", 0 }, { "n\\u0061me", 0 }, { "a\\\\b", 1 }, { "a\\b", 3 },
                 { "", 2 },     { "nam", 3 },        { "names", 3 } };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char quoted[32];
        snprintf(quoted, sizeof quoted, "\"%s\"", rows[i].raw);
        struct mcti_str raw = { quoted + 1, strlen(rows[i].raw) };
        assert_int_equal(mcti_json_key_find(raw, names, 3), rows[i].at);
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(mcti_json_key_is(raw, names[k].p), k == rows[i].at);
    }
}

/* ---- pieces ---- */

static bool same_top(const struct mcti_json_top *a, const char *a_text, const struct mcti_json_top *b,
                     const char *b_text)
{
    bool same = a->n == b->n && a->value.p - a_text == b->value.p - b_text && a->value.len == b->value.len;
    for (size_t i = 0; same && i < a->n && i < MCT_JSON_TOP; i++)
        same = mcti_str_eq(a->member[i].key, b->member[i].key) && mcti_str_eq(a->member[i].value, b->member[i].value);
    same = same && a->n_inner == b->n_inner;
    for (size_t i = 0; same && i < a->n_inner && i < MCT_JSON_INNER; i++)
        same = a->inner[i].of == b->inner[i].of && mcti_str_eq(a->inner[i].member.key, b->inner[i].member.key) &&
               mcti_str_eq(a->inner[i].member.value, b->inner[i].member.value);
    return same;
}

/* Checks the text in pieces of `step` bytes, each time at another place, and compares with the check of the whole. */
static void check_in_pieces(struct mcti_str text, size_t step)
{
    struct mcti_json_fault whole = { 0, "" }, pieces = { 0, "" };
    struct mcti_json_top top = { 0 }, again = { 0 };
    struct mcti_json_scan s;
    bool ok = mcti_json_valid(text, DEPTH, &top, &whole);
    mcti_json_scan_begin(&s, DEPTH);
    for (size_t n = step; n < text.len; n += step) {
        char *part = malloc(n);
        assert_non_null(part);
        memcpy(part, text.p, n);
        mcti_json_scan_more(&s, (struct mcti_str){ part, n });
        free(part);
    }
    char *copy = malloc(text.len + 1);
    assert_non_null(copy);
    memcpy(copy, text.p, text.len);
    assert_int_equal(mcti_json_scan_end(&s, (struct mcti_str){ copy, text.len }, &again, &pieces), ok);
    assert_string_equal(pieces.why, whole.why);
    assert_int_equal(pieces.offset, whole.offset);
    assert_true(!ok || same_top(&top, text.p, &again, copy));
    free(copy);
}

static void pieces_are_checked_like_the_whole(void **state)
{
    static const char *const more[] = { "{\"id\" : 7 , \"x\":{\"y\":[1,{}]},\"s\":\"a\\\"b\\u00e9\xc3\xa9\"} ",
                                        "[0, 10 ,-1.25e-7, -0 ,true,false,null,[[]],{}]",
                                        "{\"a\":[{\"b\":1.}]}",
                                        "[\"\\u00e\"]",
                                        "[\"\xe2\x82\"]",
                                        "{\"a\":01}",
                                        "[1e5,1e,2]",
                                        "{\"a\":1,}" };
    (void)state;
    for (size_t step = 1; step < 20; step++) {
        for (size_t i = 0; i < sizeof good / sizeof *good; i++)
            check_in_pieces(mcti_str_of(good[i]), step);
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            check_in_pieces(mcti_str_of(bad[i]), step);
        for (size_t i = 0; i < sizeof more / sizeof *more; i++)
            check_in_pieces(mcti_str_of(more[i]), step);
    }
}

/* ---- spans ---- */

/* Containers of every length around the width of the vector loops, with brackets, quotes and backslashes in strings. */
static void ends_of_containers_are_found(void **state)
{
    static const char *const inside[] = { "{}", "[[1]]", "\"]}\"", "\"\\\\\"", "\"\\\"]\"", "{\"}\":[\"[\"]}", "1" };
    enum { KINDS = sizeof inside / sizeof *inside };
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++)
        for (int n = 0; n < 150; n++) {
            struct mcti_buf b;
            struct mcti_str first, second;
            mcti_buf_init(&b, 10000);
            mcti_buf_printf(&b, "[[%*s%s", n, "", inside[kind]);
            for (int i = 0; i < n; i++)
                mcti_buf_printf(&b, ",%s", inside[(kind + (size_t)i) % KINDS]);
            size_t len = b.len;
            mcti_buf_addz(&b, "],[2]]");
            struct mcti_json_iter it = mcti_json_open(mcti_buf_str(&b));
            assert_true(mcti_json_next_item(&it, &first) && mcti_json_next_item(&it, &second));
            assert_int_equal(first.len, len);
            assert_span(second, "[2]");
            mcti_buf_done(&b);
        }
}

static void iteration_sees_every_element(void **state)
{
    struct mcti_str object = MCT_STR("{ \"a\" : [ 1 , \"]\" , {\"}\":2} ] ,\"b\":\"\\\\\" , \"\\u0063\":true}"), item;
    struct mcti_json_member m;
    int n = 0;
    (void)state;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);)
        n++;
    assert_int_equal(n, 3);
    assert_span(mcti_json_get(object, "b"), "\"\\\\\"");
    assert_true(mcti_json_true(mcti_json_get(object, "c"))); /* the key is written with an escape */
    n = 0;
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(object, "a")); mcti_json_next_item(&it, &item);)
        n++;
    assert_int_equal(n, 3);
    assert_span(item, "{\"}\":2}");
    assert_null(mcti_json_get(object, "d").p);
    assert_null(mcti_json_get(MCT_STR("[1]"), "d").p);
    assert_null(mcti_json_get(MCT_STR_NONE, "d").p);
}

/* Escapes in a row and with bytes between them, into buffers that the text fills to the last byte. */
static void many_escapes_are_decoded(void **state)
{
    static const char *const units[][2] = {
        { "\\n", "\n" }, { "\\\"a", "\"a" }, { "\\\\0123456789", "\\0123456789" }, { "a\\t\\u00e9", "a\t\xc3\xa9" }
    };
    (void)state;
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        for (int n = 1; n < 400; n++) {
            struct mcti_buf value, text, b;
            mcti_buf_init(&value, 10000);
            mcti_buf_init(&text, 10000);
            mcti_buf_addc(&value, '"');
            for (int i = 0; i < n; i++) {
                mcti_buf_addz(&value, units[u][0]);
                mcti_buf_addz(&text, units[u][1]);
            }
            mcti_buf_addc(&value, '"');
            mcti_buf_init(&b, text.len);
            assert_int_equal(mcti_json_unescape(mcti_buf_str(&value), &b), 0);
            assert_true(mcti_str_eq(mcti_buf_str(&b), mcti_buf_str(&text)));
            mcti_buf_done(&b);
            mcti_buf_init(&b, text.len - 1);
            assert_int_equal(mcti_json_unescape(mcti_buf_str(&value), &b), -1);
            mcti_buf_done(&b);
            mcti_buf_done(&text);
            mcti_buf_done(&value);
        }
}

static void texts_are_compared_without_escapes(void **state)
{
    static const struct {
        const char *a, *b;
        bool same;
    } rows[] = {
        { "\"a\"", "\"a\"", true },
        { "\"a\"", "\"b\"", false },
        { "\"\"", "\"\"", true },
        { "\"gr\\u00f6\\u00dfe\"",
          "\"gr\xc3\xb6\xc3\x9f"
          "e\"",
          true },
        { "\"gr\xc3\xb6\xc3\x9f"
          "e\"",
          "\"gr\\u00F6\\u00DFe\"", true },
        { "\"\\u0041\\n\"", "\"A\\u000a\"", true },
        { "\"\\u0041\"", "\"B\"", false },
        { "\"a\\\"b\"", "\"a\\u0022b\"", true },
        { "\"\\\\n\"", "\"\\n\"", false },
        { "1", "1", false }, /* no texts */
        { "\"1\"", "1", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mcti_json_same_text(mcti_str_of(rows[i].a), mcti_str_of(rows[i].b)) != rows[i].same)
            fail_msg("%s %s", rows[i].a, rows[i].b);
    assert_false(mcti_json_same_text(MCT_STR_NONE, MCT_STR("\"\"")));
}

static void unescaping(void **state)
{
    static const char *const pairs[][2] = {
        { "\"a\\n\\\"\\/\"", "a\n\"/" },
        { "\"\\u20ac\"", "\xe2\x82\xac" },
        { "\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!" },
        { "\"\\u0041\"", "A" },
    };
    static const char *const refused[] = { "\"\\ud83d\"",        "\"\\ude00\"", "\"\\ud83dx\"",
                                           "\"\\ud83d\\u0041\"", "1",           "null" };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 100);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        mcti_buf_clear(&b);
        assert_int_equal(mcti_json_unescape(mcti_str_of(pairs[i][0]), &b), 0);
        assert_buf(&b, pairs[i][1]);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(mcti_json_unescape(mcti_str_of(refused[i]), &b), -1);
    mcti_buf_clear(&b);
    assert_int_equal(mcti_json_unescape_any(MCT_STR("\"\\ud83dx\\n\\ude00\\ud83d\\ude00\""), &b), 0);
    assert_buf(&b, "\xef\xbf\xbdx\n\xef\xbf\xbd\xf0\x9f\x98\x80");
    assert_int_equal(mcti_json_unescape_any(MCT_STR("1"), &b), -1);
    mcti_buf_done(&b);
    assert_null(mcti_json_dup(MCT_STR("\"a\\u0000b\""))); /* no C string can hold it */
}

static void integers_are_exact(void **state)
{
    uint64_t u;
    int64_t i;
    (void)state;
    assert_true(mcti_json_uint(MCT_STR("9007199254740993"), &u) && u == 9007199254740993u);
    assert_false(mcti_json_uint(MCT_STR("1.0"), &u));
    assert_false(mcti_json_uint(MCT_STR("1e2"), &u));
    assert_false(mcti_json_uint(MCT_STR("-1"), &u));
    assert_false(mcti_json_uint(MCT_STR("\"1\""), &u));
    assert_false(mcti_json_uint(MCT_STR("99999999999999999999"), &u));
    assert_true(mcti_json_int(MCT_STR("-32602"), &i) && i == -32602);
}

/* ---- writing ---- */

static void changing_an_object_keeps_the_rest(void **state)
{
    struct mcti_str object = MCT_STR("{\"name\": \"a\" , \"n\":1.0,\"d\":1,\"d\":2, \"big\":1e400}");
    const struct mcti_json_set sets[] = {
        { "name", MCT_STR("\"b\"") }, { "n", MCT_STR_NONE }, { "new", MCT_STR("{}") }, { "absent", MCT_STR_NONE }
    };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 1000);
    mcti_json_put_object(&b, object, sets, 4);
    assert_buf(&b, "{\"name\":\"b\",\"d\":1,\"d\":2,\"big\":1e400,\"new\":{}}");
    mcti_buf_clear(&b);
    mcti_json_put_object(&b, MCT_STR("{\"n\":1}"), sets, 2);
    assert_buf(&b, "{\"name\":\"b\"}");
    mcti_buf_clear(&b);
    mcti_json_put_object(&b, MCT_STR_NONE, sets + 1, 1);
    assert_buf(&b, "{}");
    mcti_buf_done(&b);
}

/* A member that is set must not survive as its own duplicate. */
static void changing_a_doubled_member_leaves_one(void **state)
{
    const struct mcti_json_set set = { "a", MCT_STR("3") };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 100);
    mcti_json_put_object(&b, MCT_STR("{\"a\":1,\"b\":0,\"\\u0061\":2}"), &set, 1);
    assert_buf(&b, "{\"a\":3,\"b\":0}");
    mcti_buf_done(&b);
}

static void strings_are_escaped(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 100);
    mcti_json_put_string(&b, (struct mcti_str){ "a\"\\\n\x01\0\xe2\x82\xac\xff", 10 });
    assert_buf(&b, "\"a\\\"\\\\\\n\\u0001\\u0000\xe2\x82\xac\xef\xbf\xbd\"");
    mcti_buf_done(&b);
}

static void pretty_text_is_the_same_value(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 1000);
    mcti_json_put_pretty(&b, MCT_STR("{\"a\":[1,{}, []],\"b\":\"x,y:{\"}"));
    assert_buf(&b, "{\n  \"a\": [\n    1,\n    {},\n    []\n  ],\n  \"b\": \"x,y:{\"\n}");
    mcti_buf_done(&b);
}

/* ---- text with places changed ---- */

/* Removes the members whose bits are set; the others must be found once, in their order. */
static void edit_and_look(const char *text, unsigned leaving, bool adding)
{
    struct mcti_buf b;
    struct mcti_json_member was, is;
    struct mcti_json_edit e;
    unsigned i = 0;
    mcti_buf_init(&b, 1000);
    e = mcti_json_edit_open(&b, mcti_str_of(text));
    struct mcti_json_edit_members m = mcti_json_edit_members(mcti_str_of(text));
    for (; mcti_json_edit_next(&e, &m); i++)
        if (leaving & 1u << i)
            mcti_json_edit_leave_out(&e, &m);
    if (adding) {
        mcti_json_edit_add_key(&e, &m, "new");
        mcti_buf_addz(&b, "1");
    }
    mcti_json_edit_close(&e, mcti_str_of(text));
    if (!mcti_json_valid(mcti_buf_str(&b), DEPTH, NULL, NULL))
        fail_msg("%s without %x: %.*s", text, leaving, MCT_STR_ARG(mcti_buf_str(&b)));
    if (!adding && !(leaving & ((1u << i) - 1)))
        assert_buf(&b, text);
    struct mcti_json_iter before = mcti_json_open(mcti_str_of(text)), after = mcti_json_open(mcti_buf_str(&b));
    for (i = 0; mcti_json_next_member(&before, &was); i++) {
        if (leaving & 1u << i)
            continue;
        assert_true(mcti_json_next_member(&after, &is));
        assert_true(mcti_str_eq(was.key, is.key) && mcti_str_eq(was.value, is.value));
    }
    assert_int_equal(mcti_json_next_member(&after, &is), adding);
    assert_true(!adding || mcti_str_is(is.key, "new"));
    assert_false(mcti_json_next_member(&after, &is));
    mcti_buf_done(&b);
}

static void members_leave_and_come(void **state)
{
    static const char *const texts[] = { "{}",
                                         "{ }",
                                         "{\"a\":1}",
                                         "{ \"a\" : { \"b\":1 } }",
                                         "{\"a\":1,\"b\":[2],\"c\":\"}\"}",
                                         "{ \"a\":1 , \"a\" : 2 ,\n\"\\\"\":null , \"d\":[ ] }" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (unsigned leaving = 0; leaving < 16; leaving++) {
            edit_and_look(texts[i], leaving, false);
            edit_and_look(texts[i], leaving, true);
        }
}

static void places_are_replaced(void **state)
{
    static const char text[] = "[ 1 , [2] ,3 ]";
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 100);
    struct mcti_json_edit e = mcti_json_edit_open(&b, mcti_str_of(text));
    mcti_json_edit_replace(&e, (struct mcti_str){ text + 2, 1 }, MCT_STR("\"one\""));
    mcti_json_edit_cut(&e, (struct mcti_str){ text + 6, 1 });
    mcti_json_edit_upto(&e, text + 8);
    mcti_json_edit_upto(&e, text + 3); /* already copied */
    mcti_json_edit_cut(&e, (struct mcti_str){ text + 8, 1 });
    mcti_json_edit_close(&e, mcti_str_of(text));
    assert_buf(&b, "[ \"one\" , 2 ,3 ]");
    mcti_buf_done(&b);
}

/* The end of a string: runs of backslashes of every length, at every position of the scanner's blocks, strings of every
 * length, followed by few or many bytes. */
static void ends_of_strings_are_found(void **state)
{
    static const char tail[] =
        ",\"next\":\"\\\\\\\"\",\"pad\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}";
    (void)state;
    for (size_t n = 0; n < 300; n++) {
        for (size_t run = 0; run < 9; run++) {
            struct mcti_buf b;
            mcti_buf_init(&b, 4096);
            mcti_buf_addz(&b, "{\"s\":\"");
            for (size_t i = 0; i < n; i++)
                mcti_buf_addc(&b, 'x');
            for (size_t i = 0; i < run; i++)
                mcti_buf_addz(&b, "\\\\");
            mcti_buf_addz(&b, n % 2 ? "\\\"" : "");
            mcti_buf_addz(&b, n % 3 ? "" : "{\\\"a\\\":\\\"\\\\\\\"\\\",\\\"b\\\":\\\"c\\\"}");
            size_t len = b.len - 5;
            mcti_buf_addc(&b, '"');
            mcti_buf_addz(&b, n % 5 ? tail : "}");
            struct mcti_str text = mcti_buf_str(&b), v = mcti_json_get(text, "s");
            assert_true(mcti_json_valid(text, 10, NULL, NULL));
            assert_int_equal(v.len, len + 1);
            assert_int_equal(mcti_json_get(text, "pad").p != NULL, n % 5 != 0);
            mcti_buf_done(&b);
        }
    }
}

/* ---- duplicate members ---- */

static void duplicate_members_are_found(void **state)
{
    static const struct {
        const char *text;
        int unique;
    } rows[] = {
        { "1", 1 },
        { "{}", 1 },
        { "{\"a\":1,\"b\":1,\"\":1,\"ab\":1}", 1 },
        { "[{\"a\":1},{\"a\":1}]", 1 },
        { "{\"a\":{\"a\":{\"a\":1}}}", 1 },
        { "{\"A\":1,\"a\":1}", 1 },
        { "{\"a\":\"\\\"b\", \"b\":1}", 1 },
        { "{\"a\":1,\"a\":1}", 0 },
        { "{\"a\":1,\"b\":1,\"c\":1,\"a\":1}", 0 },
        { "{\"\":1,\"\":1}", 0 },
        { "{\"a\":1,\"\\u0061\":1}", 0 },
        { "{\"/\":1,\"\\/\":1}", 0 },
        { "{\"\\u000a\":1,\"\\n\":1}", 0 },
        { "{\"\\ud83d\\ude00\":1,\"\xf0\x9f\x98\x80\":1}", 0 },
        { "{\"x\" : [ 1 , [ { \"a\" : 1 , \"a\" : 1 } ] ] }", 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mcti_json_unique(mcti_str_of(rows[i].text)) != rows[i].unique)
            fail_msg("%s", rows[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grammar_is_strict),
        cmocka_unit_test(agrees_with_jansson),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(fault_names_the_place),
        cmocka_unit_test(objects_are_read),
        cmocka_unit_test(strings_end_anywhere),
        cmocka_unit_test(top_members_are_noted),
        cmocka_unit_test(members_of_members_are_noted),
        cmocka_unit_test(keys_are_found),
        cmocka_unit_test(pieces_are_checked_like_the_whole),
        cmocka_unit_test(ends_of_containers_are_found),
        cmocka_unit_test(iteration_sees_every_element),
        cmocka_unit_test(texts_are_compared_without_escapes),
        cmocka_unit_test(unescaping),
        cmocka_unit_test(many_escapes_are_decoded),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(changing_an_object_keeps_the_rest),
        cmocka_unit_test(changing_a_doubled_member_leaves_one),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(pretty_text_is_the_same_value),
        cmocka_unit_test(members_leave_and_come),
        cmocka_unit_test(places_are_replaced),
        cmocka_unit_test(ends_of_strings_are_found),
        cmocka_unit_test(duplicate_members_are_found),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
