/* Direct connections without TLS: TCP by libuv. */
#include "io/fetch/direct.h"

#include "base/limits.h"

#include <stdlib.h>

/* ---- closing ---- */

static void plain_on_closed(uv_handle_t *h)
{
    free(MCT_CONTAINER(h, struct mcti_direct, plain.tcp));
}

static void plain_close(struct mcti_direct *d)
{
    mcti_timer_stop(&d->client->loop->sched, &d->plain.late);
    uv_close((uv_handle_t *)&d->plain.tcp, plain_on_closed);
}

/* ---- reading ---- */

static void plain_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct mcti_direct *d = stream->data;
    if (n > 0)
        mcti_direct_on_bytes(d, (struct mcti_str){ buf->base, (size_t)n });
    else if (n < 0)
        mcti_direct_on_end(d, n == UV_EOF ? NULL : uv_strerror((int)n));
}

static void plain_read(struct mcti_direct *d, bool on)
{
    uv_stream_t *from = (uv_stream_t *)&d->plain.tcp;
    if (on)
        uv_read_start(from, mcti_loop_alloc, plain_on_read);
    else
        uv_read_stop(from);
}

static bool plain_is_open(struct mcti_direct *d)
{
    uv_os_fd_t fd;
    return uv_fileno((const uv_handle_t *)&d->plain.tcp, &fd) == 0 && mcti_direct_is_silent(fd);
}

/* ---- writing ---- */

/* Returns whether writing has failed for good. A server may answer and close before it has read everything: reading
 * will tell how that ends. */
static bool plain_is_lost(int status)
{
    return status < 0 && status != UV_EAGAIN && status != UV_EPIPE && status != UV_ECONNRESET;
}

static void plain_on_written(uv_write_t *w, int status)
{
    struct mcti_direct *d = w->data;
    d->writes = false;
    if (plain_is_lost(status) && d->fetch && !d->closing)
        mcti_direct_on_lost(d, uv_strerror(status));
}

static void plain_send(struct mcti_direct *d)
{
    const struct mcti_fetch *f = d->fetch;
    uv_buf_t part[1 + sizeof f->body.pieces.item / sizeof *f->body.pieces.item];
    unsigned n = 0, at = 0;
    uv_stream_t *to = (uv_stream_t *)&d->plain.tcp;
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
        r = uv_write(&d->plain.writing, to, part + at, n - at, plain_on_written);
        d->writes = r == 0;
    }
    if (plain_is_lost(r))
        mcti_direct_on_lost(d, uv_strerror(r));
}

/* ---- connecting ---- */

static void plain_on_no_connection(struct mcti_direct *d, int why)
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
    mcti_direct_fail(d, CURLE_COULDNT_CONNECT);
}

static void plain_on_late(void *data)
{
    mcti_direct_fail(data, CURLE_OPERATION_TIMEDOUT);
}

static void plain_on_connected(uv_connect_t *q, int status)
{
    struct mcti_direct *d = q->data;
    if (d->closing)
        return;
    if (status < 0 && d->n_tried < d->host.n) {
        mcti_direct_again(d); /* a socket that could not connect cannot be used again */
        return;
    }
    mcti_timer_stop(&d->client->loop->sched, &d->plain.late);
    if (status < 0) {
        plain_on_no_connection(d, status);
        return;
    }
    uv_tcp_nodelay(&d->plain.tcp, 1);
    mcti_direct_on_open(d);
}

static void plain_open(struct mcti_direct *d)
{
    struct mcti_wire_plain *w = &d->plain;
    const struct sockaddr *to = (const struct sockaddr *)&d->host.address[d->n_tried++];
    uv_tcp_init(&d->client->loop->uv, &w->tcp); /* makes no socket, so it cannot fail */
    w->tcp.data = w->connecting.data = w->writing.data = d;
    mcti_timer_init(&w->late, plain_on_late, d);
    mcti_timer_set(&d->client->loop->sched, &w->late, MCT_HTTP_CONNECT_MS);
    int r = uv_tcp_connect(&w->connecting, &w->tcp, to, plain_on_connected);
    if (r < 0)
        plain_on_connected(&w->connecting, r);
}

const struct mcti_wire_ops mcti_wire_over_tcp = {
    .open = plain_open, .send = plain_send, .read = plain_read, .is_open = plain_is_open, .close = plain_close
};
