#include "io/out.h"

#include <stdlib.h>

enum { PIECE_BYTES = 256 * 1024 };

struct mcti_out_write {
    uv_write_t req;
    struct mcti_out *out;     /* NULL if the owner has been freed */
    char *bytes;              /* owned, unless they lie in `chunk` */
    struct mcti_chunk *chunk; /* owned reference; NULL: none */
    size_t len, given;        /* total bytes, and bytes passed to libuv */
};

/* Bytes that are written before the queue. */
struct out_part {
    struct mcti_list node;
    struct mcti_out_write *write; /* not started */
};

static void out_flush(void *data);

void mcti_out_init(struct mcti_out *o, struct mcti_loop *loop, uv_stream_t *stream, size_t max)
{
    *o = (struct mcti_out){ .loop = loop, .stream = stream, .keep = MCT_OUT_KEEP };
    mcti_buf_init(&o->queue, max);
    mcti_list_init(&o->parts);
    mcti_task_init(&o->flush, out_flush, o);
}

static void write_free(struct mcti_out_write *w)
{
    if (w->chunk)
        mcti_chunk_unref(w->chunk);
    else
        free(w->bytes);
    free(w);
}

/* Removes the first part and returns its write. */
static struct mcti_out_write *part_take(struct mcti_out *o)
{
    struct out_part *part = MCT_CONTAINER(o->parts.next, struct out_part, node);
    struct mcti_out_write *w = part->write;
    mcti_list_remove(&part->node);
    free(part);
    o->n_parts_bytes -= w->len;
    return w;
}

void mcti_out_done(struct mcti_out *o)
{
    mcti_task_stop(&o->flush);
    if (o->write)
        o->write->out = NULL;
    o->write = NULL;
    o->failed = true;
    while (!mcti_list_empty(&o->parts))
        write_free(part_take(o));
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
    write_free(w);
    if (!o)
        return;
    o->write = NULL;
    o->in_flight = 0;
    if (status < 0)
        out_fail(o, status);
    else if (mcti_out_unsent(o))
        out_flush(o);
    else
        out_drained(o);
}

/* Moves the queue into a write. Returns NULL if memory is exhausted. */
static struct mcti_out_write *write_of_queue(struct mcti_out *o)
{
    struct mcti_out_write *w = malloc(sizeof *w);
    if (!w)
        return NULL;
    *w = (struct mcti_out_write){ .out = o, .bytes = o->queue.p, .len = o->queue.len };
    mcti_buf_init(&o->queue, o->queue.max);
    return w;
}

/* Passes the write to libuv, where it completes piece by piece. `w` NULL: memory was exhausted. */
static void write_later(struct mcti_out *o, struct mcti_out_write *w)
{
    int r = w ? 0 : UV_ENOMEM;
    if (w) {
        o->in_flight = w->len;
        o->write = w;
        r = write_piece(w, o->stream);
    }
    if (r == 0)
        return;
    o->write = NULL;
    o->in_flight = 0;
    if (w)
        write_free(w);
    out_fail(o, r);
}

static void out_flush(void *data)
{
    struct mcti_out *o = data;
    if (o->failed || o->in_flight || mcti_out_idle(o))
        return;
    if (!mcti_list_empty(&o->parts)) {
        write_later(o, part_take(o));
        return;
    }
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
    write_later(o, write_of_queue(o));
}

/* ---- chunks ---- */

/* Appends a write to the parts. Returns -1 and frees it if memory is exhausted. */
static int part_put(struct mcti_out *o, struct mcti_out_write *take_write)
{
    struct out_part *part = take_write ? malloc(sizeof *part) : NULL;
    if (!part) {
        if (take_write)
            write_free(take_write);
        return -1;
    }
    part->write = take_write;
    mcti_list_append(&o->parts, &part->node);
    o->n_parts_bytes += take_write->len;
    o->mark_cut = true;
    return 0;
}

/* Appends a span of a chunk. What the queue holds becomes a part before it. */
static int out_add_span(struct mcti_out *o, struct mcti_chunk *chunk, struct mcti_str s)
{
    if (o->queue.len && part_put(o, write_of_queue(o)) < 0)
        return -1;
    struct mcti_out_write *w = malloc(sizeof *w);
    if (w)
        *w = (struct mcti_out_write){
            .out = o, .bytes = (char *)(uintptr_t)s.p, .chunk = mcti_chunk_ref(chunk), .len = s.len
        };
    return part_put(o, w);
}

void mcti_out_add(struct mcti_out *o, const struct mcti_pieces *pieces)
{
    size_t held = mcti_out_unsent(o);
    if (o->failed || held > o->queue.max || pieces->len > o->queue.max - held)
        o->queue.failed = true;
    for (unsigned i = 0; i < pieces->n && !o->queue.failed; i++)
        if (!mcti_pieces_shared(pieces, i))
            mcti_buf_add(&o->queue, pieces->item[i]);
        else if (out_add_span(o, pieces->chunk, pieces->item[i]) < 0)
            o->queue.failed = o->mark_cut = true;
}

int mcti_out_commit(struct mcti_out *o)
{
    if (o->failed)
        return -1;
    if (!mcti_buf_ok(&o->queue) || mcti_out_unsent(o) > o->queue.max) {
        o->queue.failed = false;
        if (o->mark_cut)
            out_fail(o, UV_ENOMEM); /* the first part of the unit cannot be taken back */
        else
            o->queue.len = o->mark - o->n_parts_bytes;
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
