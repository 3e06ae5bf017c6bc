/* What a flow takes from earlier logins, and what it does after a refusal. */
#include "auth/flow/flowing.h"

static const struct fake_row usual[FAKE_ROWS] = USUAL_ROWS;

/* ---- earlier logins ---- */

static struct {
    char issuer[128], redirect_uri[128];
    struct mcti_auth_record record[2];
    struct mcti_auth_records all;
} known;

/* Knows a registration at "$" + path of the issuer. */
static void know(const char *path)
{
    snprintf(known.issuer, sizeof known.issuer, "%s%s", fk.base, path);
    known.record[0] = (struct mcti_auth_record){ .issuer = known.issuer,
                                                 .grant = "authorization_code",
                                                 .client_kind = MCT_CLIENT_REGISTERED,
                                                 .client_id = "stored",
                                                 .redirect_uri = known.redirect_uri,
                                                 .asked = "mcp:basic",
                                                 .scope = "mcp:basic mcp:granted" };
    known.all = (struct mcti_auth_records){ .v = known.record, .n = 1, .current = 0 };
    fl.opts.known = &known.all;
}

/* Chooses a free port for the stored redirect URI. */
static void know_port(const char *host)
{
    const struct mcti_redirect_opts opts = { .loop = &fk.loop, .server = "git" };
    struct mcti_redirect *r = mcti_redirect_open(&opts, NULL);
    assert_non_null(r);
    const char *colon = strrchr(mcti_redirect_uri(r), ':');
    snprintf(known.redirect_uri, sizeof known.redirect_uri, "http://%s%s", host, colon);
    mcti_redirect_close(r);
    for (int i = 0; i < 20; i++)
        fake_turn();
}

static void a_registration_is_used_again(void **state)
{
    static const char *const hosts[] = { "127.0.0.1", "localhost" };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        flowing_open(usual);
        know("");
        know_port(hosts[i]);
        flowing_start();
        flowing_run();
        assert_logged_in();
        assert_asked(DISCOVERED "POST /token\n");
        assert_has(fl.url[0], "&client_id=stored&");
        assert_string_equal(url_get(fl.url[0], "redirect_uri"), known.redirect_uri);
        assert_string_equal(fl.login.redirect_uri, known.redirect_uri);
        assert_string_equal(fl.login.client_id, "stored");
        assert_int_equal(fl.login.client_kind, MCT_CLIENT_REGISTERED);
        flowing_close();
    }
}

static void forget_it(void)
{
    fl.opts.forget_registration = true;
}

static void let_the_secret_expire(void)
{
    known.record[0].secret_expires_at = fk.now_s;
}

static void take_it_elsewhere(void)
{
    snprintf(known.issuer, sizeof known.issuer, "%s/other", fk.base);
}

static void make_it_of_the_device_flow(void)
{
    known.record[0].grant = "device_code";
}

static void configure_another_port(void)
{
    known.redirect_uri[0] = '\0';
    snprintf(known.redirect_uri, sizeof known.redirect_uri, "http://127.0.0.1:1/callback");
    fk.settings.callback_port = 2;
}

static void make_it_a_document(void)
{
    known.record[0].client_kind = MCT_CLIENT_DOCUMENT;
}

/* authorization-server-migration is one of the reasons: nothing of an issuer goes to another one. */
static void a_registration_is_not_used_again(void **state)
{
    void (*const reasons[])(void) = {
        forget_it,         let_the_secret_expire, take_it_elsewhere, make_it_of_the_device_flow, configure_another_port,
        make_it_a_document
    };
    (void)state;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        flowing_open(usual);
        know("");
        know_port("127.0.0.1");
        reasons[i]();
        flowing_start();
        flowing_run();
        assert_logged_in();
        assert_asked(DISCOVERED "POST /register\nPOST /token\n");
        assert_has(fl.url[0], "&client_id=registered&");
        assert_lacks(fk.body, "stored");
        flowing_close();
    }
}

static void a_port_in_use_means_another_registration(void **state)
{
    const struct mcti_redirect_opts opts = { .loop = &fk.loop, .server = "git" };
    (void)state;
    flowing_open(usual);
    know("");
    struct mcti_redirect *other = mcti_redirect_open(&opts, NULL);
    snprintf(known.redirect_uri, sizeof known.redirect_uri, "%s", mcti_redirect_uri(other));
    flowing_start();
    flowing_run();
    assert_logged_in();
    assert_asked(DISCOVERED "POST /register\nPOST /token\n");
    assert_string_not_equal(url_get(fl.url[0], "redirect_uri"), known.redirect_uri);
    mcti_redirect_close(other);
    flowing_close();
}

