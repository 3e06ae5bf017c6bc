/* Direct connections: connecting, writing, reading, keeping, closing. */
#include "io/fetch/direct.h"

#include "base/limits.h"

#include <errno.h>
#include <stdlib.h>

/* ---- closing ---- */

static void direct_on_closed(uv_handle_t *h)
{
    free(MCT_CONTAINER(h, struct mcti_direct, tcp));
}

/* Closes a connection. What is still to be written is not read any more, so its fetch may free it. */
static void direct_close(struct mcti_direct *d)
{
    if (d->closing)
        return;
    d->closing = true;
    mcti_direct_forget(d);
    mcti_list_remove(&d->node);
    mcti_timer_stop(&d->client->loop->sched, &d->late);
    uv_close((uv_handle_t *)&d->tcp, direct_on_closed);
}

void mcti_direct_leave(struct mcti_fetch *f)
{
    struct mcti_direct *d = f->direct;
    f->direct = NULL;
    if (!d)
        return;
    d->fetch = NULL;
    direct_close(d);
}

void mcti_direct_close_all(struct mcti_http_client *c)
{
    while (!mcti_list_empty(&c->directs))
        direct_close(MCT_CONTAINER(c->directs.next, struct mcti_direct, node));
    mcti_timer_stop(&c->loop->sched, &c->direct_prune);
}

/* Ends the exchange, and closes the connection. */
static void direct_fail(struct mcti_direct *d, CURLcode code)
{
    struct mcti_fetch *f = d->fetch;
    mcti_direct_leave(f);
    mcti_fetch_on_transfer_over(f, code);
}

/* ---- keeping ---- */

/* Closes the connections that have been kept long enough. */
void mcti_direct_on_prune(void *data)
{
    struct mcti_http_client *c = data;
    uint64_t now = mcti_sched_now(&c->loop->sched);
    bool any = false;
    MCT_LIST_EACH(it, &c->directs) {
        struct mcti_direct *d = MCT_CONTAINER(it, struct mcti_direct, node);
        if (!d->fetch && now - d->kept_ms >= MCT_HTTP_REUSE_S * 1000)
            direct_close(d);
        else
            any |= !d->fetch;
    }
    if (any)
        mcti_timer_set(&c->loop->sched, &c->direct_prune, MCT_HTTP_REUSE_S * 1000);
}

static void direct_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf);

static void direct_complete(struct mcti_direct *d)
{
    struct mcti_fetch *f = d->fetch;
    struct mcti_http_client *c = d->client;
    if (!d->keeps || d->writes) {
        direct_fail(d, CURLE_OK);
        return;
    }
    mcti_direct_forget(d);
    d->fetch = NULL;
    f->direct = NULL;
    mcti_list_remove(&d->node); /* to the end: the one that was used last is least likely to be closed by the server */
    mcti_list_append(&c->directs, &d->node);
    uv_read_start((uv_stream_t *)&d->tcp, mcti_loop_alloc, direct_on_read);
    d->kept_ms = mcti_sched_now(&c->loop->sched);
    if (!c->direct_prune.set)
        mcti_timer_set(&c->loop->sched, &c->direct_prune, MCT_HTTP_REUSE_S * 1000);
    mcti_fetch_on_transfer_over(f, CURLE_OK);
}

/* ---- reading ---- */

static void direct_again(struct mcti_direct *d);

/* The connection has ended in the middle of an exchange. */
static void direct_on_lost(struct mcti_direct *d, int why)
{
    struct mcti_fetch *f = d->fetch;
    if (d->reused && !d->n_received && !f->once) {
        direct_again(d); /* the server had closed it before it saw the request */
        return;
    }
    if (d->reused && !d->n_received) {
        direct_fail(d, CURLE_SEND_FAIL_REWIND);
        return;
    }
    if (why != UV_EOF)
        snprintf(f->why, sizeof f->why, "the connection was lost: %s", uv_strerror(why));
    else if (!d->n_received)
        snprintf(f->why, sizeof f->why, "the server closed the connection without an answer");
    else
        snprintf(f->why, sizeof f->why, "the server closed the connection in the middle of its answer");
    direct_fail(d, CURLE_RECV_ERROR);
}

