#include "unit.h"

#include "io/fetch/direct.h"

#include <arpa/inet.h>

/* Where a connection goes: "[::1]:80 127.0.0.1:80"; "" for URLs that libcurl must read. */
static void hosts_are_this_machine(void **state)
{
    static const struct {
        const char *url, *name, *to, *path;
    } rows[] = {
        { "http://127.0.0.1:8931/mcp", "127.0.0.1:8931", "127.0.0.1:8931", "/mcp" },
        { "HTTP://127.9.8.7", "127.9.8.7", "127.9.8.7:80", "" },
        { "http://localhost:1/a?b=/c#d", "localhost:1", "[::1]:1 127.0.0.1:1", "/a?b=/c" },
        { "http://LocalHost?x", "LocalHost", "[::1]:80 127.0.0.1:80", "?x" },
        { "http://[::1]/", "[::1]", "[::1]:80", "/" },
        { "http://[::1]:65535/", "[::1]:65535", "[::1]:65535", "/" },
        { .url = "https://127.0.0.1/" },
        { .url = "http://" },
        { .url = "http:///a" },
        { .url = "http://127.0.0.1:0/" },
        { .url = "http://127.0.0.1:/" },
        { .url = "http://127.0.0.1:65536/" },
        { .url = "http://127.0.0.1:99999999999999999999/" },
        { .url = "http://127.0.0.1:8x/" },
        { .url = "http://127.1/" },
        { .url = "http://127.0.0.1.example.com/" },
        { .url = "http://127.0.0.1.:80/" },
        { .url = "http://128.0.0.1/" },
        { .url = "http://0x7f000001/" },
        { .url = "http://localhost.example.com/" },
        { .url = "http://user@localhost/" },
        { .url = "http://localhost@example.com/" },
        { .url = "http://127.0.0.1:80@example.com/" },
        { .url = "http://127.0.0.1\\@example.com/" },
        { .url = "http://[::1].example.com/" },
        { .url = "http://[::1]x/" },
        { .url = "http://[::ffff:127.0.0.1]/" },
        { .url = "http://localhost/a b" },
        { .url = "http://localhost/\xc3\xa4" },
        { .url = "http://localhost/a\r\nX: y" },
        { .url = "http://localhost/a/../b" },
        { .url = "http://localhost/./b" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_direct_host host;
        char to[128] = "", one[64];
        if (mcti_direct_read_url(rows[i].url, &host) != (rows[i].to != NULL))
            fail_msg("%s", rows[i].url);
        if (!rows[i].to)
            continue;
        for (unsigned k = 0; k < host.n; k++) {
            const struct sockaddr_in6 *v6 = (const void *)&host.address[k];
            const struct sockaddr_in *v4 = (const void *)&host.address[k];
            bool is_v6 = v6->sin6_family == AF_INET6;
            inet_ntop(is_v6 ? AF_INET6 : AF_INET, is_v6 ? (const void *)&v6->sin6_addr : (const void *)&v4->sin_addr,
                      one, sizeof one);
            snprintf(to + strlen(to), sizeof to - strlen(to), is_v6 ? "%s[%s]:%d" : "%s%s:%d", k ? " " : "", one,
                     ntohs(v4->sin_port));
        }
        assert_string_equal(to, rows[i].to);
        assert_span(host.name, rows[i].name);
        assert_span(host.path, rows[i].path);
    }
}

static void put(struct mcti_fetch *f, const char *const *headers)
{
    struct mcti_headers h;
    assert_true(mcti_direct_read_url(f->url, &f->host));
    mcti_headers_init(&h);
    for (; *headers; headers += 2)
        mcti_headers_add(&h, headers[0], mcti_str_of(headers[1]));
    assert_int_equal(mcti_direct_put_request(f, &h), 0);
    mcti_headers_done(&h);
}

static void requests_are_written(void **state)
{
    struct mcti_pieces body = mcti_pieces_one(MCT_STR("{}"));
    struct mcti_fetch f = { .method = "POST", .url = strdup("http://localhost:80?q") };
    struct mct_error err;
    (void)state;
    assert_int_equal(mcti_body_set(&f.body, &body), 0);
    put(&f,
        (const char *const[]){ "Content-Type", "application/json", "accept", "text/event-stream", "Empty", "", NULL });
    assert_buf(&f.request,
               "POST /?q HTTP/1.1\r\nContent-Type: application/json\r\naccept: text/event-stream\r\n"
               "Empty:\r\nHost: localhost:80\r\nUser-Agent: mcptools/" MCT_VERSION "\r\nContent-Length: 2\r\n\r\n");
    free(f.url);
    f.url = strdup("http://localhost:80/other");
    assert_int_equal(mcti_direct_redirect(&f, &err), 0);
    assert_non_null(strstr(f.request.p, "POST /other HTTP/1.1\r\nContent-Type: application/json\r\n"));
    free(f.url);
    f.url = strdup("http://localhost:80/an other");
    assert_int_equal(mcti_direct_redirect(&f, &err), -1);
    mcti_buf_done(&f.request);
    mcti_body_done(&f.body);
    f.method = "GET";
    free(f.url);
    f.url = strdup("http://127.0.0.1/");
    put(&f, (const char *const[]){ "Host", "name", "User-Agent", "me", NULL });
    assert_buf(&f.request, "GET / HTTP/1.1\r\nHost: name\r\nUser-Agent: me\r\nAccept: */*\r\n\r\n");
    mcti_buf_done(&f.request);
    free(f.url);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_are_this_machine),
        cmocka_unit_test(requests_are_written),
    };
    return cmocka_run_group_tests_name("direct", tests, NULL, NULL);
}