static void step_up_asks_for_the_union(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { PRM_ROW(",\"scopes_supported\":[\"mcp:profile\"]"),
                                                     ASM_ROW(REGISTERS), REGISTER_ROW, TOKEN_ROW };
    const struct mcti_challenge challenge = { .bearer = true, .error = "insufficient_scope", .scope = "mcp:write" };
    (void)state;
    flowing_open(rows);
    know("");
    know_port("127.0.0.1");
    fl.opts.challenge = &challenge;
    fl.opts.wanted_scope = "mcp:basic mcp:wanted";
    flowing_start();
    flowing_run();
    assert_logged_in();
    assert_string_equal(url_get(fl.url[0], "scope"), "mcp:basic mcp:granted mcp:wanted mcp:write");
    assert_string_equal(fl.login.asked, "mcp:basic mcp:granted mcp:wanted mcp:write");
    flowing_close();
}

static void a_new_login_does_not_repeat_a_step_up(void **state)
{
    const struct mcti_challenge challenge = { .bearer = true, .scope = "mcp:basic" };
    (void)state;
    flowing_open(usual);
    know("");
    know_port("127.0.0.1");
    fl.opts.challenge = &challenge;
    flowing_start();
    flowing_run();
    assert_string_equal(url_get(fl.url[0], "scope"), "mcp:basic");
    flowing_close();
}

static void a_secret_stays_at_its_issuer(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        flowing_open(usual);
        fk.settings.client_id = "pre";
        fk.settings.client_secret = "secret";
        fk.settings.issuer = pinned ? fk.base : NULL;
        know("/other");
        known.record[0].client_kind = MCT_CLIENT_CONFIGURED;
        known.record[0].client_id = "pre";
        flowing_start();
        flowing_run();
        if (pinned)
            assert_logged_in();
        else
            assert_failed(MCT_ERR_AUTH, "\"issuer\"");
        assert_asked(pinned ? DISCOVERED "POST /token\n" : DISCOVERED);
        assert_int_equal(fl.n_invited, pinned);
        flowing_close();
    }
}

/* ---- the registration ---- */

static const struct registration_row {
    const char *name, *first, *asked, *first_has, *second_has, *second_lacks, *error;
    struct mcti_auth_settings settings;
} registration_rows[] = {
    { .name = "the other loopback host",
      .first = "{\"error\":\"invalid_redirect_uri\"}",
      .asked = DISCOVERED "POST /register\nPOST /register\n",
      .second_has = "\"redirect_uris\":[\"http://localhost:" },
    { .name = "without the optional members",
      .first = "{\"error\":\"invalid_client_metadata\"}",
      .asked = DISCOVERED "POST /register\nPOST /register\n",
      .second_has = "\"application_type\":\"native\"",
      .second_lacks = "software" },
    { .name = "nothing else",
      .first = "{\"error\":\"invalid_software_statement\",\"error_description\":\"none\"}",
      .asked = DISCOVERED "POST /register\n",
      .error = "invalid_software_statement: none" },
};

static void registrations_are_retried_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof registration_rows / sizeof *registration_rows; i++) {
        const struct registration_row *r = &registration_rows[i];
        for (int twice = 0; twice < 2; twice++) {
            const struct fake_row rows[FAKE_ROWS] = { PRM_ROW(""),
                                                      ASM_ROW(REGISTERS),
                                                      { "POST /register", 400, r->first },
                                                      { "POST /register", twice ? 400 : 201,
                                                        twice ? r->first : "{\"client_id\":\"registered\"}" },
                                                      TOKEN_ROW };
            print_message("# %s\n", r->name);
            flowing_open(rows);
            fl.answers[0] = NULL;
            flowing_start();
            if (r->error || twice)
                flowing_run();
            else
                flowing_run_until_invited();
            assert_asked(r->asked);
            assert_has(fk.body, r->second_has);
            assert_lacks(fk.body, r->second_lacks);
            if (r->error || twice)
                assert_failed(MCT_ERR_AUTH, r->error ? r->error : "refuses to register mcptools");
            else
                assert_has(fl.url[0], "&client_id=registered&");
            flowing_close();
        }
    }
}

