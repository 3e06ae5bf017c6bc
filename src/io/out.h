/*
 * The sending side of a stream. Bytes are collected during a turn of the event loop and written at once at its end.
 * Long messages stay in their chunks (base/buf.h). Owns its queue and references to chunks; does not own the stream.
 */
#ifndef MCT_IO_OUT_H
#define MCT_IO_OUT_H

#include "base/buf.h"
#include "base/list.h"
#include "io/loop.h"

enum { MCT_OUT_KEEP = 4096 };

struct mcti_out {
    struct mcti_loop *loop;
    uv_stream_t *stream;
    struct mcti_list parts; /* struct out_part: bytes to be written before the queue, with chunks among them */
    size_t n_parts_bytes;   /* in `parts` */
    bool mark_cut;          /* a part was appended since mcti_out_buf() */
    struct mcti_buf queue;  /* bytes not yet passed to the kernel or to libuv */
    size_t mark;            /* bytes of parts and queue before the unit being appended */
    size_t in_flight;       /* bytes of the write in progress; the write owns their memory */
    struct mcti_out_write *write;
    struct mcti_task flush;
    size_t keep; /* memory to keep allocated for an empty queue; MCT_OUT_KEEP by default */
    bool failed;
    void (*on_drained)(void *data);              /* all bytes have reached the kernel; may be NULL */
    void (*on_progress)(void *data);             /* part of a long write has reached the kernel; may be NULL */
    void (*on_failed)(void *data, int uv_error); /* the peer does not accept any more bytes */
    void *data;
};

/* Initializes `o`. `max` limits the unsent bytes. */
void mcti_out_init(struct mcti_out *o, struct mcti_loop *loop, uv_stream_t *stream, size_t max);

/* Stops all callbacks and writes. Must be called before the stream is closed. */
void mcti_out_done(struct mcti_out *o);

/* Returns the buffer to append one unit to; call mcti_out_commit() afterwards. */
static inline struct mcti_buf *mcti_out_buf(struct mcti_out *o)
{
    o->mark = o->n_parts_bytes + o->queue.len;
    o->mark_cut = false;
    return &o->queue;
}

/* Appends `pieces` to the unit that mcti_out_buf() has begun; those of the chunk without a copy. */
void mcti_out_add(struct mcti_out *o, const struct mcti_pieces *pieces);

/* Returns the length of that unit. */
static inline size_t mcti_out_unit(const struct mcti_out *o)
{
    return o->n_parts_bytes + o->queue.len - o->mark;
}

/* Schedules the write of the bytes appended since mcti_out_buf(). Returns -1 and discards them if the queue would
 * exceed its limit or the peer has disconnected. */
int mcti_out_commit(struct mcti_out *o);

/* Writes the queue now instead of at the end of the turn. */
void mcti_out_flush(struct mcti_out *o);

/* Returns the number of bytes that have not reached the kernel. */
static inline size_t mcti_out_unsent(const struct mcti_out *o)
{
    return o->in_flight + o->n_parts_bytes + o->queue.len;
}

static inline bool mcti_out_idle(const struct mcti_out *o)
{
    return !mcti_out_unsent(o);
}

#endif
