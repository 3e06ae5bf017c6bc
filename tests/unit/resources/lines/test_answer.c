#include "golden.h"

#include "base/limits.h"
#include "resources/lines/answer.h"

#define S MCT_STR

enum { NOON = 1738146600 }; /* 2025-01-29T10:30:00Z */

static const struct mcti_str files[] = { S("file://readme.md"), S("file://config.json") };
static const struct mcti_str tables[] = { S("db://users"), S("db://products") };
static const struct mcti_block_server servers[] = { { S("filesystem"), files, 2 }, { S("database"), tables, 2 } };
static const struct mcti_block_server bare = { S("a \"b\""), NULL, 0 };
static const struct mcti_block_failure failures[] = { { S("git"), MCT_FAULT_TIMEOUT, S("no answer within 30 s") },
                                                      { S("web"), MCT_FAULT_DENIED, S("HTTP 403") } };

#define LIST(...)                                                                                                      \
    {                                                                                                                  \
        .kind = A_LIST, .list = { __VA_ARGS__ }                                                                        \
    }
#define READ(...)                                                                                                      \
    {                                                                                                                  \
        .kind = A_READ, .read = { __VA_ARGS__ }                                                                        \
    }
#define ERROR(...)                                                                                                     \
    {                                                                                                                  \
        .kind = AN_ERROR, .error = { __VA_ARGS__ }                                                                     \
    }
#define STYLE(ms, ...)                                                                                                 \
    {                                                                                                                  \
        .took_ms = ms, .now_s = NOON, __VA_ARGS__                                                                      \
    }

struct thing {
    enum { A_LIST, A_READ, AN_ERROR } kind;
    struct mcti_block_list list;
    struct mcti_block_read read;
    struct mcti_block_error error;
};

static int put(struct mcti_buf *to, const struct thing *t, const struct mcti_block_style *style)
{
    if (t->kind == A_LIST)
        return mcti_block_put_list(to, &t->list, style);
    if (t->kind == A_READ)
        return mcti_block_put_read(to, &t->read, style);
    return mcti_block_put_error(to, &t->error, style);
}

