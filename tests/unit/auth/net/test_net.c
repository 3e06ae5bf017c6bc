/* Requests to places that a server named. */
#include "unit.h"

#include "auth/net/net.h"
#include "base/limits.h"
#include "io/fetch/fetched.h"

static struct {
    int n_done, status;
    size_t body_len;
    char body[128], header[64];
    struct mct_error err;
    struct mcti_auth_request *request;
    bool cancels; /* in done() */
} got;

static void on_answer(void *data, const struct mcti_auth_response *r, const struct mct_error *err)
{
    assert_ptr_equal(data, &got);
    got.n_done++;
    assert_true(!r == !!err);
    got.err = err ? *err : (struct mct_error){ 0 };
    if (r) {
        got.status = r->status;
        got.body_len = r->body.len;
        snprintf(got.body, sizeof got.body, "%.*s", MCT_STR_ARG(r->body));
        snprintf(got.header, sizeof got.header, "%.*s", MCT_STR_ARG(mcti_fetch_header(r->fetch, "x-header")));
    }
    if (got.cancels)
        mcti_auth_request_cancel(got.request);
}

static void start(const struct mcti_auth_request_opts *opts, bool allow_private)
{
    const struct mcti_auth_net net = { &ft.loop, ft.client, NULL, allow_private };
    memset(&got, 0, sizeof got);
    got.request = mcti_auth_request_start(&net, opts, on_answer, &got, &got.err);
    assert_int_equal(got.n_done, 0);
}

static void wait_for_answer(void)
{
    assert_non_null(got.request);
    for (int i = 0; i < 100000 && !got.n_done; i++)
        fetched_turn();
    assert_int_equal(got.n_done, 1);
    for (int i = 0; i < 20; i++)
        fetched_turn();
    assert_int_equal(got.n_done, 1);
}

static void get(const char *path)
{
    start(&(struct mcti_auth_request_opts){ .method = "GET", .url = fetched_url(path), .what = "the metadata" }, true);
    wait_for_answer();
}

static void post(const char *path, const struct mcti_headers *headers)
{
    start(&(struct mcti_auth_request_opts){ .method = "POST",
                                            .url = fetched_url(path),
                                            .what = "the token endpoint",
                                            .headers = headers,
                                            .type = "application/x-www-form-urlencoded",
                                            .body = MCT_STR("a=b") },
          true);
    wait_for_answer();
}

static void failed(enum mct_error_kind kind, const char *end)
{
    size_t len = strlen(got.err.message), n = strlen(end);
    assert_int_equal(got.err.kind, kind);
    if (len < n || strcmp(got.err.message + len - n, end))
        fail_msg("'%s' does not end with '%s'", got.err.message, end);
}

static void echo_body(struct mcti_http_exchange *x)
{
    mcti_http_reply(x, 200, NULL, MCT_STR_NONE, mcti_http_body(x));
}

#define MOVED(status, to) status, NULL, "Location: " to "\r\n", "moved"

static const struct fetched_row rows[] = {
    { "/", 200, "application/json", "X-Header: yes\r\n", "{}" },
    { "/denied", 401, "text/html", "", "<h1>no</h1>" },
    { "/broken", 500, NULL, "", "" },
    { "/echo", .answer = echo_body },
    { "/stream", .answer = fetched_stream },
    { "/hop1", MOVED(301, "/hop2?q=1") },
    { "/hop2", MOVED(303, "hop3") },
    { "/hop3", MOVED(307, "/") },
    { "/hop0", MOVED(308, "/hop1") },
    { "/loop", MOVED(302, "/loop") },
    { "/away", MOVED(302, "http://127.0.0.2/x") },
    { "/other-port", MOVED(302, "http://127.0.0.1:1/x") },
    { "/other-scheme", MOVED(302, "https://127.0.0.1/x") },
    { "/file", MOVED(302, "file:///etc/passwd") },
    { "/script", MOVED(302, "javascript:alert(1)") },
    { "/metadata-service", MOVED(302, "http://169.254.169.254/latest/") },
    { "/fragment", MOVED(302, "/#top") },
    { "/nowhere", 302, NULL, "", "no Location" },
    { "/kept", MOVED(304, "/") },
    { 0 },
};

static void answers_of_any_status_are_delivered(void **state)
{
    (void)state;
    fetched_open(rows);
    get("/");
    assert_int_equal(got.status, 200);
    assert_string_equal(got.body, "{}");
    assert_string_equal(got.header, "yes");
    get("/denied");
    assert_int_equal(got.status, 401);
    assert_string_equal(got.body, "<h1>no</h1>");
    get("/broken");
    assert_int_equal(got.status, 500);
    assert_string_equal(got.body, "");
    post("/denied", NULL);
    assert_int_equal(got.status, 401);
    assert_string_equal(ft.requests, "GET /\nGET /denied\nGET /broken\nPOST /denied\n");
    fetched_close();
}

