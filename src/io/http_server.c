#include "io/http_server.h"

#include "io/http_conn.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>

enum { BACKLOG = 512, SWEEP_MS = 5000, LINGER_MS = 2000 };

/* ---- connections ---- */

static void server_release(struct mct_http_server *s)
{
    if (s->n_conns || s->listening)
        return;
    if (s->draining && !s->freed && s->drained) {
        mct_later_fn done = s->drained;
        s->drained = NULL;
        done(s->drained_data);
    } else if (s->freed) {
        mct_timer_stop(&s->loop->sched, &s->sweep);
        free(s);
    }
}

static void on_conn_closed(uv_handle_t *h)
{
    struct mct_http_conn *c = h->data;
    struct mct_http_server *s = c->server;
    mct_http_parse_done(c);
    free(c);
    s->n_conns--;
    server_release(s);
}

void mct_http_conn_close(struct mct_http_conn *c)
{
    if (c->closing)
        return;
    bool answering = c->phase == MCT_HTTP_ANSWERING && !c->x.finished;
    c->closing = true;
    mct_list_remove(&c->node);
    mct_task_stop(&c->resume);
    mct_out_done(&c->out);
    uv_close((uv_handle_t *)&c->tcp, on_conn_closed);
    if (answering && !c->server->freed && !c->refuse)
        c->server->handler.on_abort(c->server->handler.data, &c->x);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct mct_http_conn *c = stream->data;
    if (n > 0)
        mct_http_feed(c, (struct mct_str){ buf->base, (size_t)n });
    else if (n < 0)
        mct_http_conn_close(c); /* a half-close counts as gone */
}

static void on_out_failed(void *data, int uv_error)
{
    struct mct_http_conn *c = data;
    (void)uv_error;
    mct_http_conn_close(c);
}

/* Says that no more comes, and leaves the closing to the client or to sweep(): closing with unread
 * input would reset the connection and take the answer with it. */
static void half_close(struct mct_http_conn *c)
{
    int fd;
    if (uv_fileno((uv_handle_t *)&c->tcp, &fd) == 0)
        shutdown(fd, SHUT_WR);
}

static void on_out_drained(void *data)
{
    struct mct_http_conn *c = data;
    if (c->phase == MCT_HTTP_LINGERING)
        half_close(c);
    else if (c->phase == MCT_HTTP_IDLE && (c->close_after || c->server->draining))
        mct_http_conn_close(c);
}

/* Runs outside the handler: goes on with what was read ahead, or closes a connection that failed. */
static void resume(void *data)
{
    struct mct_http_conn *c = data;
    if (c->out.failed) {
        mct_http_conn_close(c);
        return;
    }
    struct mct_buf ahead = c->ahead;
    mct_buf_init(&c->ahead, ahead.max);
    mct_http_feed(c, mct_buf_str(&ahead));
    mct_buf_done(&ahead);
}

void mct_http_finished(struct mct_http_conn *c)
{
    c->x.finished = true;
    c->phase = c->refuse ? MCT_HTTP_LINGERING : MCT_HTTP_IDLE;
    c->since_ms = mct_sched_now(&c->server->loop->sched);
    mct_buf_clear(&c->body);
    if (c->refuse)
        return; /* goes on reading until the client has seen the answer, see on_out_drained() */
    if (c->close_after || c->server->draining) {
        c->close_after = true; /* on_out_drained closes it */
        uv_read_stop((uv_stream_t *)&c->tcp);
    } else if (c->ahead.len) {
        mct_task_post(&c->server->loop->sched, &c->resume);
    }
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct mct_http_server *s = listener->data;
    struct mct_http_conn *c = status < 0 ? NULL : calloc(1, sizeof *c);
    if (!c)
        return;
    c->server = s;
    uv_tcp_init(&s->loop->uv, &c->tcp);
    c->tcp.data = c;
    s->n_conns++;
    mct_list_append(&s->conns, &c->node);
    mct_task_init(&c->resume, resume, c);
    mct_http_parse_init(c);
    mct_out_init(&c->out, s->loop, (uv_stream_t *)&c->tcp,
                 s->opts.answer_bytes + MCT_LIMIT_HTTP_QUEUE_BYTES);
    c->out.on_failed = on_out_failed;
    c->out.on_drained = on_out_drained;
    c->out.data = c;
    c->since_ms = mct_sched_now(&s->loop->sched);
    if (uv_accept(listener, (uv_stream_t *)&c->tcp) < 0 || s->n_conns > MCT_LIMIT_HTTP_CONNECTIONS) {
        mct_http_conn_close(c);
        return;
    }
    uv_tcp_nodelay(&c->tcp, 1);
    uv_read_start((uv_stream_t *)&c->tcp, mct_loop_alloc, on_read);
}

