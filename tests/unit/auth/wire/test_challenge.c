#include "../../io/fetch/fetched.h"

#include "auth/wire/challenge.h"
#include "base/limits.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* Header values separated by line breaks, and what they say together. */
static const struct challenge {
    const char *headers;
    bool bearer, dpop;
    const char *resource_metadata, *scope, *error, *description, *algs;
} challenges[] = {
    { "" },
    { "  ,, ," },
    { "Bearer", .bearer = true },
    { "bEARER ", .bearer = true },
    { "Bearer,", .bearer = true },
    { "Bearer , DPoP", .bearer = true, .dpop = true },
    { "Bearer resource_metadata=\"https://h/m\"", .bearer = true, .resource_metadata = "https://h/m" },
    { "Bearer resource_metadata=https://h/m?a=b", .bearer = true, .resource_metadata = "https://h/m?a=b" },
    { "Bearer\t  RESOURCE_Metadata \t=\t \"https://h/m\" ", .bearer = true, .resource_metadata = "https://h/m" },
    { "Bearer realm=\"x\", scope=\"b a\",error=\"insufficient_scope\" ,error_description=\"say \\\"a\\\", please\"",
      .bearer = true, .scope = "b a", .error = "insufficient_scope", .description = "say \"a\", please" },
    { "Bearer error=invalid_token", .bearer = true, .error = "invalid_token" },
    { "Bearer ,, scope=a,, , error=b,", .bearer = true, .scope = "a", .error = "b" },
    { "DPoP algs=\"ES256 PS256\", resource_metadata=\"https://h/m\"", .dpop = true, .algs = "ES256 PS256",
      .resource_metadata = "https://h/m" },
    /* several challenges */
    { "Bearer scope=\"a\", DPoP algs=ES256, scope=\"b\"", .bearer = true, .dpop = true, .scope = "a", .algs = "ES256" },
    { "Basic realm=\"x\", scope=\"no\", Bearer scope=\"a\"", .bearer = true, .scope = "a" },
    { "Bearer scope=\"a\", Basic realm=\"x\", error=\"no\"", .bearer = true, .scope = "a" },
    { "Negotiate, Bearer scope=a", .bearer = true, .scope = "a" },
    { "Negotiate YWJj==, Bearer scope=a", .bearer = true, .scope = "a" },
    { "Negotiate YWJj== , NTLM a/b+c~d, Bearer scope=a", .bearer = true, .scope = "a" },
    { "Bearer abc==, DPoP error=x", .bearer = true, .dpop = true, .error = "x" },
    { "Digest realm=\"Bearer scope=\\\"evil\\\", \", nonce=\"Bearer resource_metadata=evil\"" },
    { "A, B x=1, C \"q\", Bearer" }, /* malformed */
    { "A a=1, B b=2, C c=3, D d=4, E e=5, F f=6, G g=7, H h=8, I i=9, Bearer scope=ten", .bearer = true,
      .scope = "ten" },
    /* several lines */
    { "Bearer scope=\"a\"\nBearer scope=\"b\", error=\"c\"", .bearer = true, .scope = "a", .error = "c" },
    { "Basic realm=x\nBearer error=\"open\nDPoP scope=\"b\"", .bearer = true, .dpop = true, .scope = "b" },
    /* the first one counts */
    { "Bearer scope=\"a\", scope=\"b\"", .bearer = true, .scope = "a" },
    { "Bearer resource_metadata=\"https://h/1\", resource_metadata=\"https://h/2\"", .bearer = true,
      .resource_metadata = "https://h/1" },
    /* malformed: the rest is skipped */
    { "Bearer scope=\"a", .bearer = true },
    { "Bearer scope=\"a\", error=\"b\\", .bearer = true, .scope = "a" },
    { "Bearer scope=\"a\" error=\"b\"", .bearer = true, .scope = "a" },
    { "Bearer scope=\"a\"error=\"b\"", .bearer = true, .scope = "a" },
    { "Bearer error=, scope=\"a\"", .bearer = true },
    { "Bearer scope=\"a\", error=, algs=b", .bearer = true, .scope = "a" },
    { "Bearer a b, scope=\"a\"", .bearer = true },
    { "=, Bearer scope=a" },
    { "Bearer=x, DPoP" },
    { "\"Bearer\" scope=a" },
    { "Bearer@ scope=a" },
    { "Bearer:x scope=a" },
    /* values that a parameter cannot have are ignored */
    { "Bearer scope=\"\", error=\"\", error_description=\"\", resource_metadata=\"\"", .bearer = true },
    { "Bearer scope=\"a\\\"b\", error=\"x y\", resource_metadata=\"https://h/ m\", algs=\"\\\\\"", .bearer = true },
    { "Bearer scope=\"a\xc3\xbc\", error=\"b\"", .bearer = true, .error = "b" },
    { "Bearer scope=\"a\xc3\xbc\", scope=\"b\"", .bearer = true, .scope = "b" },
    /* harmless texts */
    { "Bearer error_description=\"caf\xc3\xa9 \xff \xc2\x9b\"", .bearer = true, .description = "caf\xc3\xa9 ? ?" },
    { "Bearer error_description=\"a\tb\"", .bearer = true, .description = "a?b" },
    { "Bearer error_description=\"a\x1b[2Jb\", error=\"x\"", .bearer = true },
    { "Bearer error_description=\"a\x7f\", error=\"x\"", .bearer = true },
    { "Bearer error_description=\"a\\\x01\", error=\"x\"", .bearer = true },
};

