/* Token requests: answers, refusals, DPoP nonces; refresh and revocation. */
#include "faked.h"

static struct mcti_auth_settings settings;
static struct mcti_auth_env env = { .settings = &settings, .now_s = faked_now_s };
static const struct mcti_oauth_endpoint at = { .issuer = "https://as",
                                               .url = "https://as/token?a=b",
                                               .what = "the token endpoint" };
static const struct mcti_oauth_client client = { .kind = MCT_CLIENT_CONFIGURED,
                                                 .id = "app",
                                                 .secret = "s3cr3t-of-app" };
static struct mcti_key *key;
static struct mcti_nonces nonces;

static int setup(void **state)
{
    (void)state;
    memset(&faked, 0, sizeof faked);
    settings = (struct mcti_auth_settings){ NULL };
    outcome_clear();
    key = mcti_key_generate(NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mcti_key_free(key);
    mcti_nonces_clear(&nonces);
    outcome_clear();
    return faked.now ? -1 : 0;
}

static struct mcti_token_request *start(const char *form, bool with_proof)
{
    struct mct_error err = { MCT_ERR_NONE };
    struct mcti_token_request_opts opts = { .env = &env,
                                            .at = &at,
                                            .client = &client,
                                            .form = mcti_str_of(form),
                                            .dpop = with_proof ? key : NULL,
                                            .nonces = with_proof ? &nonces : NULL,
                                            .done = outcome_keep,
                                            .data = &outcome };
    struct mcti_token_request *r = mcti_token_request_start(&opts, &err);
    assert_non_null(r);
    return r;
}

/* ---- tokens ---- */

static void tokens_arrive(void **state)
{
    (void)state;
    start("grant_type=authorization_code&code=c0de", false);
    assert_string_equal(faked.now->method, "POST");
    assert_string_equal(faked.now->url, "https://as/token?a=b");
    assert_string_equal(faked.now->what, "the token endpoint");
    assert_true(faked.now->has_type);
    assert_string_equal(faked.now->body, "grant_type=authorization_code&code=c0de");
    assert_string_equal(faked.now->headers, "Authorization: Basic YXBwOnMzY3IzdC1vZi1hcHA=\n");
    faked_answer(200,
                 "{\"access_token\":\"at\",\"token_type\":\"bearer\",\"expires_in\":\"60\",\"refresh_token\":\"rt\","
                 "\"scope\":\"a b\",\"more\":[1]}");
    assert_int_equal(outcome.n, 1);
    assert_int_equal(outcome.status, 200);
    assert_string_equal(outcome.access_token, "at");
    assert_string_equal(outcome.refresh_token, "rt");
    assert_string_equal(outcome.scope, "a b");
    assert_int_equal(outcome.expires_in_s, 60);
}

static void types_are_compared(void **state)
{
    static const struct {
        const char *type;
        bool proof;
        enum mcti_dpop dpop;
        const char *why; /* NULL: taken */
    } rows[] = {
        { "\"Bearer\"", false, MCT_DPOP_AUTO, NULL },
        { "\"BEARER\"", true, MCT_DPOP_AUTO, NULL },
        { "\"dpop\"", true, MCT_DPOP_REQUIRED, NULL },
        { "\"DPoP\"", false, MCT_DPOP_AUTO, "type \"DPoP\" instead of \"Bearer\"" },
        { "\"Bearer\"", true, MCT_DPOP_REQUIRED, "type \"Bearer\" instead of \"DPoP\"" },
        { "\"N_A\"", false, MCT_DPOP_AUTO, "type \"N_A\" instead of \"Bearer\"" },
        { "\"mac\"", true, MCT_DPOP_AUTO, "type \"mac\" instead of \"DPoP\"" },
        { "null", false, MCT_DPOP_AUTO, "type \"\" instead of \"Bearer\"" },
        { "[]", false, MCT_DPOP_AUTO, "token_type" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *body;
        settings.dpop = rows[i].dpop;
        start("grant_type=x", rows[i].proof);
        assert_true(asprintf(&body, "{\"access_token\":\"secret-at\",\"token_type\":%s}", rows[i].type) > 0);
        faked_answer(200, body);
        free(body);
        assert_int_equal(!outcome.access_token, rows[i].why != NULL);
        if (!rows[i].why)
            continue;
        assert_int_equal(outcome.failed.kind, MCT_ERR_PROTOCOL);
        assert_has(outcome.failed.message, rows[i].why);
        assert_has_not(outcome.failed.message, "secret-at");
    }
}

static void unsound_answers_are_refused(void **state)
{
    static const char *const bodies[] = {
        "",
        "<html>secret-at</html>",
        "[]",
        "\"secret-at\"",
        "{}",
        "{\"access_token\":7,\"token_type\":\"Bearer\"}",
        "{\"access_token\":\"secret-at\\u0000\",\"token_type\":\"Bearer\"}",
        "{\"access_token\":\"secret-at\\r\\nX: y\",\"token_type\":\"Bearer\"}",
        "{\"access_token\":\"secret-at\",\"access_token\":\"secret-at\",\"token_type\":\"Bearer\"}",
        "{\"access_token\":\"secret-at\",\"token_type\":\"Bearer\"",
        "access_token=secret-at&token_type=bearer",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        start("grant_type=x", false);
        faked_answer(200, bodies[i]);
        assert_null(outcome.access_token);
        assert_int_equal(outcome.failed.kind, MCT_ERR_PROTOCOL);
        assert_string_equal(outcome.refused.error, "");
        assert_has(outcome.failed.message, "the answer of the token endpoint https://as/token?a=b: ");
        assert_has_not(outcome.failed.message, "secret-at");
    }
}

/* ---- refusals ---- */

static void refusals_have_a_meaning(void **state)
{
    static const struct {
        int status;
        const char *body;
        enum mct_error_kind kind;
        const char *error, *text;
    } rows[] = {
        { 400, "{\"error\":\"invalid_grant\",\"error_description\":\"it's old\"}", MCT_ERR_AUTH, "invalid_grant",
          "the token endpoint https://as/token?a=b refused the request: the authorization is invalid: it has expired, "
          "was revoked or has been used before (invalid_grant: it's old)" },
        { 400, "{\"error\":\"invalid_scope\"}", MCT_ERR_AUTH, "invalid_scope",
          "the token endpoint https://as/token?a=b refused the request: a scope is unknown or not allowed "
          "(invalid_scope)" },
        { 401, "{\"error\":\"invalid_client\"}", MCT_ERR_AUTH, "invalid_client",
          "the token endpoint https://as/token?a=b refused the request: the client is unknown, or its credentials are "
          "wrong (invalid_client); check the client of \"auth\" in the configuration" },
        { 400, "{\"error\":\"own_word\",\"error_description\":\"d\"}", MCT_ERR_AUTH, "own_word",
          "the token endpoint https://as/token?a=b refused the request: own_word: d" },
        { 400, "{\"error\":\"use_dpop_nonce\"}", MCT_ERR_AUTH, "use_dpop_nonce",
          "it wants a DPoP proof with a nonce of its own (use_dpop_nonce)" },
        { 200, "{\"error\":\"bad_verification_code\",\"error_description\":\"expired\"}", MCT_ERR_AUTH,
          "bad_verification_code", "refused the request: bad_verification_code: expired" },
        { 503, "{\"error\":\"temporarily_unavailable\"}", MCT_ERR_CONNECT, "temporarily_unavailable", "overloaded" },
        { 500, "", MCT_ERR_CONNECT, "", "the token endpoint https://as/token?a=b answered with HTTP 500" },
        { 429, "slow", MCT_ERR_CONNECT, "", "answered with HTTP 429: slow" },
        { 302, "", MCT_ERR_AUTH, "", "answered with HTTP 302" },
        { 201, "{\"access_token\":\"secret-at\",\"token_type\":\"Bearer\"}", MCT_ERR_AUTH, "", "HTTP 201" },
        { 404, "<html>\x1b[31m\r\nNot \xe2\x80\xae found</html>", MCT_ERR_AUTH, "", "HTTP 404: <html>" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        start("grant_type=x", false);
        faked_answer(rows[i].status, rows[i].body);
        assert_null(outcome.access_token);
        assert_int_equal(outcome.failed.kind, rows[i].kind);
        assert_int_equal(outcome.failed.http_status, 0); /* it is not that of the MCP server */
        assert_int_equal(outcome.status, rows[i].status);
        assert_string_equal(outcome.refused.error, rows[i].error);
        assert_has(outcome.failed.message, rows[i].text);
        assert_has_not(outcome.failed.message, "secret-at");
        for (const char *p = outcome.failed.message; *p; p++)
            assert_true((unsigned char)*p >= ' ');
        assert_has_not(outcome.failed.message, "\xe2\x80\xae");
        assert_int_equal(faked.n_started, i + 1);
    }
}

static void long_refusals_are_cut(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 1u << 20);
    mcti_buf_addz(&b, "{\"error\":\"invalid_request\",\"error_description\":\"");
    for (int i = 0; i < 100000; i++)
        mcti_buf_addz(&b, "\xc3\xa9");
    mcti_buf_addz(&b, "\"}");
    mcti_buf_addc(&b, '\0');
    start("grant_type=x", false);
    faked_answer(400, b.p);
    assert_string_equal(outcome.refused.error, "invalid_request");
    assert_has(outcome.failed.message, "the request is invalid (invalid_request: \xc3\xa9");
    mcti_buf_done(&b);
}

static void waiting_times_are_told(void **state)
{
    (void)state;
    start("grant_type=x", false);
    faked_answer_with(503, "", &(struct mcti_fetch){ .retry_after = "30" });
    assert_has(outcome.failed.message, "HTTP 503; try again in 30 s");
}

/* Endpoints that repeat what they got. */
static void secrets_are_in_no_text(void **state)
{
    static const char *const secrets[] = { "c0de-c0de-c0de", "verifier-verifier", "r3fresh/+t0ken",
                                           "as.ser.tion",    "id.to.ken-ab",      "pass",
                                           "s3cr3t-of-app" };
    static const char form[] =
        "grant_type=x&code=c0de-c0de-c0de&code_verifier=verifier-verifier&refresh_token=r3fresh%2F%"
        "2Bt0ken&assertion=as.ser.tion&subject_token=id.to.ken-ab&client_secret=pass";
    char *body;
    (void)state;
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        start(form, false);
        assert_true(
            asprintf(&body, "{\"error\":\"invalid_grant\",\"error_description\":\"bad value %s!\"}", secrets[i]) > 0);
        faked_answer(400, body);
        free(body);
        assert_string_equal(outcome.refused.error, "invalid_grant");
        assert_string_equal(outcome.refused.description, "");
        assert_has_not(outcome.failed.message, "bad value");
        start(form, false); /* as the error itself */
        assert_true(asprintf(&body, "{\"error\":\"%s\"}", secrets[i]) > 0);
        faked_answer(400, body);
        free(body);
        assert_string_equal(outcome.refused.error, "");
        assert_has_not(outcome.failed.message, secrets[i]);
        start(form, false); /* in a page */
        assert_true(asprintf(&body, "<p>You sent %s", secrets[i]) > 0);
        faked_answer(400, body);
        free(body);
        assert_has_not(outcome.failed.message, secrets[i]);
        assert_has(outcome.failed.message, "HTTP 400");
    }
    start(form, false); /* cut in the middle */
    faked_answer(400, "{\"error\":\"invalid_grant\",\"error_description\":\"code c0de-c0d...\"}");
    assert_string_equal(outcome.refused.description, "");
    start(form, false); /* other parameters are no secrets */
    faked_answer(400, "{\"error\":\"invalid_grant\",\"error_description\":\"grant_type x\"}");
    assert_string_equal(outcome.refused.description, "grant_type x");
}

static void broken_connections_are_told(void **state)
{
    struct mct_error err = { MCT_ERR_NONE };
    struct mcti_token_request_opts opts = { .env = &env, .at = &at, .done = outcome_keep, .data = &outcome };
    (void)state;
    start("grant_type=x", true);
    faked_break(MCT_ERR_TIMEOUT, "no answer within 10 s");
    assert_int_equal(outcome.n, 1);
    assert_int_equal(outcome.status, 0);
    assert_int_equal(outcome.failed.kind, MCT_ERR_TIMEOUT);
    assert_string_equal(outcome.failed.message, "no answer within 10 s");
    assert_int_equal(faked.n_started, 1);
    faked.fails = true;
    opts.form = MCT_STR("grant_type=x");
    assert_null(mcti_token_request_start(&opts, &err));
    assert_string_equal(err.message, "the network fails");
    assert_int_equal(outcome.n, 1);
}

static void cancelled_requests_say_nothing(void **state)
{
    (void)state;
    mcti_token_request_cancel(start("grant_type=x", false));
    assert_int_equal(faked.n_cancelled, 1);
    assert_int_equal(outcome.n, 0);
    mcti_token_request_cancel(NULL);
}

/* ---- DPoP ---- */

/* Verifies the proof of the waiting request, and writes its claims. */
static void read_proof(struct mcti_buf *claims)
{
    char *proof = faked_header("DPoP");
    struct mcti_buf header;
    mcti_buf_init(&header, 65536);
    mcti_buf_init(claims, 65536);
    assert_int_equal(mcti_jwt_decode(mcti_str_of(proof), &header, claims, NULL), 0);
    struct mcti_str jwk = mcti_json_get(mcti_buf_str(&header), "jwk");
    assert_int_equal(mcti_jwt_verify(mcti_str_of(proof), jwk, NULL), 0);
    mcti_buf_done(&header);
    free(proof);
}

static void check_claim(const struct mcti_buf *claims, const char *name, const char *value)
{
    assert_span(mcti_json_get(mcti_buf_str(claims), name), value);
}

static void proofs_are_repeated_with_the_nonce(void **state)
{
    struct mcti_buf first, second;
    (void)state;
    start("grant_type=x", true);
    read_proof(&first);
    check_claim(&first, "htm", "\"POST\"");
    check_claim(&first, "htu", "\"https://as/token\"");
    check_claim(&first, "iat", "1700000000");
    check_claim(&first, "nonce", "");
    check_claim(&first, "ath", "");
    check_claim(&first, "content_digest", "");
    faked_answer_with(400, "{\"error\":\"use_dpop_nonce\"}", &(struct mcti_fetch){ .nonce = "n-1" });
    assert_int_equal(outcome.n, 0);
    assert_int_equal(faked.n_started, 2);
    assert_string_equal(faked.now->body, "grant_type=x");
    assert_has(faked.now->headers, "Authorization: Basic ");
    read_proof(&second);
    check_claim(&second, "nonce", "\"n-1\"");
    assert_false(mcti_str_eq(mcti_json_get(mcti_buf_str(&first), "jti"), mcti_json_get(mcti_buf_str(&second), "jti")));
    mcti_buf_done(&first);
    mcti_buf_done(&second);
    faked_answer_with(200, "{\"access_token\":\"at\",\"token_type\":\"DPoP\"}", &(struct mcti_fetch){ .nonce = "n-2" });
    assert_string_equal(outcome.access_token, "at");
    /* the nonce of a success is for the next request */
    start("grant_type=x", true);
    read_proof(&first);
    check_claim(&first, "nonce", "\"n-2\"");
    mcti_buf_done(&first);
    faked_answer(400, "{\"error\":\"invalid_dpop_proof\"}");
    assert_has(outcome.failed.message, "the DPoP proof is invalid");
}

static void nonces_are_asked_for_once(void **state)
{
    (void)state;
    start("grant_type=x", true);
    faked_answer_with(401, "{\"error\":\"use_dpop_nonce\"}", &(struct mcti_fetch){ .nonce = "n-1" });
    faked_answer_with(400, "{\"error\":\"use_dpop_nonce\"}", &(struct mcti_fetch){ .nonce = "n-2" });
    assert_int_equal(faked.n_started, 2);
    assert_int_equal(outcome.n, 1);
    assert_string_equal(outcome.refused.error, "use_dpop_nonce");
}

static void other_answers_are_not_repeated(void **state)
{
    static const struct {
        int status;
        const char *body, *nonce;
    } rows[] = {
        { 400, "{\"error\":\"use_dpop_nonce\"}", NULL },  { 400, "{\"error\":\"use_dpop_nonce\"}", "with blank" },
        { 400, "{\"error\":\"use_dpop_nonce\"}", "" },    { 400, "{\"error\":\"invalid_grant\"}", "n-1" },
        { 500, "{\"error\":\"use_dpop_nonce\"}", "n-2" }, { 200, "{\"error\":\"use_dpop_nonce\"}", "n-3" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        start("grant_type=x", true);
        faked_answer_with(rows[i].status, rows[i].body, &(struct mcti_fetch){ .nonce = rows[i].nonce });
        assert_int_equal(faked.n_started, i + 1);
        assert_int_equal(outcome.n, i + 1);
        assert_true(outcome.failed.kind);
    }
    start("grant_type=x", false); /* no proof was sent */
    faked_answer_with(400, "{\"error\":\"use_dpop_nonce\"}", &(struct mcti_fetch){ .nonce = "n" });
    assert_int_equal(outcome.n, sizeof rows / sizeof *rows + 1);
}

static void repeated_requests_can_fail_and_be_cancelled(void **state)
{
    static const struct mcti_fetch fetch = { .nonce = "n-1" };
    (void)state;
    struct mcti_token_request *r = start("grant_type=x", true);
    faked_answer_with(400, "{\"error\":\"use_dpop_nonce\"}", &fetch);
    mcti_token_request_cancel(r);
    assert_int_equal(outcome.n, 0);
    start("grant_type=x", true);
    faked.fails = true;
    faked_answer_with(400, "{\"error\":\"use_dpop_nonce\"}", &(struct mcti_fetch){ .nonce = "n-2" });
    assert_int_equal(outcome.n, 1);
    assert_string_equal(outcome.failed.message, "the network fails");
}

/* ---- refresh ---- */

static void refresh(void **state)
{
    struct mcti_token_request_opts opts = {
        .env = &env, .at = &at, .client = &client, .done = outcome_keep, .data = &outcome
    };
    (void)state;
    assert_non_null(mcti_refresh_start(&opts, "r/t", "http://h:1", NULL));
    assert_string_equal(faked.now->body, "grant_type=refresh_token&refresh_token=r%2Ft&resource=http%3A%2F%2Fh%3A1");
    faked_answer(200, "{\"access_token\":\"at2\",\"token_type\":\"Bearer\",\"refresh_token\":\"rt2\"}");
    assert_string_equal(outcome.access_token, "at2");
    assert_string_equal(outcome.refresh_token, "rt2");
    assert_int_equal(outcome.expires_in_s, -1);
    assert_non_null(mcti_refresh_start(&opts, "rt", NULL, NULL));
    assert_string_equal(faked.now->body, "grant_type=refresh_token&refresh_token=rt");
    faked_answer(400, "{\"error\":\"invalid_grant\"}");
    assert_string_equal(outcome.refused.error, "invalid_grant");
}

/* ---- revocation ---- */

static unsigned n_revoked;
static struct mct_error revoked;

static void revocation_on_done(void *data, const struct mct_error *err)
{
    assert_ptr_equal(data, &revoked);
    n_revoked++;
    revoked = err ? *err : (struct mct_error){ MCT_ERR_NONE };
}

static struct mcti_auth_record login = { .client_kind = MCT_CLIENT_REGISTERED,
                                         .issuer = "https://as",
                                         .client_id = "dyn",
                                         .client_secret = "dyn-secret",
                                         .auth_methods = "client_secret_post",
                                         .revocation_endpoint = "https://as/revoke",
                                         .refresh_token = "refresh-token",
                                         .access_token = "access-token" };

static void both_tokens_are_revoked(void **state)
{
    (void)state;
    n_revoked = 0;
    assert_non_null(mcti_revocation_start(&env, &login, revocation_on_done, &revoked, NULL));
    assert_string_equal(faked.now->url, "https://as/revoke");
    assert_string_equal(faked.now->what, "the revocation endpoint");
    assert_string_equal(faked.now->body, "token=refresh-token&token_type_hint=refresh_token&client_secret=dyn-secret&"
                                         "client_id=dyn");
    faked_answer(200, "");
    assert_string_equal(faked.now->body, "token=access-token&token_type_hint=access_token&client_secret=dyn-secret&"
                                         "client_id=dyn");
    assert_int_equal(n_revoked, 0);
    faked_answer(204, "");
    assert_int_equal(n_revoked, 1);
    assert_int_equal(revoked.kind, MCT_ERR_NONE);
}

static void the_first_failure_is_told(void **state)
{
    (void)state;
    n_revoked = 0;
    assert_non_null(mcti_revocation_start(&env, &login, revocation_on_done, &revoked, NULL));
    faked_answer(400, "{\"error\":\"unsupported_token_type\",\"error_description\":\"refresh-token\"}");
    faked_break(MCT_ERR_CONNECT, "broken");
    assert_int_equal(n_revoked, 1);
    assert_int_equal(revoked.kind, MCT_ERR_AUTH);
    assert_string_equal(revoked.message,
                        "the revocation endpoint https://as/revoke refused the request: tokens of this "
                        "kind cannot be revoked (unsupported_token_type)");
    login.refresh_token = NULL;
    assert_non_null(mcti_revocation_start(&env, &login, revocation_on_done, &revoked, NULL));
    assert_has(faked.now->body, "token=access-token&");
    faked_break(MCT_ERR_CONNECT, "broken");
    assert_int_equal(n_revoked, 2);
    assert_string_equal(revoked.message, "broken");
    login.refresh_token = "refresh-token";
}

static void logins_that_cannot_be_revoked(void **state)
{
    struct mcti_auth_record other = login;
    struct mct_error err = { MCT_ERR_NONE };
    (void)state;
    n_revoked = 0;
    other.revocation_endpoint = NULL;
    assert_null(mcti_revocation_start(&env, &other, revocation_on_done, &revoked, &err));
    assert_int_equal(err.kind, MCT_ERR_UNSUPPORTED);
    other = login;
    other.access_token = other.refresh_token = NULL;
    assert_null(mcti_revocation_start(&env, &other, revocation_on_done, &revoked, &err));
    assert_int_equal(err.kind, MCT_ERR_UNSUPPORTED);
    settings.private_key = "secret nonsense";
    assert_null(mcti_revocation_start(&env, &login, revocation_on_done, &revoked, &err));
    assert_int_equal(err.kind, MCT_ERR_CONFIG);
    assert_has_not(err.message, "nonsense");
    settings.private_key = NULL;
    faked.fails = true;
    assert_null(mcti_revocation_start(&env, &login, revocation_on_done, &revoked, &err));
    assert_string_equal(err.message, "the network fails");
    faked.fails = false;
    mcti_revocation_cancel(mcti_revocation_start(&env, &login, revocation_on_done, &revoked, &err));
    mcti_revocation_cancel(NULL);
    assert_int_equal(n_revoked, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tokens_arrive),
        TEST(types_are_compared),
        TEST(unsound_answers_are_refused),
        TEST(refusals_have_a_meaning),
        TEST(long_refusals_are_cut),
        TEST(waiting_times_are_told),
        TEST(secrets_are_in_no_text),
        TEST(broken_connections_are_told),
        TEST(cancelled_requests_say_nothing),
        TEST(proofs_are_repeated_with_the_nonce),
        TEST(nonces_are_asked_for_once),
        TEST(other_answers_are_not_repeated),
        TEST(repeated_requests_can_fail_and_be_cancelled),
        TEST(refresh),
        TEST(both_tokens_are_revoked),
        TEST(the_first_failure_is_told),
        TEST(logins_that_cannot_be_revoked),
    };
    return cmocka_run_group_tests_name("oauth token", tests, NULL, NULL);
}
