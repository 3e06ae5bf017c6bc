/* The grants of machines: client_credentials, workload_identity, enterprise. */
#include "faked.h"

/* Texts of settings are read from here: "@name" as a file, others are themselves. */
static const char *file_text;
static unsigned n_reads;

static char *settings_read(const char *text, struct mct_error *err)
{
    n_reads++;
    if (strcmp(text, "@file"))
        return mcti_str_dup(mcti_str_of(text));
    if (file_text)
        return mcti_str_dup(mcti_str_of(file_text));
    mcti_fail(err, MCT_ERR_CONFIG, "no such file");
    return NULL;
}

static struct mcti_auth_settings settings;
static struct mcti_auth_env env = { .settings = &settings, .now_s = faked_now_s };
static struct mcti_issuer_metadata as = { .issuer = "https://as/t", .token_endpoint = "https://as/t/token" };
static const struct mcti_oauth_client client = { .kind = MCT_CLIENT_CONFIGURED, .id = "app", .secret = "s" };
static struct mcti_grant_opts opts;

static int setup(void **state)
{
    (void)state;
    memset(&faked, 0, sizeof faked);
    outcome_clear();
    n_reads = 0;
    file_text = "pla.tf.orm\n";
    settings = (struct mcti_auth_settings){ .read = settings_read,
                                            .assertion = "@file",
                                            .id_token = "@file",
                                            .idp_token_endpoint = "https://idp/token",
                                            .idp_client_id = "idp-app" };
    opts = (struct mcti_grant_opts){ .env = &env,
                                     .as = &as,
                                     .client = &client,
                                     .resource = "http://h:1",
                                     .scope = "a b",
                                     .done = outcome_keep,
                                     .data = &outcome };
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    outcome_clear();
    mcti_strings_clear(&as.grant_profiles);
    return faked.now ? -1 : 0;
}

static const char tokens[] = "{\"access_token\":\"at\",\"token_type\":\"Bearer\",\"expires_in\":60}";

static struct mcti_grant *start(const struct mcti_grant_ops *ops)
{
    struct mct_error err = { MCT_ERR_NONE };
    struct mcti_grant *g = ops->start(&opts, &err);
    if (!g)
        fail_msg("%s", err.message);
    assert_ptr_equal(g->ops, ops);
    assert_false(ops->person || ops->registers || ops->answer);
    return g;
}

static void check_not_started(const struct mcti_grant_ops *ops, enum mct_error_kind kind, const char *why)
{
    struct mct_error err = { MCT_ERR_NONE };
    assert_null(ops->start(&opts, &err));
    assert_int_equal(err.kind, kind);
    assert_has(err.message, why);
    assert_int_equal(outcome.n, 0);
    assert_null(faked.now);
}

/* ---- client_credentials ---- */

static void client_credentials(void **state)
{
    const struct mcti_grant_ops *ops = &mcti_grant_client_credentials;
    (void)state;
    start(ops);
    assert_string_equal(faked.now->url, "https://as/t/token");
    assert_string_equal(faked.now->body, "grant_type=client_credentials&resource=http%3A%2F%2Fh%3A1&scope=a%20b");
    assert_string_equal(faked.now->headers, "Authorization: Basic YXBwOnM=\n");
    faked_answer(200, tokens);
    assert_string_equal(outcome.access_token, "at");
    opts.scope = "";
    opts.resource = NULL;
    start(ops);
    assert_string_equal(faked.now->body, "grant_type=client_credentials");
    faked_answer(400, "{\"error\":\"invalid_client\"}");
    assert_int_equal(outcome.n, 2);
    assert_string_equal(outcome.refused.error, "invalid_client");
    start(ops);
    faked_break(MCT_ERR_CONNECT, "broken");
    assert_string_equal(outcome.failed.message, "broken");
    ops->cancel(start(ops));
    assert_int_equal(outcome.n, 3);
    faked.fails = true;
    struct mct_error err = { MCT_ERR_NONE };
    assert_null(ops->start(&opts, &err));
    assert_string_equal(err.message, "the network fails");
}

static void client_credentials_with_a_key(void **state)
{
    struct mcti_key *key = mcti_key_generate(NULL);
    struct mcti_oauth_client with_key = { .id = "app", .key = key };
    struct mcti_nonces nonces = { .n = 0 };
    struct mcti_buf assertion, claims, header;
    (void)state;
    opts.client = &with_key;
    opts.dpop = key;
    opts.nonces = &nonces;
    mcti_buf_init(&claims, 65536);
    mcti_buf_init(&header, 65536);
    start(&mcti_grant_client_credentials);
    assert_int_equal(mcti_jwt_decode(mcti_str_of(faked_param("client_assertion", &assertion)), &header, &claims, NULL),
                     0);
    assert_span(mcti_json_get(mcti_buf_str(&claims), "aud"), "\"https://as/t\"");
    free(faked_header("DPoP"));
    faked_answer(200, "{\"access_token\":\"at\",\"token_type\":\"DPoP\"}");
    assert_string_equal(outcome.access_token, "at");
    mcti_buf_done(&assertion);
    mcti_buf_done(&header);
    mcti_buf_done(&claims);
    mcti_key_free(key);
}