static const struct registration_failure_row {
    int status;
    const char *body, *error;
    enum mct_error_kind kind;
} registration_failure_rows[] = {
    { 503, "", "/register answered with HTTP 503: try again later", MCT_ERR_CONNECT },
    { 500, "{\"error\":\"server_error\",\"error_description\":\"down\"}", "HTTP 500: down: try again later",
      MCT_ERR_CONNECT },
    { 401, "{\"error\":\"invalid_token\",\"error_description\":\"secret-iat is old\"}",
      "refuses to register mcptools (invalid_token):", MCT_ERR_AUTH },
    { 401, "secret-iat is old", "refuses to register mcptools (HTTP status 401):", MCT_ERR_AUTH },
};

static void faults_of_a_registration_that_pass_are_no_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof registration_failure_rows / sizeof *registration_failure_rows; i++) {
        const struct registration_failure_row *r = &registration_failure_rows[i];
        const struct fake_row rows[FAKE_ROWS] = { PRM_ROW(""),
                                                  ASM_ROW(REGISTERS),
                                                  { "POST /register", r->status, r->body } };
        flowing_open(rows);
        fk.settings.initial_access_token = "secret-iat";
        fk.settings.issuer = fk.base;
        flowing_start();
        flowing_run();
        assert_failed(r->kind, r->error);
        assert_lacks(fl.err.message, "secret-iat");
        flowing_close();
    }
}

static void a_registration_says_what_it_is(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = {
        PRM_ROW(",\"scopes_supported\":[\"a\",\"b\"]"),
        ASM_ROW(REGISTERS
                ",\"token_endpoint_auth_methods_supported\":[\"client_secret_post\"],\"token_endpoint_auth_signing_"
                "alg_values_supported\":[\"RS256\",\"ES256\"]"),
        { "POST /register", 200,
          "{\"client_id\":\"r\",\"client_secret\":\"s\",\"client_secret_expires_at\":2000000,"
          "\"token_endpoint_auth_method\":\"client_secret_post\",\"registration_access_token\":\"rat\","
          "\"registration_client_uri\":\"https://as.example/r\"}" },
        TOKEN_ROW,
    };
    (void)state;
    flowing_open(rows);
    fk.settings.initial_access_token = "iat";
    fk.settings.issuer = fk.base;
    fl.answers[0] = NULL;
    flowing_start();
    flowing_run_until_invited();
    assert_string_equal(fk.authorization, "Bearer iat");
    assert_has(fk.body, "\"grant_types\":[\"authorization_code\",\"refresh_token\"],\"response_types\":[\"code\"],"
                        "\"token_endpoint_auth_method\":\"client_secret_post\",\"application_type\":\"native\","
                        "\"scope\":\"a b\",\"software_id\":\"mcptools\"");
    flowing_answer(fl.browser, sizeof fl.browser, fl.url[0], "code=c1&state=STATE");
    flowing_run();
    assert_logged_in();
    assert_string_equal(fk.authorization, "");
    assert_has(fk.body, "&client_secret=s");
    assert_string_equal(fl.login.client_secret, "s");
    assert_string_equal(fl.login.auth_method, "client_secret_post");
    assert_string_equal(fl.login.auth_methods, "client_secret_post");
    assert_string_equal(fl.login.auth_algs, "RS256 ES256");
    assert_string_equal(fl.login.registration_token, "rat");
    assert_string_equal(fl.login.registration_uri, "https://as.example/r");
    assert_int_equal(fl.login.secret_expires_at, 2000000);
    flowing_close();
}

static const struct access_token_row {
    const char *token, *error;
    bool is_pinned;
} access_token_rows[] = {
    { "iat", "\"issuer\"", false },
    { "i\na\xe4t", "characters", true },
    { "", "characters", true },
};

static void an_initial_token_stays_at_its_issuer(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof access_token_rows / sizeof *access_token_rows; i++) {
        flowing_open(usual);
        fk.settings.initial_access_token = access_token_rows[i].token;
        fk.settings.issuer = access_token_rows[i].is_pinned ? fk.base : NULL;
        flowing_start();
        flowing_run();
        assert_failed(MCT_ERR_CONFIG, access_token_rows[i].error);
        assert_asked(DISCOVERED);
        flowing_close();
    }
}

