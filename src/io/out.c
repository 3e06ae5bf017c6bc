#include "io/out.h"

#include <stdlib.h>

enum { PIECE_BYTES = 256 * 1024 };

struct mct_out_write {
    uv_write_t req;
    struct mct_out *out; /* NULL once the owner has gone */
    char *bytes;
    size_t len, given; /* bytes, and how many of them libuv has been given */
};

static void flush(void *data);

void mct_out_init(struct mct_out *o, struct mct_loop *loop, uv_stream_t *stream, size_t max)
{
    *o = (struct mct_out){ .loop = loop, .stream = stream, .keep = MCT_OUT_KEEP };
    mct_buf_init(&o->queue, max);
    mct_task_init(&o->flush, flush, o);
}

void mct_out_done(struct mct_out *o)
{
    mct_task_stop(&o->flush);
    if (o->write)
        o->write->out = NULL;
    o->write = NULL;
    o->failed = true;
    mct_buf_done(&o->queue);
}

static void fail(struct mct_out *o, int uv_error)
{
    if (o->failed)
        return;
    o->failed = true;
    if (o->on_failed)
        o->on_failed(o->data, uv_error);
}

static void drained(struct mct_out *o)
{
    if (o->queue.cap > o->keep)
        mct_buf_done(&o->queue);
    if (o->on_drained)
        o->on_drained(o->data);
}

static void on_written(uv_write_t *req, int status);

/* Pieces tell that the peer goes on reading, long before it has everything. */
static int write_piece(struct mct_out_write *w, uv_stream_t *stream)
{
    size_t left = w->len - w->given, n = left < PIECE_BYTES ? left : PIECE_BYTES;
    uv_buf_t buf = uv_buf_init(w->bytes + w->given, (unsigned)n);
    w->given += n;
    return uv_write(&w->req, stream, &buf, 1, on_written);
}

/* False when there is nothing more to write, or *status says why it cannot be written. */
static bool write_on(struct mct_out_write *w, int *status)
{
    struct mct_out *o = w->out;
    if (!o || *status < 0 || w->given == w->len)
        return false;
    if (o->on_progress)
        o->on_progress(o->data);
    *status = write_piece(w, o->stream);
    return *status == 0;
}

static void on_written(uv_write_t *req, int status)
{
    struct mct_out_write *w = MCT_CONTAINER(req, struct mct_out_write, req);
    struct mct_out *o = w->out;
    if (write_on(w, &status))
        return;
    free(w->bytes);
    free(w);
    if (!o)
        return;
    o->write = NULL;
    o->in_flight = 0;
    if (status < 0)
        fail(o, status);
    else if (o->queue.len)
        flush(o);
    else
        drained(o);
}

/* Gives the queue to libuv, which calls back when the kernel has a piece of it. */
static void write_later(struct mct_out *o)
{
    struct mct_out_write *w = malloc(sizeof *w);
    if (!w) {
        fail(o, UV_ENOMEM);
        return;
    }
    *w = (struct mct_out_write){ .out = o, .bytes = o->queue.p, .len = o->queue.len };
    o->in_flight = o->queue.len;
    o->write = w;
    mct_buf_init(&o->queue, o->queue.max);
    int r = write_piece(w, o->stream);
    if (r < 0) {
        o->write = NULL;
        o->in_flight = 0;
        free(w->bytes);
        free(w);
        fail(o, r);
    }
}

static void flush(void *data)
{
    struct mct_out *o = data;
    if (o->failed || o->in_flight || !o->queue.len)
        return;
    uv_buf_t buf = uv_buf_init(o->queue.p, (unsigned)o->queue.len);
    int n = uv_try_write(o->stream, &buf, 1);
    if (n < 0 && n != UV_EAGAIN) {
        fail(o, n);
        return;
    }
    if (n == (int)o->queue.len) {
        o->queue.len = 0;
        drained(o);
        return;
    }
    mct_buf_shift(&o->queue, n > 0 ? (size_t)n : 0);
    write_later(o);
}

int mct_out_commit(struct mct_out *o)
{
    if (o->failed)
        return -1;
    if (!mct_buf_ok(&o->queue) || o->in_flight + o->queue.len > o->queue.max) {
        o->queue.len = o->mark;
        o->queue.failed = false;
        return -1;
    }
    mct_task_post(&o->loop->sched, &o->flush);
    return 0;
}

void mct_out_flush(struct mct_out *o)
{
    mct_task_stop(&o->flush);
    flush(o);
}
