/* The listener at which the browser arrives. */
#include "unit.h"

#include "auth/net/page.h"
#include "auth/net/redirect.h"
#include "base/base64.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/evp.h>
#include <sys/socket.h>
#include <unistd.h>

static struct {
    struct mcti_loop loop;
    struct mcti_redirect *redirect;
    char queries[1024]; /* each with a newline */
    enum mcti_redirect_page page;
    bool closes; /* arrived() closes the listener */
    unsigned port;
} rd;

static void settle(void)
{
    for (int i = 0; i < 30; i++)
        uv_run(&rd.loop.uv, UV_RUN_NOWAIT);
}

static enum mcti_redirect_page arrived(void *data, struct mcti_str query)
{
    size_t n = strlen(rd.queries);
    assert_ptr_equal(data, &rd);
    snprintf(rd.queries + n, sizeof rd.queries - n, "%.*s\n", MCT_STR_ARG(query));
    if (rd.closes)
        mcti_redirect_close(rd.redirect);
    return rd.page;
}

static struct mcti_redirect *open_at(unsigned port, bool says_localhost, struct mct_error *err)
{
    return mcti_redirect_open(&(struct mcti_redirect_opts){ .loop = &rd.loop,
                                                            .port = port,
                                                            .says_localhost = says_localhost,
                                                            .server = "a<b>&\"c\"",
                                                            .arrived = arrived,
                                                            .data = &rd },
                              err);
}

static void open_redirect(bool says_localhost)
{
    memset(&rd, 0, sizeof rd);
    assert_int_equal(mcti_loop_init(&rd.loop, NULL, NULL), 0);
    rd.redirect = open_at(0, says_localhost, NULL);
    assert_non_null(rd.redirect);
    rd.port = (unsigned)atoi(strrchr(mcti_redirect_uri(rd.redirect), ':') + 1);
}

static void close_redirect(void)
{
    if (!rd.closes)
        mcti_redirect_close(rd.redirect);
    mcti_loop_done(&rd.loop);
}

static int dial(int family)
{
    struct sockaddr_in four = { .sin_family = AF_INET,
                                .sin_port = htons((uint16_t)rd.port),
                                .sin_addr = { htonl(INADDR_LOOPBACK) } };
    struct sockaddr_in6 six = { .sin6_family = AF_INET6,
                                .sin6_port = htons((uint16_t)rd.port),
                                .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    int fd = socket(family, SOCK_STREAM, 0);
    int r = family == AF_INET ? connect(fd, (struct sockaddr *)&four, sizeof four)
                              : connect(fd, (struct sockaddr *)&six, sizeof six);
    if (r == 0)
        return fd;
    close(fd);
    return -1;
}

/* Sends a request and returns the answer. */
static const char *ask_on(int fd, const char *line, const char *host)
{
    static char got[65536];
    char request[512];
    size_t n = 0;
    int len = snprintf(request, sizeof request, "%s HTTP/1.1\r\nHost: %s\r\n\r\n", line, host);
    assert_int_equal(send(fd, request, (size_t)len, MSG_NOSIGNAL), len);
    for (int idle = 0; idle < 20; idle++) {
        settle();
        ssize_t r = recv(fd, got + n, sizeof got - 1 - n, MSG_DONTWAIT);
        n += r > 0 ? (size_t)r : 0;
        idle = r > 0 ? 0 : idle;
        if (r == 0)
            break;
    }
    got[n] = '\0';
    close(fd);
    return got;
}

static const char *ask(const char *line, const char *host_format)
{
    char host[128];
    snprintf(host, sizeof host, host_format, rd.port);
    return ask_on(dial(AF_INET), line, host);
}

static void is_status(const char *answer, const char *status)
{
    if (strncmp(answer, "HTTP/1.1 ", 9) || strncmp(answer + 9, status, 3))
        fail_msg("not %s: %s", status, answer);
}

static void the_query_arrives_and_is_not_shown(void **state)
{
    (void)state;
    open_redirect(false);
    const char *got = ask("GET /callback?code=SECRET&state=%3Cscript%3E&x=a+b", "127.0.0.1:%u");
    is_status(got, "200");
    assert_string_equal(rd.queries, "code=SECRET&state=%3Cscript%3E&x=a+b\n");
    assert_null(strstr(got, "SECRET"));
    assert_null(strstr(got, "script"));
    assert_null(strstr(got, "x=a"));
    assert_non_null(strstr(got, "a&lt;b&gt;&amp;&quot;c&quot;"));
    assert_null(strstr(got, "<b>&"));
    is_status(ask("GET /callback", "127.0.0.1:%u"), "200");
    is_status(ask("GET /callback?", "127.0.0.1:%u"), "200");
    assert_string_equal(rd.queries, "code=SECRET&state=%3Cscript%3E&x=a+b\n\n\n");
    close_redirect();
}

static void each_page_has_its_status_and_strict_headers(void **state)
{
    static const struct {
        enum mcti_redirect_page page;
        const char *status, *text;
    } pages[] = {
        { MCT_PAGE_DONE, "200", "<h1>You can close this window</h1>" },
        { MCT_PAGE_DENIED, "403", "<h1>Not logged in</h1>" },
        { MCT_PAGE_UNKNOWN, "400", "<h1>This page belongs to no login</h1>" },
    };
    static const char *const headers[] = {
        "\r\nContent-Type: text/html; charset=utf-8\r\n",
        "\r\nContent-Security-Policy: default-src 'none'; style-src 'sha256-",
        "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n",
        "\r\nCache-Control: no-store\r\n",
        "\r\nReferrer-Policy: no-referrer\r\n",
        "\r\nX-Content-Type-Options: nosniff\r\n",
    };
    (void)state;
    open_redirect(false);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        rd.page = pages[i].page;
        const char *got = ask("GET /callback?a=b", "127.0.0.1:%u");
        is_status(got, pages[i].status);
        assert_non_null(strstr(got, pages[i].text));
        for (size_t k = 0; k < sizeof headers / sizeof *headers; k++)
            if (!strstr(got, headers[k]))
                fail_msg("no %s in %s", headers[k], got);
        assert_null(strstr(got, "<script"));
        assert_null(strstr(got, "style=")); /* the policy forbids it */
        assert_null(strstr(got, "://"));
    }
    assert_non_null(strstr(ask("GET /", "127.0.0.1:%u"), "default-src 'none'"));
    close_redirect();
}

