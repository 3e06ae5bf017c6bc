#include "unit.h"

#include "auth/wire/url.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static const struct {
    const char *url;
    const char *why; /* part of the message; NULL: accepted */
} checked[] = {
    { "https://as.example", NULL },
    { "https://as.example/", NULL },
    { "HTTPS://AS.EXAMPLE:8443/t?x=%20#", "fragment" },
    { "HTTPS://AS.EXAMPLE:8443/t?x=%20", NULL },
    { "https://as.example/@scope", NULL },
    { "https://as.example/?u=a@b", NULL },
    { "https://[2001:db8::1]:9/", NULL },
    { "https://10.0.0.1/", NULL }, /* the address is checked when it is connected to */
    { "https://xn--bcher-kva.example/", NULL },
    { "http://127.0.0.1:1/cb", NULL },
    { "http://127.9.9.9", NULL },
    { "http://[::1]:1/cb", NULL },
    { "http://localhost:1/cb", NULL },
    { "http://LocalHost/cb", NULL },
    { "http://as.example/", "must be an https URL" },
    { "http://localhost.evil.example/", "must be an https URL" },
    { "http://127.0.0.1.evil.example/", "must be an https URL" },
    { "http://127.1/", "must be an https URL" },
    { "http://2130706433/", "must be an https URL" },
    { "http://0x7f.0.0.1/", "must be an https URL" },
    { "http://0.0.0.0/", "must be an https URL" },
    { "http://[::]/", "must be an https URL" },
    { "http://[::ffff:127.0.0.1]/", "must be an https URL" },
    { "http://192.168.0.1/", "must be an https URL" },
    { "", "is not an http" },
    { "as.example", "is not an http" },
    { "//as.example/", "is not an http" },
    { "/authorize", "is not an http" },
    { "https:", "is not an http" },
    { "https:/as.example", "is not an http" },
    { "https:as.example", "is not an http" },
    { "https://", "is not an http" },
    { "https:///path", "is not an http" },
    { "https://?q", "is not an http" },
    { "https://:443/", "is not an http" },
    { "https://as.example:/", "is not an http" },
    { "https://as.example:0/", "is not an http" },
    { "https://as.example:65536/", "is not an http" },
    { "https://as.example:99999999999999999999/", "is not an http" },
    { "https://as.example:4a3/", "is not an http" },
    { "https://as.example:443:443/", "is not an http" },
    { "https://[::1/", "is not an http" },
    { "https://[]/", "is not an http" },
    { "https://[::1]x/", "is not an http" },
    { "https://[::1%25eth0]/", "invalid host" },
    { "https://[::zz]/", "invalid host" },
    { "https://as%2eexample/", "invalid host" },
    { "https://127.0.0.1%00.evil.example/", "invalid host" },
    { "https://as.example,evil.example/", "invalid host" },
    { "https://user@as.example/", "without credentials" },
    { "https://user:secret@as.example/", "without credentials" },
    { "https://as.example:80@evil.example/", "without credentials" },
    { "ftp://as.example/", "is not an http" },
    { "javascript:alert(1)//https://as.example/", "is not an http" },
    { "data:text/html,x", "is not an http" },
    { "file:///etc/passwd", "is not an http" },
    { "https ://as.example/", "not allowed" },
    { " https://as.example/", "not allowed" },
    { "https://as.example/\n", "not allowed" },
    { "https://as.example/\r\nX: y", "not allowed" },
    { "https://as.example/\x7f", "not allowed" },
    { "https://as.example\\@evil.example/", "not allowed" },
    { "https://as.example/\"x", "not allowed" },
    { "https://as.example/<script>", "not allowed" },
    { "https://b\xc3\xbc"
      "cher.example/",
      "not allowed" },
    { "https://as.example/#x", "fragment" },
};

static void urls_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(checked); i++) {
        struct mct_error err = { .message = "accepted" };
        int ok = mcti_auth_url_check(mcti_str_of(checked[i].url), "the thing", &err);
        if (ok != (checked[i].why ? -1 : 0) || (checked[i].why && !strstr(err.message, checked[i].why)))
            fail_msg("%s: %d %s", checked[i].url, ok, err.message);
        if (checked[i].why)
            assert_int_equal(err.kind, MCT_ERR_PROTOCOL);
    }
}

static void message_names_the_thing_without_secrets_and_controls(void **state)
{
    struct mct_error err;
    char url[8192];
    (void)state;
    assert_int_equal(mcti_auth_url_check(MCT_STR("https://u:secret@h/"), "the issuer", &err), -1);
    assert_true(strncmp(err.message, "the issuer ", 11) == 0);
    assert_null(strstr(err.message, "secret"));
    assert_int_equal(mcti_auth_url_check(MCT_STR("https://h/\x1b[2J"), "x", &err), -1);
    assert_null(strchr(err.message, '\x1b'));
    memset(url, 'a', sizeof url - 1);
    url[sizeof url - 1] = '\0';
    assert_int_equal(mcti_auth_url_check(mcti_str_of(url), "x", &err), -1);
    assert_non_null(strstr(err.message, "is not an http"));
    assert_int_equal(mcti_auth_url_check(MCT_STR_NONE, "x", &err), -1);
    assert_int_equal(mcti_auth_url_check(MCT_STR("https://h/\0x"), "x", &err), -1);
}

