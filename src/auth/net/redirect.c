#include "auth/net/redirect.h"

#include "auth/net/page.h"
#include "io/http/server.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    TRIES = 8, /* ports that are free at 127.0.0.1, but perhaps not at ::1 */
    CONNECTIONS = 16,
    HEADER_MS = 5000,
    IDLE_MS = 5000,
    ANSWER_BYTES = 65536,
};

static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };

struct mcti_redirect {
    struct mcti_redirect_opts opts;
    char *server;
    struct mcti_http_server *at[2]; /* 127.0.0.1 and ::1; NULL: not there */
    char uri[64];
    char headers[512];
    struct mcti_task end;
    bool answering, closed;
};

/* ---- requests ---- */

/* Returns true if Host is a name of this listener. A page of the web whose own name leads here cannot send that. */
static bool redirect_is_meant(const struct mcti_redirect *r, struct mcti_str host)
{
    char name[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, "%s:%d", names[i], mcti_http_server_port(r->at[0]));
        if (mcti_str_eq_nocase(host, mcti_str_of(name)))
            return true;
    }
    return false;
}

static void redirect_on_head(void *data, struct mcti_http_exchange *x)
{
    struct mcti_redirect *r = data;
    mcti_http_set_headers(x, r->headers);
    if (!redirect_is_meant(r, mcti_http_get(x, "host")))
        mcti_http_reply(x, 421, "text/plain", MCT_STR_NONE, MCT_STR("The host is not a name of this listener.\n"));
    else if (r->closed || !mcti_str_is(mcti_http_method(x), "GET") || !mcti_str_is(mcti_http_path(x), "/callback"))
        mcti_http_reply(x, 404, "text/plain", MCT_STR_NONE, MCT_STR("There is nothing here.\n"));
}

static void redirect_on_request(void *data, struct mcti_http_exchange *x)
{
    struct mcti_redirect *r = data;
    struct mcti_str query = mcti_http_query_text(x);
    struct mcti_buf html;
    mcti_buf_init(&html, ANSWER_BYTES);
    r->answering = true;
    enum mcti_redirect_page page = r->opts.arrived(r->opts.data, query.p ? query : MCT_STR(""));
    r->answering = false;
    int status = mcti_page_put(&html, page, r->server);
    mcti_http_set_headers(x, r->headers);
    mcti_http_reply(x, status, "text/html; charset=utf-8", MCT_STR_NONE, mcti_buf_str(&html));
    mcti_buf_done(&html);
    if (r->closed)
        mcti_task_post(&r->opts.loop->sched, &r->end); /* the server must not be freed inside its own callback */
}

static void redirect_on_abort(void *data, struct mcti_http_exchange *x)
{
    (void)data, (void)x; /* each request is answered at once */
}

/* ---- listening ---- */

static struct mcti_http_server *redirect_listen(struct mcti_redirect *r, const char *host, unsigned port)
{
    static const struct mcti_http_opts opts = {
        .answer_bytes = ANSWER_BYTES, .connections = CONNECTIONS, .header_ms = HEADER_MS, .idle_ms = IDLE_MS
    };
    const struct mcti_http_handler handler = {
        .on_head = redirect_on_head, .on_request = redirect_on_request, .on_abort = redirect_on_abort, .data = r
    };
    char address[32];
    snprintf(address, sizeof address, "%s:%u", host, port);
    return mcti_http_server_new(r->opts.loop, address, &opts, &handler, NULL);
}

static bool has_ipv6_loopback(void)
{
    struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    bool yes = fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0;
    if (fd >= 0)
        close(fd);
    return yes;
}

/* Listens at both addresses. If another program has the port at ::1, it would receive the answer for "localhost". */
static bool redirect_listen_all(struct mcti_redirect *r)
{
    r->at[0] = redirect_listen(r, "127.0.0.1", r->opts.port);
    if (!r->at[0] || !has_ipv6_loopback())
        return r->at[0];
    r->at[1] = redirect_listen(r, "[::1]", (unsigned)mcti_http_server_port(r->at[0]));
    if (r->at[1] || !r->opts.says_localhost)
        return true;
    mcti_http_server_free(r->at[0]);
    r->at[0] = NULL;
    return false;
}

static int redirect_open_port(struct mcti_redirect *r, struct mct_error *err)
{
    for (int tries = r->opts.port ? 1 : TRIES; tries > 0; tries--)
        if (redirect_listen_all(r))
            return 0;
    if (r->opts.port)
        return mcti_fail(err, MCT_ERR_CONNECT,
                         "port %u, where the browser returns after the login, cannot be listened on; choose another "
                         "auth.callback_port, or leave it out",
                         r->opts.port);
    return mcti_fail(err, MCT_ERR_CONNECT, "no port of this machine can be listened on for the answer of the browser");
}

/* ---- opening and closing ---- */

static void redirect_free(void *data)
{
    struct mcti_redirect *r = data;
    for (size_t i = 0; i < sizeof r->at / sizeof *r->at; i++)
        mcti_http_server_free(r->at[i]);
    mcti_task_stop(&r->end);
    free(r->server);
    free(r);
}

static int redirect_set_up(struct mcti_redirect *r, struct mct_error *err)
{
    struct mcti_buf headers;
    mcti_buf_init(&headers, sizeof r->headers - 1);
    mcti_page_put_headers(&headers);
    bool copied = mcti_buf_ok(&headers) && r->server;
    memcpy(r->headers, headers.p ? headers.p : "", headers.len);
    mcti_buf_done(&headers);
    if (!copied)
        return mcti_no_memory(err);
    if (redirect_open_port(r, err) < 0)
        return -1;
    snprintf(r->uri, sizeof r->uri, "http://%s:%d/callback", names[r->opts.says_localhost],
             mcti_http_server_port(r->at[0]));
    return 0;
}

struct mcti_redirect *mcti_redirect_open(const struct mcti_redirect_opts *opts, struct mct_error *err)
{
    struct mcti_redirect *r = calloc(1, sizeof *r);
    if (!r) {
        mcti_no_memory(err);
        return NULL;
    }
    r->opts = *opts;
    r->server = strdup(opts->server);
    mcti_task_init(&r->end, redirect_free, r);
    if (redirect_set_up(r, err) == 0)
        return r;
    redirect_free(r);
    return NULL;
}

const char *mcti_redirect_uri(const struct mcti_redirect *r)
{
    return r->uri;
}

void mcti_redirect_close(struct mcti_redirect *r)
{
    if (!r || r->closed)
        return;
    r->closed = true;
    if (!r->answering)
        redirect_free(r);
}
