#include "io/out.h"

#include <stdlib.h>

enum { PIECE_BYTES = 256 * 1024 };

struct mcti_out_write {
    uv_write_t req;
    struct mcti_out *out; /* NULL if the owner has been freed */
    char *bytes;
    size_t len, given; /* total bytes, and bytes passed to libuv */
};

static void out_flush(void *data);

void mcti_out_init(struct mcti_out *o, struct mcti_loop *loop, uv_stream_t *stream, size_t max)
{
    *o = (struct mcti_out){ .loop = loop, .stream = stream, .keep = MCT_OUT_KEEP };
    mcti_buf_init(&o->queue, max);
    mcti_task_init(&o->flush, out_flush, o);
}

void mcti_out_done(struct mcti_out *o)
{
    mcti_task_stop(&o->flush);
    if (o->write)
        o->write->out = NULL;
    o->write = NULL;
    o->failed = true;
    mcti_buf_done(&o->queue);
}

static void out_fail(struct mcti_out *o, int uv_error)
{
    if (o->failed)
        return;
    o->failed = true;
    if (o->on_failed)
        o->on_failed(o->data, uv_error);
}

static void out_drained(struct mcti_out *o)
{
    if (o->queue.cap > o->keep)
        mcti_buf_done(&o->queue);
    if (o->on_drained)
        o->on_drained(o->data);
}

static void out_on_written(uv_write_t *req, int status);

/* Writes the next piece. Writing in pieces reports progress long before the whole write is complete. */
static int write_piece(struct mcti_out_write *w, uv_stream_t *stream)
{
    size_t left = w->len - w->given, n = left < PIECE_BYTES ? left : PIECE_BYTES;
    uv_buf_t buf = uv_buf_init(w->bytes + w->given, (unsigned)n);
    w->given += n;
    return uv_write(&w->req, stream, &buf, 1, out_on_written);
}

/* Writes the next piece, if any. Returns false if nothing is left or the write failed (*status < 0). */
static bool write_next(struct mcti_out_write *w, int *status)
{
    struct mcti_out *o = w->out;
    if (!o || *status < 0 || w->given == w->len)
        return false;
    if (o->on_progress)
        o->on_progress(o->data);
    *status = write_piece(w, o->stream);
    return *status == 0;
}

static void out_on_written(uv_write_t *req, int status)
{
    struct mcti_out_write *w = MCT_CONTAINER(req, struct mcti_out_write, req);
    struct mcti_out *o = w->out;
    if (write_next(w, &status))
        return;
    free(w->bytes);
    free(w);
    if (!o)
        return;
    o->write = NULL;
    o->in_flight = 0;
    if (status < 0)
        out_fail(o, status);
    else if (o->queue.len)
        out_flush(o);
    else
        out_drained(o);
}

/* Moves the queue into a libuv write, which completes piece by piece. */
static void write_later(struct mcti_out *o)
{
    struct mcti_out_write *w = malloc(sizeof *w);
    if (!w) {
        out_fail(o, UV_ENOMEM);
        return;
    }
    *w = (struct mcti_out_write){ .out = o, .bytes = o->queue.p, .len = o->queue.len };
    o->in_flight = o->queue.len;
    o->write = w;
    mcti_buf_init(&o->queue, o->queue.max);
    int r = write_piece(w, o->stream);
    if (r < 0) {
        o->write = NULL;
        o->in_flight = 0;
        free(w->bytes);
        free(w);
        out_fail(o, r);
    }
}

static void out_flush(void *data)
{
    struct mcti_out *o = data;
    if (o->failed || o->in_flight || !o->queue.len)
        return;
    uv_buf_t buf = uv_buf_init(o->queue.p, (unsigned)o->queue.len);
    int n = uv_try_write(o->stream, &buf, 1);
    if (n < 0 && n != UV_EAGAIN) {
        out_fail(o, n);
        return;
    }
    if (n == (int)o->queue.len) {
        o->queue.len = 0;
        out_drained(o);
        return;
    }
    mcti_buf_shift(&o->queue, n > 0 ? (size_t)n : 0);
    write_later(o);
}

int mcti_out_commit(struct mcti_out *o)
{
    if (o->failed)
        return -1;
    if (!mcti_buf_ok(&o->queue) || o->in_flight + o->queue.len > o->queue.max) {
        o->queue.len = o->mark;
        o->queue.failed = false;
        return -1;
    }
    mcti_task_post(&o->loop->sched, &o->flush);
    return 0;
}

void mcti_out_flush(struct mcti_out *o)
{
    mcti_task_stop(&o->flush);
    out_flush(o);
}
