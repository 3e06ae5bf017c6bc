/*
 * A transport carries frames (one JSON text each) in both directions, in order. It knows framing and processes or
 * sockets, but not the meaning of a frame. It has no pointer to the session and reaches it through struct
 * mcti_transport_events only.
 *
 * Life cycle: _new (not started) → open → frames → on_closed exactly once → free. on_closed and on_frame are called
 * from the event loop, never from inside open, send or close. free may be called at any time, also from inside a
 * callback; no callback follows it.
 */
#ifndef MCT_IO_TRANSPORT_H
#define MCT_IO_TRANSPORT_H

#include "base/buf.h"
#include "base/error.h"

struct mcti_transport;

/* Diagnostics of a connection. Spans are valid until the next turn of the event loop. */
struct mcti_transport_facts {
    int pid;                     /* 0: no process */
    struct mcti_str diagnostics; /* last bytes of stderr; may be empty */
    unsigned bad_lines;          /* input lines that were not JSON and were skipped */
    struct mcti_str sandbox;     /* what its sandbox holds, a JSON object; absent: it has none */
    int http_status;             /* HTTP status that refused the last request; 0: it was accepted */
    bool unread;                 /* the peer has not yet read what was sent: it is still starting, or busy */
    bool no_session;             /* the peer keeps no session, so it cannot send requests */
};

struct mcti_headers;
struct mcti_msg;

#define MCT_TRANSPORT_ATTACHED "attached" /* the name of the one that relays */

struct mcti_transport_ops {
    const char *name; /* "stdio", "fd", "pair" … */
    bool http;        /* every message is an HTTP request with an answer of its own */
    bool relays;      /* leads through the running gateway of this user, which says why a server is down */

    /* Starts the transport. If it cannot start, returns -1, sets *err and does not call on_closed. */
    int (*open)(struct mcti_transport *t, struct mct_error *err);

    /* Queues a copy of `frame`, which may contain line breaks in JSON white space. `lane` is the HTTP exchange the
     * frame belongs to, NULL for other transports. Returns -1 if the peer has disconnected or the queue is full. */
    int (*send)(struct mcti_transport *t, struct mcti_str frame, void *lane);

    /* The same for a long frame in pieces, those of its chunk without a copy. Line breaks in the chunk become spaces,
     * which its other users see. NULL: `send` is used. */
    int (*send_pieces)(struct mcti_transport *t, const struct mcti_pieces *frame);

    /* Reports that our request `id` is finished: answered, or (`answered` is false) abandoned, so that a stream kept
     * open for its answer can be closed. May be NULL. */
    void (*request_over)(struct mcti_transport *t, uint64_t id, bool answered);

    /* Starts an orderly shutdown: no further frames are accepted, and on_closed follows. */
    void (*close)(struct mcti_transport *t);

    /* Fills *ret with the members this transport knows; may be NULL. */
    void (*describe)(const struct mcti_transport *t, struct mcti_transport_facts *ret);

    void (*free)(struct mcti_transport *t);
};

struct mcti_transport_events {
    /* A frame arrived. `frame` is valid during the call. */
    void (*on_frame)(void *data, struct mcti_str frame, void *lane);
    /* The peer has closed its sending side but still reads: answer the open requests, then close. If NULL, the
     * transport closes by itself. */
    void (*on_eof)(void *data);
    /* A message of the peer exceeded `max_bytes` and was dropped; `head` is its beginning, if known. May be NULL. */
    void (*on_dropped)(void *data, size_t max_bytes, struct mcti_str head);
    /* Request `id` (as written in the frame) will get no answer; the connection stays open. May be NULL for transports
     * where an answer cannot be lost alone. */
    void (*on_lost)(void *data, struct mcti_str id, const struct mct_error *why);
    /* The peer wants no requests for `ms`; it has refused request `id` (as written). Returns whether that is sent again
     * after this time. May be NULL: it is. */
    bool (*on_busy)(void *data, struct mcti_str id, unsigned ms);
    /* The peer did not accept an answer or notification of ours, and it is dropped. May be NULL. */
    void (*on_send_failed)(void *data, const struct mct_error *why);
    /* The server had lost the session, and a new one was started; `answer` is its answer to initialize. State of the
     * old session (log level, subscriptions) must be set up again. */
    void (*on_renewed)(void *data, struct mcti_str answer);
    /* Adds the HTTP headers that repeat parameters of a tools/call (`params`) to `to`. May be NULL. */
    void (*put_headers)(void *data, struct mcti_str params, struct mcti_headers *to);
    /* The server process wrote `bytes` to its stderr; they need not be whole lines. May be NULL. */
    void (*on_stderr)(void *data, struct mcti_str bytes);
    /* Changes the memory charged for partly received answers from *charged to `n` bytes. Returns false and leaves
     * *charged unchanged if `n` exceeds the server's share; a decrease always succeeds. May be NULL. */
    bool (*on_hold)(void *data, size_t *charged, size_t n);
    /* The connection is closed; `why` is NULL after our own close. */
    void (*on_closed)(void *data, const struct mct_error *why);
    void *data;
};

struct mcti_transport {
    const struct mcti_transport_ops *ops;
    uint64_t about; /* inside on_frame(): id of the request on whose answer stream the frame came; 0: unknown */
    bool wanted;    /* set inside on_frame() if the frame answers a request: such a frame is no waste (io/intake.h) */
    struct mcti_msg *const *sending; /* set by the owner: inside send(), the request that the frame is. NULL: unknown */
    struct mcti_chunk *chunk;        /* inside on_frame(): owner of the frame's bytes, if it is long; NULL: none */
    struct mcti_transport_events events; /* set by the owner before open */
};

/* Fills *ret with the members that the transport knows: none if `t` is NULL. */
static inline void mcti_transport_describe(const struct mcti_transport *t, struct mcti_transport_facts *ret)
{
    if (t && t->ops->describe)
        t->ops->describe(t, ret);
}

static inline void mcti_transport_free(struct mcti_transport *t)
{
    if (t)
        t->ops->free(t);
}

#endif