/* ---- workload_identity ---- */

static void workloads_present_their_token(void **state)
{
    const struct mcti_grant_ops *ops = &mcti_grant_workload;
    (void)state;
    opts.client = NULL;
    start(ops);
    assert_string_equal(faked.now->body,
                        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=pla."
                        "tf.orm&resource=http%3A%2F%2Fh%3A1&scope=a%20b");
    assert_string_equal(faked.now->headers, "");
    faked_answer(200, tokens);
    assert_string_equal(outcome.access_token, "at");
    file_text = "new.tok.en"; /* read again */
    start(ops);
    assert_has(faked.now->body, "&assertion=new.tok.en&");
    faked_answer(400, "{\"error\":\"invalid_grant\",\"error_description\":\"new.tok.en\"}");
    assert_int_equal(n_reads, 2);
    assert_int_equal(faked.n_started, 2); /* no repetition */
    assert_string_equal(outcome.refused.error, "invalid_grant");
    assert_has_not(outcome.failed.message, "new.tok.en");
    ops->cancel(start(ops));
    assert_int_equal(outcome.n, 2);
}

static void workloads_may_have_a_client(void **state)
{
    const struct mcti_oauth_client id_only = { .id = "wl" };
    (void)state;
    opts.client = &id_only;
    start(&mcti_grant_workload);
    assert_has(faked.now->body, "&client_id=wl");
    faked_answer(200, tokens);
}

static void texts_that_are_no_tokens(void **state)
{
    const struct mcti_grant_ops *ops = &mcti_grant_workload;
    static const char *const texts[] = { "", "\n", "two tokens", "a\nb", "caf\xc3\xa9", "x\x01" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        file_text = texts[i];
        check_not_started(ops, MCT_ERR_CONFIG,
                          "\"assertion\" of \"auth\" is empty, longer than 65536 bytes, or not a token");
    }
    char *long_text = calloc(1, 65538);
    file_text = memset(long_text, 'a', 65537);
    check_not_started(ops, MCT_ERR_CONFIG, "longer than 65536 bytes");
    free(long_text);
    file_text = NULL;
    check_not_started(ops, MCT_ERR_CONFIG, "\"assertion\" of \"auth\": no such file");
    settings.assertion = NULL;
    check_not_started(ops, MCT_ERR_CONFIG, "needs \"assertion\"");
    settings.assertion = "@file";
    file_text = "t";
    faked.fails = true;
    check_not_started(ops, MCT_ERR_CONNECT, "the network fails");
}

/* ---- enterprise ---- */

#define EXCHANGE                                                                                                       \
    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&requested_token_type=urn%3Aietf%3Aparams%3A" \
    "oauth%3Atoken-type%3Aid-jag&subject_token=pla.tf.orm&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-"     \
    "type%3Aid_token&audience=https%3A%2F%2Fas%2Ft&resource=http%3A%2F%2Fh%3A1&scope=a%20b"
#define JAG                                                                                                            \
    "{\"access_token\":\"ja.g.x\",\"token_type\":\"N_A\",\"issued_token_type\":\"urn:ietf:params:oauth:token-type:id-" \
    "jag\"}"

static void companies_authorize(void **state)
{
    (void)state;
    start(&mcti_grant_enterprise);
    assert_string_equal(faked.now->url, "https://idp/token");
    assert_true(faked.now->allow_private); /* it is configured */
    assert_string_equal(faked.now->body, EXCHANGE "&client_id=idp-app");
    assert_string_equal(faked.now->headers, "");
    faked_answer(200, JAG);
    assert_int_equal(outcome.n, 0);
    assert_string_equal(faked.now->url, "https://as/t/token");
    assert_false(faked.now->allow_private);
    assert_string_equal(faked.now->body,
                        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=ja.g."
                        "x&resource=http%3A%2F%2Fh%3A1&scope=a%20b");
    assert_string_equal(faked.now->headers, "Authorization: Basic YXBwOnM=\n");
    faked_answer(200, tokens);
    assert_int_equal(outcome.n, 1);
    assert_string_equal(outcome.access_token, "at");
}

