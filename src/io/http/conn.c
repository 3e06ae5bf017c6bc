/* Life cycle of an HTTP connection: accept, read, keep alive, close. */
#include "io/http/conn.h"

#include <stdlib.h>
#include <sys/socket.h>

enum {
    SURPLUS = 64, /* connections over the limit that are answered with 503; further ones are closed without an answer */
    TCP_PROBE_S = 60,
    AGAIN_MS = 50, /* from an accept without memory to the next one */
};

/* ---- closing ---- */

static void conn_on_conn_closed(uv_handle_t *h)
{
    struct mcti_http_conn *c = h->data;
    struct mcti_http_server *s = c->server;
    mcti_http_request_end(c);
    mcti_buf_done(&c->ahead);
    free(c);
    s->counters.open--;
    mcti_http_server_settle(s);
}

static void conn_report_over(struct mcti_http_conn *c)
{
    const struct mcti_http_handler *h = &c->server->handler;
    if (h->on_over)
        h->on_over(h->data, &c->x);
}

/* Releases the account now: the connection is freed in the next turn, and the account may be freed before. */
static void leave_account(struct mcti_http_conn *c)
{
    mcti_http_conn_note(c, MCT_HELD_REQUEST, 0);
    mcti_http_conn_note(c, MCT_HELD_ANSWER, 0);
    c->account = (struct mcti_account){ 0 };
}

void mcti_http_conn_close(struct mcti_http_conn *c)
{
    if (c->closing)
        return;
    bool known = c->x.seen && !c->x.finished;
    bool answering = known && c->phase == MCT_HTTP_ANSWERING;
    c->closing = true;
    mcti_list_remove(&c->node);
    mcti_list_remove(&c->waits);
    mcti_task_stop(&c->resume);
    mcti_out_done(&c->out);
    leave_account(c);
    uv_close((uv_handle_t *)&c->tcp, conn_on_conn_closed);
    if (answering && !c->server->freed)
        c->server->handler.on_abort(c->server->handler.data, &c->x);
    if (known)
        conn_report_over(c);
}

void mcti_http_conn_drop(struct mcti_http_conn *c, const char *why)
{
    c->out.failed = true;
    c->server->counters.dropped++;
    mcti_log(c->server->loop->log, MCT_LOG_WARN, "http: dropping a client with %zu unread bytes: %s",
             mcti_http_unsent(c), why);
    mcti_http_conn_note(c, MCT_HELD_ANSWER, 0);
    mcti_task_post(&c->server->loop->sched, &c->resume); /* closes the connection after the caller has returned */
}

size_t mcti_http_unsent(const struct mcti_http_conn *c)
{
    return mcti_out_unsent(&c->out);
}

/* ---- reading ---- */

/* Gives the bytes that are read next room in the buffer of the loop: little when others have read much in this turn. */
static void conn_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *ret)
{
    struct mcti_http_server *s = ((struct mcti_http_conn *)handle->data)->server;
    mcti_loop_alloc(handle, hint, ret);
    mcti_http_turn_renew(s);
    if (s->turn_bytes >= MCT_TURN_ALL_BYTES)
        ret->len = MCT_TURN_LEAST_BYTES;
}

/* Counts `n` bytes. A client that sent more than its share of a turn is read again in the next turn. */
static void use_share(struct mcti_http_conn *c, size_t n)
{
    struct mcti_sched *sched = &c->server->loop->sched;
    c->turn_bytes = c->turn == sched->turn ? c->turn_bytes + n : n;
    c->turn = sched->turn;
    c->server->turn_bytes += n;
    size_t share = c->server->turn_bytes < MCT_TURN_ALL_BYTES ? MCT_TURN_BYTES : MCT_TURN_LEAST_BYTES;
    if (c->turn_bytes < share || c->paused || c->closing)
        return;
    c->paused = true;
    uv_read_stop((uv_stream_t *)&c->tcp);
    mcti_task_defer(sched, &c->resume);
}

/* Closes a connection whose client has closed it. */
static void conn_bury(struct mcti_http_conn *c)
{
    mcti_http_turn_spend(c->server, 2 * MCT_TURN_LEAST_BYTES); /* its calls are cancelled */
    mcti_http_conn_close(c);
}

static void conn_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct mcti_http_conn *c = stream->data;
    if (n > 0) {
        c->server->counters.bytes_in += (uint64_t)n;
        mcti_http_feed(c, (struct mcti_str){ buf->base, (size_t)n });
        use_share(c, (size_t)n);
    } else if (n < 0) {
        uv_read_stop(stream);
        c->gone = true; /* a half-closed connection counts as closed */
        if (mcti_http_turn_take(c, MCT_HTTP_LATER))
            conn_bury(c);
    }
}

static void conn_read_again(struct mcti_http_conn *c)
{
    if (c->closing || c->gone || !c->paused || c->ahead.len >= MCT_LIMIT_HTTP_PIPELINE_BYTES)
        return;
    c->paused = false;
    uv_read_start((uv_stream_t *)&c->tcp, conn_alloc, conn_on_read);
}

/* Continues outside the handler: processes buffered requests, or closes a connection that failed. */
static void conn_resume(void *data)
{
    struct mcti_http_conn *c = data;
    if (c->out.failed) {
        mcti_http_conn_close(c);
        return;
    }
    if (c->phase == MCT_HTTP_ANSWERING)
        return; /* mcti_http_finished() resumes */
    if (c->phase == MCT_HTTP_IDLE && c->close_after)
        return; /* conn_on_out_drained() closes the connection */
    if (c->ahead.len && !mcti_http_turn_take(c, MCT_HTTP_LATER))
        return;
    struct mcti_buf ahead = c->ahead;
    mcti_buf_init(&c->ahead, ahead.max);
    mcti_http_feed(c, mcti_buf_str(&ahead));
    mcti_buf_done(&ahead);
    mcti_http_conn_note(c, MCT_HELD_REQUEST, mcti_http_conn_requested(c));
    conn_read_again(c);
}

