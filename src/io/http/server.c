#include "io/http/server.h"

#include "io/http/conn.h"

#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef POLLRDHUP
#define POLLRDHUP 0 /* without it, only POLLHUP is reported */
#endif

enum { BACKLOG = 512, SWEEP_MS = 5000, LINGER_MS = 2000 };

/* ---- connections ---- */

static bool is_busy(const struct mcti_http_conn *c)
{
    return c->phase == MCT_HTTP_ANSWERING || !mcti_out_idle(&c->out) || c->ahead.len;
}

/* Closes all connections while draining, once all of them are idle. */
static void http_server_settle(void *data)
{
    struct mcti_http_server *s = data;
    MCT_LIST_EACH(it, &s->conns)
        if (is_busy(MCT_CONTAINER(it, struct mcti_http_conn, node)))
            return;
    MCT_LIST_EACH(it, &s->conns)
        mcti_http_conn_close(MCT_CONTAINER(it, struct mcti_http_conn, node));
    if (s->counters.open || s->listening || !s->drained)
        return;
    mcti_later_fn done = s->drained;
    s->drained = NULL;
    done(s->drained_data);
}

void mcti_http_server_settle(struct mcti_http_server *s)
{
    if (!s->freed) {
        if (s->draining)
            mcti_task_post(&s->loop->sched, &s->settle);
    } else if (!s->counters.open && !s->listening) {
        mcti_timer_stop(&s->loop->sched, &s->sweep);
        mcti_timer_stop(&s->loop->sched, &s->again);
        mcti_task_stop(&s->accept);
        mcti_task_stop(&s->next);
        mcti_task_stop(&s->settle);
        mcti_http_requests_free(s);
        free(s);
    }
}

/* Returns true if the client has not read a byte for too long. */
static bool is_stuck(struct mcti_http_conn *c, uint64_t now)
{
    size_t left = uv_stream_get_write_queue_size((uv_stream_t *)&c->tcp);
    if (!left || left != c->left || !c->stuck_ms)
        c->stuck_ms = left ? now : 0;
    c->left = left;
    return left && now - c->stuck_ms > MCT_LIMIT_HTTP_STUCK_MS;
}

/* Returns true if the client closed the connection while reading is paused, when no read reports it. */
static bool has_hung_up(struct mcti_http_conn *c)
{
    struct pollfd p = { .events = POLLRDHUP };
    return c->paused && uv_fileno((uv_handle_t *)&c->tcp, &p.fd) == 0 && poll(&p, 1, 0) == 1;
}

/* Returns true if a request arrives too slowly. Speed is measured per period of header_ms; bytes of earlier periods do
 * not count. */
static bool is_slow(struct mcti_http_conn *c, uint64_t now)
{
    struct mcti_http_request *r = c->request;
    uint64_t ms = now - c->since_ms;
    if (r->body.len && now - r->last_ms > MCT_LIMIT_HTTP_BODY_STALL_MS)
        return true;
    if (ms <= c->server->opts.header_ms)
        return false;
    if (r->body.len - r->seen_len < ms * MCT_LIMIT_HTTP_BODY_RATE)
        return true;
    r->seen_len = r->body.len;
    c->since_ms = now;
    return false;
}

/* Returns how long the connection may stay in its phase; 0: without limit. */
static uint64_t http_server_phase_limit(const struct mcti_http_conn *c)
{
    const struct mcti_http_opts *o = &c->server->opts;
    if (c->phase == MCT_HTTP_ANSWERING || !mcti_out_idle(&c->out))
        return 0; /* is_stuck() finds clients that do not read */
    return c->phase == MCT_HTTP_LINGERING ? LINGER_MS : o->idle_ms;
}

static void sweep_conn(struct mcti_http_conn *c, uint64_t now)
{
    uint64_t limit = http_server_phase_limit(c);
    if (is_stuck(c, now))
        mcti_http_conn_drop(c, "it stopped reading");
    else if (c->phase == MCT_HTTP_ANSWERING && has_hung_up(c))
        mcti_http_conn_close(c);
    else if (c->phase == MCT_HTTP_READING && is_slow(c, now))
        mcti_http_refuse(c, 408, "timed out before the request was complete", MCT_STR_NONE);
    else if (c->phase != MCT_HTTP_READING && limit && now - c->since_ms > limit)
        mcti_http_conn_close(c);
}

/* Checks all connections for timeouts, so that a request needs no timer of its own. */
static void http_server_sweep(void *data)
{
    struct mcti_http_server *s = data;
    uint64_t now = mcti_sched_now(&s->loop->sched);
    MCT_LIST_EACH(it, &s->conns)
        sweep_conn(MCT_CONTAINER(it, struct mcti_http_conn, node), now);
    mcti_timer_set(&s->loop->sched, &s->sweep, SWEEP_MS);
}

/* ---- the server ---- */

/* Splits "host:port", "[v6]:port" or ":port" into owned strings. */
static int split_address(const char *address, char **ret_host, char **ret_port)
{
    const char *colon = strrchr(address, ':');
    if (!colon || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1) || strlen(colon + 1) > 5 ||
        strtol(colon + 1, NULL, 10) > 65535)
        return -1;
    struct mcti_str host = mcti_str_range(address, colon);
    if (host.len > 1 && host.p[0] == '[' && host.p[host.len - 1] == ']')
        host = (struct mcti_str){ host.p + 1, host.len - 2 };
    *ret_host = mcti_str_dup(host.len ? host : MCT_STR("0.0.0.0"));
    *ret_port = strdup(colon + 1);
    return 0;
}

