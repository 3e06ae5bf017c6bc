/*
 * A parser of server-sent events, sans I/O: bytes in, events out. Implements "Parsing an event stream" of the WHATWG
 * HTML standard: a line ends in CRLF, LF or CR, which may be split over reads; a byte order mark may come first;
 * comments are ignored; an event without data sets the id and is not passed on; an event cut off by the end of the
 * stream is dropped. An event over the size limit is skipped.
 */
#ifndef MCT_IO_HTTP_SSE_H
#define MCT_IO_HTTP_SSE_H

#include "base/buf.h"

struct mcti_sse {
    struct mcti_buf line; /* unfinished line */
    struct mcti_buf data, type;
    size_t data_at;               /* offset of the event's data in `data` */
    struct mcti_json_scan *check; /* of long data, which is JSON in most events; NULL: none */
    struct mcti_chunk *chunk;     /* while an event is passed on: owner of its bytes, if it is long; NULL: none */
    struct mcti_buf id;           /* id of the event being parsed */
    struct mcti_buf last_id;      /* id of the last complete event, for Last-Event-ID; may be empty */
    unsigned retry_ms;            /* last reconnection time the server sent, if has_retry */
    size_t max;
    size_t wasted;     /* bytes of lines that are no data, and of dropped events; the owner resets it (io/intake.h) */
    unsigned char bom; /* bytes of the byte order mark seen so far; 3: past the beginning */
    bool has_retry, after_cr;
    char head[256]; /* beginning of the data of the last dropped event */
    size_t head_len;
    bool skipping, dropped; /* skipping: rest of a too long event; dropped: this call had such an event */
};

/* Receives an event. `type` is "message" if the event names none; both spans are valid during the call. Returns false
 * to stop after this event. */
typedef bool (*mcti_sse_fn)(void *data, struct mcti_str type, struct mcti_str text);

static inline struct mcti_str mcti_sse_head(const struct mcti_sse *s)
{
    return (struct mcti_str){ s->head, s->head_len };
}

void mcti_sse_init(struct mcti_sse *s, size_t max_event);
void mcti_sse_done(struct mcti_sse *s);

/* Starts a new stream that continues the old one: last_id and retry_ms are kept. */
void mcti_sse_restart(struct mcti_sse *s);

/* Consumes bytes from the front of *bytes and calls `fn` for each event; consumes all of them unless `fn` returns
 * false. Returns -1 as soon as an event exceeds the limit: that event is dropped, and parsing continues after it. */
int mcti_sse_feed(struct mcti_sse *s, struct mcti_str *bytes, mcti_sse_fn fn, void *data);

#endif
