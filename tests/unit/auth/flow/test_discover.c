#include "auth/fake.h"

#include "auth/flow/flow.h"

static struct {
    bool is_done, is_found;
    struct mcti_discovery found;
    struct mct_error err;
} got;

static void on_done(void *data, struct mcti_discovery *take_found, const struct mct_error *err)
{
    (void)data;
    got.is_done = true;
    got.is_found = !err;
    if (err) {
        assert_null(take_found);
        got.err = *err;
        return;
    }
    got.found = *take_found;
    *take_found = (struct mcti_discovery){ 0 };
}

#define PRM "/.well-known/oauth-protected-resource"
#define ASM "/.well-known/oauth-authorization-server"
#define OIDC "/.well-known/openid-configuration"

#define RESOURCE(r, as) "{\"resource\":\"" r "\",\"authorization_servers\":[\"" as "\"]}"
#define ISSUER_(i, more)                                                                                               \
    "{\"issuer\":\"" i "\",\"authorization_endpoint\":\"$/authorize\",\"token_endpoint\":\"$/token\","                 \
    "\"response_types_supported\":[\"code\"],\"code_challenge_methods_supported\":[\"S256\"]" more "}"
#define ISSUER(i) ISSUER_(i, "")

struct discover_row {
    const char *name;
    const char *path;      /* of the server */
    const char *challenge; /* resource_metadata */
    const char *pinned;    /* by the configuration */
    struct fake_row rows[FAKE_ROWS];
    const char *asked;
    const char *error;            /* part of the message; NULL: found */
    enum mct_error_kind kind;     /* with error */
    const char *resource, *token; /* without error; resource NULL: none. token: the endpoint */
    const char *issuer;
};