static int listen_on(struct mcti_http_server *s, struct mct_error *err)
{
    int r = uv_tcp_open(&s->listener, s->opts.socket);
    if (r == 0)
        r = uv_listen((uv_stream_t *)&s->listener, BACKLOG, mcti_http_on_connection);
    return r < 0 ? mcti_fail(err, MCT_ERR_CONNECT, "listening on the given socket: %s", uv_strerror(r)) : 0;
}

static int listen_at(struct mcti_http_server *s, const char *address, struct mct_error *err)
{
    char *host = NULL, *port = NULL;
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *found = NULL;
    if (split_address(address, &host, &port) < 0)
        return mcti_fail(err, MCT_ERR_USAGE, "'%s' is not HOST:PORT with a port up to 65535", address);
    int r = getaddrinfo(host, port, &hints, &found);
    free(host);
    free(port);
    if (r)
        return mcti_fail(err, MCT_ERR_USAGE, "listening on %s: %s", address, gai_strerror(r));
    r = uv_tcp_bind(&s->listener, found->ai_addr, 0);
    freeaddrinfo(found);
    if (r == 0)
        r = uv_listen((uv_stream_t *)&s->listener, BACKLOG, mcti_http_on_connection);
    if (r < 0)
        return mcti_fail(err, MCT_ERR_CONNECT, "listening on %s: %s%s", address, uv_strerror(r),
                         r == UV_EADDRINUSE ? "; choose another with --http HOST:PORT" : "");
    return 0;
}

static void note_port(struct mcti_http_server *s)
{
    struct sockaddr_storage a;
    int n = sizeof a;
    uv_tcp_getsockname(&s->listener, (struct sockaddr *)&a, &n);
    s->port = ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&a)->sin6_port
                                            : ((struct sockaddr_in *)(void *)&a)->sin_port);
}

static void http_server_on_listener_closed(uv_handle_t *h)
{
    struct mcti_http_server *s = h->data;
    s->listening = false;
    mcti_http_server_settle(s);
}

static void stop_listening(struct mcti_http_server *s)
{
    if (s->listening && !uv_is_closing((uv_handle_t *)&s->listener))
        uv_close((uv_handle_t *)&s->listener, http_server_on_listener_closed);
}

struct mcti_http_server *mcti_http_server_new(struct mcti_loop *loop, const char *address,
                                              const struct mcti_http_opts *opts,
                                              const struct mcti_http_handler *handler, struct mct_error *err)
{
    struct mcti_http_server *s = calloc(1, sizeof *s);
    if (!s) {
        mcti_no_memory(err);
        return NULL;
    }
    s->loop = loop;
    s->opts = *opts;
    if (!s->opts.header_ms)
        s->opts.header_ms = MCT_LIMIT_HTTP_HEADER_MS;
    if (!s->opts.idle_ms)
        s->opts.idle_ms = MCT_LIMIT_HTTP_IDLE_MS;
    if (!s->opts.connections)
        s->opts.connections = MCT_LIMIT_HTTP_CONNECTIONS;
    s->handler = *handler;
    mcti_list_init(&s->conns);
    mcti_timer_init(&s->sweep, http_server_sweep, s);
    mcti_timer_init(&s->again, mcti_http_accept_again, s);
    mcti_task_init(&s->accept, mcti_http_accept_again, s);
    mcti_task_init(&s->settle, http_server_settle, s);
    mcti_list_init(&s->waiting[MCT_HTTP_FRESH]);
    mcti_list_init(&s->waiting[MCT_HTTP_LATER]);
    mcti_task_init(&s->next, mcti_http_turn_next, s);
    uv_tcp_init(&loop->uv, &s->listener);
    s->listener.data = s;
    s->listening = true;
    if ((s->opts.socket ? listen_on(s, err) : listen_at(s, address, err)) < 0) {
        mcti_http_server_free(s);
        return NULL;
    }
    note_port(s);
    mcti_timer_set(&loop->sched, &s->sweep, SWEEP_MS);
    return s;
}

int mcti_http_server_port(const struct mcti_http_server *s)
{
    return s->port;
}

const struct mcti_http_counters *mcti_http_server_counters(const struct mcti_http_server *s)
{
    return &s->counters;
}

void mcti_http_server_drain(struct mcti_http_server *s, mcti_later_fn done, void *data)
{
    s->draining = true;
    s->drained = done;
    s->drained_data = data;
    stop_listening(s);
    mcti_http_server_settle(s);
}

void mcti_http_server_free(struct mcti_http_server *s)
{
    if (!s)
        return;
    s->freed = true;
    s->drained = NULL;
    mcti_task_stop(&s->settle);
    stop_listening(s);
    MCT_LIST_EACH(it, &s->conns) {
        struct mcti_http_conn *c = MCT_CONTAINER(it, struct mcti_http_conn, node);
        c->out.on_failed = NULL;
        c->out.on_drained = NULL;
        c->out.on_progress = NULL;
        mcti_out_flush(&c->out); /* the ends of streams */
        mcti_http_conn_close(c);
    }
    mcti_http_server_settle(s);
}
