/*
 * The sending side of a stream: bytes are collected during a turn of the loop and leave in one write
 * at its end. Owns its queue; does not own the stream.
 */
#ifndef MCT_IO_OUT_H
#define MCT_IO_OUT_H

#include "base/buf.h"
#include "io/loop.h"

enum { MCT_OUT_KEEP = 4096 };

struct mcti_out {
    struct mcti_loop *loop;
    uv_stream_t *stream;
    struct mcti_buf queue; /* not yet given to the kernel or to libuv */
    size_t mark;           /* where the unit that is being appended begins */
    size_t in_flight;      /* bytes of the write under way, whose memory is its own */
    struct mcti_out_write *write;
    struct mcti_task flush;
    size_t keep; /* memory of the queue that stays when it is empty; at first MCT_OUT_KEEP */
    bool failed;
    void (*on_drained)(void *data);              /* everything has reached the kernel; may be NULL */
    void (*on_progress)(void *data);             /* a part of a long write has; may be NULL */
    void (*on_failed)(void *data, int uv_error); /* the peer does not take any more */
    void *data;
};

/* `max` bounds what may wait unsent. */
void mcti_out_init(struct mcti_out *o, struct mcti_loop *loop, uv_stream_t *stream, size_t max);

/* Stops all callbacks, and writes no more. Call before closing the stream. */
void mcti_out_done(struct mcti_out *o);

/* Where to append one unit; call mcti_out_commit() afterwards. */
static inline struct mcti_buf *mcti_out_buf(struct mcti_out *o)
{
    o->mark = o->queue.len;
    return &o->queue;
}

/* Plans the write of what was appended since mcti_out_buf(); -1 when the queue would be over its limit or
 * the peer is gone: then nothing of the unit is sent. */
int mcti_out_commit(struct mcti_out *o);

/* Writes what can be written now instead of at the end of the turn. */
void mcti_out_flush(struct mcti_out *o);

static inline bool mcti_out_idle(const struct mcti_out *o)
{
    return !o->queue.len && !o->in_flight;
}

#endif