static void parts_are_spans_of_the_text(void **state)
{
    static const struct {
        const char *url, *origin; /* origin NULL: absent */
    } rows[] = {
        { "http://h:1", "http://h:1" },
        { "http://h:1/", "http://h:1" },
        { "http://h:1/mcp?x#y", "http://h:1" },
        { "http://h?x/y", "http://h" },
        { "http://h#/y", "http://h" },
        { "HTTPS://H.Example/A/b/", "HTTPS://H.Example" },
        { "https://[::1]:8/x", "https://[::1]:8" },
        { "https://u:p@h/x", NULL },
        { "ws://h/x", NULL },
        { "", NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mcti_str origin = mcti_auth_url_origin(mcti_str_of(rows[i].url));
        if (!origin.p != !rows[i].origin || (origin.p && !mcti_str_is(origin, rows[i].origin)))
            fail_msg("%s: %.*s", rows[i].url, MCT_STR_ARG(origin));
    }
    assert_span(mcti_auth_url_without_fragment(MCT_STR("https://h/x?y#z#")), "https://h/x?y");
    assert_span(mcti_auth_url_without_fragment(MCT_STR("https://h/x?y")), "https://h/x?y");
    assert_null(mcti_auth_url_without_fragment(MCT_STR_NONE).p);
    assert_true(mcti_auth_url_is_loopback(MCT_STR("http://localhost:3/x")));
    assert_true(mcti_auth_url_is_loopback(MCT_STR("https://[0:0::1]/x")));
    assert_false(mcti_auth_url_is_loopback(MCT_STR("https://h/localhost")));
    assert_false(mcti_auth_url_is_loopback(MCT_STR("https://localhost.example/")));
    assert_false(mcti_auth_url_is_loopback(MCT_STR("localhost")));
}

static const struct {
    const char *a, *b;
    bool same;
} origins[] = {
    { "https://h", "https://h/x?y#z", true },
    { "https://h", "https://h:443", true },
    { "http://h:80/", "http://h", true },
    { "https://h:0443", "https://h", true },
    { "HTTPS://H", "https://h", true },
    { "https://[::1]:2", "https://[::1]:2/", true },
    { "https://h", "http://h", false },
    { "http://h:443", "https://h:443", false },
    { "https://h", "https://h:444", false },
    { "https://h", "https://h.", false },
    { "https://h.example", "https://h.example.evil.example", false },
    { "https://h", "https://h@evil.example", false },
    { "https://h", "https://h\\@evil.example", false },
    { "https://h", "", false },
    { "", "", false },
};

static void origins_are_compared(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(origins); i++)
        if (mcti_auth_url_same_origin(mcti_str_of(origins[i].a), mcti_str_of(origins[i].b)) != origins[i].same ||
            mcti_auth_url_same_origin(mcti_str_of(origins[i].b), mcti_str_of(origins[i].a)) != origins[i].same)
            fail_msg("%s and %s: not %d", origins[i].a, origins[i].b, origins[i].same);
}

static const struct {
    const char *resource, *url;
    bool covers;
} covered[] = {
    { "http://h:1", "http://h:1/mcp", true },
    { "http://h:1/", "http://h:1/mcp", true },
    { "http://h:1", "http://h:1", true },
    { "http://h:1/", "http://h:1", true },
    { "http://h:1/mcp", "http://h:1/mcp", true },
    { "http://h:1/mcp", "http://h:1/mcp?x=1", true },
    { "http://h:1/mcp", "http://h:1/mcp/", true },
    { "http://h:1/mcp", "http://h:1/mcp/sub", true },
    { "http://h:1/mcp/", "http://h:1/mcp/sub", true },
    { "HTTP://H:1/mcp", "http://h:1/mcp", true },
    { "https://h:443/mcp", "https://h/mcp", true },
    { "https://h/mcp?t=1", "https://h/mcp?t=1", true },
    { "http://h:1/mcpx", "http://h:1/mcp", false },
    { "http://h:1/mcp", "http://h:1/mcpx", false },
    { "http://h:1/mcp/", "http://h:1/mcp", false },
    { "http://h:1/mcp/sub", "http://h:1/mcp", false },
    { "http://h:1/MCP", "http://h:1/mcp", false },
    { "http://h:1/%6dcp", "http://h:1/mcp", false },
    { "http://h:1/../mcp", "http://h:1/mcp", false },
    { "http://h:2/mcp", "http://h:1/mcp", false },
    { "https://h:1/mcp", "http://h:1/mcp", false },
    { "http://evil:1/mcp", "http://h:1/mcp", false },
    { "http://h:1@evil/mcp", "http://h:1/mcp", false },
    { "http://h:1/mcp#", "http://h:1/mcp", false },
    { "http://h:1#", "http://h:1/mcp", false },
    { "https://h/mcp?t=1", "https://h/mcp?t=2", false },
    { "https://h/mcp?t=1", "https://h/mcp", false },
    { "https://h?t=1", "https://h/mcp?t=1", false },
    { "", "http://h:1/mcp", false },
    { "urn:mcp", "http://h:1/mcp", false },
};

