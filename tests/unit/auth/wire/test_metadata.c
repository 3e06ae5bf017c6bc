#include "unit.h"

#include "auth/wire/metadata.h"
#include "base/limits.h"

enum { TEXT = 4096 };

#include "quoted.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* ---- protected resource metadata ---- */

static void resource_metadata_is_read(void **state)
{
    static const char text[] =
        " {'resource':'http://h:1','authorization_servers':['https://a','https:\\/\\/b\\u002fx'],"
        "'scopes_supported':['a','','b c','d\\u0022','e'],'bearer_methods_supported':['header'],"
        "'dpop_signing_alg_values_supported':['ES256'],'dpop_bound_access_tokens_required':true,"
        "'resource_name':7,'x':{'resource':'no','resource':'no'}}\r\n";
    struct mcti_resource_metadata m;
    char buf[TEXT];
    (void)state;
    assert_int_equal(mcti_resource_metadata_read(&m, json(text, buf), NULL), 0);
    assert_string_equal(m.resource, "http://h:1");
    assert_int_equal(m.authorization_servers.n, 2);
    assert_string_equal(m.authorization_servers.v[1], "https://b/x");
    assert_true(m.has_scopes && m.has_bearer_methods && m.dpop_required);
    assert_int_equal(m.scopes.n, 2); /* items that are no scopes are left out */
    assert_string_equal(m.scopes.v[0], "a");
    assert_string_equal(m.scopes.v[1], "e");
    assert_string_equal(m.bearer_methods.v[0], "header");
    assert_string_equal(m.dpop_algs.v[0], "ES256");
    mcti_resource_metadata_clear(&m);
    assert_null(m.resource);
}

#define NEEDED "'resource':'https://h','authorization_servers':['https://a']"

/* Rows that both kinds of documents share have the members that both need. */
#define BOTH NEEDED ",'issuer':'https://a'"

static const struct refused {
    const char *json;
    const char *why; /* part of the message; NULL: accepted */
} refused_resources[] = {
    { "{" NEEDED "}", NULL },
    { "{" NEEDED ",'scopes_supported':null,'dpop_bound_access_tokens_required':null}", NULL },
    { "{}", "member \"resource\" is missing" },
    { "{'resource':'https://h'}", "member \"authorization_servers\" is missing" },
    { "{'resource':'https://h','authorization_servers':[]}", "member \"authorization_servers\" is missing" },
    { "{'resource':'https://h','authorization_servers':['']}", "member \"authorization_servers\" is missing" },
    { "{'resource':'https://h','authorization_servers':null}", "member \"authorization_servers\" is missing" },
    { "{'resource':'','authorization_servers':['https://a']}", "member \"resource\" is missing" },
    { "{'resource':null,'authorization_servers':['https://a']}", "member \"resource\" is missing" },
    { "{'resource':['https://h'],'authorization_servers':['https://a']}", "member \"resource\" is not a text" },
    { "{'resource':1,'authorization_servers':['https://a']}", "member \"resource\" is not a text" },
    { "{'resource':'https://h','authorization_servers':'https://a'}",
      "member \"authorization_servers\" is not a list" },
    { "{'resource':'https://h','authorization_servers':{'0':'https://a'}}", "is not a list" },
    { "{'resource':'https://h','authorization_servers':['https://a',1]}", "is not a text" },
    { "{'resource':'https://h','authorization_servers':[null]}", "is not a text" },
    { "{'resource':'https://h\\u0000.evil','authorization_servers':['https://a']}", "has a control character" },
    { "{'resource':'https://h\\r\\nX: y','authorization_servers':['https://a']}", "has a control character" },
    { "{'resource':'https://h\\u007f','authorization_servers':['https://a']}", "has a control character" },
    { "{'resource':'https://h\\ud800','authorization_servers':['https://a']}", "has an invalid character" },
    { "{'resource':'https://h','authorization_servers':['https://a\\u0000']}", "has a control character" },
    { "{" NEEDED ",'scopes_supported':'a b'}", "member \"scopes_supported\" is not a list" },
    { "{" NEEDED ",'scopes_supported':[1]}", "member \"scopes_supported\" is not a text" },
    { "{" NEEDED ",'bearer_methods_supported':{}}", "member \"bearer_methods_supported\" is not a list" },
    { "{" NEEDED ",'dpop_bound_access_tokens_required':'true'}", "is not true or false" },
    { "{" NEEDED ",'dpop_bound_access_tokens_required':1}", "is not true or false" },
};

