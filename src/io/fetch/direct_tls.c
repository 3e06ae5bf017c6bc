/*
 * Direct connections with TLS. libcurl resolves the name, connects, and checks the certificate, exactly as for its own
 * transfers (CURLOPT_CONNECT_ONLY); then curl_easy_send() and curl_easy_recv() are used instead of a transfer, which
 * costs six epoll_ctl() and several times the processor time.
 */
#include "io/fetch/origin.h"

#include "base/limits.h"

#include <openssl/ssl.h>
#include <stdlib.h>

enum {
    TURN_RECORDS = 100, /* of TLS, 1.6 MB: what libcurl reads in a turn, too */
    KEPT_USELESS = 16
};

/* ---- closing ---- */

static void tls_on_closed(uv_handle_t *h)
{
    free(MCT_CONTAINER(h, struct mcti_direct, tls.poll));
}

static void tls_close(struct mcti_direct *d)
{
    struct mcti_wire_tls *w = &d->tls;
    const struct mcti_curl *curl = &d->client->curl;
    mcti_task_stop(&w->more);
    if (w->polls) /* before libcurl closes the socket */
        uv_close((uv_handle_t *)&w->poll, tls_on_closed);
    if (w->easy) {
        curl->multi_remove_handle(d->client->multi, w->easy);
        curl->easy_cleanup(w->easy);
    }
    if (!w->polls)
        free(d);
}

/* ---- reading ---- */

static void tls_on_ready(uv_poll_t *poll, int status, int events);

/* Watches the socket for what is wanted. */
static void tls_watch(struct mcti_direct *d)
{
    int events = (d->tls.reads ? UV_READABLE : 0) | (d->writes ? UV_WRITABLE : 0);
    if (events)
        uv_poll_start(&d->tls.poll, events, tls_on_ready);
    else
        uv_poll_stop(&d->tls.poll);
}

static const char *tls_why(const struct mcti_direct *d, CURLcode code)
{
    return d->tls.why[0] ? d->tls.why : d->client->curl.easy_strerror(code);
}

static bool tls_holds_bytes(const struct mcti_direct *d)
{
    return d->client->curl.ssl_has_pending(d->tls.ssl);
}

/* Receives into the buffer of the loop. Returns CURLE_OK with no bytes if the server has closed the connection. */
static CURLcode tls_receive(struct mcti_direct *d, struct mcti_str *ret)
{
    char *to = d->client->loop->read_bytes;
    size_t n = 0;
    CURLcode code = d->client->curl.easy_recv(d->tls.easy, to, MCT_LOOP_READ_BYTES, &n);
    *ret = (struct mcti_str){ to, n };
    return code;
}

/* Passes on what has arrived. What OpenSSL holds afterwards is fetched in the next turn, or, if the connection is
 * kept, at once: nobody has asked for it. */
static void tls_take(struct mcti_direct *d)
{
    struct mcti_str bytes;
    for (unsigned n = 0; n < TURN_RECORDS; n++) {
        CURLcode code = tls_receive(d, &bytes);
        if (code == CURLE_AGAIN)
            return;
        if (code != CURLE_OK || !bytes.len) {
            mcti_direct_on_end(d, code == CURLE_OK ? NULL : tls_why(d, code));
            return;
        }
        mcti_direct_on_bytes(d, bytes);
        if (d->closing || !d->tls.reads || (!d->fetch && !tls_holds_bytes(d)))
            return;
    }
    if (tls_holds_bytes(d))
        mcti_task_post(&d->client->loop->sched, &d->tls.more);
}

static void tls_on_more(void *data)
{
    struct mcti_direct *d = data;
    if (d->tls.reads)
        tls_take(d);
}

static void tls_read(struct mcti_direct *d, bool on)
{
    struct mcti_wire_tls *w = &d->tls;
    if (w->reads == on)
        return;
    w->reads = on;
    tls_watch(d);
    if (on && tls_holds_bytes(d))
        mcti_task_post(&d->client->loop->sched, &w->more);
}

static bool tls_is_open(struct mcti_direct *d)
{
    struct mcti_str bytes; /* may be of TLS itself, so that OpenSSL must look at them */
    return mcti_direct_is_silent(d->tls.fd) || tls_receive(d, &bytes) == CURLE_AGAIN;
}

/* ---- writing ---- */

/* Returns the part of the request after what was sent; the same one again while nothing of it was taken, as OpenSSL
 * demands. */
static struct mcti_str tls_next_part(const struct mcti_direct *d)
{
    const struct mcti_fetch *f = d->fetch;
    size_t at = d->tls.sent;
    if (at < f->request.len)
        return (struct mcti_str){ f->request.p + at, f->request.len - at };
    at -= f->request.len;
    for (unsigned i = 0; i < f->body.pieces.n && !f->is_joined; i++) {
        struct mcti_str item = f->body.pieces.item[i];
        if (at < item.len)
            return (struct mcti_str){ item.p + at, item.len - at };
        at -= item.len;
    }
    return MCT_STR_NONE;
}

/* A server may answer and close before it has read everything. d->writes is set, so the connection is not kept. */
static void tls_on_send_failed(struct mcti_direct *d, CURLcode code)
{
    tls_take(d);
    if (!d->closing)
        mcti_direct_on_lost(d, tls_why(d, code));
}

