#include "golden.h"

#include "same.h"
#include "base/limits.h"
#include "resources/lines/block.h"

#include <jansson.h>

#define OK "\xe2\x9c\x85"               /* U+2705 */
#define WARN "\xe2\x9a\xa0\xef\xb8\x8f" /* U+26A0 U+FE0F */

static void states_have_their_emoji(void **state)
{
    static const char *const rows[][2] = { { "\u2705", "success" },
                                           { "\u26a0\ufe0f", "partial" },
                                           { "\u23f8\ufe0f", "pending" },
                                           { "\u274c", "error" },
                                           { "\u23f1\ufe0f", "timeout" } };
    (void)state;
    for (int i = 0; i < MCT_BLOCK_N_STATES; i++) {
        assert_string_equal(mcti_block_emoji((enum mcti_block_state)i), rows[i][0]);
        assert_string_equal(mcti_block_word((enum mcti_block_state)i), rows[i][1]);
    }
}

/* What data looks like as JSON (with ' for ") and in the block. */
static const struct {
    const char *json, *lines;
} values[] = {
    { "{}", "{}" },
    { "{'a':[]}", "{a: []}" },
    { "{'a':{},'b':[{}]}", "{a: {}, b: [{}]}" },
    { "{'a_1':'x','_B':true,'c':false,'d':null}", "{a_1: 'x', _B: true, c: false, d: null}" },
    { "{'a-b':1,'':2,'1a':3,'a b':4,'\xc3\xa9':5,'a\\n':6}",
      "{'a-b': 1, '': 2, '1a': 3, 'a b': 4, '\xc3\xa9': 5, 'a\\n': 6}" },
    { "{'true':1,'null':2}", "{true: 1, null: 2}" },
    { "{'a':1,'a':2}", "{a: 1, a: 2}" },
    { "{'a':['x','y',1,null]}", "{a: ['x','y',1,null]}" },
    { "{'a':[{'b':1},{'c':2}],'d':[[1,2],[3]]}", "{a: [{b: 1}, {c: 2}], d: [[1,2], [3]]}" },
    { "{'a':[1,{'b':2},3]}", "{a: [1, {b: 2},3]}" },
    { "{'agent':'mcp'}", "{agent: 'mcp'}" },
    { "{'a':0,'b':-0,'c':-1.50,'d':12345678901234567890123}", "{a: 0, b: -0, c: -1.50, d: 12345678901234567890123}" },
    { "{'a':'}{][,: | \\\"'}", "{a: '}{][,: | \\\"'}" },
};

static void data_keeps_its_members(void **state)
{
    char text[TEXT];
    struct mcti_block parsed;
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct mcti_block b = { .summary = MCT_STR("s"), .data = json(values[i].json, text) };
        char want[2 * TEXT], lines[TEXT];
        snprintf(want, sizeof want, OK " mcp s\n  state: success\n  data: %s", quoted(values[i].lines, lines));
        mcti_buf_clear(&out);
        assert_int_equal(mcti_block_put(&out, &b), 0);
        assert_buf(&out, want);
        must_parse(mcti_buf_str(&out), &parsed);
        same_block(&b, &parsed);
    }
}

static void exponents_are_written_out(void **state)
{
    static const char *const rows[][2] = {
        { "1e3", "1000" },
        { "1E+3", "1000" },
        { "-1.5e1", "-15" },
        { "1.50e1", "15.0" },
        { "1.5e0", "1.5" },
        { "12e-1", "1.2" },
        { "12e-2", "0.12" },
        { "12e-3", "0.012" },
        { "-0.012e3", "-12" },
        { "0.012e2", "1.2" },
        { "0e5", "0" },
        { "0.0e3", "0" },
        { "-0e0", "-0" },
        { "100e-2", "1.00" },
        { "1e20", "100000000000000000000" },
        { "1e999", "1e999" },
        { "1e-99999999999999999999", "1e-99999999999999999999" },
        { "1e21", "1000000000000000000000" },
        { "1e401", "1e401" },
        { "1e-402", "1e-402" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[100], want[200];
        struct mcti_block again, b = { .summary = MCT_STR("s") };
        snprintf(text, sizeof text, "{\"a\":%s}", rows[i][0]);
        snprintf(want, sizeof want, OK " mcp s\n  state: success\n  data: {a: %s}", rows[i][1]);
        b.data = mcti_str_of(text);
        mcti_buf_clear(&out);
        assert_int_equal(mcti_block_put(&out, &b), 0);
        assert_buf(&out, want);
        must_parse(mcti_buf_str(&out), &again);
        snprintf(want, sizeof want, "{\"a\":%s}", rows[i][1]);
        assert_span(again.data, want);
    }
}

static void only_the_agent_is_a_bare_word(void **state)
{
    static const struct {
        const char *meta, *lines;
    } rows[] = {
        { "{'agent':'mcp','time':1}", "{agent: mcp, time: 1}" },
        { "{'agent':'true'}", "{agent: 'true'}" },
        { "{'agent':true}", "{agent: true}" },
        { "{'agent':'my agent','ts':'x'}", "{agent: 'my agent', ts: 'x'}" },
        { "{'agent':['mcp']}", "{agent: ['mcp']}" },
        { "{'a':{'agent':'mcp'},'agent':'x'}", "{a: {agent: 'mcp'}, agent: x}" },
        { "{'agents':'mcp'}", "{agents: 'mcp'}" },
    };
    char text[TEXT], lines[TEXT], want[2 * TEXT];
    struct mcti_block parsed;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_block b = { .state = MCT_BLOCK_PARTIAL, .summary = MCT_STR("s"), .meta = json(rows[i].meta, text) };
        snprintf(want, sizeof want, WARN " mcp s\n  state: partial\n  meta: %s", quoted(rows[i].lines, lines));
        mcti_buf_clear(&out);
        assert_int_equal(mcti_block_put(&out, &b), 0);
        assert_buf(&out, want);
        must_parse(mcti_buf_str(&out), &parsed);
        same_block(&b, &parsed);
    }
}