static const struct refused refused_both[] = {
    { "{" BOTH "}", NULL },
    { "{" BOTH ",'':1,'x':1,'X':1}", NULL },
    { "", "not a JSON object" },
    { "[{" BOTH "}]", "not a JSON object" },
    { "'{}'", "not a JSON object" },
    { "null", "not a JSON object" },
    { "<html>", "not a JSON object" },
    { "{" BOTH "} {}", "not a JSON object" },
    { "{" BOTH ",}", "not a JSON object" },
    { "\xef\xbb\xbf{" BOTH "}", "not a JSON object" },
    { "{" BOTH ",'issuer':'https://a'}", "duplicate member \"issuer\"" },
    { "{" BOTH ",'resource':'https://h'}", "duplicate member \"resource\"" },
    { "{" BOTH ",'iss\\u0075er':'https://evil'}", "duplicate member \"issuer\"" },
    { "{'x':1," BOTH ",'x':1}", "duplicate member \"x\"" },
    { "{'x\\n':1," BOTH ",'x\\u000a':1}", "duplicate member \"x?\"" },
    { "{" BOTH ",'x\\u0000':1}", "the name of a member" },
    { "{" BOTH ",'\\udc00':1}", "the name of a member" },
};

/* ---- authorization server metadata ---- */

#define ISSUER "'issuer':'https://a'"

static const struct refused refused_issuers[] = {
    { "{" ISSUER "}", NULL },
    { "{" ISSUER ",'registration_endpoint':'','jwks_uri':null,'unknown':[{}]}", NULL },
    { "{'token_endpoint':'https://a/t'}", "member \"issuer\" is missing" },
    { "{'issuer':1}", "member \"issuer\" is not a text" },
    { "{'issuer':'https://a\\u0000'}", "member \"issuer\" has a control character" },
    { "{" ISSUER ",'authorization_endpoint':{}}", "member \"authorization_endpoint\" is not a text" },
    { "{" ISSUER ",'token_endpoint':['https://a/t']}", "member \"token_endpoint\" is not a text" },
    { "{" ISSUER ",'registration_endpoint':false}", "member \"registration_endpoint\" is not a text" },
    { "{" ISSUER ",'revocation_endpoint':1}", "member \"revocation_endpoint\" is not a text" },
    { "{" ISSUER ",'introspection_endpoint':1}", "member \"introspection_endpoint\" is not a text" },
    { "{" ISSUER ",'device_authorization_endpoint':1}", "member \"device_authorization_endpoint\" is not a text" },
    { "{" ISSUER ",'jwks_uri':'https://a/\\n'}", "member \"jwks_uri\" has a control character" },
    { "{" ISSUER ",'client_id_metadata_document_supported':'yes'}", "is not true or false" },
    { "{" ISSUER ",'authorization_response_iss_parameter_supported':0}", "is not true or false" },
    { "{" ISSUER ",'scopes_supported':{}}", "member \"scopes_supported\" is not a list" },
    { "{" ISSUER ",'grant_types_supported':'x'}", "member \"grant_types_supported\" is not a list" },
    { "{" ISSUER ",'response_types_supported':'code'}", "member \"response_types_supported\" is not a list" },
    { "{" ISSUER ",'code_challenge_methods_supported':'S256'}", "is not a list" },
    { "{" ISSUER ",'token_endpoint_auth_methods_supported':[{}]}", "is not a text" },
    { "{" ISSUER ",'token_endpoint_auth_signing_alg_values_supported':1}", "is not a list" },
    { "{" ISSUER ",'dpop_signing_alg_values_supported':true}", "is not a list" },
    { "{" ISSUER ",'authorization_grant_profiles_supported':'x'}", "is not a list" },
};

/* Returns -1 with the message if the document is refused. */
static int read_resource(struct mcti_str text, struct mct_error *err)
{
    struct mcti_resource_metadata m, empty = { 0 };
    int ok = mcti_resource_metadata_read(&m, text, err);
    if (ok < 0)
        assert_memory_equal(&m, &empty, sizeof m);
    mcti_resource_metadata_clear(&m);
    return ok;
}

static int read_issuer(struct mcti_str text, struct mct_error *err)
{
    struct mcti_issuer_metadata m, empty = { 0 };
    int ok = mcti_issuer_metadata_read(&m, text, err);
    if (ok < 0)
        assert_memory_equal(&m, &empty, sizeof m);
    mcti_issuer_metadata_clear(&m);
    return ok;
}

static void check_refused(const struct refused *rows, size_t n, int (*read)(struct mcti_str, struct mct_error *))
{
    char text[TEXT];
    for (const struct refused *row = rows; row < rows + n; row++) {
        struct mct_error err = { .message = "accepted" };
        int ok = read(mcti_str_of(quoted(row->json, text)), &err);
        if (ok != (row->why ? -1 : 0) || (row->why && !strstr(err.message, row->why)))
            fail_msg("%s: %d %s, not %s", row->json, ok, err.message, row->why ? row->why : "accepted");
        if (row->why)
            assert_int_equal(err.kind, MCT_ERR_PROTOCOL);
    }
}

static void unusable_documents_are_refused(void **state)
{
    (void)state;
    check_refused(refused_resources, COUNT(refused_resources), read_resource);
    check_refused(refused_issuers, COUNT(refused_issuers), read_issuer);
    check_refused(refused_both, COUNT(refused_both), read_resource);
    check_refused(refused_both, COUNT(refused_both), read_issuer);
}