/* The browser applies the style only if its digest is the one of the header. */
static void the_style_has_the_digest_of_the_policy(void **state)
{
    struct mcti_buf html, headers, digest;
    unsigned char bytes[32];
    (void)state;
    mcti_buf_init(&html, 65536);
    mcti_buf_init(&headers, 65536);
    mcti_buf_init(&digest, 65536);
    mcti_page_put(&html, MCT_PAGE_DONE, "x");
    mcti_page_put_headers(&headers);
    mcti_buf_addc(&html, '\0');
    mcti_buf_addc(&headers, '\0');
    const char *from = strstr(html.p, "<style>") + 7, *to = strstr(from, "</style>");
    assert_int_equal(EVP_Digest(from, (size_t)(to - from), bytes, NULL, EVP_sha256(), NULL), 1);
    mcti_base64_put(&digest, (struct mcti_str){ (const char *)bytes, sizeof bytes });
    mcti_buf_addc(&digest, '\0');
    assert_non_null(strstr(headers.p, digest.p));
    mcti_buf_done(&html);
    mcti_buf_done(&headers);
    mcti_buf_done(&digest);
}

static void only_the_callback_is_served(void **state)
{
    static const char *const others[] = { "GET /",
                                          "GET /favicon.ico",
                                          "GET /callback/",
                                          "GET /callbackx?code=a",
                                          "GET //callback?code=a",
                                          "GET /%63allback?code=a",
                                          "GET /Callback?code=a",
                                          "HEAD /callback?code=a",
                                          "POST /callback?code=a",
                                          "OPTIONS /callback?code=a",
                                          "PUT /callback?code=a",
                                          "DELETE /callback?code=a" };
    (void)state;
    open_redirect(false);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        is_status(ask(others[i], "127.0.0.1:%u"), "404");
    assert_string_equal(rd.queries, "");
    close_redirect();
}

/* A name of the web that leads to this machine is not a name of the listener. */
static void only_loopback_names_are_served(void **state)
{
    static const char *const good[] = { "127.0.0.1:%u", "localhost:%u", "LOCALHOST:%u", "[::1]:%u" };
    static const char *const bad[] = { "evil.example:%u",   "localhost",         "127.0.0.1",
                                       "127.0.0.1:1",       "localhost.:%u",     "127.0.0.2:%u",
                                       "0.0.0.0:%u",        "localhost.evil:%u", "127.0.0.1.evil:%u",
                                       "localhost:%u.evil", "evil@localhost:%u" };
    (void)state;
    open_redirect(false);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *got = ask("GET /callback?code=a", bad[i]);
        if (strncmp(got, "HTTP/1.1 421 ", 13) && strncmp(got, "HTTP/1.1 400 ", 13))
            fail_msg("%s: %s", bad[i], got);
    }
    assert_string_equal(rd.queries, "");
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        is_status(ask("GET /callback?c", good[i]), "200");
    assert_string_equal(rd.queries, "c\nc\nc\nc\n");
    close_redirect();
}

