#include "io/transport_fd.h"

#include "base/limits.h"
#include "io/intake.h"
#include "io/lines.h"
#include "io/out.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct fd_transport {
    struct mcti_transport base;
    struct mcti_loop *loop;
    int fd_in, fd_out;
    union stream {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tty_t tty;
        uv_tcp_t tcp;
    } in, out;
    int n_handles;
    bool in_is_file; /* cannot be polled; read by transport_fd_pump() */
    struct mcti_task next;
    struct mcti_out writer;
    struct mcti_lines lines;
    struct mcti_intake intake;
    struct mcti_task end;
    bool open, closing, reported, freed;
};

static struct fd_transport *transport_fd_from_transport(struct mcti_transport *t)
{
    return MCT_CONTAINER(t, struct fd_transport, base);
}

static void transport_fd_release_if_done(struct fd_transport *f)
{
    if (!f->freed || f->n_handles)
        return;
    mcti_task_stop(&f->end);
    mcti_intake_done(&f->intake);
    mcti_lines_done(&f->lines);
    free(f);
}

static void transport_fd_on_handle_closed(uv_handle_t *h)
{
    struct fd_transport *f = h->data;
    f->n_handles--;
    transport_fd_release_if_done(f);
}

static void close_handles(struct fd_transport *f)
{
    if (!f->open)
        return;
    f->open = false;
    mcti_out_done(&f->writer);
    mcti_intake_stop(&f->intake);
    mcti_task_stop(&f->next);
    if (f->in_is_file)
        close(f->fd_in);
    union stream *const both[] = { &f->in, &f->out };
    for (int i = 0; i < 2; i++)
        if (both[i]->handle.data) /* its initialization succeeded */
            uv_close(&both[i]->handle, transport_fd_on_handle_closed);
}

static void transport_fd_finish(void *data)
{
    struct fd_transport *f = data;
    close_handles(f);
    if (!f->reported && !f->freed) {
        f->reported = true;
        f->base.events.on_closed(f->base.events.data, NULL);
    }
}

static void transport_fd_on_drained(void *data)
{
    struct fd_transport *f = data;
    if (f->closing)
        mcti_task_post(&f->loop->sched, &f->end);
}

static void transport_fd_on_failed(void *data, int uv_error)
{
    struct fd_transport *f = data;
    (void)uv_error;
    mcti_task_post(&f->loop->sched, &f->end);
}

static void begin_close(struct fd_transport *f)
{
    f->closing = true;
    if (!f->open || mcti_out_idle(&f->writer))
        mcti_task_post(&f->loop->sched, &f->end);
}

static bool transport_fd_on_line(void *data, struct mcti_str line)
{
    struct fd_transport *f = data;
    f->base.chunk = f->lines.chunk;
    f->base.events.on_frame(f->base.events.data, line, NULL);
    f->base.chunk = NULL;
    return mcti_intake_frame(&f->intake) && !f->freed;
}

/* Splits input into lines. A line over the limit is passed on as an empty frame, which the session answers with a parse
 * error. */
static void transport_fd_take(void *data, struct mcti_str *bytes)
{
    struct fd_transport *f = data;
    while (mcti_lines_feed(&f->lines, bytes, transport_fd_on_line, f) < 0 && !f->freed)
        f->base.events.on_frame(f->base.events.data, MCT_STR(""), NULL);
    mcti_intake_waste(&f->intake, f->lines.wasted);
    f->lines.wasted = 0;
}

static void fd_take_input(struct fd_transport *f, ssize_t n, const uv_buf_t *buf)
{
    if (n > 0) {
        if (mcti_intake_feed(&f->intake, (struct mcti_str){ buf->base, (size_t)n }) < 0)
            begin_close(f);
    } else if (n < 0) {
        if (f->base.events.on_eof)
            f->base.events.on_eof(f->base.events.data);
        else
            begin_close(f);
    }
}

static void transport_fd_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    if (n < 0)
        uv_read_stop(stream);
    fd_take_input(stream->data, n, buf);
}

/* Reads a piece of a file or /dev/null in each turn until its end, because such descriptors cannot be polled. */
static void transport_fd_pump(void *data)
{
    struct fd_transport *f = data;
    uv_buf_t buf;
    mcti_loop_alloc(&f->out.handle, 0, &buf);
    ssize_t n = read(f->fd_in, buf.base, buf.len);
    fd_take_input(f, n > 0 ? n : UV_EOF, &buf);
    if (n > 0 && f->open && !f->intake.holding)
        mcti_task_defer(&f->loop->sched, &f->next);
}