static const struct golden {
    const char *name;
    struct thing thing;
    struct mcti_block_style style;
} goldens[] = {
    { "list", LIST(servers, 2, 8), STYLE(800) },
    { "list_one_line", LIST(servers, 2, 4), STYLE(800, .one_line = true) },
    { "list_empty", LIST(NULL), STYLE(12) },
    { "list_partial", LIST(servers, 2, 4, failures, 2), STYLE(30000) },
    { "list_empty_partial", LIST(&bare, 1, 0, failures, 1), STYLE(1949) },
    { "list_failed", LIST(.failed = failures, .n_failed = 2), STYLE(30040) },
    { "list_failed_alone", LIST(.failed = failures + 1, .n_failed = 1), STYLE(49) },
    { "list_summary", LIST(servers, 2, 4, failures, 1), STYLE(800, .format = MCT_BLOCK_SUMMARY) },
    { "list_raw", LIST(servers, 2, 4), STYLE(800, .format = MCT_BLOCK_RAW) },
    { "read_empty", READ(S("file://empty"), S(""), 0), STYLE(0) },
    { "read_escapes",
      READ(S("file://\xe8\xb5\x84 \"1\"\n  state: error\r\x1b[2J"),
           S("'q' \"q\" \\n \t\b\f\n\r\x01\x7f\xc2\x9b \xf0\x9f\x98\x80 \xe2\x80\xa8\xe2\x80\xa9 \xff /"), 999),
      STYLE(59960) },
    { "read_summary", READ(S("file://large.json"), S("{...}"), 50000, true, 1000),
      STYLE(1200, .format = MCT_BLOCK_SUMMARY) },
    { "error",
      ERROR(MCT_FAULT_NOT_FOUND, S("file://missing.md"), S("URI 'file://missing.md' not found on server 'filesystem'")),
      STYLE(500) },
    { "error_available", ERROR(MCT_FAULT_NOT_FOUND, S("db://user"), S("not found"), tables, 2), STYLE(500) },
    { "error_connection", ERROR(MCT_FAULT_CONNECTION, S("db://users"), S("no such file: npx"), tables, 2), STYLE(7) },
    { "error_timeout", ERROR(MCT_FAULT_TIMEOUT, S("db://users"), S("")), STYLE(30000) },
    { "error_denied", ERROR(MCT_FAULT_DENIED, S("db://users"), S("HTTP 403")), STYLE(250) },
    { "error_denied_list", ERROR(MCT_FAULT_DENIED, MCT_STR_NONE, S("HTTP 401")), STYLE(250) },
    { "error_invalid_uri", ERROR(MCT_FAULT_INVALID_URI, S("readme"), S("'readme' has no scheme")),
      STYLE(0, .format = MCT_BLOCK_RAW) },
    { "error_one_line", ERROR(MCT_FAULT_CONNECTION, MCT_STR_NONE, S("gone")), STYLE(100, .one_line = true) },
    { "error_summary", ERROR(MCT_FAULT_DENIED, S("db://users"), S("HTTP 403")),
      STYLE(250, .format = MCT_BLOCK_SUMMARY) },
    { "kernel_timeout", ERROR(MCT_FAULT_TIMEOUT, S("file://readme.md"), S("late")),
      STYLE(30210, .kernel = true, .limit_ms = 30000) },
    { "kernel_timeout_list", ERROR(MCT_FAULT_TIMEOUT, MCT_STR_NONE, S("late")),
      STYLE(2500, .kernel = true, .limit_ms = 2500) },
    { "kernel_timeout_early", ERROR(MCT_FAULT_TIMEOUT, S("file://readme.md"), S("late")),
      STYLE(1510, .kernel = true, .limit_ms = 3000) },
    { "english_list", LIST(servers, 2, 8), STYLE(800, .language = MCT_ENGLISH) },
    { "english_list_one", LIST(&bare, 1, 1), STYLE(800, .language = MCT_ENGLISH) },
    { "english_read", READ(S("x:y"), S("text"), 4), STYLE(300, .language = MCT_ENGLISH) },
    { "english_read_cut", READ(S("x:y"), S("te"), 4, true, 2), STYLE(300, .language = MCT_ENGLISH) },
    { "english_error", ERROR(MCT_FAULT_NOT_FOUND, S("x:y"), S("no")), STYLE(1, .language = MCT_ENGLISH) },
    { "english_kernel_timeout", ERROR(MCT_FAULT_TIMEOUT, S("x:y"), S("late")),
      STYLE(30210, .kernel = true, .limit_ms = 30000, .language = MCT_ENGLISH) },
    { "error_server", ERROR(MCT_FAULT_SERVER, S("x:y"), S("boom")), STYLE(5) },
    { "error_request", ERROR(MCT_FAULT_REQUEST, MCT_STR_NONE, S("\"action\" must be \"list\" or \"read\"")), STYLE(0) },
    { "kernel_error", ERROR(MCT_FAULT_CONNECTION, MCT_STR_NONE, S("gone")), STYLE(100, .kernel = true) },
};

static void answers_have_their_form(void **state)
{
    struct mcti_buf want, have;
    (void)state;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        char name[100];
        snprintf(name, sizeof name, "lines/%s.txt", goldens[i].name);
        read_golden(&want, name);
        mcti_buf_init(&have, 1u << 20);
        assert_int_equal(put(&have, &goldens[i].thing, &goldens[i].style), 0);
        if (!mcti_str_eq(mcti_buf_str(&have), mcti_buf_str(&want)))
            fail_msg("%s is now:\n%.*s", name, MCT_STR_ARG(mcti_buf_str(&have)));
        mcti_buf_done(&have);
        mcti_buf_done(&want);
    }
}

/* Each golden file but the raw one is a block, and is written again as it was. */
static void answers_round_trip(void **state)
{
    struct mcti_buf text, keep, again;
    struct mcti_json_fault fault;
    struct mcti_block b;
    (void)state;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        if (goldens[i].style.format == MCT_BLOCK_RAW && goldens[i].thing.kind != AN_ERROR)
            continue;
        mcti_buf_init(&text, 1u << 20);
        mcti_buf_init(&keep, 1u << 20);
        mcti_buf_init(&again, 1u << 20);
        put(&text, &goldens[i].thing, &goldens[i].style);
        if (mcti_block_parse(mcti_buf_str(&text), &keep, &b, &fault) < 0)
            fail_msg("%s, byte %zu: %s", goldens[i].name, fault.offset, fault.why);
        assert_int_equal(mcti_block_put(&again, &b), 0);
        assert_true(mcti_str_eq(mcti_buf_str(&again), mcti_buf_str(&text)));
        assert_true(!b.data.p || mcti_json_valid(b.data, MCT_LIMIT_JSON_DEPTH, NULL, NULL));
        assert_true(!b.meta.p || mcti_json_is(mcti_json_get(b.meta, "agent"), "mcp"));
        mcti_buf_done(&text);
        mcti_buf_done(&keep);
        mcti_buf_done(&again);
    }
}

