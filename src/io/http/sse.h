/*
 * Server-sent events, sans I/O: bytes in, events out, by the rules of the WHATWG ("Parsing an event
 * stream"): lines end in CRLF, LF or CR wherever chunks are cut, a byte order mark may come first,
 * comments are ignored, an event without data sets the id and is not handed out, and what the end of
 * the stream cuts off is dropped. An event has a ceiling; one beyond it is skipped to its end.
 */
#ifndef MCT_IO_HTTP_SSE_H
#define MCT_IO_HTTP_SSE_H

#include "base/buf.h"

struct mcti_sse {
    struct mcti_buf line; /* the unfinished one */
    struct mcti_buf data, type;
    struct mcti_buf id;      /* of the event being read */
    struct mcti_buf last_id; /* of the last whole event: what Last-Event-ID repeats; empty: none */
    unsigned retry_ms;       /* what the server asked for last, with has_retry */
    size_t max;
    unsigned char bom; /* bytes of the byte order mark seen so far; 3: past the beginning */
    bool has_retry, after_cr;
    bool skipping, dropped; /* the rest of an event that is too large; one became so in this call */
};

/* `type` is "message" where the event names none; both are borrowed for the call. Return false to stop
 * behind it. */
typedef bool (*mcti_sse_fn)(void *data, struct mcti_str type, struct mcti_str text);

void mcti_sse_init(struct mcti_sse *s, size_t max_event);
void mcti_sse_done(struct mcti_sse *s);

/* A new stream that continues the old one: last_id and retry stay. */
void mcti_sse_restart(struct mcti_sse *s);

/* Takes from the front of *bytes, all of them unless `fn` stops it. -1 when an event has gone over the
 * limit, as soon as it has: it is dropped, and reading goes on behind it. */
int mcti_sse_feed(struct mcti_sse *s, struct mcti_str *bytes, mcti_sse_fn fn, void *data);

#endif