static const struct discover_row discover_rows[] = {
    { .name = "metadata-default: the place of the challenge, never the root",
      .path = "/mcp",
      .challenge = "$" PRM "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp", "$") }, { "GET " ASM, 200, ISSUER("$") } },
      .asked = "GET " PRM "/mcp\nGET " ASM "\n",
      .resource = "$/mcp",
      .issuer = "$",
      .token = "$/token" },
    { .name = "metadata-var1: without a challenge the same place; OpenID behind OAuth",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp", "$") }, { "GET " OIDC, 200, ISSUER("$") } },
      .asked = "GET " PRM "/mcp\nGET " ASM "\nGET " OIDC "\n",
      .resource = "$/mcp",
      .issuer = "$",
      .token = "$/token" },
    { .name = "metadata-var2: the root after the path, a bare origin as resource, an issuer with a path",
      .path = "/mcp",
      .rows = { { "GET " PRM, 200, RESOURCE("$", "$/tenant1") }, { "GET " ASM "/tenant1", 200, ISSUER("$/tenant1") } },
      .asked = "GET " PRM "/mcp\nGET " PRM "\nGET " ASM "/tenant1\n",
      .resource = "$",
      .issuer = "$/tenant1",
      .token = "$/token" },
    { .name = "metadata-var3: a custom place, the third form of an issuer with a path, never its root",
      .path = "/mcp",
      .challenge = "$/custom/prm.json",
      .rows = { { "GET /custom/prm.json", 200, RESOURCE("$/mcp", "$/tenant1") },
                { "GET /tenant1" OIDC, 200, ISSUER("$/tenant1") } },
      .asked = "GET /custom/prm.json\nGET " ASM "/tenant1\nGET " OIDC "/tenant1\nGET /tenant1" OIDC "\n",
      .resource = "$/mcp",
      .issuer = "$/tenant1",
      .token = "$/token" },
    { .name = "the query of the server's URL is part of the place",
      .path = "/mcp?tenant=a",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp?tenant=a", "$") }, { "GET " ASM, 200, ISSUER("$") } },
      .asked = "GET " PRM "/mcp?tenant=a\nGET " ASM "\n",
      .resource = "$/mcp?tenant=a",
      .issuer = "$",
      .token = "$/token" },
    { .name = "a challenge names one place and no other",
      .path = "/mcp",
      .challenge = "$/prm",
      .asked = "GET /prm\n",
      .error = "nothing is there",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "an error of the server is no reason to try the next place",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 503, "" } },
      .asked = "GET " PRM "/mcp\n",
      .error = "HTTP status 503",
      .kind = MCT_ERR_CONNECT },
    { .name = "a proxy's 502 is one",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 502, "" },
                { "GET " PRM, 200, RESOURCE("$/mcp", "$") },
                { "GET " ASM, 502, "" },
                { "GET " OIDC, 200, ISSUER("$") } },
      .asked = "GET " PRM "/mcp\nGET " PRM "\nGET " ASM "\nGET " OIDC "\n",
      .resource = "$/mcp",
      .issuer = "$",
      .token = "$/token" },
    { .name = "an error of the authorization server, too",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp", "$") }, { "GET " ASM, 500, "" } },
      .asked = "GET " PRM "/mcp\nGET " ASM "\n",
      .error = "HTTP status 500",
      .kind = MCT_ERR_CONNECT },
    { .name = "a web application that answers everything with its page has no login",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, "<html></html>", .type = "text/html; charset=utf-8" },
                { "GET " PRM, 200, "<html></html>", .type = "text/html" },
                { "GET " ASM, 200, "<html></html>", .type = "text/html" },
                { "GET " OIDC, 200, "<html></html>", .type = "text/html" } },
      .asked = "GET " PRM "/mcp\nGET " PRM "\nGET " ASM "\nGET " OIDC "\n",
      .issuer = "$",
      .token = "$/token" },
    { .name = "a page at the place of the challenge",
      .path = "/mcp",
      .challenge = "$/prm",
      .rows = { { "GET /prm", 200, "<html></html>", .type = "text/html" } },
      .asked = "GET /prm\n",
      .error = "JSON",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "a page of the authorization server that the metadata names",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp", "$") },
                { "GET " ASM, 200, "<html></html>", .type = "text/html" } },
      .asked = "GET " PRM "/mcp\nGET " ASM "\n",
      .error = "JSON",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "a page instead of the metadata",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, "<html></html>" } },
      .asked = "GET " PRM "/mcp\n",
      .error = PRM "/mcp",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "resource-mismatch: another origin stops before the authorization server",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("https://evil.example/mcp", "$") },
                { "GET " ASM, 200, ISSUER("$") } },
      .asked = "GET " PRM "/mcp\n",
      .error = "https://evil.example/mcp",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "the same port of another name is another origin",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("~/mcp", "$") } },
      .asked = "GET " PRM "/mcp\n",
      .error = "which is not the server",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "a path that is longer by less than a segment is another resource",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcpx", "$") } },
      .asked = "GET " PRM "/mcp\n",
      .error = "which is not the server",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "the beginning of a segment is no prefix",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mc", "$") } },
      .asked = "GET " PRM "/mcp\n",
      .error = "which is not the server",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "a longer path is not covered",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp/a", "$") } },
      .asked = "GET " PRM "/mcp\n",
      .error = "which is not the server",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "a whole segment is",
      .path = "/mcp/a/b",
      .rows = { { "GET " PRM "/mcp/a/b", 200, RESOURCE("$/mcp", "$") }, { "GET " ASM, 200, ISSUER("$") } },
      .asked = "GET " PRM "/mcp/a/b\nGET " ASM "\n",
      .resource = "$/mcp",
      .issuer = "$",
      .token = "$/token" },
    { .name = "a slash at the end of the resource is kept",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/", "$") }, { "GET " ASM, 200, ISSUER("$") } },
      .asked = "GET " PRM "/mcp\nGET " ASM "\n",
      .resource = "$/",
      .issuer = "$",
      .token = "$/token" },
    { .name = "a resource with a fragment",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp#a", "$") } },
      .asked = "GET " PRM "/mcp\n",
      .error = "fragment",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "no authorization server",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, "{\"resource\":\"$/mcp\",\"authorization_servers\":[]}" } },
      .asked = "GET " PRM "/mcp\n",
      .error = "authorization_servers",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "tokens in queries only",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200,
                  "{\"resource\":\"$/"
                  "mcp\",\"authorization_servers\":[\"$\"],\"bearer_methods_supported\":[\"query\"]}" } },
      .asked = "GET " PRM "/mcp\n",
      .error = "never puts them",
      .kind = MCT_ERR_UNSUPPORTED },
    { .name = "the first usable authorization server: https, or on this machine; without a query",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200,
                  "{\"resource\":\"$/mcp\",\"authorization_servers\":[\"http://as.example\",\"ftp://x\",\"$/a?b\","
                  "\"https://u:p@as.example\",\"$/b\",\"$/c\"]}" },
                { "GET " ASM "/b", 200, ISSUER("$/b") } },
      .asked = "GET " PRM "/mcp\nGET " ASM "/b\n",
      .resource = "$/mcp",
      .issuer = "$/b",
      .token = "$/token" },
    { .name = "no usable authorization server",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp", "http://as.example") } },
      .asked = "GET " PRM "/mcp\n",
      .error = "http://as.example",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "a pinned issuer is taken, wherever it stands",
      .path = "/mcp",
      .pinned = "$/b",
      .rows = { { "GET " PRM "/mcp", 200, "{\"resource\":\"$/mcp\",\"authorization_servers\":[\"$/a\",\"$/b\"]}" },
                { "GET " ASM "/b", 200, ISSUER("$/b") } },
      .asked = "GET " PRM "/mcp\nGET " ASM "/b\n",
      .resource = "$/mcp",
      .issuer = "$/b",
      .token = "$/token" },
    { .name = "a pinned issuer that is not listed",
      .path = "/mcp",
      .pinned = "$/b",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp", "$/b/") } },
      .asked = "GET " PRM "/mcp\n",
      .error = "does not use the authorization server",
      .kind = MCT_ERR_AUTH },
    { .name = "metadata-issuer-mismatch: another host",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp", "$") },
                { "GET " ASM, 200, ISSUER("https://evil.example") },
                { "GET " OIDC, 200, ISSUER("$") } },
      .asked = "GET " PRM "/mcp\nGET " ASM "\n",
      .error = "https://evil.example",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "an issuer with a slash more",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp", "$") }, { "GET " ASM, 200, ISSUER("$/") } },
      .asked = "GET " PRM "/mcp\nGET " ASM "\n",
      .error = "character by character",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "an issuer in another case",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp", "$/Tenant") },
                { "GET " ASM "/Tenant", 200, ISSUER("$/tenant") } },
      .asked = "GET " PRM "/mcp\nGET " ASM "/Tenant\n",
      .error = "character by character",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "an issuer that ends with a slash is equal to itself",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp", "$/") }, { "GET " ASM, 200, ISSUER("$/") } },
      .asked = "GET " PRM "/mcp\nGET " ASM "\n",
      .resource = "$/mcp",
      .issuer = "$/",
      .token = "$/token" },
    { .name = "an issuer without metadata",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp", "$") } },
      .asked = "GET " PRM "/mcp\nGET " ASM "\nGET " OIDC "\n",
      .error = "publishes no metadata",
      .kind = MCT_ERR_AUTH },
    { .name = "an endpoint without encryption",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp", "$") },
                { "GET " ASM, 200, ISSUER_("$", ",\"registration_endpoint\":\"http://as.example/register\"") } },
      .asked = "GET " PRM "/mcp\nGET " ASM "\n",
      .error = "'registration_endpoint'",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "an endpoint that is a script",
      .path = "/mcp",
      .rows = { { "GET " PRM "/mcp", 200, RESOURCE("$/mcp", "$") },
                { "GET " ASM, 200,
                  "{\"issuer\":\"$\",\"authorization_endpoint\":\"javascript:alert(1)\",\"token_endpoint\":\"$/"
                  "token\"}" } },
      .asked = "GET " PRM "/mcp\nGET " ASM "\n",
      .error = "'authorization_endpoint'",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "2025-03-26: no metadata of the server, that of the origin",
      .path = "/mcp",
      .rows = { { "GET " ASM, 200, ISSUER("$/") } },
      .asked = "GET " PRM "/mcp\nGET " PRM "\nGET " ASM "\n",
      .issuer = "$/",
      .token = "$/token" },
    { .name = "2025-03-26: the origin's metadata is that of somebody else",
      .path = "/mcp",
      .rows = { { "GET " ASM, 200, ISSUER("~") } },
      .asked = "GET " PRM "/mcp\nGET " PRM "\nGET " ASM "\n",
      .error = "character by character",
      .kind = MCT_ERR_PROTOCOL },
    { .name = "2025-03-26: nothing but the default endpoints",
      .path = "/mcp",
      .asked = "GET " PRM "/mcp\nGET " PRM "\nGET " ASM "\nGET " OIDC "\n",
      .issuer = "$",
      .token = "$/token" },
    { .name = "at the root there is one place only",
      .path = "",
      .asked = "GET " PRM "\nGET " ASM "\nGET " OIDC "\n",
      .issuer = "$",
      .token = "$/token" },
    { .name = "a pinned issuer of a server without metadata",
      .path = "/mcp",
      .pinned = "$/b",
      .rows = { { "GET " ASM "/b", 200, ISSUER("$/b") } },
      .asked = "GET " PRM "/mcp\nGET " PRM "\nGET " ASM "/b\n",
      .issuer = "$/b",
      .token = "$/token" },
    { .name = "a pinned issuer has no default endpoints",
      .path = "/mcp",
      .pinned = "$/b",
      .asked = "GET " PRM "/mcp\nGET " PRM "\nGET " ASM "/b\nGET " OIDC "/b\nGET /b" OIDC "\n",
      .error = "publishes no metadata",
      .kind = MCT_ERR_AUTH },
};