static void direct_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct mcti_direct *d = stream->data;
    CURLcode code;
    if (n == 0)
        return;
    if (!d->fetch)
        direct_close(d); /* closed by the server, or it speaks without being asked */
    else if (n < 0 && (n != UV_EOF || !mcti_direct_take_end(d)))
        direct_on_lost(d, (int)n);
    else if (n > 0 && !mcti_direct_take(d, (struct mcti_str){ buf->base, (size_t)n }, &code))
        direct_fail(d, code);
    else if (d->complete)
        direct_complete(d);
}

void mcti_direct_hold(struct mcti_fetch *f, bool hold)
{
    if (!f->direct)
        return;
    if (hold)
        uv_read_stop((uv_stream_t *)&f->direct->tcp);
    else
        uv_read_start((uv_stream_t *)&f->direct->tcp, mcti_loop_alloc, direct_on_read);
}

/* ---- writing ---- */

/* Returns whether writing has failed for good. A server may answer and close before it has read everything: reading
 * will tell how that ends. */
static bool direct_is_lost(int status)
{
    return status < 0 && status != UV_EAGAIN && status != UV_EPIPE && status != UV_ECONNRESET;
}

static void direct_on_written(uv_write_t *w, int status)
{
    struct mcti_direct *d = w->data;
    d->writes = false;
    if (direct_is_lost(status) && d->fetch && !d->closing)
        direct_on_lost(d, status);
}

/* Writes the request, at once if the socket takes it. */
static void direct_send(struct mcti_direct *d)
{
    const struct mcti_fetch *f = d->fetch;
    uv_buf_t part[1 + sizeof f->body.pieces.item / sizeof *f->body.pieces.item];
    unsigned n = 0, at = 0;
    uv_stream_t *to = (uv_stream_t *)&d->tcp;
    mcti_direct_expect(d);
    part[n++] = uv_buf_init(f->request.p, (unsigned)f->request.len);
    for (unsigned i = 0; i < f->body.pieces.n; i++)
        if (f->body.pieces.item[i].len)
            part[n++] = uv_buf_init((char *)(uintptr_t)f->body.pieces.item[i].p, (unsigned)f->body.pieces.item[i].len);
    int r = uv_try_write(to, part, n);
    size_t sent = r > 0 ? (size_t)r : 0;
    for (; at < n && sent >= part[at].len; at++)
        sent -= part[at].len;
    if (at < n && (r >= 0 || r == UV_EAGAIN)) {
        part[at] = uv_buf_init(part[at].base + sent, (unsigned)(part[at].len - sent));
        r = uv_write(&d->writing, to, part + at, n - at, direct_on_written);
        d->writes = r == 0;
    }
    if (direct_is_lost(r))
        direct_on_lost(d, r);
}

/* ---- connecting ---- */

static void direct_on_no_connection(struct mcti_direct *d, int why)
{
    const struct sockaddr_storage *a = &d->host.address[d->n_tried - 1];
    bool v6 = a->ss_family == AF_INET6;
    char name[INET6_ADDRSTRLEN] = "?";
    int port = ntohs(((const struct sockaddr_in *)(const void *)a)->sin_port); /* at the same place in both */
    if (v6)
        uv_ip6_name((const struct sockaddr_in6 *)(const void *)a, name, sizeof name);
    else
        uv_ip4_name((const struct sockaddr_in *)(const void *)a, name, sizeof name);
    snprintf(d->fetch->why, sizeof d->fetch->why, "Failed to connect to %s port %d: %s", name, port, uv_strerror(why));
    direct_fail(d, CURLE_COULDNT_CONNECT);
}

static void direct_on_late(void *data)
{
    direct_fail(data, CURLE_OPERATION_TIMEDOUT);
}

