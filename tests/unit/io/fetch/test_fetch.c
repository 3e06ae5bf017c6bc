/* Options of a fetch: answers that redirect, headers that occur twice, public addresses only. */
#include "fetched.h"

static struct {
    int status, n_done;
    struct mct_error err;
    bool peer_is_public;
    char first[64], second[64], third[64], location[64];
} got;

static void copy(char *to, size_t size, struct mcti_str s)
{
    snprintf(to, size, "%s%.*s", s.p ? "" : "(absent)", MCT_STR_ARG(s));
}

static void on_head(void *data, struct mcti_fetch *f)
{
    (void)data;
    got.peer_is_public = mcti_fetch_peer_is_public(f);
}

static bool on_body(void *data, struct mcti_fetch *f, struct mcti_str *bytes)
{
    (void)data, (void)f;
    bytes->len = 0;
    return true;
}

static void on_done(void *data, struct mcti_fetch *f, const struct mct_error *err)
{
    (void)data;
    got.n_done++;
    got.status = mcti_fetch_status(f);
    got.err = err ? *err : (struct mct_error){ 0 };
    copy(got.first, sizeof got.first, mcti_fetch_header_nth(f, "www-authenticate", 0));
    copy(got.second, sizeof got.second, mcti_fetch_header_nth(f, "WWW-Authenticate", 1));
    copy(got.third, sizeof got.third, mcti_fetch_header_nth(f, "WWW-Authenticate", 2));
    copy(got.location, sizeof got.location, mcti_fetch_header(f, "Location"));
}

static void fetch(const char *url, bool no_redirects, bool public_only)
{
    static const struct mcti_fetch_events events = { .on_head = on_head, .on_body = on_body, .on_done = on_done };
    struct mcti_headers none;
    memset(&got, 0, sizeof got);
    mcti_headers_init(&none);
    const struct mcti_fetch_opts opts = {
        .method = "GET", .url = url, .headers = &none, .no_redirects = no_redirects, .public_only = public_only
    };
    assert_non_null(mcti_fetch_start(ft.client, &opts, &events, NULL));
    mcti_headers_done(&none);
    while (!got.n_done)
        uv_run(&ft.loop.uv, UV_RUN_ONCE);
}

static const struct fetched_row rows[] = {
    { "/", 200, NULL, "", "root" },
    { "/moved", 302, NULL, "Location: /\r\n", "" },
    { "/twice", 401, NULL, "WWW-Authenticate: Basic x\r\nX: y\r\nwww-authenticate:  Bearer a=\"b\" \r\n", "no" },
    { 0 },
};

static void every_header_of_a_name_is_found(void **state)
{
    (void)state;
    fetched_open(rows);
    fetch(fetched_url("/twice"), false, false);
    assert_int_equal(got.status, 401);
    assert_string_equal(got.first, "Basic x");
    assert_string_equal(got.second, "Bearer a=\"b\"");
    assert_string_equal(got.third, "(absent)");
    fetch(fetched_url("/"), false, false);
    assert_string_equal(got.first, "(absent)");
    fetched_close();
}

static void redirects_are_passed_on_if_wanted(void **state)
{
    (void)state;
    fetched_open(rows);
    fetch(fetched_url("/moved"), false, false);
    assert_int_equal(got.status, 200);
    assert_string_equal(ft.requests, "GET /moved\nGET /\n");
    fetch(fetched_url("/moved"), true, false);
    assert_int_equal(got.status, 302);
    assert_string_equal(got.location, "/");
    assert_string_equal(ft.requests, "GET /moved\nGET /\nGET /moved\n");
    fetched_close();
}

static void refused(const char *url, const char *address)
{
    char text[128];
    fetch(url, false, true);
    snprintf(text, sizeof text, "the address %s is not public, and only public addresses may be contacted here",
             address);
    assert_string_equal(got.err.message, text);
    assert_int_equal(got.err.kind, MCT_ERR_CONNECT);
    assert_true(got.err.unsent);
    assert_int_equal(got.status, 0);
}

/* Also not over a connection that is open already. */
static void private_addresses_are_not_contacted(void **state)
{
    char by_name[80];
    (void)state;
    fetched_open(rows);
    refused(fetched_url("/"), "127.0.0.1");
    assert_int_equal(mcti_http_server_counters(ft.server)->accepted, 0);
    fetch(fetched_url("/"), false, false);
    assert_int_equal(got.status, 200);
    assert_false(got.peer_is_public);
    refused(fetched_url("/"), "127.0.0.1");
    snprintf(by_name, sizeof by_name, "http://localhost%s/", strrchr(ft.base, ':'));
    fetch(by_name, false, false);
    assert_int_equal(got.status, 200);
    assert_false(got.peer_is_public);
    fetch(by_name, false, true);
    assert_non_null(strstr(got.err.message, "is not public"));
    assert_string_equal(ft.requests, "GET /\nGET /\n");
    assert_int_equal(mcti_http_server_counters(ft.server)->accepted, 2);
    refused("http://2130706433:1/", "127.0.0.1");
    refused("http://0x7f.1:1/", "127.0.0.1");
    refused("http://[::ffff:10.0.0.1]:1/", "::ffff:10.0.0.1");
    refused("http://169.254.169.254/latest/meta-data/", "169.254.169.254");
    fetched_close();
}

/* The proxy itself may have any address: it resolves the names. */
static void a_proxy_is_trusted_with_names_only(void **state)
{
    static const struct {
        const char *no_proxy, *url, *refused; /* refused NULL: the proxy is asked */
        bool is_public;
    } cases[] = {
        { "", "http://name.example/", NULL, true },
        { "", "http://8.8.8.8/", NULL, true },
        { "", "http://10.1.2.3/", "10.1.2.3", false },
        { "", "http://[fd00::1]/", "fd00::1", false },
        { "10.0.0.0/8", "http://10.1.2.3:1/", "10.1.2.3", false },
        { "example, 10.1.2.4", "http://10.1.2.3/", "10.1.2.3", false },
        { "*", "http://192.168.1.1:1/", "192.168.1.1", false },
        { "b.example,ame.example", "http://name.example/", NULL, true },
    };
    (void)state;
    fetched_open(rows);
    setenv("http_proxy", ft.base, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("no_proxy", cases[i].no_proxy, 1);
        ft.requests[0] = '\0';
        if (cases[i].refused)
            refused(cases[i].url, cases[i].refused);
        else
            fetch(cases[i].url, false, true);
        assert_int_equal(ft.requests[0] != '\0', !cases[i].refused);
        if (i != 4 && i != 6) { /* without the option, these would be connected to */
            fetch(cases[i].url, false, false);
            assert_int_not_equal(got.status, 0);
            assert_int_equal(got.peer_is_public, cases[i].is_public);
        }
    }
    unsetenv("http_proxy");
    unsetenv("no_proxy");
    fetched_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_header_of_a_name_is_found),
        cmocka_unit_test(redirects_are_passed_on_if_wanted),
        cmocka_unit_test(private_addresses_are_not_contacted),
        cmocka_unit_test(a_proxy_is_trusted_with_names_only),
    };
    static const char *const proxies[] = { "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                                           "ALL_PROXY",  "no_proxy",    "NO_PROXY" };
    for (size_t i = 0; i < sizeof proxies / sizeof *proxies; i++)
        unsetenv(proxies[i]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