static void transport_fd_hold(void *data, bool hold)
{
    struct fd_transport *f = data;
    if (f->in_is_file && hold)
        mcti_task_stop(&f->next);
    else if (f->in_is_file)
        mcti_task_defer(&f->loop->sched, &f->next);
    else if (hold)
        uv_read_stop(&f->in.stream);
    else
        uv_read_start(&f->in.stream, mcti_loop_alloc, transport_fd_on_read);
}

static int transport_fd_open_stream(struct fd_transport *f, union stream *s, int fd)
{
    int r;
    switch (uv_guess_handle(fd)) {
    case UV_TTY:
        r = uv_tty_init(&f->loop->uv, &s->tty, fd, 0);
        break;
    case UV_TCP:
        r = uv_tcp_init(&f->loop->uv, &s->tcp);
        r = r < 0 ? r : uv_tcp_open(&s->tcp, fd);
        break;
    default:
        r = uv_pipe_init(&f->loop->uv, &s->pipe, 0);
        r = r < 0 ? r : uv_pipe_open(&s->pipe, fd);
    }
    if (s->handle.type != UV_UNKNOWN_HANDLE) {
        s->handle.data = f;
        f->n_handles++;
    }
    return r;
}

static int open_input(struct fd_transport *f)
{
    uv_handle_type type = uv_guess_handle(f->fd_in);
    f->in_is_file = type == UV_FILE || type == UV_UNKNOWN_HANDLE;
    if (!f->in_is_file)
        return transport_fd_open_stream(f, &f->in, f->fd_in);
    return fcntl(f->fd_in, F_GETFD) < 0 ? UV_EBADF : 0;
}

static int start_input(struct fd_transport *f)
{
    if (!f->in_is_file)
        return uv_read_start(&f->in.stream, mcti_loop_alloc, transport_fd_on_read);
    mcti_task_defer(&f->loop->sched, &f->next);
    return 0;
}

static int fd_open(struct mcti_transport *t, struct mct_error *err)
{
    struct fd_transport *f = transport_fd_from_transport(t);
    int r = open_input(f);
    int r2 = transport_fd_open_stream(f, &f->out, f->fd_out);
    f->open = true;
    mcti_out_init(&f->writer, f->loop, &f->out.stream, (MCT_LIMIT_ANSWER_FACTOR + 1) * f->lines.rest.max);
    f->writer.on_drained = transport_fd_on_drained;
    f->writer.on_failed = transport_fd_on_failed;
    f->writer.data = f;
    if (r >= 0 && r2 >= 0)
        r = start_input(f);
    if (r < 0 || r2 < 0)
        return mcti_fail(err, MCT_ERR_CONNECT, "cannot use standard input or output: %s", uv_strerror(r < 0 ? r : r2));
    return 0;
}

static int fd_send(struct mcti_transport *t, struct mcti_str frame, void *lane)
{
    struct fd_transport *f = transport_fd_from_transport(t);
    (void)lane;
    if (!f->open)
        return -1;
    mcti_lines_put(mcti_out_buf(&f->writer), frame);
    return mcti_out_commit(&f->writer);
}

static int fd_send_pieces(struct mcti_transport *t, const struct mcti_pieces *frame)
{
    struct fd_transport *f = transport_fd_from_transport(t);
    return f->open ? mcti_lines_send(&f->writer, frame) : -1;
}

static void fd_close(struct mcti_transport *t)
{
    begin_close(transport_fd_from_transport(t));
}

static void fd_free(struct mcti_transport *t)
{
    struct fd_transport *f = transport_fd_from_transport(t);
    f->freed = true;
    close_handles(f);
    transport_fd_release_if_done(f);
}

static const struct mcti_transport_ops ops = {
    .name = "fd",
    .open = fd_open,
    .send = fd_send,
    .send_pieces = fd_send_pieces,
    .close = fd_close,
    .free = fd_free,
};

struct mcti_transport *mcti_transport_fd_new(struct mcti_loop *loop, int fd_in, int fd_out, size_t message_bytes)
{
    struct fd_transport *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->base.ops = &ops;
    f->loop = loop;
    f->fd_in = fd_in;
    f->fd_out = fd_out;
    mcti_lines_init(&f->lines, message_bytes);
    mcti_task_init(&f->end, transport_fd_finish, f);
    mcti_intake_init(&f->intake, &loop->sched, MCT_LOOP_READ_BYTES);
    f->intake.take = transport_fd_take;
    f->intake.hold = transport_fd_hold;
    f->intake.data = f;
    mcti_task_init(&f->next, transport_fd_pump, f);
    return &f->base;
}