static void both_loopback_addresses_are_served(void **state)
{
    char host[64];
    (void)state;
    open_redirect(true);
    assert_non_null(strstr(mcti_redirect_uri(rd.redirect), "http://localhost:"));
    int fd = dial(AF_INET6);
    if (fd >= 0) {
        snprintf(host, sizeof host, "localhost:%u", rd.port);
        is_status(ask_on(fd, "GET /callback?six", host), "200");
        assert_string_equal(rd.queries, "six\n");
    }
    is_status(ask("GET /callback?four", "localhost:%u"), "200");
    close_redirect();
}

/* Otherwise that program would receive the answer. */
static void a_port_that_another_program_has_is_not_used(void **state)
{
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    socklen_t len = sizeof six;
    struct mct_error err;
    (void)state;
    open_redirect(false);
    assert_null(open_at(rd.port, false, &err));
    assert_int_equal(err.kind, MCT_ERR_CONNECT);
    assert_non_null(strstr(err.message, "auth.callback_port"));
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&six, sizeof six) == 0) {
        assert_int_equal(listen(fd, 1), 0);
        assert_int_equal(getsockname(fd, (struct sockaddr *)&six, &len), 0);
        assert_null(open_at(ntohs(six.sin6_port), true, &err));
        struct mcti_redirect *four_only = open_at(ntohs(six.sin6_port), false, &err);
        assert_non_null(four_only); /* nobody goes to ::1 for 127.0.0.1 */
        mcti_redirect_close(four_only);
    }
    close(fd);
    close_redirect();
}

static void the_answer_is_sent_before_the_listener_closes(void **state)
{
    (void)state;
    open_redirect(false);
    rd.closes = true;
    const char *got = ask("GET /callback?a", "127.0.0.1:%u");
    is_status(got, "200");
    assert_non_null(strstr(got, "</html>"));
    assert_int_equal(dial(AF_INET), -1);
    assert_string_equal(rd.queries, "a\n");
    close_redirect();
    mcti_redirect_close(NULL);
}

static void an_open_connection_does_not_delay_closing(void **state)
{
    (void)state;
    open_redirect(false);
    int idle = dial(AF_INET), half = dial(AF_INET);
    assert_int_equal(send(half, "GET /callback?a HT", 18, 0), 18);
    settle();
    close_redirect(); /* returns */
    assert_string_equal(rd.queries, "");
    close(idle);
    close(half);
}

static void connections_and_headers_are_limited(void **state)
{
    enum { FLOOD = 200 };
    int fds[FLOOD];
    unsigned n_refused = 0;
    char byte;
    (void)state;
    open_redirect(false);
    for (int i = 0; i < FLOOD; i++) {
        fds[i] = dial(AF_INET);
        settle();
    }
    for (int i = 0; i < FLOOD; i++)
        n_refused += recv(fds[i], &byte, 1, MSG_DONTWAIT) >= 0 || errno == ECONNRESET;
    assert_int_equal(n_refused, FLOOD - 16);
    for (int i = 0; i < FLOOD; i++)
        close(fds[i]);
    settle();
    is_status(ask("GET /callback?a", "127.0.0.1:%u"), "200");
    int fd = dial(AF_INET);
    char line[70000];
    memset(line, 'a', sizeof line);
    memcpy(line, "GET /callback?", 14);
    (void)!send(fd, line, sizeof line, MSG_NOSIGNAL | MSG_DONTWAIT);
    settle();
    char answer[64] = { 0 };
    (void)!recv(fd, answer, sizeof answer - 1, MSG_DONTWAIT);
    if (strncmp(answer, "HTTP/1.1 4", 10))
        fail_msg("%s", answer);
    close(fd);
    assert_string_equal(rd.queries, "a\n");
    close_redirect();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_query_arrives_and_is_not_shown),
        cmocka_unit_test(each_page_has_its_status_and_strict_headers),
        cmocka_unit_test(the_style_has_the_digest_of_the_policy),
        cmocka_unit_test(only_the_callback_is_served),
        cmocka_unit_test(only_loopback_names_are_served),
        cmocka_unit_test(both_loopback_addresses_are_served),
        cmocka_unit_test(a_port_that_another_program_has_is_not_used),
        cmocka_unit_test(the_answer_is_sent_before_the_listener_closes),
        cmocka_unit_test(an_open_connection_does_not_delay_closing),
        cmocka_unit_test(connections_and_headers_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