/* A client that was registered by hand has the redirect URI that it has. */
static void a_configured_client_has_a_fixed_redirect_uri(void **state)
{
    struct mct_error err;
    (void)state;
    for (int in_use = 0; in_use < 2; in_use++) {
        flowing_open(usual);
        know_port("localhost");
        fk.settings.client_id = "pre";
        fk.settings.callback_localhost = true;
        fk.settings.callback_port = (unsigned)atoi(strrchr(known.redirect_uri, ':') + 1);
        const struct mcti_redirect_opts opts = { .loop = &fk.loop, .port = fk.settings.callback_port, .server = "x" };
        struct mcti_redirect *other = in_use ? mcti_redirect_open(&opts, &err) : NULL;
        flowing_start();
        flowing_run();
        if (in_use)
            assert_failed(MCT_ERR_CONNECT, "callback_port");
        else
            assert_logged_in();
        assert_string_equal(in_use ? "" : url_get(fl.url[0], "redirect_uri"), in_use ? "" : known.redirect_uri);
        mcti_redirect_close(other);
        flowing_close();
    }
}

/* ---- the login ---- */

static void a_login_has_what_a_refresh_needs(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = {
        PRM_ROW(",\"scopes_supported\":[\"a\",\"b\"]"),
        ASM_ROW(REGISTERS ",\"revocation_endpoint\":\"$/revoke\""),
        REGISTER_ROW,
        { "POST /token", 200,
          "{\"access_token\":\"at\",\"token_type\":\"bearer\",\"expires_in\":60,\"refresh_token\":\"rt\",\"scope\":"
          "\"a\"}" },
    };
    char text[256];
    (void)state;
    flowing_open(rows);
    flowing_start();
    flowing_run();
    assert_logged_in();
    assert_string_equal(fl.login.issuer, fk.base);
    assert_string_equal(fl.login.resource, fk.server_url);
    assert_string_equal(fl.login.grant, "authorization_code");
    assert_int_equal(fl.login.client_kind, MCT_CLIENT_REGISTERED);
    assert_string_equal(fl.login.client_id, "registered");
    assert_null(fl.login.client_secret);
    assert_null(fl.login.auth_methods);
    assert_null(fl.login.auth_algs);
    assert_string_equal(fl.login.token_endpoint, fake_text(text, sizeof text, "$/token"));
    assert_string_equal(fl.login.revocation_endpoint, fake_text(text, sizeof text, "$/revoke"));
    assert_string_equal(fl.login.redirect_uri, url_get(fl.url[0], "redirect_uri"));
    assert_string_equal(fl.login.refresh_token, "rt");
    assert_string_equal(fl.login.scope, "a");
    assert_string_equal(fl.login.asked, "a b");
    assert_int_equal(fl.login.obtained_at, fk.now_s);
    assert_int_equal(fl.login.expires_at, fk.now_s + 60);
    assert_null(fl.login.dpop_key);
    flowing_close();
}

/* ---- refusals ---- */

static void a_registration_that_was_deleted_is_renewed(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { PRM_ROW(""),
                                                     ASM_ROW(REGISTERS),
                                                     REGISTER_ROW,
                                                     { "POST /token", 401, "{\"error\":\"invalid_client\"}" },
                                                     TOKEN_ROW };
    (void)state;
    for (int stored = 0; stored < 2; stored++) {
        flowing_open(rows);
        if (stored) {
            know("");
            know_port("127.0.0.1");
        }
        flowing_start();
        flowing_run();
        if (stored) {
            assert_logged_in();
            assert_asked(DISCOVERED "POST /token\nPOST /register\nPOST /token\n");
            assert_has(fl.url[1], "&client_id=registered&");
            assert_string_not_equal(url_get(fl.url[0], "state"), url_get(fl.url[1], "state"));
            assert_string_not_equal(url_get(fl.url[0], "code_challenge"), url_get(fl.url[1], "code_challenge"));
            assert_int_equal(fl.n_authorizations, 2);
        } else {
            assert_failed(MCT_ERR_AUTH, "invalid_client");
            assert_string_equal(fl.refused.error, "invalid_client");
            assert_asked(DISCOVERED "POST /register\nPOST /token\n");
        }
        flowing_close();
    }
}