static void requests_say_what_they_want_and_who_sends_them(void **state)
{
    static const struct {
        const char *name, *value;
    } headers[] = {
        { "Accept", "application/json" },
        { "User-Agent", "mcptools/" MCT_VERSION },
        { "Content-Type", "application/x-www-form-urlencoded" },
        { "Authorization", "Basic abc" },
        { "Cookie", "" },
        { "Expect", "" },
    };
    struct mcti_headers more;
    (void)state;
    fetched_open(rows);
    mcti_headers_init(&more);
    mcti_headers_add(&more, "Authorization", MCT_STR("Basic abc"));
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        ft.wanted = headers[i].name;
        post("/echo", &more);
        assert_string_equal(got.body, "a=b");
        assert_string_equal(ft.seen, headers[i].value);
    }
    mcti_headers_add(&more, "X", MCT_STR("a\r\nInjected: b"));
    start(&(struct mcti_auth_request_opts){ .method = "GET", .url = fetched_url("/"), .what = "x", .headers = &more },
          true);
    assert_null(got.request);
    assert_int_equal(got.err.kind, MCT_ERR_LIMIT);
    mcti_headers_done(&more);
    fetched_close();
}

static void redirects_stay_at_the_origin(void **state)
{
    static const char elsewhere[] = ": redirected to another origin or to an invalid URL, which is not followed";
    static const char *const bad[] = {
        "/away", "/other-port", "/other-scheme", "/file", "/script", "/metadata-service"
    };
    (void)state;
    fetched_open(rows);
    get("/hop1");
    assert_int_equal(got.status, 200);
    assert_string_equal(got.body, "{}");
    assert_string_equal(ft.requests, "GET /hop1\nGET /hop2?q=1\nGET /hop3\nGET /\n");
    get("/hop0");
    failed(MCT_ERR_PROTOCOL, "/hop3: redirected more than 3 times");
    assert_int_equal(strncmp(got.err.message, "the metadata http://127.0.0.1:", 30), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ft.requests[0] = '\0';
        get(bad[i]);
        failed(MCT_ERR_PROTOCOL, elsewhere);
        assert_non_null(strchr(ft.requests, '\n'));
        assert_null(strchr(strchr(ft.requests, '\n') + 1, '\n')); /* one request */
    }
    get("/fragment");
    failed(MCT_ERR_PROTOCOL, "has a fragment");
    ft.requests[0] = '\0';
    get("/loop");
    failed(MCT_ERR_PROTOCOL, "redirected more than 3 times");
    assert_string_equal(ft.requests, "GET /loop\nGET /loop\nGET /loop\nGET /loop\n");
    fetched_close();
}

static void other_answers_are_no_redirects(void **state)
{
    (void)state;
    fetched_open(rows);
    get("/nowhere");
    assert_int_equal(got.status, 302);
    assert_string_equal(got.body, "no Location");
    get("/kept");
    assert_int_equal(got.status, 304);
    post("/hop1", NULL); /* a code or a secret is sent to one place only */
    assert_int_equal(got.status, 301);
    assert_string_equal(ft.requests, "GET /nowhere\nGET /kept\nPOST /hop1\n");
    fetched_close();
}

static void an_endless_answer_ends(void **state)
{
    static char part[60000];
    (void)state;
    memset(part, 'x', sizeof part);
    fetched_open(rows);
    start(&(struct mcti_auth_request_opts){ .method = "GET", .url = fetched_url("/stream"), .what = "the metadata" },
          true);
    size_t sent = 0;
    for (int i = 0; i < 100000 && !got.n_done; i++) {
        fetched_turn();
        if (ft.stream && mcti_http_stream_write(ft.stream, (struct mcti_str){ part, sizeof part }) == 0)
            sent += sizeof part;
    }
    failed(MCT_ERR_LIMIT, "/stream: the answer is larger than 1048576 bytes");
    assert_in_range(sent, MCT_AUTH_DOCUMENT_BYTES, 16 << 20);
    wait_for_answer();
    assert_null(ft.stream); /* the connection was closed */
    fetched_close();
}

static void the_largest_answer_fits(void **state)
{
    static char whole[MCT_AUTH_DOCUMENT_BYTES + 1];
    struct mcti_str body = { whole, sizeof whole - 1 };
    (void)state;
    memset(whole, 'x', sizeof whole);
    fetched_open(rows);
    for (int over = 0; over < 2; over++, body.len++) {
        start(&(struct mcti_auth_request_opts){ .method = "GET", .url = fetched_url("/stream"), .what = "x" }, true);
        for (int i = 0; i < 100000 && !ft.stream; i++)
            fetched_turn();
        struct mcti_http_exchange *x = ft.stream;
        mcti_http_stream_write(x, body);
        mcti_http_stream_close(x);
        ft.stream = NULL;
        wait_for_answer();
        assert_int_equal(got.err.kind, over ? MCT_ERR_LIMIT : MCT_ERR_NONE);
        assert_int_equal(got.body_len, over ? 0 : MCT_AUTH_DOCUMENT_BYTES);
    }
    fetched_close();
}