static void read_lines(struct mcti_challenge *c, const char *headers)
{
    struct mcti_str rest = mcti_str_of(headers), line;
    *c = (struct mcti_challenge){ 0 };
    while (mcti_str_split(&rest, '\n', &line))
        assert_int_equal(mcti_challenge_read(c, line), 0);
}

static void check_text(const char *headers, const char *what, const char *is, const char *wanted)
{
    if (!is != !wanted || (is && strcmp(is, wanted) != 0))
        fail_msg("%s\n%s: %s, not %s", headers, what, is ? is : "absent", wanted ? wanted : "absent");
}

static void challenges_are_read_by_the_grammar(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(challenges); i++) {
        const struct challenge *row = &challenges[i];
        struct mcti_challenge c;
        read_lines(&c, row->headers);
        check_text(row->headers, "resource_metadata", c.resource_metadata, row->resource_metadata);
        check_text(row->headers, "scope", c.scope, row->scope);
        check_text(row->headers, "error", c.error, row->error);
        check_text(row->headers, "error_description", c.error_description, row->description);
        check_text(row->headers, "algs", c.algs, row->algs);
        if (c.dpop != row->dpop || c.bearer != row->bearer)
            fail_msg("%s\nBearer: %d, DPoP: %d", row->headers, c.bearer, c.dpop);
        mcti_challenge_clear(&c);
        assert_null(c.scope);
    }
}

static void nul_is_malformed(void **state)
{
    struct mcti_challenge c = { 0 };
    (void)state;
    assert_int_equal(mcti_challenge_read(&c, MCT_STR("Bearer scope=\"a\0b\", error=\"x\"")), 0);
    assert_int_equal(mcti_challenge_read(&c, MCT_STR("Bearer scope=a\0b, error=\"x\"")), 0);
    assert_int_equal(mcti_challenge_read(&c, MCT_STR("Be\0arer scope=a")), 0);
    assert_true(!c.error);
    check_text("NUL", "scope", c.scope, "a");
    mcti_challenge_clear(&c);
}

static void long_values_are_cut_or_ignored(void **state)
{
    struct mcti_challenge c = { 0 };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 65536);
    mcti_buf_addz(&b, "Bearer error_description=\"");
    for (int i = 0; i < 1000; i++)
        mcti_buf_addz(&b, "\xe2\x82\xac");
    mcti_buf_addz(&b, "\", scope=\"");
    for (int i = 0; i < MCT_LIMIT_AUTH_SCOPE_BYTES + 1; i++)
        mcti_buf_addc(&b, 'a');
    mcti_buf_addz(&b, "\", error=x");
    assert_int_equal(mcti_challenge_read(&c, mcti_buf_str(&b)), 0);
    assert_int_equal(strlen(c.error_description), 255);
    assert_null(c.scope);
    assert_string_equal(c.error, "x");
    mcti_challenge_clear(&c);
    mcti_buf_done(&b);
}

/* ---- answers ---- */

static void take_head(void *data, struct mcti_fetch *f)
{
    assert_int_equal(mcti_challenge_take(data, f), 0);
}

static bool ignore_body(void *data, struct mcti_fetch *f, struct mcti_str *bytes)
{
    (void)data, (void)f;
    bytes->len = 0;
    return true;
}

static bool fetch_is_over;

static void end_of_fetch(void *data, struct mcti_fetch *f, const struct mct_error *err)
{
    (void)data, (void)f;
    assert_null(err);
    fetch_is_over = true;
}