/* Some authorization servers limit a client to the scopes of its registration. */
static void a_registration_for_fewer_scopes_is_renewed(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { PRM_ROW(""), ASM_ROW(REGISTERS), REGISTER_ROW, TOKEN_ROW };
    const struct mcti_challenge challenge = { .bearer = true, .scope = "b" };
    (void)state;
    flowing_open(rows);
    know("");
    know_port("127.0.0.1");
    fl.answers[0] = "error=invalid_scope&state=STATE";
    fl.answers[1] = "code=c1&state=STATE";
    fl.opts.challenge = &challenge;
    flowing_start();
    flowing_run();
    assert_logged_in();
    assert_asked(DISCOVERED "POST /register\nPOST /token\n");
    assert_has(fl.url[1], "&client_id=registered&");
    assert_has(fl.url[1], "b&");
    assert_int_equal(fl.n_invited, 2);
    flowing_close();
}

static void a_dead_code_is_asked_for_once_more(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = {
        PRM_ROW(""), ASM_ROW(REGISTERS), REGISTER_ROW, { "POST /token", 400, "{\"error\":\"invalid_grant\"}" }
    };
    (void)state;
    flowing_open(rows);
    flowing_start();
    flowing_run();
    assert_failed(MCT_ERR_AUTH, "invalid_grant");
    assert_asked(DISCOVERED "POST /register\nPOST /token\nPOST /token\n");
    assert_int_equal(fl.n_invited, 2);
    flowing_close();
}

static void scopes_that_were_guessed_are_left_out(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { PRM_ROW(",\"scopes_supported\":[\"a\"]"), ASM_ROW(REGISTERS),
                                                     REGISTER_ROW, TOKEN_ROW };
    const struct mcti_challenge challenge = { .bearer = true, .scope = "b" };
    (void)state;
    for (int guessed = 0; guessed < 2; guessed++) {
        flowing_open(rows);
        fl.answers[0] = "error=invalid_scope&state=STATE";
        fl.answers[1] = "code=c1&state=STATE";
        fl.opts.challenge = guessed ? NULL : &challenge;
        flowing_start();
        flowing_run();
        assert_has(fl.url[0], guessed ? "&scope=a&" : "&scope=b&");
        if (guessed) {
            assert_logged_in();
            assert_lacks(fl.url[1], "scope=");
            assert_string_equal(fl.login.asked, "");
        } else {
            assert_failed(MCT_ERR_AUTH, "invalid_scope");
        }
        assert_int_equal(fl.n_invited, guessed ? 2 : 1);
        flowing_close();
    }
}

static void authorizations_are_counted(void **state)
{
    (void)state;
    flowing_open(usual);
    fl.n_authorizations = MCT_AUTH_REQUESTS;
    flowing_start();
    flowing_run();
    assert_failed(MCT_ERR_AUTH, "3 authorizations");
    assert_int_equal(fl.n_invited, 0);
    flowing_close();
    flowing_open(usual);
    fl.n_authorizations = MCT_AUTH_REQUESTS - 1;
    flowing_start();
    flowing_run();
    assert_logged_in();
    assert_int_equal(fl.n_authorizations, MCT_AUTH_REQUESTS);
    flowing_close();
}

/* ---- nobody ---- */

static void without_a_person_nothing_is_registered(void **state)
{
    static const struct fake_row none[FAKE_ROWS] = { { 0 } };
    (void)state;
    flowing_open(usual);
    fk.env.person = NULL;
    flowing_start();
    flowing_run();
    assert_failed(MCT_ERR_AUTH, "needs a login: run 'mcptools login git'");
    assert_asked(DISCOVERED);
    flowing_close();
    flowing_open(none);
    fk.env.person = NULL;
    flowing_start();
    flowing_run();
    assert_failed(MCT_ERR_NOT_FOUND, "publishes no OAuth metadata");
    flowing_close();
    flowing_open(none); /* an earlier login shows that there is one */
    fk.env.person = NULL;
    know("");
    flowing_start();
    flowing_run();
    assert_failed(MCT_ERR_AUTH, "needs a login");
    flowing_close();
}

/* ---- DPoP ---- */

#define ES256 ",\"dpop_signing_alg_values_supported\":[\"RS256\",\"ES256\"]"
#define BOUND_ROW                                                                                                      \
    {                                                                                                                  \
        "POST /token", 200, "{\"access_token\":\"at\",\"token_type\":\"DPoP\"}"                                        \
    }

