#include "io/transport_pair.h"

#include "base/limits.h"
#include "base/list.h"

#include <stdlib.h>

struct packet {
    struct mcti_list node;
    size_t len;
    char bytes[];
};

struct end {
    struct mcti_transport base;
    struct mcti_sched *sched;
    struct end *peer; /* NULL after the peer was freed */
    struct mcti_list inbox;
    struct mcti_task deliver;
    bool open;
    bool closed;  /* this end was closed, or on_closed has been called */
    bool hung_up; /* the peer has closed */
    bool broken;  /* a frame was lost for lack of memory */
    bool told;    /* on_closed has been called */
    int busy;     /* nesting depth of pair_deliver(), which defers free() */
    bool freed;
};

static struct end *transport_pair_from_transport(struct mcti_transport *t)
{
    return MCT_CONTAINER(t, struct end, base);
}

static void pair_wake(struct end *e)
{
    if (e->open)
        mcti_task_post(e->sched, &e->deliver);
}

static void pair_hang_up(struct end *e)
{
    e->hung_up = true;
    pair_wake(e);
}

static struct packet *pair_next_packet(struct end *e)
{
    struct packet *p = MCT_CONTAINER(e->inbox.next, struct packet, node);
    mcti_list_remove(&p->node);
    return p;
}

static void transport_pair_release(struct end *e)
{
    mcti_task_stop(&e->deliver);
    while (!mcti_list_empty(&e->inbox))
        free(pair_next_packet(e));
    free(e);
}

static void pair_tell_closed(struct end *e)
{
    struct mct_error why;
    bool ours = e->closed;
    if (e->broken)
        mcti_no_memory(&why);
    else
        mcti_fail(&why, MCT_ERR_CONNECT, "the peer closed the connection");
    e->told = e->closed = true;
    if (e->base.events.on_closed)
        e->base.events.on_closed(e->base.events.data, ours ? NULL : &why);
}

static void pair_deliver(void *data)
{
    struct end *e = data;
    e->busy++;
    for (int n = 0; n < MCT_TURN_FRAMES && !mcti_list_empty(&e->inbox) && !e->freed; n++) {
        struct packet *p = pair_next_packet(e);
        e->base.events.on_frame(e->base.events.data, (struct mcti_str){ p->bytes, p->len }, NULL);
        free(p);
    }
    if (!e->freed && !e->told && mcti_list_empty(&e->inbox) && (e->closed || e->hung_up || e->broken))
        pair_tell_closed(e);
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
    if (!mcti_list_empty(&e->inbox) || e->hung_up)
        mcti_task_post(e->sched, &e->deliver);
    return 0;
}

/* A frame that is lost ends the connection. */
static void pair_break(struct end *e)
{
    e->broken = true;
    pair_wake(e);
    pair_hang_up(e->peer);
}

static int pair_send(struct mcti_transport *t, struct mcti_str frame, void *lane)
{
    struct end *e = transport_pair_from_transport(t);
    (void)lane;
    if (e->closed || e->broken || !e->peer)
        return -1;
    struct packet *p = malloc(sizeof *p + frame.len);
    if (!p) {
        pair_break(e);
        return -1;
    }
    p->len = frame.len;
    memcpy(p->bytes, frame.p, frame.len);
    mcti_list_append(&e->peer->inbox, &p->node);
    pair_wake(e->peer);
    return 0;
}

static void pair_close(struct mcti_transport *t)
{
    struct end *e = transport_pair_from_transport(t);
    if (e->closed)
        return;
    e->closed = true;
    if (e->peer)
        pair_hang_up(e->peer);
    pair_wake(e);
}

static void pair_free(struct mcti_transport *t)
{
    struct end *e = transport_pair_from_transport(t);
    if (e->peer) {
        pair_hang_up(e->peer);
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