static void take_from(const char *path, struct mcti_challenge *ret)
{
    const struct mcti_fetch_events events = { take_head, ignore_body, end_of_fetch, ret };
    struct mcti_headers none;
    mcti_headers_init(&none);
    const struct mcti_fetch_opts opts = { .method = "GET", .url = fetched_url(path), .headers = &none };
    fetch_is_over = false;
    assert_non_null(mcti_fetch_start(ft.client, &opts, &events, NULL));
    mcti_headers_done(&none);
    while (!fetch_is_over)
        uv_run(&ft.loop.uv, UV_RUN_ONCE);
}

static void all_headers_of_an_answer_count(void **state)
{
    static const struct fetched_row rows[] = {
        { "/none", 401, NULL, "X-WWW-Authenticate: Bearer\r\n", "no" },
        { "/three", 401, NULL,
          "WWW-Authenticate: Basic realm=\"x\r\nwww-authenticate: DPoP algs=\"ES256\"\r\n"
          "WWW-AUTHENTICATE: Bearer scope=\"a\"\r\n",
          "no" },
        { 0 },
    };
    struct mcti_challenge c;
    (void)state;
    fetched_open(rows);
    take_from("/none", &c);
    assert_false(c.bearer || c.dpop);
    mcti_challenge_clear(&c);
    take_from("/three", &c);
    assert_true(c.bearer && c.dpop);
    assert_string_equal(c.algs, "ES256");
    assert_string_equal(c.scope, "a");
    mcti_challenge_clear(&c);
    fetched_close();
}

/* ---- scopes ---- */

static void scopes_are_united_in_order(void **state)
{
    static const struct {
        const char *a, *b, *both;
    } rows[] = {
        { "", "", "" },
        { "a", "", "a" },
        { "", "a b", "a b" },
        { "a b", "b c a d", "a b c d" },
        { "a a", "a", "a" },
        { " a  b ", " c ", "a b c" },
        { "ab", "a b ab", "ab a b" },
        { "a", "A", "a A" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mcti_buf b;
        mcti_buf_init(&b, 256);
        mcti_buf_addz(&b, "x=");
        mcti_scope_put_union(&b, mcti_str_of(rows[i].a), mcti_str_of(rows[i].b));
        assert_true(mcti_str_starts(mcti_buf_str(&b), MCT_STR("x=")));
        assert_string_equal((mcti_buf_addc(&b, '\0'), b.p + 2), rows[i].both);
        mcti_buf_done(&b);
    }
    struct mcti_buf b;
    mcti_buf_init(&b, 256);
    mcti_scope_put_union(&b, MCT_STR_NONE, MCT_STR("a"));
    assert_buf(&b, "a");
    mcti_buf_done(&b);
}

static void scopes_are_compared_as_words(void **state)
{
    static const struct {
        const char *whole, *part;
        bool covers;
    } rows[] = {
        { "", "", true },          { "a", "", true },       { "a b", "b a", true },
        { "a b", " b  b ", true }, { "", "a", false },      { "ab", "a", false },
        { "a", "ab", false },      { "a b", "a c", false }, { "read:x", "read", false },
        { "A", "a", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (mcti_scope_covers(mcti_str_of(rows[i].whole), mcti_str_of(rows[i].part)) != rows[i].covers)
            fail_msg("[%s] and [%s]", rows[i].whole, rows[i].part);
    assert_true(mcti_scope_covers(MCT_STR_NONE, MCT_STR_NONE));
    assert_false(mcti_scope_covers(MCT_STR_NONE, MCT_STR("a")));
}

static void scopes_have_an_alphabet(void **state)
{
    (void)state;
    assert_true(mcti_scope_is_valid(MCT_STR("a b:c/d.e https://x/y#z [!]~")));
    assert_true(mcti_scope_is_valid(MCT_STR("")));
    assert_false(mcti_scope_is_valid(MCT_STR("a\"b")));
    assert_false(mcti_scope_is_valid(MCT_STR("a\\b")));
    assert_false(mcti_scope_is_valid(MCT_STR("a\tb")));
    assert_false(mcti_scope_is_valid(MCT_STR("a\r\nX: y")));
    assert_false(mcti_scope_is_valid(MCT_STR("a\0")));
    assert_false(mcti_scope_is_valid(MCT_STR("\xc3\xbc")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(challenges_are_read_by_the_grammar),
        cmocka_unit_test(nul_is_malformed),
        cmocka_unit_test(long_values_are_cut_or_ignored),
        cmocka_unit_test(all_headers_of_an_answer_count),
        cmocka_unit_test(scopes_are_united_in_order),
        cmocka_unit_test(scopes_are_compared_as_words),
        cmocka_unit_test(scopes_have_an_alphabet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