static void issuer_metadata_is_read(void **state)
{
    static const char text[] =
        "{'issuer':'HTTPS://A:443/','authorization_endpoint':'https://a/1','token_endpoint':'https://a/2',"
        "'registration_endpoint':'https://a/3','revocation_endpoint':'https://a/4','introspection_endpoint':'https://a/"
        "5',"
        "'device_authorization_endpoint':'https://a/6','jwks_uri':'https://a/7',"
        "'client_id_metadata_document_supported':true,'authorization_response_iss_parameter_supported':true,"
        "'scopes_supported':['s'],'grant_types_supported':['g'],'response_types_supported':['code'],"
        "'code_challenge_methods_supported':['S256','plain'],'token_endpoint_auth_methods_supported':['none'],"
        "'token_endpoint_auth_signing_alg_values_supported':['ES256'],'dpop_signing_alg_values_supported':['d'],"
        "'authorization_grant_profiles_supported':['p']}";
    struct mcti_issuer_metadata m;
    char buf[TEXT];
    (void)state;
    assert_int_equal(mcti_issuer_metadata_read(&m, json(text, buf), NULL), 0);
    assert_string_equal(m.issuer, "HTTPS://A:443/"); /* as published */
    const char *const endpoints[] = { m.authorization_endpoint,
                                      m.token_endpoint,
                                      m.registration_endpoint,
                                      m.revocation_endpoint,
                                      m.introspection_endpoint,
                                      m.device_authorization_endpoint,
                                      m.jwks_uri };
    for (size_t i = 0; i < COUNT(endpoints); i++) {
        assert_int_equal(strlen(endpoints[i]), strlen("https://a/1"));
        assert_int_equal(endpoints[i][10], '1' + (int)i);
    }
    assert_true(m.takes_client_id_documents && m.sends_iss);
    assert_true(m.has_scopes && m.has_grants && m.has_auth_methods && m.has_pkce_methods);
    const struct {
        const struct mcti_strings *list;
        const char *first;
    } lists[] = { { &m.scopes, "s" },          { &m.grants, "g" },          { &m.response_types, "code" },
                  { &m.pkce_methods, "S256" }, { &m.auth_methods, "none" }, { &m.auth_algs, "ES256" },
                  { &m.dpop_algs, "d" },       { &m.grant_profiles, "p" } };
    for (size_t i = 0; i < COUNT(lists); i++)
        assert_string_equal(lists[i].list->v[0], lists[i].first);
    mcti_issuer_metadata_clear(&m);
}

static void empty_lists_are_there(void **state)
{
    struct mcti_issuer_metadata m;
    (void)state;
    assert_int_equal(mcti_issuer_metadata_read(&m,
                                               MCT_STR("{\"issuer\":\"i\",\"scopes_supported\":[],"
                                                       "\"token_endpoint_auth_methods_supported\":null}"),
                                               NULL),
                     0);
    assert_true(m.has_scopes);
    assert_false(m.has_auth_methods || m.has_pkce_methods || m.has_grants);
    mcti_issuer_metadata_clear(&m);
}

/* ---- limits ---- */

/* Appends `n` times the text, which may have %d, separated by commas. */
static void repeat(struct mcti_buf *b, int n, const char *before, const char *behind)
{
    for (int i = 0; i < n; i++)
        mcti_buf_printf(b, "%s%s%d%s", i ? "," : "", before, i, behind);
}

static void check_limit(const char *open, const char *before, const char *behind, const char *close, int most)
{
    struct mcti_buf b;
    struct mct_error err = { 0 };
    mcti_buf_init(&b, 1u << 20);
    for (int over = 0; over < 2; over++) {
        mcti_buf_clear(&b);
        mcti_buf_addz(&b, open);
        repeat(&b, most + over, before, behind);
        mcti_buf_addz(&b, close);
        assert_int_equal(read_issuer(mcti_buf_str(&b), &err), over ? -1 : 0);
    }
    assert_int_equal(err.kind, MCT_ERR_PROTOCOL);
    mcti_buf_done(&b);
}

static void sizes_are_limited(void **state)
{
    char text[MCT_LIMIT_AUTH_TEXT_BYTES + 64];
    (void)state;
    check_limit("{\"issuer\":\"i\",", "\"x", "\":1", "}", MCT_LIMIT_AUTH_MEMBERS - 1);
    check_limit("{\"issuer\":\"i\",\"scopes_supported\":[", "\"s", "\"", "]}", MCT_LIMIT_AUTH_ITEMS);
    snprintf(text, sizeof text, "{\"issuer\":\"%0*d\"}", MCT_LIMIT_AUTH_TEXT_BYTES - 2, 1);
    assert_int_equal(read_issuer(mcti_str_of(text), NULL), 0);
    snprintf(text, sizeof text, "{\"issuer\":\"%0*d\"}", MCT_LIMIT_AUTH_TEXT_BYTES - 1, 1);
    assert_int_equal(read_issuer(mcti_str_of(text), NULL), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resource_metadata_is_read), cmocka_unit_test(unusable_documents_are_refused),
        cmocka_unit_test(issuer_metadata_is_read),   cmocka_unit_test(empty_lists_are_there),
        cmocka_unit_test(sizes_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