static void tls_send_rest(struct mcti_direct *d)
{
    const struct mcti_curl *curl = &d->client->curl;
    CURLcode code = CURLE_OK;
    bool waited = d->writes;
    struct mcti_str part;
    while (code == CURLE_OK && (part = tls_next_part(d)).len) {
        size_t n = 0;
        code = curl->easy_send(d->tls.easy, part.p, part.len, &n);
        d->tls.sent += n;
    }
    d->writes = code != CURLE_OK;
    if (code != CURLE_OK && code != CURLE_AGAIN)
        tls_on_send_failed(d, code);
    else if (waited != d->writes)
        tls_watch(d);
}

static void tls_send(struct mcti_direct *d)
{
    d->tls.sent = 0;
    d->tls.n_useless = 0;
    d->fetch->peer_is_public = d->tls.is_public;
    tls_send_rest(d);
}

/* ---- the socket ---- */

/* The socket is readable. Returns true if that was too often without anything that is meant for us. */
static bool tls_is_flooded(struct mcti_direct *d)
{
    return d->fetch ? mcti_fetch_count_readable(d->fetch, d->tls.fd) : ++d->tls.n_useless > KEPT_USELESS;
}

static void tls_on_ready(uv_poll_t *poll, int status, int events)
{
    struct mcti_direct *d = MCT_CONTAINER(poll, struct mcti_direct, tls.poll);
    if (status < 0)
        events = UV_READABLE; /* libcurl finds the error itself */
    if (events & UV_WRITABLE && d->writes)
        tls_send_rest(d);
    if (d->closing || !(events & UV_READABLE) || !d->tls.reads)
        return;
    if (tls_is_flooded(d))
        mcti_direct_on_end(d, "the server sends too much that is no part of an answer");
    else
        tls_take(d);
}

/* ---- connecting ---- */

/* Takes the connection over from libcurl's event handling. Returns -1 if that is impossible. */
static int tls_take_over(struct mcti_direct *d)
{
    struct mcti_wire_tls *w = &d->tls;
    struct mcti_http_client *c = d->client;
    const struct curl_tlssessioninfo *tls = NULL;
    struct mcti_str bytes;
    if (tls_receive(d, &bytes) != CURLE_AGAIN) /* lets the connection belong to the easy handle again, too */
        return -1;
    c->curl.easy_getinfo(w->easy, CURLINFO_TLS_SSL_PTR, &tls);
    c->curl.easy_getinfo(w->easy, CURLINFO_ACTIVESOCKET, &w->fd);
    if (!tls || !tls->internals || uv_poll_init_socket(&c->loop->uv, &w->poll, w->fd) < 0)
        return -1;
    w->polls = true;
    w->ssl = tls->internals;
    c->curl.ssl_set_read_ahead(w->ssl, 1); /* one recv() for each record instead of two */
    c->curl.ssl_ctrl(w->ssl, SSL_CTRL_CLEAR_MODE, SSL_MODE_RELEASE_BUFFERS, NULL); /* kept for seconds only */
    w->is_public = mcti_transfer_is_public(c, d->fetch->url, w->easy);
    return 0;
}

static void tls_on_transfer_over(struct mcti_transfer *t, CURLcode code)
{
    struct mcti_direct *d = MCT_CONTAINER(t, struct mcti_direct, tls.transfer);
    struct mcti_fetch *f = d->fetch;
    if (code == CURLE_OK && tls_take_over(d) == 0) {
        mcti_direct_on_open(d);
        return;
    }
    if (code == CURLE_OK || code == CURLE_SSL_CONNECT_ERROR)
        mcti_origin_doubt(d->host.origin);
    code = code == CURLE_OK ? CURLE_SSL_CONNECT_ERROR : code;
    snprintf(f->why, sizeof f->why, "%s", tls_why(d, code));
    mcti_direct_fail(d, code);
}

static CURLcode tls_set_up(struct mcti_direct *d)
{
    const struct mcti_curl *curl = &d->client->curl;
    CURL *e = d->tls.easy;
    CURLcode r = mcti_transfer_set_up(d->client, e, d->fetch->url);
    r |= curl->easy_setopt(e, CURLOPT_PRIVATE, &d->tls.transfer);
    r |= curl->easy_setopt(e, CURLOPT_ERRORBUFFER, d->tls.why);
    r |= curl->easy_setopt(e, CURLOPT_CONNECT_ONLY, 1L);
    return r | curl->easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
}

static void tls_open(struct mcti_direct *d)
{
    struct mcti_http_client *c = d->client;
    struct mcti_wire_tls *w = &d->tls;
    w->transfer.over = tls_on_transfer_over;
    w->easy = c->curl.easy_init();
    mcti_task_init(&w->more, tls_on_more, d);
    if (!w->easy || tls_set_up(d) != CURLE_OK || c->curl.multi_add_handle(c->multi, w->easy) != CURLM_OK)
        mcti_direct_fail(d, CURLE_OUT_OF_MEMORY);
}

const struct mcti_wire_ops mcti_wire_over_tls = {
    .open = tls_open, .send = tls_send, .read = tls_read, .is_open = tls_is_open, .close = tls_close
};
