#include "unit.h"

#include "auth/store/record.h"

static char *text_of(const struct mcti_auth_records *r)
{
    struct mcti_buf b;
    mcti_buf_init_secret(&b, 1u << 20);
    mcti_auth_records_put(&b, r);
    return mcti_buf_take(&b);
}

/* A login with a value in every member. */
static struct mcti_auth_record full_login(const char *issuer, int64_t obtained_at)
{
    return (struct mcti_auth_record){
        .issuer = strdup(issuer),
        .resource = strdup("https://example.com"),
        .grant = strdup("authorization_code"),
        .client_kind = MCT_CLIENT_REGISTERED,
        .client_id = strdup("id \"quoted\" \\ \xc3\xa4"),
        .client_secret = strdup("client secret"),
        .auth_method = strdup("client_secret_basic"),
        .registration_token = strdup("registration token"),
        .registration_uri = strdup("https://as.example/register/1"),
        .redirect_uri = strdup("http://127.0.0.1:1/callback"),
        .secret_expires_at = 4102444800,
        .token_endpoint = strdup("https://as.example/token"),
        .revocation_endpoint = strdup("https://as.example/revoke"),
        .auth_methods = strdup("none client_secret_post"),
        .auth_algs = strdup("RS256 ES256"),
        .access_token = strdup("access"),
        .token_type = strdup("DPoP"),
        .refresh_token = strdup("refresh"),
        .scope = strdup("a b"),
        .asked = strdup("a b c"),
        .obtained_at = obtained_at,
        .expires_at = obtained_at + 3600,
        .dpop_key = strdup("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
    };
}

static struct mcti_auth_records two_logins(void)
{
    struct mcti_auth_records r = { .server = strdup("https://example.com/mcp"), .principal = strdup("") };
    struct mcti_auth_record a = full_login("https://a.example", 1000), b = { .issuer = strdup("https://b.example") };
    assert_int_equal(mcti_auth_records_set(&r, &a), 0);
    assert_int_equal(mcti_auth_records_set(&r, &b), 0);
    assert_null(a.issuer);
    return r;
}

static void every_member_comes_back(void **state)
{
    struct mcti_auth_records r = two_logins(), back;
    struct mct_error err = { 0 };
    char *text = text_of(&r), *again;
    (void)state;
    assert_int_equal(mcti_auth_records_read(&back, mcti_str_of(text), &err), 0);
    again = text_of(&back);
    assert_string_equal(text, again);
    assert_string_equal(back.server, "https://example.com/mcp");
    assert_string_equal(back.principal, "");
    assert_int_equal(back.n, 2);
    assert_string_equal(mcti_auth_records_current(&back)->issuer, "https://b.example");
    const struct mcti_auth_record *a = mcti_auth_records_find(&back, "https://a.example");
    struct mcti_auth_record copy, wanted = full_login("https://a.example", 1000);
    assert_int_equal(mcti_auth_record_copy(&copy, a), 0);
#define SAME(member)                                                                                                   \
    assert_string_equal(a->member, wanted.member);                                                                     \
    assert_string_equal(copy.member, wanted.member);                                                                   \
    assert_ptr_not_equal(copy.member, a->member)
    SAME(issuer);
    SAME(resource);
    SAME(grant);
    SAME(client_id);
    SAME(client_secret);
    SAME(auth_method);
    SAME(registration_token);
    SAME(registration_uri);
    SAME(redirect_uri);
    SAME(token_endpoint);
    SAME(revocation_endpoint);
    SAME(auth_methods);
    SAME(auth_algs);
    SAME(access_token);
    SAME(token_type);
    SAME(refresh_token);
    SAME(scope);
    SAME(asked);
    SAME(dpop_key);
    assert_int_equal(copy.client_kind, MCT_CLIENT_REGISTERED);
    assert_true(copy.secret_expires_at == 4102444800);
    assert_int_equal(copy.obtained_at, 1000);
    assert_int_equal(a->expires_at, 4600);
    assert_null(mcti_auth_records_current(&back)->access_token);
    mcti_auth_record_clear(&copy);
    mcti_auth_record_clear(&wanted);
    assert_null(wanted.access_token);
    mcti_auth_records_clear(&back);
    mcti_auth_records_clear(&r);
    free(again);
    free(text);
}

/* Reads a copy that ends where the text does, so that a sanitizer sees a byte too far. */
static int read_exactly(struct mcti_auth_records *ret, const char *text, size_t len, struct mct_error *err)
{
    char *copy = malloc(len ? len : 1);
    memcpy(copy, text, len);
    int r = mcti_auth_records_read(ret, (struct mcti_str){ copy, len }, err);
    free(copy);
    if (r < 0) {
        assert_int_equal(err->kind, MCT_ERR_CONFIG);
        assert_null(ret->v);
        assert_null(ret->server);
        assert_int_equal(ret->n, 0);
    }
    return r;
}

static void a_cut_document_is_damaged(void **state)
{
    struct mcti_auth_records r = two_logins(), back;
    struct mct_error err;
    char *text = text_of(&r);
    size_t len = strlen(text);
    (void)state;
    for (size_t n = 1; n < len; n++)
        assert_int_equal(read_exactly(&back, text, n, &err), -1);
    for (size_t n = 1; n < len; n++)
        assert_int_equal(read_exactly(&back, text + n, len - n, &err), -1);
    assert_int_equal(read_exactly(&back, text, 0, &err), 0); /* nothing is stored */
    assert_int_equal(back.n, 0);
    assert_null(mcti_auth_records_current(&back));
    mcti_auth_records_clear(&r);
    free(text);
}

/* Whatever a byte is changed to, the result is a login or an error. */
static void a_changed_byte_does_no_harm(void **state)
{
    static const char bytes[] = { '\0', '"', '{', '}', '[', ']', ',', ':', '\\', '0', '-', 'e', ' ', '\x7f', '\xff' };
    struct mcti_auth_records r = two_logins(), back;
    struct mct_error err;
    char *text = text_of(&r);
    size_t len = strlen(text);
    (void)state;
    for (size_t i = 0; i < len; i++) {
        char was = text[i];
        for (size_t k = 0; k < sizeof bytes; k++) {
            text[i] = bytes[k];
            if (read_exactly(&back, text, len, &err) == 0) {
                assert_true(back.current < back.n || !back.n);
                assert_non_null(back.server);
                mcti_auth_records_clear(&back);
            }
        }
        text[i] = was;
    }
    mcti_auth_records_clear(&r);
    free(text);
}

#define DOCUMENT(logins) "{\"version\":1,\"server\":\"s\",\"principal\":\"\",\"current\":0,\"logins\":" logins "}"
#define LOGIN(members) DOCUMENT("[{\"issuer\":\"i\"," members "}]")

static void damage_is_named(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        { "null", "not a JSON object" },
        { "[]", "not a JSON object" },
        { "{}", "missing" },
        { "{\"version\":1,\"server\":\"s\",\"logins\":[]}", "missing" },
        { "{\"server\":\"s\",\"principal\":\"\",\"logins\":[]}", "missing" },
        { "{\"version\":\"1\",\"server\":\"s\",\"principal\":\"\"}", "version" },
        { "{\"version\":2,\"server\":\"s\",\"principal\":\"\"}", "later version" },
        { "{\"version\":1,\"server\":7,\"principal\":\"\"}", "server" },
        { "{\"version\":1,\"server\":\"s\",\"server\":\"t\",\"principal\":\"\"}", "server" },
        { "{\"version\":1,\"server\":\"s\",\"principal\":\"\",\"current\":1,\"logins\":[{\"issuer\":\"i\"}]}",
          "current" },
        { "{\"version\":1,\"server\":\"s\",\"principal\":\"\",\"current\":-1,\"logins\":[]}", "current" },
        { DOCUMENT("{}"), "logins" },
        { DOCUMENT("[1]"), "logins" },
        { DOCUMENT("[{}]"), "issuer" },
        { DOCUMENT("[{\"issuer\":\"\"}]"), "issuer" },
        { DOCUMENT("[{\"issuer\":\"i\"},{\"issuer\":\"i\"}]"), "logins" },
        { DOCUMENT("[{\"issuer\":\"i\"}],\"logins\":[{\"issuer\":\"k\"}]"), "logins" },
        { LOGIN("\"access_token\":null"), "access_token" },
        { LOGIN("\"access_token\":[\"a\"]"), "access_token" },
        { LOGIN("\"access_token\":\"a\\u0000b\""), "access_token" },
        { LOGIN("\"access_token\":\"\\ud800\""), "access_token" },
        { LOGIN("\"access_token\":\"a\",\"access_token\":\"b\""), "access_token" },
        { LOGIN("\"expires_at\":-1"), "expires_at" },
        { LOGIN("\"expires_at\":1.5"), "expires_at" },
        { LOGIN("\"expires_at\":99999999999999999999"), "expires_at" },
        { LOGIN("\"expires_at\":\"1\""), "expires_at" },
        { LOGIN("\"client_kind\":\"other\""), "client_kind" },
        { LOGIN("\"client_kind\":1"), "client_kind" },
        { LOGIN("\"x\":[[[[[[[[[]]]]]]]]]"), "not a JSON object" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_auth_records r;
        struct mct_error err = { 0 };
        assert_int_equal(read_exactly(&r, rows[i].text, strlen(rows[i].text), &err), -1);
        if (!strstr(err.message, rows[i].says))
            fail_msg("%s: %s", rows[i].text, err.message);
        assert_non_null(strstr(err.message, "log in again"));
    }
}

static void unknown_members_are_skipped(void **state)
{
    struct mcti_auth_records r;
    struct mct_error err;
    (void)state;
    assert_int_equal(
        mcti_auth_records_read(&r, MCT_STR(LOGIN("\"later\":{\"a\":[1]},\"scope\":\"s\\u00e4\",\"later\":1")), &err),
        0);
    assert_string_equal(mcti_auth_records_current(&r)->scope, "s\xc3\xa4");
    mcti_auth_records_clear(&r);
}

static void the_newest_login_is_current(void **state)
{
    struct mcti_auth_records r = { .server = strdup("s"), .principal = strdup("") };
    (void)state;
    for (int i = 0; i < 3; i++) {
        char issuer[] = { (char)('a' + i), '\0' };
        struct mcti_auth_record login = full_login(issuer, i == 1 ? 300 : 100 + i);
        assert_int_equal(mcti_auth_records_set(&r, &login), 0);
        assert_string_equal(mcti_auth_records_current(&r)->issuer, issuer);
    }
    struct mcti_auth_record again = full_login("a", 400);
    assert_int_equal(mcti_auth_records_set(&r, &again), 0);
    assert_int_equal(r.n, 3);
    assert_string_equal(mcti_auth_records_current(&r)->issuer, "a");
    mcti_auth_records_remove(&r, mcti_auth_records_find(&r, "c")); /* behind the current one */
    assert_string_equal(mcti_auth_records_current(&r)->issuer, "a");
    struct mcti_auth_record third = full_login("d", 200);
    assert_int_equal(mcti_auth_records_set(&r, &third), 0);
    mcti_auth_records_remove(&r, mcti_auth_records_find(&r, "b")); /* before it */
    assert_string_equal(mcti_auth_records_current(&r)->issuer, "d");
    mcti_auth_records_remove(&r, mcti_auth_records_current(&r));
    assert_string_equal(mcti_auth_records_current(&r)->issuer, "a");
    mcti_auth_records_remove(&r, mcti_auth_records_current(&r));
    assert_null(mcti_auth_records_current(&r));
    assert_null(mcti_auth_records_find(&r, "a"));
    mcti_auth_records_clear(&r);
}

/* A server that names another authorization server each time must not fill the store. */
static void the_oldest_login_gives_way(void **state)
{
    struct mcti_auth_records r = { .server = strdup("s"), .principal = strdup("") };
    (void)state;
    for (int i = 0; i < 3 * MCT_LIMIT_LOGINS; i++) {
        char issuer[32];
        snprintf(issuer, sizeof issuer, "https://%d.example", i);
        struct mcti_auth_record login = full_login(issuer, 1000 + i);
        assert_int_equal(mcti_auth_records_set(&r, &login), 0);
        assert_string_equal(mcti_auth_records_current(&r)->issuer, issuer);
    }
    assert_int_equal(r.n, MCT_LIMIT_LOGINS);
    for (size_t i = 0; i < r.n; i++)
        assert_true(r.v[i].obtained_at >= 1000 + 2 * MCT_LIMIT_LOGINS);
    mcti_auth_records_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_comes_back),     cmocka_unit_test(a_cut_document_is_damaged),
        cmocka_unit_test(a_changed_byte_does_no_harm), cmocka_unit_test(damage_is_named),
        cmocka_unit_test(unknown_members_are_skipped), cmocka_unit_test(the_newest_login_is_current),
        cmocka_unit_test(the_oldest_login_gives_way),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
