#include "front/stdio.h"

#include <poll.h>

enum { DRAIN_STEP_MS = 10, DRAIN_MAX_MS = 60000 };

static int front_stdio_on_send(void *data, struct mcti_str frame, void *lane, bool final)
{
    struct mcti_front_stdio *f = data;
    (void) final;
    return f->transport->ops->send(f->transport, frame, lane);
}

static int front_stdio_on_send_pieces(void *data, const struct mcti_pieces *frame, void *lane, bool final)
{
    struct mcti_front_stdio *f = data;
    (void)lane;
    (void) final;
    return f->transport->ops->send_pieces(f->transport, frame);
}

static const struct mcti_peer_ops peer_ops = { .send = front_stdio_on_send,
                                               .send_pieces = front_stdio_on_send_pieces,
                                               .transport = "stdio" };
static const struct mcti_peer_ops command_ops = { .send = front_stdio_on_send,
                                                  .send_pieces = front_stdio_on_send_pieces,
                                                  .transport = "socket" };

static void front_stdio_on_frame(void *data, struct mcti_str frame, void *lane)
{
    struct mcti_front_stdio *f = data;
    mcti_peer_receive(f->peer, frame, f->transport->chunk, lane);
}

bool mcti_front_stdio_is_busy(const struct mcti_front_stdio *f)
{
    size_t n = 0;
    MCT_LIST_EACH(it, &f->peer->listens)
        n++;
    return f->peer->session.n_inbound != n;
}

/* Returns true if the other end of the output is closed, for example because the client was killed. */
static bool reader_is_gone(const struct mcti_front_stdio *f)
{
    struct pollfd p = { .fd = f->out_fd };
    return f->out_fd >= 0 && poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP));
}

/* Waits, after the end of input as in `echo … | mcptools serve --stdio`, until the open requests are answered. */
static void front_stdio_drain(void *data)
{
    struct mcti_front_stdio *f = data;
    bool over = mcti_sched_now(f->sched) >= f->drain_until_ms || reader_is_gone(f);
    if (!mcti_front_stdio_is_busy(f) || over)
        f->transport->ops->close(f->transport);
    else
        mcti_timer_set(f->sched, &f->drain, DRAIN_STEP_MS);
}

static void front_stdio_on_eof(void *data)
{
    struct mcti_front_stdio *f = data;
    struct mct_error why;
    mcti_fail(&why, MCT_ERR_CANCELLED, "the client closed its input and can no longer answer");
    f->peer->can = (struct mcti_answerer){ 0 };
    mcti_session_fail_all(&f->peer->session, &why);
    f->drain_until_ms = mcti_sched_now(f->sched) + DRAIN_MAX_MS;
    front_stdio_drain(f);
}

static void front_stdio_on_closed(void *data, const struct mct_error *why)
{
    struct mcti_front_stdio *f = data;
    (void)why;
    f->done(f->data);
}

int mcti_front_stdio_open(struct mcti_front_stdio *f, struct mcti_gateway *g, struct mcti_transport *t,
                          const struct mcti_view_opts *opts, struct mct_error *err)
{
    f->transport = t;
    f->gateway = g;
    f->sched = g->sched;
    mcti_timer_init(&f->drain, front_stdio_drain, f);
    if (!t || mcti_gateway_view(g, &f->view, opts, f->offer ? f->offer : &g->offer) < 0 ||
        !(f->peer = mcti_peer_new(g, &f->view, f->is_command ? &command_ops : &peer_ops, f)))
        return mcti_no_memory(err);
    t->events = (struct mcti_transport_events){
        .on_frame = front_stdio_on_frame, .on_eof = front_stdio_on_eof, .on_closed = front_stdio_on_closed, .data = f
    };
    f->peer->is_command = f->is_command;
    return t->ops->open(t, err);
}

void mcti_front_stdio_close(struct mcti_front_stdio *f)
{
    mcti_timer_stop(f->sched, &f->drain);
    mcti_peer_free(f->peer);
    if (f->gateway)
        mcti_gateway_end_tasks(f->gateway, &f->view, NULL);
    mcti_view_done(&f->view);
    mcti_transport_free(f->transport);
}