/* The time limit is for the whole answer: a byte now and then does not extend it. */
static void a_dripping_answer_ends(void **state)
{
    (void)state;
    fetched_open(rows);
    start(&(struct mcti_auth_request_opts){ .method = "GET", .url = fetched_url("/stream"), .what = "the metadata" },
          true);
    unsigned n = 0;
    for (int i = 0; i < 100000 && !got.n_done; i++) {
        fetched_turn();
        if (ft.stream && ft.skew_ms < 20000) {
            mcti_http_stream_write(ft.stream, MCT_STR(" "));
            ft.skew_ms += 500;
            n++;
        }
    }
    failed(MCT_ERR_TIMEOUT, "/stream: no complete answer within 10 s");
    assert_in_range(n, 19, 23);
    wait_for_answer();
    fetched_close();
}

static void the_time_of_a_request_can_be_chosen(void **state)
{
    (void)state;
    fetched_open(rows);
    start(
        &(struct mcti_auth_request_opts){
            .method = "GET", .url = fetched_url("/stream"), .what = "x", .timeout_ms = 3000 },
        true);
    for (int i = 0; i < 100000 && !ft.stream; i++)
        fetched_turn();
    ft.skew_ms = 2900;
    for (int i = 0; i < 20; i++)
        fetched_turn();
    assert_int_equal(got.n_done, 0);
    ft.skew_ms = 3100;
    wait_for_answer();
    failed(MCT_ERR_TIMEOUT, "no complete answer within 3 s");
    fetched_close();
}

static void private_addresses_are_refused_unless_allowed(void **state)
{
    (void)state;
    fetched_open(rows);
    get("/"); /* leaves a connection open */
    start(&(struct mcti_auth_request_opts){ .method = "GET", .url = fetched_url("/"), .what = "the metadata" }, false);
    wait_for_answer();
    failed(MCT_ERR_CONNECT, "/: the address 127.0.0.1 is not public, and only public addresses may be contacted here "
                            "(auth.allow_private allows it)");
    start(&(struct mcti_auth_request_opts){ .method = "GET", .url = "https://10.9.8.7:1/", .what = "x" }, false);
    wait_for_answer();
    failed(MCT_ERR_CONNECT, "(auth.allow_private allows it)");
    assert_string_equal(ft.requests, "GET /\n");
    fetched_close();
}

static void unsafe_urls_are_refused_at_once(void **state)
{
    static const char *const bad[] = { "http://as.example/",      "javascript:alert(1)",   "file:///etc/passwd", "",
                                       "https://u:p@as.example/", "https://as.example/#x", "ftp://as.example/" };
    (void)state;
    fetched_open(rows);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        start(&(struct mcti_auth_request_opts){ .method = "GET", .url = bad[i], .what = "the metadata" }, true);
        assert_null(got.request);
        assert_int_equal(got.err.kind, MCT_ERR_PROTOCOL);
        assert_int_equal(strncmp(got.err.message, "the metadata", 12), 0);
    }
    fetched_close();
}

static void a_cancelled_request_says_nothing(void **state)
{
    (void)state;
    fetched_open(rows);
    for (int turns = 0; turns < 12; turns++) {
        start(&(struct mcti_auth_request_opts){ .method = "GET", .url = fetched_url("/stream"), .what = "x" }, true);
        for (int i = 0; i < turns; i++)
            fetched_turn();
        mcti_auth_request_cancel(got.request);
        for (int i = 0; i < 20; i++)
            fetched_turn();
        assert_int_equal(got.n_done, 0);
    }
    mcti_auth_request_cancel(NULL);
    got.cancels = true; /* in done(): does nothing */
    start(&(struct mcti_auth_request_opts){ .method = "GET", .url = fetched_url("/"), .what = "x" }, true);
    got.cancels = true;
    wait_for_answer();
    fetched_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_any_status_are_delivered),
        cmocka_unit_test(requests_say_what_they_want_and_who_sends_them),
        cmocka_unit_test(redirects_stay_at_the_origin),
        cmocka_unit_test(other_answers_are_no_redirects),
        cmocka_unit_test(an_endless_answer_ends),
        cmocka_unit_test(the_largest_answer_fits),
        cmocka_unit_test(a_dripping_answer_ends),
        cmocka_unit_test(the_time_of_a_request_can_be_chosen),
        cmocka_unit_test(private_addresses_are_refused_unless_allowed),
        cmocka_unit_test(unsafe_urls_are_refused_at_once),
        cmocka_unit_test(a_cancelled_request_says_nothing),
    };
    setenv("no_proxy", "*", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