/* A file with every form of key and value. */
static void the_golden_block_round_trips(void **state)
{
    static const char *const names[] = { "lines/form.txt", "lines/form_one_line.txt" };
    struct mcti_buf want;
    struct mcti_block b;
    (void)state;
    for (int i = 0; i < 2; i++) {
        read_golden(&want, names[i]);
        must_parse(mcti_buf_str(&want), &b);
        assert_int_equal(b.one_line, i);
        assert_int_equal(b.state, MCT_BLOCK_PENDING);
        assert_span(b.summary, "a | b: {c} \\u000b");
        assert_true(mcti_json_is(mcti_json_get(b.data, "text"), "\n\"\\\u2028\u00e9\U0001f600\x7f\x01"));
        assert_true(mcti_json_is(mcti_json_get(b.data, "not an identifier"), ""));
        assert_span(mcti_json_get(b.data, "list"), "[\"a\",\"b\",{\"c\":[]},1.5]");
        mcti_buf_clear(&out);
        assert_int_equal(mcti_block_put(&out, &b), 0);
        assert_true(mcti_str_eq(mcti_buf_str(&out), mcti_buf_str(&want)));
        mcti_buf_done(&want);
    }
}

static void summaries_stay_in_their_line(void **state)
{
    static const char *const rows[][2] = {
        { "a\n  state: error", "a\\n  state: error" },
        { "  a b\t ", "a b" },
        { "", "" },
        { " \t", "" },
        { "a\r", "a\\r" },
        { "\x1b[1m\x7f\xc2\x85", "\\u001b[1m\\u007f\\u0085" },
        { "\u2028x\u2029", "\\u2028x\\u2029" },
        { "\xff\xe8\xb5", "\ufffd\ufffd\ufffd" },
        { "\\n", "\\n" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_block parsed, b = { .summary = mcti_str_of(rows[i][0]) };
        char want[200];
        snprintf(want, sizeof want, OK " mcp%s%s\n  state: success", *rows[i][1] ? " " : "", rows[i][1]);
        mcti_buf_clear(&out);
        assert_int_equal(mcti_block_put(&out, &b), 0);
        assert_buf(&out, want);
        must_parse(mcti_buf_str(&out), &parsed);
        assert_span(parsed.summary, rows[i][1]);
    }
}

#define HEAD OK " mcp s\n state: success"

static void parsing_is_tolerant_of_space(void **state)
{
    static const struct {
        const char *text, *summary, *data, *meta;
        bool one_line;
    } rows[] = {
        { OK " mcp s\nstate:success", "s" },
        { "\n\r\n \t" OK "\t mcp   s t \t\r\n\r\n\n\tstate :  success  \r\n\r\n", "s t" },
        { OK "\xef\xb8\x8f mcp s\n  state: success", "s" },
        { OK " mcp\r\n  state: success", "" },
        { OK " mcp a\tb\rc\n  state: success", "a\\tb\\rc" },
        { HEAD "\n data: {}", "s", "{}" },
        { HEAD "\n meta: {}", "s", NULL, "{}" },
        { HEAD "|data:{}|meta:{}", "s", "{}", "{}", true },
        { HEAD "\n | data: {}\n meta: {}", "s", "{}", "{}", true },
        { HEAD "\r\n  data: {\r\n    a: 'x',\r\n\r\n    b : [ 1 ,\t2 ]\r\n  }\r\n  meta:\n{ }\n", "s",
          "{'a':'x','b':[1,2]}", "{}" },
        { HEAD "\n data: {'a' : {b:{c:['}']}}}\n meta: {agent:mcp}", "s", "{'a':{'b':{'c':['}']}}}",
          "{'agent':'mcp'}" },
        { HEAD "\n data: {'\\u0061':'\\u0062\\/\\ud83d\\ude00\\ud83d\\ud83dx\\uDE00'}", "s",
          "{'a':'b/\xf0\x9f\x98\x80\\ud83d\\ud83dx\\ude00'}" },
        { HEAD "\n meta: {'agent': 'mcp', time: 1e0}", "s", NULL, "{'agent':'mcp','time':1}" },
    };
    char text[TEXT], data[TEXT], meta[TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_block b, again;
        must_parse(mcti_str_of(quoted(rows[i].text, text)), &b);
        struct mcti_block want = { MCT_BLOCK_SUCCESS, rows[i].one_line, mcti_str_of(rows[i].summary),
                                   json(rows[i].data, data), json(rows[i].meta, meta) };
        same_block(&b, &want);
        mcti_buf_clear(&out);
        assert_int_equal(mcti_block_put(&out, &want), 0);
        must_parse(mcti_buf_str(&out), &again);
        same_block(&again, &want);
    }
}

/* ^ stands before the byte that is wrong; it is not part of the text. */
static void faults_have_a_place(void **state)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        { "^", "a state's emoji (the first character of a block) expected" },
        { "  ^mcp s", "a state's emoji (the first character of a block) expected" },
        { "^```\n" OK " mcp s", "a state's emoji (the first character of a block) expected" },
        { OK "^mcp s", "a space expected after the emoji" },
        { OK "^", "a space expected after the emoji" },
        { OK " ^worker s", "'mcp' expected" },
        { OK " mcp^s\n", "a space expected after 'mcp'" },
        { OK " mcp s^", "'state' expected" },
        { OK " mcp s\n  ^", "'state' expected" },
        { OK " mcp s\n  ^data: {}", "'state' expected" },
        { OK " mcp s\n  ^| state: success", "'state' expected" },
        { OK " mcp s ^\xff\n  state: success", "invalid UTF-8" },
        { OK " mcp s\n  state ^= success", "':' expected" },
        { OK " mcp s\n  state: ^error", "the state does not match the emoji" },
        { OK " mcp s\n  state: ^done", "the state does not match the emoji" },
        { WARN " mcp s\n  state: ^", "the state does not match the emoji" },
        { HEAD " ^data: {}", "a line break or '|' expected" },
        { HEAD "\n ^more: {}", "'data', 'meta' or the end expected" },
        { HEAD "\n ^state: success", "'data', 'meta' or the end expected" },
        { HEAD "\n\n ^That was all.", "'data', 'meta' or the end expected" },
        { HEAD " | ^", "'data' or 'meta' expected" },
        { HEAD " | data: {} | ^", "'meta' expected" },
        { HEAD "\n data: {} ^{}", "a line break or '|' expected" },
        { HEAD "\n data: {}\n ^data: {}", "'meta' or the end expected" },
        { HEAD "\n meta: {}\n ^data: {}", "the end expected" },
        { HEAD "\n meta: {} | ^", "the end expected; remove the '|' before it" },
        { HEAD "\n data: ^[]", "'{' expected" },
        { HEAD "\n data: ^", "'{' expected" },
        { HEAD "\n data: {^", "a key expected" },
        { HEAD "\n data: {^-a: 1}", "a key expected" },
        { HEAD "\n data: {a: 1,^}", "a key expected" },
        { HEAD "\n data: {a^}", "':' expected" },
        { HEAD "\n data: {a: ^}", "a value expected" },
        { HEAD "\n data: {a: ^mcp}", "a value expected" },
        { HEAD "\n data: {agent: ^mcp}", "a value expected" },
        { HEAD "\n meta: {a: {agent: ^mcp}}", "a value expected" },
        { HEAD "\n meta: {agent: mcp^-x}", "',' or '}' expected" },
        { HEAD "\n meta: {agent: ^}", "a value expected" },
        { HEAD "\n data: {a: ^...}", "a value expected" },
        { HEAD "\n data: {a: 1 ^b: 2}", "',' or '}' expected" },
        { HEAD "\n data: {a: 1^", "',' or '}' expected" },
        { HEAD "\n data: {a: [1^}", "',' or ']' expected" },
        { HEAD "\n data: {a: [1,^]}", "a value expected" },
        { HEAD "\n data: {a: 0^1}", "a number must not begin with 0 and another digit" },
        { HEAD "\n data: {a: -^}", "a digit expected" },
        { HEAD "\n data: {a: 1.^}", "a digit expected" },
        { HEAD "\n data: {a: 1e+^}", "a digit expected" },
        { HEAD "\n data: {a: ^+1}", "a value expected" },
        { HEAD "\n data: {a: 'x^", "the '\"' that ends the string expected" },
        { HEAD "\n data: {a: 'x^\ny'}", "control character in a string; it must be escaped" },
        { HEAD "\n data: {a: 'x\\^q'}", "one of \"\\/bfnrtu must follow the backslash" },
        { HEAD "\n data: {a: '\\^", "one of \"\\/bfnrtu must follow the backslash" },
        { HEAD "\n data: {a: '\\u00^g0'}", "a hex digit expected" },
        { HEAD "\n data: {a: '\\ud83d\\u^", "a hex digit expected" },
        { HEAD "\n data: {a: '^\xc0\x80'}", "invalid UTF-8" },
    };
    char text[TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_json_fault fault = { 0, "" };
        struct mcti_block b;
        quoted(rows[i].text, text);
        char *place = strchr(text, '^');
        memmove(place, place + 1, strlen(place));
        mcti_buf_clear(&keep);
        assert_int_equal(mcti_block_parse(mcti_str_of(text), &keep, &b, &fault), -1);
        if (strcmp(fault.why, rows[i].why) || fault.offset != (size_t)(place - text))
            fail_msg("%s: %zu, %s", rows[i].text, fault.offset, fault.why);
        assert_int_equal(keep.len, 0);
    }
}