/* Looks after connections that say nothing, so that a request needs no timer of its own. */
static void sweep(void *data)
{
    struct mct_http_server *s = data;
    uint64_t now = mct_sched_now(&s->loop->sched);
    MCT_LIST_EACH(it, &s->conns) {
        struct mct_http_conn *c = MCT_CONTAINER(it, struct mct_http_conn, node);
        uint64_t limit = c->phase == MCT_HTTP_LINGERING ? LINGER_MS
                         : c->phase == MCT_HTTP_READING ? s->opts.header_ms
                                                        : s->opts.idle_ms;
        if (c->phase != MCT_HTTP_ANSWERING && now - c->since_ms > limit)
            mct_http_conn_close(c);
    }
    mct_timer_set(&s->loop->sched, &s->sweep, SWEEP_MS);
}

/* ---- the server ---- */

/* "host:port", "[v6]:port" or ":port" -> host and port strings, owned. */
static int split_address(const char *address, char **ret_host, char **ret_port)
{
    const char *colon = strrchr(address, ':');
    if (!colon || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
        strlen(colon + 1) > 5 || strtol(colon + 1, NULL, 10) > 65535)
        return -1;
    struct mct_str host = mct_str_range(address, colon);
    if (host.len > 1 && host.p[0] == '[' && host.p[host.len - 1] == ']')
        host = (struct mct_str){ host.p + 1, host.len - 2 };
    *ret_host = mct_str_dup(host.len ? host : MCT_STR("0.0.0.0"));
    *ret_port = strdup(colon + 1);
    return 0;
}

static int listen_at(struct mct_http_server *s, const char *address, struct mct_error *err)
{
    char *host = NULL, *port = NULL;
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *found = NULL;
    if (split_address(address, &host, &port) < 0)
        return mct_fail(err, MCT_ERR_USAGE, "'%s' is not HOST:PORT with a port up to 65535", address);
    int r = getaddrinfo(host, port, &hints, &found);
    free(host);
    free(port);
    if (r)
        return mct_fail(err, MCT_ERR_USAGE, "listening on %s: %s", address, gai_strerror(r));
    r = uv_tcp_bind(&s->listener, found->ai_addr, 0);
    freeaddrinfo(found);
    if (r == 0)
        r = uv_listen((uv_stream_t *)&s->listener, BACKLOG, on_connection);
    if (r < 0)
        return mct_fail(err, MCT_ERR_CONNECT, "listening on %s: %s%s", address, uv_strerror(r),
                        r == UV_EADDRINUSE ? "; choose another with --http HOST:PORT" : "");
    return 0;
}

static void note_port(struct mct_http_server *s)
{
    struct sockaddr_storage a;
    int n = sizeof a;
    uv_tcp_getsockname(&s->listener, (struct sockaddr *)&a, &n);
    s->port = ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&a)->sin6_port
                                            : ((struct sockaddr_in *)(void *)&a)->sin_port);
}

static void on_listener_closed(uv_handle_t *h)
{
    struct mct_http_server *s = h->data;
    s->listening = false;
    server_release(s);
}

static void stop_listening(struct mct_http_server *s)
{
    if (s->listening && !uv_is_closing((uv_handle_t *)&s->listener))
        uv_close((uv_handle_t *)&s->listener, on_listener_closed);
}