static void the_secret_of_the_idp_is_for_the_idp(void **state)
{
    (void)state;
    settings.idp_client_secret = "idp-secret";
    start(&mcti_grant_enterprise);
    assert_string_equal(faked.now->body, EXCHANGE);
    assert_string_equal(faked.now->headers, "Authorization: Basic aWRwLWFwcDppZHAtc2VjcmV0\n");
    faked_answer(400, "{\"error\":\"invalid_client\",\"error_description\":\"idp-secret\"}");
    assert_int_equal(outcome.n, 1);
    assert_has(outcome.failed.message, "the token endpoint of the identity provider https://idp/token refused");
    assert_has_not(outcome.failed.message, "idp-secret");
    /* the client at the authorization server was not refused */
    assert_string_equal(outcome.refused.error, "");
}

static void idps_without_a_client(void **state)
{
    (void)state;
    settings.idp_client_id = NULL;
    start(&mcti_grant_enterprise);
    assert_string_equal(faked.now->body, EXCHANGE);
    faked_answer(200, JAG);
    faked_answer(400, "{\"error\":\"invalid_grant\"}");
    assert_string_equal(outcome.refused.error, "invalid_grant");
}

static void exchanged_tokens_are_checked(void **state)
{
    static const char *const rows[][2] = {
        { "{\"access_token\":\"x\",\"token_type\":\"Bearer\",\"issued_token_type\":\"urn:ietf:params:oauth:token-type:"
          "id-jag\"}",
          "type \"Bearer\" instead of \"N_A\"" },
        { "{\"access_token\":\"x\",\"token_type\":\"N_A\"}", "type \"\" instead of \"urn:ietf" },
        { "{\"access_token\":\"x\",\"token_type\":\"N_A\",\"issued_token_type\":\"urn:ietf:params:oauth:token-type:"
          "access_token\"}",
          "access_token\" instead of \"urn:ietf" },
        { "{}", "access_token" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        start(&mcti_grant_enterprise);
        faked_answer(200, rows[i][0]);
        assert_int_equal(outcome.n, i + 1);
        assert_int_equal(outcome.failed.kind, MCT_ERR_PROTOCOL);
        assert_has(outcome.failed.message, rows[i][1]);
    }
}

#define IDP_METADATA(issuer, more) "{\"issuer\":\"" issuer "\"" more ",\"response_types_supported\":[\"code\"]}"

static void idps_are_found(void **state)
{
    (void)state;
    settings.idp_token_endpoint = NULL;
    settings.idp_issuer = "https://idp";
    settings.idp_client_secret = "x";
    start(&mcti_grant_enterprise);
    assert_string_equal(faked.now->method, "GET");
    assert_string_equal(faked.now->url, "https://idp/.well-known/oauth-authorization-server");
    assert_true(faked.now->allow_private);
    assert_int_equal(n_reads, 0);
    faked_answer(404, "");
    assert_string_equal(faked.now->url, "https://idp/.well-known/openid-configuration");
    faked_answer(200,
                 IDP_METADATA("https://idp", ",\"token_endpoint\":\"https://tok.idp/t\",\"token_endpoint_auth_methods_"
                                             "supported\":[\"client_secret_post\"]"));
    assert_string_equal(faked.now->url, "https://tok.idp/t");
    assert_string_equal(faked.now->body, EXCHANGE "&client_secret=x&client_id=idp-app");
    faked_answer(200, JAG);
    faked_answer(200, tokens);
    assert_string_equal(outcome.access_token, "at");
}

static void idps_are_checked(void **state)
{
    static const struct {
        int status;
        const char *body, *why;
    } rows[] = {
        { 200, IDP_METADATA("https://idp/", ",\"token_endpoint\":\"https://idp/t\""), "another issuer: https://idp/" },
        { 200, IDP_METADATA("https://evil", ",\"token_endpoint\":\"https://idp/t\""), "another issuer: https://evil" },
        { 200, IDP_METADATA("https://idp", ""), "token" },
        { 200, IDP_METADATA("https://idp", ",\"token_endpoint\":\"http://idp/t\""), "token" },
        { 200, "<html>", "the metadata of the identity provider https://idp: " },
        { 500, "", "HTTP 500" },
        { 302, "", "HTTP 302" },
    };
    (void)state;
    settings.idp_token_endpoint = NULL;
    settings.idp_issuer = "https://idp";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        start(&mcti_grant_enterprise);
        faked_answer(rows[i].status, rows[i].body);
        assert_int_equal(outcome.n, i + 1);
        assert_has(outcome.failed.message, rows[i].why);
        assert_int_equal(faked.n_started, i + 1);
    }
    start(&mcti_grant_enterprise);
    faked_answer(404, "");
    faked_answer(502, "");
    assert_has(outcome.failed.message, "https://idp publishes no metadata; set \"idp_token_endpoint\"");
    start(&mcti_grant_enterprise);
    faked_break(MCT_ERR_CONNECT, "broken");
    assert_string_equal(outcome.failed.message, "broken");
}