static void raw_is_the_content_alone(void **state)
{
    struct mcti_buf b;
    struct mcti_block_read read = { S("x:y"), S("a\n\"\xff"), 3 };
    struct mcti_block_style style = { .format = MCT_BLOCK_RAW };
    (void)state;
    mcti_buf_init(&b, 1000);
    assert_int_equal(mcti_block_put_read(&b, &read, &style), 0);
    assert_buf(&b, "a\n\"\xff");
    mcti_buf_done(&b);
}

/* `whole` is `shown` unless it is set. */
static void cutting_counts_characters(void **state)
{
    static const struct {
        const char *text, *cut;
        uint64_t max, whole;
    } rows[] = {
        { "abcd", NULL, 1, 4 },
        { "abcde", "a", 1, 4 },
        { "abcde", "", 0, 4 },
        { "abcde", NULL, 5, 4 },
        { "\xe8\xb5\x84\xe6\xba\x90", NULL, 1, 2 },
        { "abc", NULL, 3 },
        { "abc", "ab", 2 },
        { "abc", "", 0 },
        { "", NULL, 0 },
        { "\xe8\xb5\x84\xe6\xba\x90", "\xe8\xb5\x84", 1 },
        { "\xe8\xb5\x84\xe6\xba\x90", NULL, 2 },
        { "\xf0\x9f\x98\x80x", "\xf0\x9f\x98\x80", 1 },
        { "e\xcc\x81", "e", 1 },
        { "abc", NULL, UINT64_MAX },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_block_read r = { S("x:y"), mcti_str_of(rows[i].text), 9 };
        mcti_block_cut(&r, rows[i].whole ? rows[i].whole : rows[i].max, rows[i].max);
        assert_int_equal(r.truncated, rows[i].cut != NULL);
        assert_span(r.content, rows[i].cut ? rows[i].cut : rows[i].text);
        assert_int_equal(r.shown, rows[i].cut ? rows[i].max : 0);
        assert_int_equal(r.original_size, 9);
    }
}

static void twenty_are_told_as_available(void **state)
{
    char names[25][16];
    struct mcti_str uris[25];
    struct mcti_buf b, keep;
    struct mcti_block block;
    struct mcti_block_style style = STYLE(1);
    struct mcti_block_error e = { MCT_FAULT_NOT_FOUND, S("x:y"), S("no"), uris, 25 };
    struct mcti_str uri, last = MCT_STR_NONE;
    int n = 0;
    (void)state;
    for (int i = 0; i < 25; i++) {
        snprintf(names[i], sizeof names[i], "x:%d", i);
        uris[i] = mcti_str_of(names[i]);
    }
    mcti_buf_init(&b, 10000);
    mcti_buf_init(&keep, 10000);
    assert_int_equal(mcti_block_put_error(&b, &e, &style), 0);
    assert_int_equal(mcti_block_parse(mcti_buf_str(&b), &keep, &block, NULL), 0);
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(block.data, "available"));
    for (; mcti_json_next_item(&it, &uri); n++)
        last = uri;
    assert_int_equal(n, 20);
    assert_span(last, "\"x:19\"");
    mcti_buf_done(&b);
    mcti_buf_done(&keep);
}

static void blobs_are_told_by_size(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 1000);
    mcti_block_put_blob(&b, S("image/png"), 2500);
    mcti_block_put_blob(&b, MCT_STR_NONE, 0);
    assert_buf(&b, "[blob: image/png, 2500 bytes][blob: application/octet-stream, 0 bytes]");
    mcti_buf_done(&b);
}

static void times_have_one_decimal(void **state)
{
    static const struct {
        uint64_t ms;
        const char *text;
    } rows[] = { { 0, "0" },   { 49, "0" },     { 50, "0.1" },   { 800, "0.8" },  { 949, "0.9" },
                 { 950, "1" }, { 1200, "1.2" }, { 59960, "60" }, { 60000, "60" }, { 3600040, "3600" } };
    struct mcti_buf b;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mcti_buf_init(&b, 100);
        mcti_block_put_time(&b, rows[i].ms);
        assert_buf(&b, rows[i].text);
        mcti_buf_done(&b);
    }
}