static void assert_found(const struct discover_row *r)
{
    char text[1024];
    if (!got.is_found)
        fail_msg("%s: %s", r->name, got.err.message);
    if (r->resource)
        assert_string_equal(got.found.resource, fake_text(text, sizeof text, r->resource));
    else
        assert_null(got.found.resource);
    assert_string_equal(got.found.as.issuer, fake_text(text, sizeof text, r->issuer));
    assert_string_equal(got.found.as.token_endpoint, fake_text(text, sizeof text, r->token));
    assert_int_equal(got.found.has_resource_metadata, r->resource != NULL);
}

static void discover(const char *challenge, const struct mcti_auth_records *known, const char *issuer)
{
    const struct mcti_discover_opts opts = {
        .env = &fk.env, .resource_metadata = challenge, .known = known, .issuer = issuer, .done = on_done
    };
    memset(&got, 0, sizeof got);
    struct mcti_discover *d = mcti_discover_start(&opts, &got.err);
    assert_non_null(d);
    assert_false(got.is_done);
    fake_run_until(&got.is_done);
}

static void places_and_checks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof discover_rows / sizeof *discover_rows; i++) {
        const struct discover_row *r = &discover_rows[i];
        char challenge[256], pinned[256], asked[1024];
        print_message("# %s\n", r->name);
        fake_open(r->rows, r->path);
        fk.settings.issuer = r->pinned ? fake_text(pinned, sizeof pinned, r->pinned) : NULL;
        discover(r->challenge ? fake_text(challenge, sizeof challenge, r->challenge) : NULL, NULL, NULL);
        assert_string_equal(fk.asked, fake_text(asked, sizeof asked, r->asked));
        if (r->error) {
            assert_false(got.is_found);
            if (!strstr(got.err.message, r->error))
                fail_msg("%s", got.err.message);
            assert_int_equal(got.err.kind, r->kind);
        } else {
            assert_found(r);
        }
        mcti_discovery_clear(&got.found);
        fake_close();
    }
}