static const struct dpop_row {
    const char *name;
    enum mcti_dpop mode;
    struct mcti_challenge challenge;
    const char *prm, *as;
    bool is_bound;
    const char *error;
} dpop_rows[] = {
    { "nobody says anything", MCT_DPOP_AUTO, { 0 }, "", "", false, NULL },
    { "the authorization server alone is not enough", MCT_DPOP_AUTO, { .bearer = true }, "", ES256, false, NULL },
    { "the server alone neither", MCT_DPOP_AUTO, { .dpop = true }, ES256, "", false, NULL },
    { "a challenge", MCT_DPOP_AUTO, { .dpop = true }, "", ES256, true, NULL },
    { "a challenge with the algorithm", MCT_DPOP_AUTO, { .dpop = true, .algs = "RS256 ES256" }, "", ES256, true, NULL },
    { "a challenge with other algorithms", MCT_DPOP_AUTO, { .dpop = true, .algs = "RS256" }, "", ES256, false, NULL },
    { "the metadata of the server", MCT_DPOP_AUTO, { 0 }, ES256, ES256, true, NULL },
    { "the server requires it", MCT_DPOP_AUTO, { 0 }, ",\"dpop_bound_access_tokens_required\":true", "", true, NULL },
    { "the server requires it, the authorization server cannot",
      MCT_DPOP_AUTO,
      { 0 },
      ",\"dpop_bound_access_tokens_required\":true",
      ",\"dpop_signing_alg_values_supported\":[\"RS256\"]",
      false,
      "does not support ES256" },
    { "the server requires it, the user does not want it",
      MCT_DPOP_NEVER,
      { 0 },
      ",\"dpop_bound_access_tokens_required\":true",
      ES256,
      false,
      "\"never\"" },
    { "the user requires it", MCT_DPOP_REQUIRED, { 0 }, "", "", true, NULL },
    { "the user does not want it", MCT_DPOP_NEVER, { .dpop = true }, ES256, ES256, false, NULL },
};

static void tokens_are_bound_if_the_server_shows_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dpop_rows / sizeof *dpop_rows; i++) {
        const struct dpop_row *r = &dpop_rows[i];
        char prm[512], as[1024];
        const struct fake_row bound = BOUND_ROW, bearer = TOKEN_ROW;
        snprintf(prm, sizeof prm, "{\"resource\":\"$/mcp\",\"authorization_servers\":[\"$\"]%s}", r->prm);
        snprintf(as, sizeof as, "%.*s%s}", (int)strlen(ASM_JSON(REGISTERS)) - 1, ASM_JSON(REGISTERS), r->as);
        const struct fake_row rows[FAKE_ROWS] = {
            { "GET " PRM "/mcp", 200, prm }, { "GET " ASM, 200, as }, REGISTER_ROW, r->is_bound ? bound : bearer
        };
        print_message("# %s\n", r->name);
        flowing_open(rows);
        fk.settings.dpop = r->mode;
        fl.opts.challenge = &r->challenge;
        flowing_start();
        flowing_run();
        if (r->error) {
            assert_failed(fl.err.kind, r->error);
            assert_asked(DISCOVERED);
        } else {
            assert_logged_in();
            assert_int_equal(fl.login.dpop_key != NULL, r->is_bound);
        }
        flowing_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_registration_is_used_again),
        cmocka_unit_test(a_registration_is_not_used_again),
        cmocka_unit_test(a_port_in_use_means_another_registration),
        cmocka_unit_test(step_up_asks_for_the_union),
        cmocka_unit_test(a_new_login_does_not_repeat_a_step_up),
        cmocka_unit_test(a_secret_stays_at_its_issuer),
        cmocka_unit_test(registrations_are_retried_once),
        cmocka_unit_test(faults_of_a_registration_that_pass_are_no_refusals),
        cmocka_unit_test(a_registration_says_what_it_is),
        cmocka_unit_test(an_initial_token_stays_at_its_issuer),
        cmocka_unit_test(a_configured_client_has_a_fixed_redirect_uri),
        cmocka_unit_test(a_login_has_what_a_refresh_needs),
        cmocka_unit_test(a_registration_that_was_deleted_is_renewed),
        cmocka_unit_test(a_registration_for_fewer_scopes_is_renewed),
        cmocka_unit_test(a_dead_code_is_asked_for_once_more),
        cmocka_unit_test(scopes_that_were_guessed_are_left_out),
        cmocka_unit_test(authorizations_are_counted),
        cmocka_unit_test(without_a_person_nothing_is_registered),
        cmocka_unit_test(tokens_are_bound_if_the_server_shows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