static void resources_cover_whole_segments(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(covered); i++)
        if (mcti_auth_url_covers(mcti_str_of(covered[i].resource), mcti_str_of(covered[i].url)) != covered[i].covers)
            fail_msg("%s for %s: not %d", covered[i].resource, covered[i].url, covered[i].covers);
}

/* Checks the places of one URL; the list ends with NULL. */
static void check_places(bool (*put)(struct mcti_buf *to, struct mcti_str url, unsigned n), const char *url,
                         const char *const *places)
{
    struct mcti_buf b;
    unsigned n = 0;
    mcti_buf_init(&b, 4096);
    for (; put(&b, mcti_str_of(url), n) && places[n]; n++) {
        if (!mcti_str_is(mcti_buf_str(&b), places[n]))
            fail_msg("%s, place %u: %.*s", url, n, MCT_STR_ARG(mcti_buf_str(&b)));
        mcti_buf_clear(&b);
    }
    if (b.len || places[n])
        fail_msg("%s, place %u: %.*s", url, n, MCT_STR_ARG(mcti_buf_str(&b)));
    assert_false(put(&b, mcti_str_of(url), n + 1));
    mcti_buf_done(&b);
}

#define PRM "/.well-known/oauth-protected-resource"
#define ASM "/.well-known/oauth-authorization-server"
#define OIDC "/.well-known/openid-configuration"

static void places_of_resource_metadata(void **state)
{
    static const struct {
        const char *url, *places[3];
    } rows[] = {
        { "https://h/p/a/th", { "https://h" PRM "/p/a/th", "https://h" PRM } },
        { "https://h:8/mcp/", { "https://h:8" PRM "/mcp/", "https://h:8" PRM } },
        { "https://h/mcp?t=1#f", { "https://h" PRM "/mcp?t=1", "https://h" PRM } },
        { "https://h", { "https://h" PRM } },
        { "https://h/", { "https://h" PRM } },
        { "https://h/?t=1", { "https://h" PRM "?t=1" } },
        { "http://[::1]:9/mcp", { "http://[::1]:9" PRM "/mcp", "http://[::1]:9" PRM } },
        { "https://u:p@h/mcp", { NULL } },
        { "stdio:x", { NULL } },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_places(mcti_auth_put_resource_place, rows[i].url, rows[i].places);
}

static void places_of_issuer_metadata(void **state)
{
    static const struct {
        const char *issuer, *places[4];
    } rows[] = {
        { "https://as", { "https://as" ASM, "https://as" OIDC } },
        { "https://as/", { "https://as" ASM, "https://as" OIDC } },
        { "https://as:1/t", { "https://as:1" ASM "/t", "https://as:1" OIDC "/t", "https://as:1/t" OIDC } },
        { "https://as/t/", { "https://as" ASM "/t", "https://as" OIDC "/t", "https://as/t" OIDC } },
        { "https://as/a/b", { "https://as" ASM "/a/b", "https://as" OIDC "/a/b", "https://as/a/b" OIDC } },
        { "https://as/t?x", { NULL } },
        { "https://as/t#x", { NULL } },
        { "as", { NULL } },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_places(mcti_auth_put_issuer_place, rows[i].issuer, rows[i].places);
}

static void client_id_documents(void **state)
{
    static const char *const good[] = { "https://c.example/client.json", "https://c.example/a/b?v=1",
                                        "https://c.example:8443/x", "https://c.example/.well-known/x",
                                        "https://c.example/a.b/..." };
    static const char *const bad[] = { "https://c.example",
                                       "https://c.example/",
                                       "https://c.example/?x",
                                       "http://localhost/client.json",
                                       "http://c.example/client.json",
                                       "https://c.example/x#y",
                                       "https://u:p@c.example/x",
                                       "https://c.example/./x",
                                       "https://c.example/a/../x",
                                       "https://c.example/a/..",
                                       "https://c.example/a/%2E%2e/x",
                                       "https://c.example/a/.%2E",
                                       "https://c.example/%2e",
                                       "https://c.example/a b",
                                       "mcptools",
                                       "" };
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++)
        if (!mcti_auth_url_is_client_id(mcti_str_of(good[i])))
            fail_msg("refused: %s", good[i]);
    for (size_t i = 0; i < COUNT(bad); i++)
        if (mcti_auth_url_is_client_id(mcti_str_of(bad[i])))
            fail_msg("accepted: %s", bad[i]);
    assert_false(mcti_auth_url_is_client_id(MCT_STR_NONE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_are_checked),
        cmocka_unit_test(message_names_the_thing_without_secrets_and_controls),
        cmocka_unit_test(parts_are_spans_of_the_text),
        cmocka_unit_test(origins_are_compared),
        cmocka_unit_test(resources_cover_whole_segments),
        cmocka_unit_test(places_of_resource_metadata),
        cmocka_unit_test(places_of_issuer_metadata),
        cmocka_unit_test(client_id_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