static void enterprise_grants_end_at_any_time(void **state)
{
    const struct mcti_grant_ops *ops = &mcti_grant_enterprise;
    static const char metadata[] = IDP_METADATA("https://idp", ",\"token_endpoint\":\"https://idp/t\"");
    (void)state;
    settings.idp_token_endpoint = NULL;
    settings.idp_issuer = "https://idp";
    for (int n_answers = 0; n_answers < 3; n_answers++) {
        struct mcti_grant *g = start(ops);
        for (int i = 0; i < n_answers; i++)
            faked_answer(200, i ? JAG : metadata);
        ops->cancel(g);
    }
    for (int n_answers = 0; n_answers < 2; n_answers++) {
        start(ops);
        for (int i = 0; i <= n_answers; i++) {
            faked.fails = i == n_answers;
            faked_answer(200, i ? JAG : metadata);
        }
        assert_int_equal(outcome.n, n_answers + 1);
        assert_string_equal(outcome.failed.message, "the network fails");
        faked.fails = false;
    }
    file_text = NULL;
    start(ops);
    faked_answer(200, metadata);
    assert_string_equal(outcome.failed.message, "\"id_token\" of \"auth\": no such file");
    ops->cancel(NULL);
}

static void enterprise_grants_need_settings(void **state)
{
    const struct mcti_grant_ops *ops = &mcti_grant_enterprise;
    (void)state;
    settings.idp_token_endpoint = NULL;
    check_not_started(ops, MCT_ERR_CONFIG, "needs \"idp_issuer\" or \"idp_token_endpoint\"");
    settings.idp_issuer = "http://idp";
    check_not_started(ops, MCT_ERR_PROTOCOL, "the identity provider");
    settings.idp_token_endpoint = "https://idp/token";
    settings.id_token = NULL;
    check_not_started(ops, MCT_ERR_CONFIG, "needs \"id_token\"");
    settings.id_token = "@file";
    mcti_strings_add(&as.grant_profiles, MCT_STR("urn:other"));
    check_not_started(ops, MCT_ERR_UNSUPPORTED, "https://as/t does not support logins by the identity provider");
    mcti_strings_add(&as.grant_profiles, MCT_STR("urn:ietf:params:oauth:grant-profile:id-jag"));
    ops->cancel(start(ops));
}

/* ---- the table ---- */

static void grants_are_found_by_their_word(void **state)
{
    static const struct {
        const char *word, *extension;
        const struct mcti_grant_ops *ops;
    } rows[] = {
        { "authorization_code", NULL, &mcti_grant_code },
        { "device_code", NULL, &mcti_grant_device },
        { "client_credentials", "io.modelcontextprotocol/oauth-client-credentials", &mcti_grant_client_credentials },
        { "enterprise", "io.modelcontextprotocol/enterprise-managed-authorization", &mcti_grant_enterprise },
        { "workload_identity", "io.modelcontextprotocol/auth/wif", &mcti_grant_workload },
    };
    size_t n = 0;
    (void)state;
    while (mcti_grants[n])
        n++;
    assert_int_equal(n, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < n; i++) {
        assert_ptr_equal(mcti_grant_find(rows[i].word), rows[i].ops);
        assert_string_equal(rows[i].ops->word, rows[i].word);
        assert_true(mcti_str_eq(mcti_str_of(rows[i].ops->extension), mcti_str_of(rows[i].extension)));
    }
    assert_ptr_equal(mcti_grant_find(NULL), &mcti_grant_code);
    assert_null(mcti_grant_find(""));
    assert_null(mcti_grant_find("password"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(client_credentials),
        TEST(client_credentials_with_a_key),
        TEST(workloads_present_their_token),
        TEST(workloads_may_have_a_client),
        TEST(texts_that_are_no_tokens),
        TEST(companies_authorize),
        TEST(the_secret_of_the_idp_is_for_the_idp),
        TEST(idps_without_a_client),
        TEST(exchanged_tokens_are_checked),
        TEST(idps_are_found),
        TEST(idps_are_checked),
        TEST(enterprise_grants_end_at_any_time),
        TEST(enterprise_grants_need_settings),
        TEST(grants_are_found_by_their_word),
    };
    return cmocka_run_group_tests_name("machine grants", tests, NULL, NULL);
}