struct mct_http_server *mct_http_server_new(struct mct_loop *loop, const char *address,
                                            const struct mct_http_opts *opts,
                                            const struct mct_http_handler *handler,
                                            struct mct_error *err)
{
    struct mct_http_server *s = calloc(1, sizeof *s);
    if (!s) {
        mct_fail(err, MCT_ERR_INTERNAL, "out of memory");
        return NULL;
    }
    s->loop = loop;
    s->opts = *opts;
    if (!s->opts.header_ms)
        s->opts.header_ms = MCT_LIMIT_HTTP_HEADER_MS;
    if (!s->opts.idle_ms)
        s->opts.idle_ms = MCT_LIMIT_HTTP_IDLE_MS;
    s->handler = *handler;
    mct_list_init(&s->conns);
    mct_timer_init(&s->sweep, sweep, s);
    uv_tcp_init(&loop->uv, &s->listener);
    s->listener.data = s;
    s->listening = true;
    if (listen_at(s, address, err) < 0) {
        mct_http_server_free(s);
        return NULL;
    }
    note_port(s);
    mct_timer_set(&loop->sched, &s->sweep, SWEEP_MS);
    return s;
}

int mct_http_server_port(const struct mct_http_server *s)
{
    return s->port;
}

void mct_http_server_drain(struct mct_http_server *s, mct_later_fn done, void *data)
{
    s->draining = true;
    s->drained = done;
    s->drained_data = data;
    stop_listening(s);
    MCT_LIST_EACH(it, &s->conns) {
        struct mct_http_conn *c = MCT_CONTAINER(it, struct mct_http_conn, node);
        if (c->phase != MCT_HTTP_ANSWERING && mct_out_idle(&c->out) && !c->ahead.len)
            mct_http_conn_close(c);
    }
}

void mct_http_server_free(struct mct_http_server *s)
{
    if (!s)
        return;
    s->freed = true;
    stop_listening(s);
    MCT_LIST_EACH(it, &s->conns)
        mct_http_conn_close(MCT_CONTAINER(it, struct mct_http_conn, node));
    server_release(s);
}

/* ---- reading the request ---- */

struct mct_str mct_http_method(const struct mct_http_exchange *x)
{
    return mct_str_of(llhttp_method_name((llhttp_method_t)mct_http_conn_of(x)->parser.method));
}

/* "http://authority/path", the form meant for proxies (RFC 9112 section 3.2.2) -> "/path". */
static struct mct_str without_authority(struct mct_str target)
{
    if (!mct_str_starts(target, MCT_STR("http://")))
        return target;
    const char *slash = memchr(target.p + 7, '/', target.len - 7);
    return slash ? mct_str_range(slash, target.p + target.len) : MCT_STR("/");
}

struct mct_str mct_http_path(const struct mct_http_exchange *x)
{
    const struct mct_http_conn *c = mct_http_conn_of(x);
    struct mct_str rest = without_authority((struct mct_str){ c->head.p, c->target_len }), path = MCT_STR("");
    mct_str_split(&rest, '?', &path);
    return path;
}

struct mct_str mct_http_body(const struct mct_http_exchange *x)
{
    const struct mct_http_conn *c = mct_http_conn_of(x);
    return c->body.len ? mct_buf_str(&c->body) : MCT_STR_NONE;
}

static bool is_named(const struct mct_http_conn *c, size_t i, const char *name)
{
    struct mct_str own = { c->head.p + c->span[i].name, c->span[i].name_len };
    return mct_str_eq_nocase(own, mct_str_of(name));
}

struct mct_str mct_http_get(const struct mct_http_exchange *x, const char *name)
{
    return mct_http_get_nth(x, name, 0);
}

struct mct_str mct_http_get_nth(const struct mct_http_exchange *x, const char *name, size_t n)
{
    const struct mct_http_conn *c = mct_http_conn_of(x);
    for (size_t i = 0; i < c->n_headers; i++)
        if (is_named(c, i, name) && n-- == 0)
            return mct_str_trim((struct mct_str){ c->head.p + c->span[i].value, c->span[i].value_len });
    return MCT_STR_NONE;
}

size_t mct_http_count(const struct mct_http_exchange *x, const char *name)
{
    const struct mct_http_conn *c = mct_http_conn_of(x);
    size_t n = 0;
    for (size_t i = 0; i < c->n_headers; i++)
        n += is_named(c, i, name);
    return n;
}

void mct_http_set_user(struct mct_http_exchange *x, void *user)
{
    x->user = user;
}

void *mct_http_user(const struct mct_http_exchange *x)
{
    return x->user;
}
