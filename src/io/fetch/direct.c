/* Direct connections: their exchanges, keeping and closing them. */
#include "io/fetch/direct.h"

#include "base/limits.h"

#include <errno.h>
#include <stdlib.h>

/* ---- closing ---- */

/* Closes a connection. What is still to be written is not read any more, so its fetch may free it. */
static void direct_close(struct mcti_direct *d)
{
    if (d->closing)
        return;
    d->closing = true;
    mcti_direct_forget(d);
    mcti_list_remove(&d->node);
    d->ops->close(d);
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

void mcti_direct_fail(struct mcti_direct *d, CURLcode code)
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

static void direct_complete(struct mcti_direct *d)
{
    struct mcti_fetch *f = d->fetch;
    struct mcti_http_client *c = d->client;
    if (!d->keeps || d->writes) {
        mcti_direct_fail(d, CURLE_OK);
        return;
    }
    mcti_direct_forget(d);
    d->fetch = NULL;
    f->direct = NULL;
    mcti_list_remove(&d->node); /* to the end: the one that was used last is least likely to be closed by the server */
    mcti_list_append(&c->directs, &d->node);
    d->ops->read(d, true);
    d->kept_ms = mcti_sched_now(&c->loop->sched);
    if (!c->direct_prune.set)
        mcti_timer_set(&c->loop->sched, &c->direct_prune, MCT_HTTP_REUSE_S * 1000);
    mcti_fetch_on_transfer_over(f, CURLE_OK);
}

/* ---- the exchange ---- */

static void direct_send(struct mcti_direct *d)
{
    mcti_direct_expect(d);
    d->ops->send(d);
}

void mcti_direct_on_open(struct mcti_direct *d)
{
    d->ops->read(d, true);
    direct_send(d);
}

void mcti_direct_on_lost(struct mcti_direct *d, const char *why)
{
    struct mcti_fetch *f = d->fetch;
    if (d->reused && !d->n_received && !f->once) {
        mcti_direct_again(d); /* the server had closed it before it saw the request */
        return;
    }
    if (d->reused && !d->n_received) {
        mcti_direct_fail(d, CURLE_SEND_FAIL_REWIND);
        return;
    }
    if (why)
        snprintf(f->why, sizeof f->why, "the connection was lost: %s", why);
    else if (!d->n_received)
        snprintf(f->why, sizeof f->why, "the server closed the connection without an answer");
    else
        snprintf(f->why, sizeof f->why, "the server closed the connection in the middle of its answer");
    mcti_direct_fail(d, CURLE_RECV_ERROR);
}

void mcti_direct_on_end(struct mcti_direct *d, const char *why)
{
    if (!d->fetch)
        direct_close(d);
    else if (why || !mcti_direct_take_end(d))
        mcti_direct_on_lost(d, why);
    else
        direct_complete(d);
}

void mcti_direct_on_bytes(struct mcti_direct *d, struct mcti_str bytes)
{
    CURLcode code;
    if (!d->fetch)
        direct_close(d); /* it speaks without being asked */
    else if (!mcti_direct_take(d, bytes, &code))
        mcti_direct_fail(d, code);
    else if (d->complete)
        direct_complete(d);
}

void mcti_direct_hold(struct mcti_fetch *f, bool hold)
{
    if (f->direct)
        f->direct->ops->read(f->direct, !hold);
}

bool mcti_direct_is_silent(int fd)
{
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/* ---- connecting ---- */

static struct mcti_direct *direct_new(struct mcti_http_client *c, const struct mcti_direct_host *host, unsigned n_tried)
{
    struct mcti_direct *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->ops = host->origin ? &mcti_wire_over_tls : &mcti_wire_over_tcp;
    d->client = c;
    d->host = *host;
    d->n_tried = n_tried;
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

void mcti_direct_again(struct mcti_direct *d)
{
    struct mcti_fetch *f = d->fetch;
    struct mcti_direct *other = direct_new(d->client, &d->host, d->reused ? 0 : d->n_tried);
    if (!other) {
        mcti_direct_fail(d, CURLE_OUT_OF_MEMORY);
        return;
    }
    d->fetch = NULL;
    direct_close(d);
    direct_attach(other, f);
    other->ops->open(other);
}

/* Returns the kept connection to the host that was used last; NULL: there is none. */
static struct mcti_direct *direct_kept(struct mcti_http_client *c, const struct mcti_direct_host *host)
{
    uint64_t now = mcti_sched_now(&c->loop->sched);
    for (struct mcti_list *it = c->directs.prev; it != &c->directs; it = it->prev) {
        struct mcti_direct *d = MCT_CONTAINER(it, struct mcti_direct, node);
        if (!d->fetch && d->host.origin == host->origin && d->host.n == host->n &&
            now - d->kept_ms < MCT_HTTP_REUSE_S * 1000 && !memcmp(d->host.address, host->address, sizeof host->address))
            return d;
    }
    return NULL;
}

int mcti_direct_start(struct mcti_fetch *f, struct mct_error *err)
{
    struct mcti_http_client *c = f->client;
    f->why[0] = '\0';
    struct mcti_direct *d = f->fresh ? NULL : direct_kept(c, &f->host);
    while (d && f->once && !d->ops->is_open(d)) { /* such a request cannot be sent again */
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
    d->ops->open(d);
    return 0;
}
