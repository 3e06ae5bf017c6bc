#include "io/transport_pair.h"

#include "base/limits.h"
#include "base/list.h"

#include <stdlib.h>

struct packet {
    struct mcti_list node;
    char *bytes; /* NULL: the peer has closed */
    size_t len;
};

struct end {
    struct mcti_transport base;
    struct mcti_sched *sched;
    struct end *peer; /* NULL after the peer was freed */
    struct mcti_list inbox;
    struct mcti_task deliver;
    bool open, closed;
    int busy; /* nesting depth of pair_deliver(), which defers free() */
    bool freed;
};

static struct end *transport_pair_from_transport(struct mcti_transport *t)
{
    return MCT_CONTAINER(t, struct end, base);
}

static void drop_packet(struct packet *p)
{
    mcti_list_remove(&p->node);
    free(p->bytes);
    free(p);
}

static void put_packet(struct end *to, char *bytes, size_t len)
{
    struct packet *p = malloc(sizeof *p);
    if (!p) {
        free(bytes);
        return;
    }
    *p = (struct packet){ .bytes = bytes, .len = len };
    mcti_list_append(&to->inbox, &p->node);
    if (to->open)
        mcti_task_post(to->sched, &to->deliver);
}

static void transport_pair_release(struct end *e)
{
    mcti_task_stop(&e->deliver);
    MCT_LIST_EACH(it, &e->inbox)
        drop_packet(MCT_CONTAINER(it, struct packet, node));
    free(e);
}

static void transport_pair_take(struct end *e, struct packet *p)
{
    struct mct_error why;
    if (p->bytes) {
        e->base.events.on_frame(e->base.events.data, (struct mcti_str){ p->bytes, p->len }, NULL);
    } else if (!e->closed || e->base.events.on_closed) {
        bool ours = e->closed;
        e->closed = true;
        mcti_fail(&why, MCT_ERR_CONNECT, "the peer closed the connection");
        e->base.events.on_closed(e->base.events.data, ours ? NULL : &why);
        e->base.events.on_closed = NULL;
    }
}

static void pair_deliver(void *data)
{
    struct end *e = data;
    e->busy++;
    for (int n = 0; n < MCT_TURN_FRAMES && !mcti_list_empty(&e->inbox) && !e->freed; n++) {
        struct packet *p = MCT_CONTAINER(e->inbox.next, struct packet, node);
        mcti_list_remove(&p->node);
        transport_pair_take(e, p);
        drop_packet(p);
    }
    e->busy--;
    if (e->freed)
        transport_pair_release(e);
    else if (!mcti_list_empty(&e->inbox))
        mcti_task_defer(e->sched, &e->deliver);
}

static int pair_open(struct mcti_transport *t, struct mct_error *err)
{
    struct end *e = transport_pair_from_transport(t);
    (void)err;
    e->open = true;
    if (!mcti_list_empty(&e->inbox))
        mcti_task_post(e->sched, &e->deliver);
    return 0;
}

static int pair_send(struct mcti_transport *t, struct mcti_str frame, void *lane)
{
    struct end *e = transport_pair_from_transport(t);
    (void)lane;
    char *copy = e->closed || !e->peer ? NULL : mcti_str_dup(frame);
    if (!copy)
        return -1;
    put_packet(e->peer, copy, frame.len);
    return 0;
}

static void pair_close(struct mcti_transport *t)
{
    struct end *e = transport_pair_from_transport(t);
    if (e->closed)
        return;
    e->closed = true;
    if (e->peer)
        put_packet(e->peer, NULL, 0);
    put_packet(e, NULL, 0);
}

static void pair_free(struct mcti_transport *t)
{
    struct end *e = transport_pair_from_transport(t);
    if (e->peer) {
        if (!e->closed)
            put_packet(e->peer, NULL, 0);
        e->peer->peer = NULL;
    }
    e->freed = true;
    if (!e->busy)
        transport_pair_release(e);
}

static const struct mcti_transport_ops ops = {
    .name = "pair",
    .open = pair_open,
    .send = pair_send,
    .close = pair_close,
    .free = pair_free,
};

int mcti_transport_pair_new(struct mcti_sched *sched, struct mcti_transport *ret_ends[2])
{
    struct end *ends[2] = { calloc(1, sizeof *ends[0]), calloc(1, sizeof *ends[0]) };
    if (!ends[0] || !ends[1]) {
        free(ends[0]);
        free(ends[1]);
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        ends[i]->base.ops = &ops;
        ends[i]->sched = sched;
        ends[i]->peer = ends[1 - i];
        mcti_list_init(&ends[i]->inbox);
        mcti_task_init(&ends[i]->deliver, pair_deliver, ends[i]);
        ret_ends[i] = &ends[i]->base;
    }
    return 0;
}