static void direct_on_connected(uv_connect_t *q, int status)
{
    struct mcti_direct *d = q->data;
    if (d->closing)
        return;
    if (status < 0 && d->n_tried < d->host.n) {
        direct_again(d); /* a socket that could not connect cannot be used again */
        return;
    }
    mcti_timer_stop(&d->client->loop->sched, &d->late);
    if (status < 0) {
        direct_on_no_connection(d, status);
        return;
    }
    uv_tcp_nodelay(&d->tcp, 1);
    uv_read_start((uv_stream_t *)&d->tcp, mcti_loop_alloc, direct_on_read);
    direct_send(d);
}

static struct mcti_direct *direct_new(struct mcti_http_client *c, const struct mcti_direct_host *host, unsigned n_tried)
{
    struct mcti_direct *d = calloc(1, sizeof *d);
    if (!d || uv_tcp_init(&c->loop->uv, &d->tcp) < 0) {
        free(d);
        return NULL;
    }
    d->client = c;
    d->host = *host;
    d->n_tried = n_tried;
    d->tcp.data = d->connecting.data = d->writing.data = d;
    mcti_timer_init(&d->late, direct_on_late, d);
    mcti_list_append(&c->directs, &d->node);
    return d;
}

static void direct_attach(struct mcti_direct *d, struct mcti_fetch *f)
{
    mcti_list_remove(&d->node); /* to the beginning: kept ones are looked for from the end */
    mcti_list_append(d->client->directs.next, &d->node);
    d->fetch = f;
    f->direct = d;
}

static void direct_connect(struct mcti_direct *d)
{
    const struct sockaddr *to = (const struct sockaddr *)&d->host.address[d->n_tried++];
    mcti_timer_set(&d->client->loop->sched, &d->late, MCT_HTTP_CONNECT_MS);
    int r = uv_tcp_connect(&d->connecting, &d->tcp, to, direct_on_connected);
    if (r < 0)
        direct_on_connected(&d->connecting, r);
}

/* Begins again with a new connection: to the next address, or to the first one after a kept connection. */
static void direct_again(struct mcti_direct *d)
{
    struct mcti_fetch *f = d->fetch;
    struct mcti_direct *other = direct_new(d->client, &d->host, d->reused ? 0 : d->n_tried);
    if (!other) {
        direct_fail(d, CURLE_OUT_OF_MEMORY);
        return;
    }
    d->fetch = NULL;
    direct_close(d);
    direct_attach(other, f);
    direct_connect(other);
}

/* Returns the kept connection to the host that was used last; NULL: there is none. */
static struct mcti_direct *direct_kept(struct mcti_http_client *c, const struct mcti_direct_host *host)
{
    uint64_t now = mcti_sched_now(&c->loop->sched);
    for (struct mcti_list *it = c->directs.prev; it != &c->directs; it = it->prev) {
        struct mcti_direct *d = MCT_CONTAINER(it, struct mcti_direct, node);
        if (!d->fetch && d->host.n == host->n && now - d->kept_ms < MCT_HTTP_REUSE_S * 1000 &&
            !memcmp(d->host.address, host->address, sizeof host->address))
            return d;
    }
    return NULL;
}

/* Returns whether the server has neither closed the connection nor said anything. */
static bool direct_is_open(const struct mcti_direct *d)
{
    char byte;
    uv_os_fd_t fd;
    return uv_fileno((const uv_handle_t *)&d->tcp, &fd) == 0 && recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           errno == EAGAIN;
}

int mcti_direct_start(struct mcti_fetch *f, struct mct_error *err)
{
    struct mcti_http_client *c = f->client;
    f->why[0] = '\0';
    struct mcti_direct *d = f->fresh ? NULL : direct_kept(c, &f->host);
    while (d && f->once && !direct_is_open(d)) { /* such a request cannot be sent again */
        direct_close(d);
        d = direct_kept(c, &f->host);
    }
    if (d) {
        d->reused = true;
        direct_attach(d, f);
        direct_send(d);
        return 0;
    }
    d = direct_new(c, &f->host, 0);
    if (!d)
        return mcti_no_memory(err);
    direct_attach(d, f);
    direct_connect(d);
    return 0;
}