static void timestamps_are_utc(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 100);
    mcti_block_put_ts(&b, NOON);
    mcti_block_put_ts(&b, 0);
    assert_buf(&b, "2025-01-29T10:30:00Z1970-01-01T00:00:00Z");
    mcti_buf_done(&b);
}

/* An answer that does not fit appends nothing. */
static void must_not_fit(const struct thing *t)
{
    struct mcti_block_style style = STYLE(1);
    struct mcti_buf whole, b;
    mcti_buf_init(&whole, 10000);
    assert_int_equal(put(&whole, t, &style), 0);
    for (size_t max = 1; max < whole.len; max += 7) {
        mcti_buf_init(&b, max);
        mcti_buf_addc(&b, '!');
        assert_int_equal(put(&b, t, &style), -1);
        assert_span(((struct mcti_str){ b.p, b.len }), "!"); /* the text of a failed buffer is empty */
        mcti_buf_done(&b);
    }
    mcti_buf_done(&whole);
}

static void a_full_buffer_is_an_error(void **state)
{
    static char text[2000];
    struct thing long_msg = ERROR(MCT_FAULT_TIMEOUT, S("x:y"), { text, sizeof text });
    (void)state;
    memset(text, 'x', sizeof text);
    must_not_fit(&long_msg);
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++)
        must_not_fit(&goldens[i].thing);
}

static void errors_have_their_row(void **state)
{
    static const struct {
        struct mct_error err;
        const char *uri;
        enum mcti_block_fault fault;
    } rows[] = {
        { { .kind = MCT_ERR_CONNECT }, "x:y", MCT_FAULT_CONNECTION },
        { { .kind = MCT_ERR_CONFIG }, NULL, MCT_FAULT_CONNECTION },
        { { .kind = MCT_ERR_AUTH }, "x:y", MCT_FAULT_CONNECTION }, /* credentials are missing */
        { { .kind = MCT_ERR_AUTH, .http_status = 401 }, "x:y", MCT_FAULT_DENIED },
        { { .kind = MCT_ERR_AUTH, .http_status = 403 }, NULL, MCT_FAULT_DENIED },
        { { .kind = MCT_ERR_AUTH, .http_status = 407 }, NULL, MCT_FAULT_CONNECTION },
        { { .kind = MCT_ERR_POLICY }, "x:y", MCT_FAULT_DENIED },
        { { .kind = MCT_ERR_TIMEOUT }, "x:y", MCT_FAULT_TIMEOUT },
        { { .kind = MCT_ERR_TIMEOUT }, "readme.md", MCT_FAULT_TIMEOUT },
        { { .kind = MCT_ERR_NOT_FOUND }, "x:y", MCT_FAULT_NOT_FOUND },
        { { .kind = MCT_ERR_UNSUPPORTED }, "x:y", MCT_FAULT_NOT_FOUND },
        { { .kind = MCT_ERR_UNSUPPORTED }, NULL, MCT_FAULT_SERVER },
        { { .kind = MCT_ERR_SERVER, .code = -32002 }, "x:y", MCT_FAULT_NOT_FOUND },
        { { .kind = MCT_ERR_SERVER, .code = -32603, .message = "boom" }, "x:y", MCT_FAULT_SERVER },
        { { .kind = MCT_ERR_SERVER, .code = -32603, .message = "boom" }, NULL, MCT_FAULT_SERVER },
        { { .kind = MCT_ERR_SERVER, .code = -32603, .message = "EACCES: permission denied" }, NULL, MCT_FAULT_DENIED },
        { { .kind = MCT_ERR_SERVER, .code = -32602, .message = "bad cursor" }, "x:y", MCT_FAULT_SERVER },
        { { .kind = MCT_ERR_NOT_FOUND }, "readme.md", MCT_FAULT_INVALID_URI },
        { { .kind = MCT_ERR_SERVER, .code = -32602 }, "1x:y", MCT_FAULT_INVALID_URI },
        { { .kind = MCT_ERR_SERVER, .code = -32602 }, "a+b-c.1:y", MCT_FAULT_SERVER },
        { { .kind = MCT_ERR_SERVER, .message = "Permission denied" }, "readme.md", MCT_FAULT_DENIED },
        { { .kind = MCT_ERR_USAGE }, "", MCT_FAULT_INVALID_URI },
        { { .kind = MCT_ERR_USAGE }, ":y", MCT_FAULT_INVALID_URI },
        { { .kind = MCT_ERR_USAGE }, NULL, MCT_FAULT_REQUEST },
        { { .kind = MCT_ERR_CONNECT }, "readme.md", MCT_FAULT_CONNECTION },
        { { .kind = MCT_ERR_PROTOCOL }, "x:y", MCT_FAULT_SERVER },
        { { .kind = MCT_ERR_LIMIT }, "x:y", MCT_FAULT_SERVER },
        { { .kind = MCT_ERR_CANCELLED }, NULL, MCT_FAULT_CANCELLED },
        { { .kind = MCT_ERR_NO_MEMORY }, "x:y", MCT_FAULT_INTERNAL },
        { { .kind = MCT_ERR_INTERNAL }, NULL, MCT_FAULT_INTERNAL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mcti_block_fault_of(&rows[i].err, mcti_str_of(rows[i].uri)) != rows[i].fault)
            fail_msg("row %zu", i);
}

static void failures_share_a_type(void **state)
{
    static const struct {
        enum mcti_block_fault of[3];
        const char *type;
    } rows[] = {
        { { MCT_FAULT_TIMEOUT, MCT_FAULT_TIMEOUT, MCT_FAULT_TIMEOUT }, "\"Timeout\"" },
        { { MCT_FAULT_SERVER, MCT_FAULT_SERVER, MCT_FAULT_SERVER }, "\"ServerError\"" },
        { { MCT_FAULT_TIMEOUT, MCT_FAULT_CONNECTION, MCT_FAULT_TIMEOUT }, "\"ConnectionFailed\"" },
        { { MCT_FAULT_DENIED, MCT_FAULT_TIMEOUT, MCT_FAULT_SERVER }, "\"PermissionDenied\"" },
    };
    struct mcti_block_style style = STYLE(1);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_block_failure all[3];
        struct mcti_buf b, keep;
        struct mcti_block block;
        for (int k = 0; k < 3; k++)
            all[k] = (struct mcti_block_failure){ S("s"), rows[i].of[k], S("m") };
        mcti_buf_init(&b, 10000);
        mcti_buf_init(&keep, 10000);
        assert_int_equal(mcti_block_put_list(&b, &(struct mcti_block_list){ .failed = all, .n_failed = 3 }, &style), 0);
        assert_int_equal(mcti_block_parse(mcti_buf_str(&b), &keep, &block, NULL), 0);
        assert_span(mcti_json_get(block.data, "type"), rows[i].type);
        mcti_buf_done(&b);
        mcti_buf_done(&keep);
    }
}

