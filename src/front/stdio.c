#include "front/stdio.h"

#include <poll.h>

enum { DRAIN_STEP_MS = 10, DRAIN_MAX_MS = 60000 };

static int on_send(void *data, struct mct_str frame, void *lane, bool final)
{
    struct mct_front_stdio *f = data;
    (void)final;
    return f->transport->ops->send(f->transport, frame, lane);
}

static const struct mct_peer_ops peer_ops = { .send = on_send };

static void on_frame(void *data, struct mct_str frame, void *lane)
{
    struct mct_front_stdio *f = data;
    mct_peer_receive(f->peer, frame, lane);
}

static bool only_listens_open(const struct mct_peer *p)
{
    size_t n = 0;
    MCT_LIST_EACH(it, &p->listens)
        n++;
    return p->session.n_inbound == n;
}

/* Nobody reads what is still to be said: a client that was killed. */
static bool reader_is_gone(const struct mct_front_stdio *f)
{
    struct pollfd p = { .fd = f->out_fd };
    return f->out_fd >= 0 && poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP));
}

/* The input has ended, as in `echo … | mcptools serve --stdio`: what was asked is still answered. */
static void drain(void *data)
{
    struct mct_front_stdio *f = data;
    bool over = mct_sched_now(f->sched) >= f->drain_until_ms || reader_is_gone(f);
    if (only_listens_open(f->peer) || over)
        f->transport->ops->close(f->transport);
    else
        mct_timer_set(f->sched, &f->drain, DRAIN_STEP_MS);
}

static void on_eof(void *data)
{
    struct mct_front_stdio *f = data;
    struct mct_error why;
    mct_fail(&why, MCT_ERR_CANCELLED, "the client has ended its input, and cannot answer any more");
    f->peer->can = (struct mct_answerer){ 0 };
    mct_session_fail_all(&f->peer->session, &why);
    f->drain_until_ms = mct_sched_now(f->sched) + DRAIN_MAX_MS;
    drain(f);
}

static void on_closed(void *data, const struct mct_error *why)
{
    struct mct_front_stdio *f = data;
    (void)why;
    f->done(f->data);
}

int mct_front_stdio_open(struct mct_front_stdio *f, struct mct_gateway *g, struct mct_transport *t,
                         const struct mct_view_opts *opts, struct mct_error *err)
{
    f->transport = t;
    f->sched = g->sched;
    mct_timer_init(&f->drain, drain, f);
    if (!t || mct_gateway_view(g, &f->view, opts, &g->offer) < 0 ||
        !(f->peer = mct_peer_new(g, &f->view, &peer_ops, f)))
        return mct_no_memory(err);
    t->events = (struct mct_transport_events){ .on_frame = on_frame, .on_eof = on_eof,
                                               .on_closed = on_closed, .data = f };
    return t->ops->open(t, err);
}

void mct_front_stdio_close(struct mct_front_stdio *f)
{
    mct_timer_stop(f->sched, &f->drain);
    mct_peer_free(f->peer);
    mct_view_done(&f->view);
    mct_transport_free(f->transport);
}
