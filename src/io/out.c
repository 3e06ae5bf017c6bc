#include "io/out.h"

#include <stdlib.h>

struct mct_out_write {
    uv_write_t req;
    struct mct_out *out; /* NULL once the owner has gone */
    char *bytes;
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

static void on_written(uv_write_t *req, int status)
{
    struct mct_out_write *w = MCT_CONTAINER(req, struct mct_out_write, req);
    struct mct_out *o = w->out;
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

/* Gives the whole queue to libuv, which calls back when the kernel has it. */
static void write_later(struct mct_out *o)
{
    struct mct_out_write *w = malloc(sizeof *w);
    if (!w) {
        fail(o, UV_ENOMEM);
        return;
    }
    *w = (struct mct_out_write){ .out = o, .bytes = o->queue.p };
    uv_buf_t buf = uv_buf_init(o->queue.p, (unsigned)o->queue.len);
    o->in_flight = o->queue.len;
    o->write = w;
    mct_buf_init(&o->queue, o->queue.max);
    int r = uv_write(&w->req, o->stream, &buf, 1, on_written);
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