void mcti_http_conn_go_on(struct mcti_http_conn *c)
{
    conn_resume(c); /* a request that has arrived is one, whether its client waits for the answer or not */
    if (c->gone && !c->closing)
        conn_bury(c);
}

static void conn_continue(struct mcti_http_conn *c)
{
    if (c->ahead.len || c->paused)
        mcti_task_post(&c->server->loop->sched, &c->resume);
}

void mcti_http_finished(struct mcti_http_conn *c)
{
    c->x.finished = true;
    c->phase = c->lingers ? MCT_HTTP_LINGERING : MCT_HTTP_IDLE;
    c->since_ms = mcti_sched_now(&c->server->loop->sched);
    conn_report_over(c);
    if (!c->dispatching)
        mcti_http_request_end(c);
    if (c->server->draining)
        mcti_http_server_settle(c->server);
    if (c->lingers)
        return; /* keeps reading until the client has received the answer, see conn_on_out_drained() */
    if (c->close_after)
        uv_read_stop((uv_stream_t *)&c->tcp); /* conn_on_out_drained() closes the connection */
    else
        conn_continue(c);
}

/* ---- writing ---- */

/* Schedules closing the connection: the caller may be inside a write of the handler. */
static void conn_on_out_failed(void *data, int uv_error)
{
    struct mcti_http_conn *c = data;
    (void)uv_error;
    mcti_task_post(&c->server->loop->sched, &c->resume);
}

static void conn_on_out_progress(void *data)
{
    struct mcti_http_conn *c = data;
    if (c->stuck_ms)
        c->stuck_ms = mcti_sched_now(&c->server->loop->sched);
}

/* Shuts down the sending side and leaves closing to the client or to the server's sweep: closing a socket with unread
 * input resets the connection, and the client may lose the answer. */
static void half_close(struct mcti_http_conn *c)
{
    int fd;
    if (uv_fileno((uv_handle_t *)&c->tcp, &fd) == 0)
        shutdown(fd, SHUT_WR);
}

static void conn_on_out_drained(void *data)
{
    struct mcti_http_conn *c = data;
    c->biggest = 0;
    mcti_http_conn_note(c, MCT_HELD_ANSWER, 0);
    if (c->phase == MCT_HTTP_IDLE || c->phase == MCT_HTTP_LINGERING)
        c->since_ms = mcti_sched_now(&c->server->loop->sched);
    if (c->phase == MCT_HTTP_LINGERING) {
        half_close(c);
    } else if (c->phase == MCT_HTTP_IDLE && c->close_after) {
        mcti_http_conn_close(c);
    } else {
        if (c->server->draining)
            mcti_http_server_settle(c->server);
        conn_continue(c);
    }
}

/* ---- accepting ---- */

void mcti_http_accept_again(void *data)
{
    struct mcti_http_server *s = data;
    if (s->listening && !uv_is_closing((uv_handle_t *)&s->listener))
        mcti_http_on_connection((uv_stream_t *)&s->listener, 0);
}

/* Returns true if the turn has accepted its share: the rest waits for the next one in the queue of the kernel. libuv
 * reports no further connection before uv_accept() took this one. */
static bool accept_later(struct mcti_http_server *s)
{
    mcti_http_turn_renew(s);
    if (++s->n_accepted <= MCT_TURN_ACCEPTS)
        return false;
    mcti_task_defer(&s->loop->sched, &s->accept);
    return true;
}

void mcti_http_on_connection(uv_stream_t *listener, int status)
{
    struct mcti_http_server *s = listener->data;
    if (status < 0 || accept_later(s))
        return;
    struct mcti_http_conn *c = calloc(1, sizeof *c);
    if (!c) {
        mcti_timer_set(&s->loop->sched, &s->again, AGAIN_MS);
        return;
    }
    c->server = s;
    c->account = (struct mcti_account){ .parent = s->opts.account, .rule = s->opts.connection };
    uv_tcp_init(&s->loop->uv, &c->tcp);
    c->tcp.data = c;
    s->counters.open++;
    s->counters.accepted++;
    mcti_list_append(&s->conns, &c->node);
    mcti_list_init(&c->waits);
    mcti_task_init(&c->resume, conn_resume, c);
    mcti_buf_init(&c->ahead, MCT_LIMIT_HTTP_PIPELINE_BYTES + 2 * MCT_LOOP_READ_BYTES);
    mcti_out_init(&c->out, s->loop, (uv_stream_t *)&c->tcp, s->opts.answer_bytes + MCT_LIMIT_HTTP_QUEUE_BYTES);
    c->out.on_failed = conn_on_out_failed;
    c->out.on_drained = conn_on_out_drained;
    c->out.on_progress = conn_on_out_progress;
    c->out.data = c;
    c->since_ms = mcti_sched_now(&s->loop->sched);
    bool too_many = s->counters.open > s->opts.connections;
    s->counters.turned_away += too_many;
    if (uv_accept(listener, (uv_stream_t *)&c->tcp) < 0 || s->counters.open > s->opts.connections + SURPLUS) {
        mcti_http_conn_close(c);
        return;
    }
    uv_tcp_nodelay(&c->tcp, 1);
    uv_tcp_keepalive(&c->tcp, 1, TCP_PROBE_S); /* detects clients that vanished without closing */
    uv_read_start((uv_stream_t *)&c->tcp, conn_alloc, conn_on_read);
    if (too_many)
        mcti_http_refuse(c, 503, "too many open connections", MCT_STR("Retry-After: 5\r\n"));
}
