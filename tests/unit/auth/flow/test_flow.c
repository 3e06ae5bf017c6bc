/* Whole authorizations, from the refusal to the tokens. */
#include "auth/flow/flowing.h"

struct flow_row {
    const char *name;
    struct mcti_auth_settings settings;
    struct mcti_challenge challenge;
    const char *wanted_scope;
    bool only_wanted;
    const char *answer; /* of the browser; NULL: the usual one */
    struct fake_row rows[FAKE_ROWS];
    const char *asked;
    const char *url_has[4], *url_lacks[3]; /* of the authorization request; '&' stands before and behind parameters */
    const char *body_has[3], *body_lacks;  /* of the last request with a body */
    const char *authorization;             /* header of the last request */
    const char *error;                     /* part of the message; NULL: there is a login */
    enum mct_error_kind kind;
    unsigned n_invited; /* with error */
};

#define CHALLENGE(s)                                                                                                   \
    {                                                                                                                  \
        .bearer = true, .scope = (s)                                                                                   \
    }

static const struct flow_row flow_rows[] = {
    { .name = "metadata-default: registration, code, resource in both requests as published",
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS), REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n",
      .url_has = { "/authorize?response_type=code&client_id=registered&redirect_uri=http%3A%2F%2F127.0.0.1%3A",
                   "&code_challenge_method=S256&", "%2Fmcp&" },
      .url_lacks = { "scope=", "prompt=" },
      .body_has = { "grant_type=authorization_code&code=c1&redirect_uri=http%3A%2F%2F127.0.0.1%3A", "&resource=http",
                    "&client_id=registered" },
      .body_lacks = "client_secret",
      .authorization = "" },
    { .name = "basic-cimd: the URL of the document is the client id",
      .settings = { .client_metadata_url = "https://conformance-test.local/client-metadata.json" },
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS ",\"client_id_metadata_document_supported\":true"), TOKEN_ROW },
      .asked = DISCOVERED "POST /token\n",
      .url_has = { "&client_id=https%3A%2F%2Fconformance-test.local%2Fclient-metadata.json&" } },
    { .name = "a document is not used where it is not announced",
      .settings = { .client_metadata_url = "https://conformance-test.local/client-metadata.json" },
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS), REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n",
      .url_has = { "&client_id=registered&" } },
    { .name = "a document without a path",
      .settings = { .client_metadata_url = "https://conformance-test.local/" },
      .rows = { PRM_ROW(""), ASM_ROW(",\"client_id_metadata_document_supported\":true") },
      .asked = DISCOVERED,
      .error = "client_metadata_url",
      .kind = MCT_ERR_CONFIG },
    { .name = "scope-from-www-authenticate: not those of the metadata",
      .challenge = CHALLENGE("mcp:basic"),
      .rows = { PRM_ROW(",\"scopes_supported\":[\"other\"]"), ASM_ROW(REGISTERS), REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n",
      .url_has = { "&scope=mcp%3Abasic&" } },
    { .name = "scope-from-scopes-supported: all of them",
      .rows = { PRM_ROW(",\"scopes_supported\":[\"a\",\"b\",\"c\"]"), ASM_ROW(REGISTERS), REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n",
      .url_has = { "&scope=a%20b%20c&" } },
    { .name = "scope-omitted-when-undefined: neither scopes nor offline_access alone",
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS ",\"scopes_supported\":[\"openid\",\"offline_access\"]"), REGISTER_ROW,
                TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n",
      .url_lacks = { "scope=", "prompt=" } },
    { .name = "the configured scopes are the user's word",
      .settings = { .scopes = "mine" },
      .challenge = CHALLENGE("mcp:basic"),
      .rows = { PRM_ROW(",\"scopes_supported\":[\"a\"]"), ASM_ROW(REGISTERS), REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n",
      .url_has = { "&scope=mine&" } },
    { .name = "the scopes of a person are all",
      .settings = { .scopes = "mine" },
      .challenge = CHALLENGE("mcp:basic"),
      .wanted_scope = "hers",
      .only_wanted = true,
      .rows = { PRM_ROW(",\"scopes_supported\":[\"a\"]"),
                ASM_ROW(REGISTERS ",\"scopes_supported\":[\"offline_access\"]"), REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n",
      .url_has = { "&scope=hers&" },
      .url_lacks = { "prompt=" } },
    { .name = "a malformed scope is left out",
      .challenge = CHALLENGE("a\"b"),
      .rows = { PRM_ROW(",\"scopes_supported\":[\"a\"]"), ASM_ROW(REGISTERS), REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n",
      .url_has = { "&scope=a&" } },
    { .name = "offline-access-scope: asked for where it is known, with consent",
      .rows = { PRM_ROW(",\"scopes_supported\":[\"mcp:basic\"]"),
                ASM_ROW(REGISTERS ",\"scopes_supported\":[\"mcp:basic\",\"offline_access\"]"), REGISTER_ROW,
                TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n",
      .url_has = { "&scope=mcp%3Abasic%20offline_access&prompt=consent&" } },
    { .name = "offline-access-not-supported",
      .challenge = CHALLENGE("mcp:basic"),
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS ",\"scopes_supported\":[\"mcp:basic\"]"), REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n",
      .url_has = { "&scope=mcp%3Abasic&" },
      .url_lacks = { "offline", "prompt=" } },
    { .name = "pre-registration: exactly these, and no registration",
      .settings = { .client_id = "pre", .client_secret = "secret" },
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS ",\"token_endpoint_auth_methods_supported\":[\"client_secret_basic\"]"),
                TOKEN_ROW },
      .asked = DISCOVERED "POST /token\n",
      .url_has = { "&client_id=pre&" },
      .url_lacks = { "secret" },
      .body_lacks = "secret",
      .authorization = "Basic cHJlOnNlY3JldA==" },
    { .name = "no way to a client id: what to configure",
      .rows = { PRM_ROW(""), ASM_ROW(",\"client_id_metadata_document_supported\":true") },
      .asked = DISCOVERED,
      .error = "\"client_metadata_url\"",
      .kind = MCT_ERR_AUTH },
    { .name = "registration is closed: what to configure",
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS), { "POST /register", 403, "{\"error\":\"access_denied\"}" } },
      .asked = DISCOVERED "POST /register\n",
      .error = "\"client_id\"",
      .kind = MCT_ERR_AUTH },
    { .name = "resource-mismatch: nobody is asked, nothing is registered",
      .rows = { { "GET " PRM "/mcp", 200, "{\"resource\":\"~/mcp\",\"authorization_servers\":[\"$\"]}" } },
      .asked = "GET " PRM "/mcp\n",
      .error = "which is not the server",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "metadata-issuer-mismatch: the same",
      .rows = { PRM_ROW(""), { "GET " ASM, 200, "{\"issuer\":\"~\",\"registration_endpoint\":\"$/register\"}" } },
      .asked = DISCOVERED,
      .error = "character by character",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "no PKCE: refused before the registration",
      .rows = { PRM_ROW(""),
                { "GET " ASM, 200,
                  "{\"issuer\":\"$\",\"authorization_endpoint\":\"$/authorize\",\"token_endpoint\":\"$/token\","
                  "\"response_types_supported\":[\"code\"]" REGISTERS "}" } },
      .asked = DISCOVERED,
      .error = "PKCE",
      .kind = MCT_ERR_UNSUPPORTED },
    { .name = "plain PKCE only",
      .rows = { PRM_ROW(""),
                { "GET " ASM, 200,
                  "{\"issuer\":\"$\",\"authorization_endpoint\":\"$/authorize\",\"token_endpoint\":\"$/token\","
                  "\"response_types_supported\":[\"code\"],\"code_challenge_methods_supported\":[\"plain\"]" REGISTERS
                  "}" } },
      .asked = DISCOVERED,
      .error = "PKCE",
      .kind = MCT_ERR_UNSUPPORTED },
    { .name = "PKCE that is assumed",
      .settings = { .assume_pkce = true },
      .rows = { PRM_ROW(""),
                { "GET " ASM, 200,
                  "{\"issuer\":\"$\",\"authorization_endpoint\":\"$/authorize\",\"token_endpoint\":\"$/token\","
                  "\"response_types_supported\":[\"code\"]" REGISTERS "}" },
                REGISTER_ROW,
                TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n",
      .url_has = { "&code_challenge_method=S256&" } },
    { .name = "no code",
      .rows = { PRM_ROW(""),
                { "GET " ASM, 200,
                  "{\"issuer\":\"$\",\"authorization_endpoint\":\"$/authorize\",\"token_endpoint\":\"$/token\","
                  "\"response_types_supported\":[\"token\"],\"code_challenge_methods_supported\":[\"S256\"]}" } },
      .asked = DISCOVERED,
      .error = "'code'",
      .kind = MCT_ERR_UNSUPPORTED },
    { .name = "iss-supported",
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS ",\"authorization_response_iss_parameter_supported\":true"),
                REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n" },
    { .name = "iss-not-advertised: it may be missing",
      .answer = "code=c1&state=STATE",
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS), REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n" },
    { .name = "iss-supported-missing: no token request",
      .answer = "code=c1&state=STATE",
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS ",\"authorization_response_iss_parameter_supported\":true"),
                REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\n",
      .error = "does not name the authorization server",
      .kind = MCT_ERR_AUTH,
      .n_invited = 1 },
    { .name = "iss-wrong-issuer: the same",
      .answer = "code=c1&state=STATE&iss=https%3A%2F%2Fevil.example",
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS ",\"authorization_response_iss_parameter_supported\":true"),
                REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\n",
      .error = "is not from the authorization server",
      .kind = MCT_ERR_AUTH,
      .n_invited = 1 },
    { .name = "iss-unexpected: compared although it is not announced",
      .answer = "code=c1&state=STATE&iss=https://evil.example",
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS), REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\n",
      .error = "is not from the authorization server",
      .kind = MCT_ERR_AUTH,
      .n_invited = 1 },
    { .name = "iss-normalized: a slash more",
      .answer = "code=c1&state=STATE&iss=$/",
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS ",\"authorization_response_iss_parameter_supported\":true"),
                REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\n",
      .error = "is not from the authorization server",
      .kind = MCT_ERR_AUTH,
      .n_invited = 1 },
    { .name = "the person says no",
      .answer = "error=access_denied&error_description=no%1B%5B2J&state=STATE",
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS), REGISTER_ROW },
      .asked = DISCOVERED "POST /register\n",
      .error = "the login was refused at the authorization server (access_denied: no?[2J)",
      .kind = MCT_ERR_AUTH,
      .n_invited = 1 },
    { .name = "extra parameters never replace ours",
      .settings = { .extra_params =
                        &(const struct mcti_pairs){ (struct mcti_pair[]){ { "audience", "a b" }, { "state", "x" } },
                                                    2 } },
      .rows = { PRM_ROW(""), ASM_ROW(REGISTERS), REGISTER_ROW, TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n",
      .url_has = { "&audience=a%20b&" },
      .url_lacks = { "state=x&" } },
    { .name = "the query of the authorization endpoint stays",
      .rows = { PRM_ROW(""),
                { "GET " ASM, 200,
                  "{\"issuer\":\"$\",\"authorization_endpoint\":\"$/authorize?p=b2c\",\"token_endpoint\":\"$/token\","
                  "\"response_types_supported\":[\"code\"],\"code_challenge_methods_supported\":[\"S256\"]" REGISTERS
                  "}" },
                REGISTER_ROW,
                TOKEN_ROW },
      .asked = DISCOVERED "POST /register\nPOST /token\n",
      .url_has = { "/authorize?p=b2c&response_type=code&" } },
    { .name = "2025-03-26: the default endpoints, no resource",
      .rows = { REGISTER_ROW, TOKEN_ROW },
      .asked = "GET " PRM "/mcp\nGET " PRM "\nGET " ASM "\nGET " OIDC "\nPOST /register\nPOST /token\n",
      .url_has = { "/authorize?response_type=code&", "&code_challenge_method=S256&" },
      .url_lacks = { "resource=" },
      .body_lacks = "resource=" },
    { .name = "a server without a login: nobody is asked",
      .asked = "GET " PRM "/mcp\nGET " PRM "\nGET " ASM "\nGET " OIDC "\nPOST /register\n",
      .error = "publishes no OAuth metadata",
      .kind = MCT_ERR_NOT_FOUND },
    { .name = "the resource is refused",
      .challenge = CHALLENGE("a"),
      .settings = { .scopes = "" },
      .rows = { PRM_ROW(""),
                ASM_ROW(REGISTERS),
                REGISTER_ROW,
                { "POST /token", 400, "{\"error\":\"invalid_target\"}" } },
      .asked = DISCOVERED "POST /register\nPOST /token\n",
      .url_has = { "&scope=a&" },
      .error = "invalid_target",
      .kind = MCT_ERR_AUTH,
      .n_invited = 1 },
    { .name = "client credentials: no person, no listener, no registration",
      .settings = { .grant = "client_credentials", .client_id = "robot", .client_secret = "s" },
      .rows = { PRM_ROW(",\"scopes_supported\":[\"a\"]"),
                ASM_ROW(",\"scopes_supported\":[\"offline_access\"],\"token_endpoint_auth_methods_supported\":"
                        "[\"client_secret_basic\"]"),
                TOKEN_ROW },
      .asked = DISCOVERED "POST /token\n",
      .body_has = { "grant_type=client_credentials", "scope=a", "resource=" },
      .body_lacks = "offline_access",
      .authorization = "Basic cm9ib3Q6cw==" },
};

