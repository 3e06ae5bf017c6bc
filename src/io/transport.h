/*
 * A transport carries frames: one JSON text each, in both directions, in order. It knows framing and
 * processes or sockets, never what a frame means, and it is given no pointer to the session so that
 * it cannot call back into it other than through the two callbacks.
 *
 * Life: _new (not started) → open → frames → on_closed exactly once → free. on_closed and on_frame are
 * called from the loop, never from inside open, send or close. free may be called at any time, also
 * from inside a callback; nothing is called afterwards.
 */
#ifndef MCT_IO_TRANSPORT_H
#define MCT_IO_TRANSPORT_H

#include "base/buf.h"
#include "base/error.h"

struct mcti_transport;

/* What a person asks about a connection; spans are valid until the next turn of the loop. */
struct mcti_transport_facts {
    int pid;                     /* 0: no process */
    struct mcti_str diagnostics; /* the last bytes of stderr, or nothing */
    unsigned bad_lines;          /* input that was no JSON and was skipped */
    int http_status;             /* with which the last request was refused; 0: none was */
    bool no_session;             /* the peer keeps no session, so it cannot send requests */
};

struct mcti_headers;

struct mcti_transport_ops {
    const char *name; /* "stdio", "fd", "pair" … */
    bool http;        /* every request is one of HTTP, with an answer of its own */

    /* Starts it. -1 with *err set when it cannot even start; then on_closed is not called. */
    int (*open)(struct mcti_transport *t, struct mct_error *err);

    /* Queues one frame (copied; no line breaks outside JSON white space are needed). `lane` is the
     * HTTP exchange it belongs to, NULL elsewhere. -1 when the peer is gone or the queue is full. */
    int (*send)(struct mcti_transport *t, struct mcti_str frame, void *lane);

    /* Our request with that id is over for whoever sent it: it was answered, or (not answered) nobody
     * waits any more and a stream kept open for it may go. May be NULL. */
    void (*over)(struct mcti_transport *t, uint64_t id, bool answered);

    /* Asks for an orderly end: no more frames are taken, on_closed follows. */
    void (*close)(struct mcti_transport *t);

    /* Fills what it knows; may be NULL. */
    void (*describe)(const struct mcti_transport *t, struct mcti_transport_facts *ret);

    void (*free)(struct mcti_transport *t);
};

struct mcti_transport_events {
    /* `frame` is borrowed for the call. */
    void (*on_frame)(void *data, struct mcti_str frame, void *lane);
    /* The peer will send no more, but still reads: answer what is open, then close. May be NULL, then
     * the transport closes by itself. */
    void (*on_eof)(void *data);
    /* A message of the peer was larger than allowed and has been dropped. May be NULL. */
    void (*on_dropped)(void *data, size_t max_bytes);
    /* The request with that id (as written) gets no answer, but the connection goes on. May be NULL where
     * a transport has no answers of its own to lose. */
    void (*on_lost)(void *data, struct mcti_str id, const struct mct_error *why);
    /* An answer or a notification of ours has not been taken, and is given up. May be NULL. */
    void (*on_untold)(void *data, const struct mct_error *why);
    /* The server had forgotten the session; a new one has begun with this answer to initialize. What the
     * old one knew (log level, subscriptions) must be told again. */
    void (*on_renewed)(void *data, struct mcti_str answer);
    /* Adds what of these params of a tools/call is to be repeated in HTTP headers. May be NULL. */
    void (*put_headers)(void *data, struct mcti_str params, struct mcti_headers *to);
    /* The server's process has written this to its stderr: any bytes, not whole lines. May be NULL. */
    void (*on_stderr)(void *data, struct mcti_str bytes);
    /* Partly received answers now take n bytes (*charged before). Returns false, leaving *charged, if that exceeds the
     * share; a decrease always succeeds. May be NULL. */
    bool (*on_hold)(void *data, size_t *charged, size_t n);
    /* `why` is NULL after our own close. */
    void (*on_closed)(void *data, const struct mct_error *why);
    void *data;
};

struct mcti_transport {
    const struct mcti_transport_ops *ops;
    uint64_t about; /* inside on_frame(): our request whose answer stream it came on; 0: that is not known */
    struct mcti_transport_events events; /* set by the owner before open */
};

static inline void mcti_transport_free(struct mcti_transport *t)
{
    if (t)
        t->ops->free(t);
}

#endif