static void locales_have_a_language(void **state)
{
    static const struct {
        const char *locale;
        enum mcti_language language;
    } rows[] = {
        { "zh_CN.UTF-8", MCT_CHINESE }, { "zh", MCT_CHINESE },         { "zh-Hans", MCT_CHINESE },
        { "ZH_TW", MCT_CHINESE },       { "C", MCT_CHINESE },          { "C.UTF-8", MCT_CHINESE },
        { "POSIX", MCT_CHINESE },       { "", MCT_CHINESE },           { NULL, MCT_CHINESE },
        { "en_US.UTF-8", MCT_ENGLISH }, { "de_DE@euro", MCT_ENGLISH }, { "zha_CN", MCT_ENGLISH },
        { "ca", MCT_ENGLISH },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mcti_language_of_locale(rows[i].locale) != rows[i].language)
            fail_msg("%s", rows[i].locale);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_have_their_form),      cmocka_unit_test(answers_round_trip),
        cmocka_unit_test(raw_is_the_content_alone),     cmocka_unit_test(cutting_counts_characters),
        cmocka_unit_test(twenty_are_told_as_available), cmocka_unit_test(blobs_are_told_by_size),
        cmocka_unit_test(times_have_one_decimal),       cmocka_unit_test(timestamps_are_utc),
        cmocka_unit_test(a_full_buffer_is_an_error),    cmocka_unit_test(errors_have_their_row),
        cmocka_unit_test(failures_share_a_type),        cmocka_unit_test(locales_have_a_language),
    };
    return cmocka_run_group_tests_name("lines_answer", tests, NULL, NULL);
}
