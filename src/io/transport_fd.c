#include "io/transport_fd.h"

#include "base/limits.h"
#include "io/intake.h"
#include "io/lines.h"
#include "io/out.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct fd_transport {
    struct mct_transport base;
    struct mct_loop *loop;
    int fd_in, fd_out;
    union stream {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tty_t tty;
        uv_tcp_t tcp;
    } in, out;
    int n_handles;
    bool in_is_file;      /* not pollable: read in turns, see pump() */
    struct mct_task next;
    struct mct_out writer;
    struct mct_lines lines;
    struct mct_intake intake;
    struct mct_task end;
    bool open, closing, told, freed;
};

static struct fd_transport *from_transport(struct mct_transport *t)
{
    return MCT_CONTAINER(t, struct fd_transport, base);
}

static void release_if_done(struct fd_transport *f)
{
    if (!f->freed || f->n_handles)
        return;
    mct_task_stop(&f->end);
    mct_intake_done(&f->intake);
    mct_lines_done(&f->lines);
    free(f);
}

static void on_handle_closed(uv_handle_t *h)
{
    struct fd_transport *f = h->data;
    f->n_handles--;
    release_if_done(f);
}

static void close_handles(struct fd_transport *f)
{
    if (!f->open)
        return;
    f->open = false;
    mct_out_done(&f->writer);
    mct_intake_stop(&f->intake);
    mct_task_stop(&f->next);
    if (f->in_is_file)
        close(f->fd_in);
    union stream *const both[] = { &f->in, &f->out };
    for (int i = 0; i < 2; i++)
        if (both[i]->handle.data) /* its initialisation succeeded */
            uv_close(&both[i]->handle, on_handle_closed);
}

static void finish(void *data)
{
    struct fd_transport *f = data;
    close_handles(f);
    if (!f->told && !f->freed) {
        f->told = true;
        f->base.events.on_closed(f->base.events.data, NULL);
    }
}

static void on_drained(void *data)
{
    struct fd_transport *f = data;
    if (f->closing)
        mct_task_post(&f->loop->sched, &f->end);
}

static void on_failed(void *data, int uv_error)
{
    struct fd_transport *f = data;
    (void)uv_error;
    mct_task_post(&f->loop->sched, &f->end);
}

static void begin_close(struct fd_transport *f)
{
    f->closing = true;
    if (!f->open || mct_out_idle(&f->writer))
        mct_task_post(&f->loop->sched, &f->end);
}

static bool on_line(void *data, struct mct_str line)
{
    struct fd_transport *f = data;
    f->base.events.on_frame(f->base.events.data, line, NULL);
    return mct_intake_frame(&f->intake) && !f->freed;
}

/* A line over the limit is handed on as an empty frame, which the session answers as a parse error. */
static void take(void *data, struct mct_str *bytes)
{
    struct fd_transport *f = data;
    if (mct_lines_feed(&f->lines, bytes, on_line, f) < 0 && !f->freed)
        f->base.events.on_frame(f->base.events.data, MCT_STR(""), NULL);
}

static void take_input(struct fd_transport *f, ssize_t n, const uv_buf_t *buf)
{
    if (n > 0) {
        if (mct_intake_feed(&f->intake, (struct mct_str){ buf->base, (size_t)n }) < 0)
            begin_close(f);
    } else if (n < 0) {
        if (f->base.events.on_eof)
            f->base.events.on_eof(f->base.events.data);
        else
            begin_close(f);
    }
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    if (n < 0)
        uv_read_stop(stream);
    take_input(stream->data, n, buf);
}

/* A file or /dev/null cannot be waited for, and need not be: a piece each turn until its end. */
static void pump(void *data)
{
    struct fd_transport *f = data;
    uv_buf_t buf;
    mct_loop_alloc(&f->out.handle, 0, &buf);
    ssize_t n = read(f->fd_in, buf.base, buf.len);
    take_input(f, n > 0 ? n : UV_EOF, &buf);
    if (n > 0 && f->open && !f->intake.holding)
        mct_task_defer(&f->loop->sched, &f->next);
}

static void hold(void *data, bool hold)
{
    struct fd_transport *f = data;
    if (f->in_is_file && hold)
        mct_task_stop(&f->next);
    else if (f->in_is_file)
        mct_task_defer(&f->loop->sched, &f->next);
    else if (hold)
        uv_read_stop(&f->in.stream);
    else
        uv_read_start(&f->in.stream, mct_loop_alloc, on_read);
}

static int open_stream(struct fd_transport *f, union stream *s, int fd)
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
        return open_stream(f, &f->in, f->fd_in);
    return fcntl(f->fd_in, F_GETFD) < 0 ? UV_EBADF : 0;
}

static int start_input(struct fd_transport *f)
{
    if (!f->in_is_file)
        return uv_read_start(&f->in.stream, mct_loop_alloc, on_read);
    mct_task_defer(&f->loop->sched, &f->next);
    return 0;
}

static int fd_open(struct mct_transport *t, struct mct_error *err)
{
    struct fd_transport *f = from_transport(t);
    int r = open_input(f);
    int r2 = open_stream(f, &f->out, f->fd_out);
    f->open = true;
    mct_out_init(&f->writer, f->loop, &f->out.stream, (MCT_LIMIT_ANSWER_FACTOR + 1) * f->lines.rest.max);
    f->writer.on_drained = on_drained;
    f->writer.on_failed = on_failed;
    f->writer.data = f;
    if (r >= 0 && r2 >= 0)
        r = start_input(f);
    if (r < 0 || r2 < 0)
        return mct_fail(err, MCT_ERR_CONNECT, "standard input or output cannot be used: %s",
                        uv_strerror(r < 0 ? r : r2));
    return 0;
}

static int fd_send(struct mct_transport *t, struct mct_str frame, void *lane)
{
    struct fd_transport *f = from_transport(t);
    (void)lane;
    if (!f->open)
        return -1;
    mct_lines_put(mct_out_buf(&f->writer), frame);
    return mct_out_commit(&f->writer);
}

static void fd_close(struct mct_transport *t)
{
    begin_close(from_transport(t));
}

static void fd_free(struct mct_transport *t)
{
    struct fd_transport *f = from_transport(t);
    f->freed = true;
    close_handles(f);
    release_if_done(f);
}

static const struct mct_transport_ops ops = {
    .name = "fd",
    .open = fd_open,
    .send = fd_send,
    .close = fd_close,
    .free = fd_free,
};

struct mct_transport *mct_transport_fd_new(struct mct_loop *loop, int fd_in, int fd_out,
                                           size_t message_bytes)
{
    struct fd_transport *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->base.ops = &ops;
    f->loop = loop;
    f->fd_in = fd_in;
    f->fd_out = fd_out;
    mct_lines_init(&f->lines, message_bytes);
    mct_task_init(&f->end, finish, f);
    mct_intake_init(&f->intake, &loop->sched, MCT_LOOP_READ_BYTES);
    f->intake.take = take;
    f->intake.hold = hold;
    f->intake.data = f;
    mct_task_init(&f->next, pump, f);
    return &f->base;
}