static void assert_row(const struct flow_row *r)
{
    char asked[2048];
    const char *url = fl.n_invited ? fl.url[0] : "";
    assert_string_equal(fk.asked, fake_text(asked, sizeof asked, r->asked));
    for (int i = 0; i < 4; i++)
        assert_has(url, r->url_has[i]);
    for (int i = 0; i < 3; i++)
        assert_lacks(url, r->url_lacks[i]);
    for (int i = 0; i < 3; i++)
        assert_has(fk.body, r->body_has[i]);
    assert_lacks(fk.body, r->body_lacks);
    if (r->authorization)
        assert_string_equal(fk.authorization, r->authorization);
    if (!r->error) {
        assert_logged_in();
        return;
    }
    assert_failed(r->kind, r->error);
    assert_int_equal(fl.n_invited, r->n_invited);
}

static void authorizations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof flow_rows / sizeof *flow_rows; i++) {
        const struct flow_row *r = &flow_rows[i];
        print_message("# %s\n", r->name);
        flowing_open(r->rows);
        fk.settings = r->settings;
        fl.opts.challenge = &r->challenge;
        fl.opts.wanted_scope = r->wanted_scope;
        fl.opts.only_wanted = r->only_wanted;
        if (r->answer)
            fl.answers[0] = r->answer;
        flowing_start();
        flowing_run();
        assert_row(r);
        flowing_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(authorizations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