static void a_stored_login_is_preferred(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = {
        { "GET " PRM "/mcp", 200, "{\"resource\":\"$/mcp\",\"authorization_servers\":[\"$/a\",\"$/b\"]}" },
        { "GET " ASM "/b", 200, ISSUER("$/b") },
        { "GET " ASM "/a", 200, ISSUER("$/a") },
    };
    char issuer[128], other[128];
    (void)state;
    fake_open(rows, "/mcp");
    fake_text(issuer, sizeof issuer, "$/b");
    fake_text(other, sizeof other, "$/a");
    struct mcti_auth_record record = { .issuer = issuer };
    const struct mcti_auth_records known = { .v = &record, .n = 1, .current = 1 };
    discover(NULL, &known, NULL);
    assert_string_equal(got.found.as.issuer, issuer);
    mcti_discovery_clear(&got.found);
    discover(NULL, &known, other); /* a person's word is stronger */
    assert_string_equal(got.found.as.issuer, other);
    mcti_discovery_clear(&got.found);
    fake_close();
}

static void nobody_listens(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { { 0 } };
    (void)state;
    fake_open(rows, "/mcp");
    discover("http://127.0.0.1:1/prm", NULL, NULL);
    assert_false(got.is_found);
    assert_string_equal(fk.asked, "");
    assert_int_equal(got.err.kind, MCT_ERR_CONNECT);
    fake_close();
}

static void a_server_without_encryption_has_no_login(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { { 0 } };
    (void)state;
    fake_open(rows, "/mcp");
    fk.env.server_url = "http://server.example/mcp";
    const struct mcti_discover_opts opts = { .env = &fk.env, .done = on_done };
    assert_null(mcti_discover_start(&opts, &got.err));
    assert_non_null(strstr(got.err.message, "https"));
    fake_close();
}

static void a_cancelled_discovery_is_silent(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { { 0 } };
    (void)state;
    fake_open(rows, "/mcp");
    const struct mcti_discover_opts opts = { .env = &fk.env, .done = on_done };
    memset(&got, 0, sizeof got);
    mcti_discover_cancel(mcti_discover_start(&opts, &got.err));
    for (int i = 0; i < 50; i++)
        fake_turn();
    assert_false(got.is_done);
    fake_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_and_checks),
        cmocka_unit_test(a_stored_login_is_preferred),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(a_server_without_encryption_has_no_login),
        cmocka_unit_test(a_cancelled_discovery_is_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