static void nesting_and_size_are_bounded(void **state)
{
    static char text[4 * MCT_LIMIT_JSON_DEPTH];
    struct mcti_json_fault fault;
    struct mcti_block b;
    (void)state;
    for (size_t depth = MCT_LIMIT_JSON_DEPTH; depth <= MCT_LIMIT_JSON_DEPTH + 1; depth++) {
        int n = sprintf(text, HEAD "\n data: {a: ");
        memset(text + n, '[', depth - 1);
        memset(text + n + depth - 1, ']', depth - 1);
        strcpy(text + n + 2 * (depth - 1), "}");
        mcti_buf_clear(&keep);
        bool ok = mcti_block_parse(mcti_str_of(text), &keep, &b, &fault) == 0;
        assert_int_equal(ok, depth == MCT_LIMIT_JSON_DEPTH);
    }
    assert_string_equal(fault.why, "nested too deeply");

    struct mcti_buf small;
    for (size_t max = 0; max < 10; max++) { /* s{"a":"xy"} takes 11 */
        mcti_buf_init(&small, max);
        assert_int_equal(mcti_block_parse(MCT_STR(HEAD "\n data: {a: \"xy\"}"), &small, &b, &fault), -1);
        assert_string_equal(fault.why, "too large");
        mcti_buf_done(&small);
    }
    struct mcti_str huge = { text, (size_t)MCT_LIMIT_MESSAGE_BYTES + 1 };
    assert_int_equal(mcti_block_parse(huge, &keep, &b, &fault), -1);
    assert_string_equal(fault.why, "too large");
}

static void only_objects_are_written(void **state)
{
    static const char *const bad[] = { "", "[]", "1", "{", "{}x", "{'a':}", "{'a':'\xff'}" };
    char text[TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mcti_block b = { .summary = MCT_STR("s"), .data = mcti_str_of(quoted(bad[i], text)) };
        mcti_buf_clear(&out);
        assert_int_equal(mcti_block_put(&out, &b), -1);
        b.meta = b.data;
        b.data = MCT_STR_NONE;
        assert_int_equal(mcti_block_put(&out, &b), -1);
        assert_int_equal(out.len, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_have_their_emoji),      cmocka_unit_test(data_keeps_its_members),
        cmocka_unit_test(exponents_are_written_out),    cmocka_unit_test(only_the_agent_is_a_bare_word),
        cmocka_unit_test(the_golden_block_round_trips), cmocka_unit_test(summaries_stay_in_their_line),
        cmocka_unit_test(parsing_is_tolerant_of_space), cmocka_unit_test(faults_have_a_place),
        cmocka_unit_test(nesting_and_size_are_bounded), cmocka_unit_test(only_objects_are_written),
    };
    return cmocka_run_group_tests_name("block", tests, setup, teardown);
}
