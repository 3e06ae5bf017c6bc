/*
 * One request of the Streamable HTTP transport with its answer: a POST, the standalone GET stream, or the DELETE.
 * Private to transport_http.c, which decides which exchanges exist; this file handles a single one: JSON or event
 * stream, resuming a broken stream, Retry-After, and the meaning of HTTP statuses.
 */
#ifndef MCT_MCP_HTTP_EXCHANGE_H
#define MCT_MCP_HTTP_EXCHANGE_H

#include "io/fetch/body.h"
#include "io/http/sse.h"
#include "mcp/message.h"
#include "mcp/http/credential.h"
#include "mcp/http/transport_http.h"

enum mcti_exchange_kind {
    MCT_EX_REQUEST,    /* a request of the session */
    MCT_EX_NOTICE,     /* a notification or answer of ours */
    MCT_EX_INITIALIZE, /* a repeated initialize, sent by the transport itself */
    MCT_EX_STREAM,     /* GET: messages that the server sends unprompted */
    MCT_EX_DELETE,     /* DELETE */
};

enum mcti_exchange_body { MCT_BODY_ERROR, MCT_BODY_JSON, MCT_BODY_SSE, MCT_BODY_IGNORED };

struct mcti_http {
    struct mcti_transport base;
    struct mcti_loop *loop;
    struct mcti_http_client *client;
    char *url;
    struct mcti_headers headers;
    struct mcti_headers post_headers;     /* those, and what every POST has */
    struct mcti_credentials *credentials; /* NULL: none */
    size_t message_bytes;
    struct mcti_list exchanges;      /* started exchanges */
    struct mcti_list held;           /* queued exchanges, see queue.c */
    size_t max_requests;             /* limit of concurrent requests */
    size_t n_requests, n_notices;    /* requests and messages in progress */
    size_t n_waiting, waiting_bytes; /* queued messages (answers and notifications) */
    struct mcti_task release;        /* starts queued exchanges that may run now */
    char *session_id;                /* NULL: none */
    unsigned session_no;             /* number of the current session */
    const char *version;             /* negotiated with initialize; NULL: not yet, or never */
    struct mcti_body init_frame;     /* the initialize message for a new session */
    struct mcti_exchange *barrier;   /* exchange that all others wait for; NULL: none */
    /* GET stream that is not answered yet: calls wait for it, as the server may send questions on it; NULL: none */
    struct mcti_exchange *opening;
    struct mcti_timer opening_for; /* limit of that wait: some servers answer only with the first event */
    bool wants_stream, can_ask;    /* can_ask: the server may send us questions */
    bool fresh_calls;              /* the server closes kept connections without notice: calls use new ones */
    bool closing, reported, freed;
    unsigned depth;                /* nesting depth of callbacks */
    size_t wasted;                 /* bytes of messages that answer no request, until they are reported */
    size_t charged;                /* charged with on_hold() */
    struct mcti_task report;       /* calls on_closed after close() */
    struct mcti_timer close_timer; /* limit of sending the last messages */
    struct mct_error why;          /* kind NONE: closed by us */
    struct mcti_transport_facts facts;
};

struct mcti_exchange {
    struct mcti_list node;
    struct mcti_http *http;
    enum mcti_exchange_kind kind;
    enum mcti_exchange_body body;
    struct mcti_body frame;       /* to POST */
    char *outline;                /* of a frame in several pieces: the message with `null` for those of the chunk */
    struct mcti_msg msg;          /* parsed frame, or its outline; empty for exchanges without a body */
    uint64_t id_number;           /* numeric value of msg.id, for a request */
    const char *version;          /* revision in its `_meta` (a 2026-07-28 request); NULL: uses the session */
    bool is_initialize, is_probe; /* is_probe: server/discover */
    bool is_call;                 /* the request's method allows questions of the server */
    bool started, resuming;
    bool counted, waits;          /* see queue.c */
    uint64_t about;               /* for a NOTICE: our request on whose stream it was requested; 0: none */
    unsigned session;             /* number of the session it was sent in; 0: none */
    unsigned n_renewals;          /* number of times it was sent again in a new session */
    bool over;                    /* the answer is not needed any more */
    bool was_open;                /* for a STREAM: the server has accepted it */
    bool fed;                     /* inside its on_body */
    struct mcti_fetch *fetch;     /* NULL: not in progress */
    struct mcti_buf text;         /* JSON or error body */
    struct mcti_json_scan *check; /* of a long JSON body; NULL: none */
    struct mcti_sse sse;
    struct mcti_timer timer; /* next attempt, or the end of waiting for the rest of the stream */
    unsigned n_retries, n_resumes;
    struct mcti_credential_use use;
    size_t charged; /* its share of http->charged */
};

static inline struct mcti_exchange *mcti_exchange_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct mcti_exchange, node);
}

/* Creates an exchange that keeps `frame`; NULL: it has no body. Returns NULL if memory is exhausted or `frame` is not a
 * message. */
struct mcti_exchange *mcti_exchange_new(struct mcti_http *h, enum mcti_exchange_kind kind,
                                        const struct mcti_pieces *frame);
void mcti_exchange_free(struct mcti_exchange *x);

/* Sends the request, or lets it wait for credentials. Returns -1 and sets *err if it cannot be sent at all (its headers
 * are too large). */
int mcti_exchange_start(struct mcti_exchange *x, struct mct_error *err);

/* Ends an exchange whose answer is not needed any more: now, or, if `answered`, with its stream or after a short time.
 */
void mcti_exchange_over(struct mcti_exchange *x, bool answered);

/* Handles the end of a stream that did not contain the answer; `why` may be NULL. */
void mcti_exchange_on_broken(struct mcti_exchange *x, const struct mct_error *why);

/* Delivers the error in the body. If its id is missing, null or not ours, it belongs to the request it answers. Returns
 * true if the exchange is over. */
bool mcti_exchange_deliver_error(struct mcti_exchange *x);

/* ---- refused.c ---- */

/* Ends an exchange, or sends it again, after a status other than 2xx. */
void mcti_exchange_on_refused(struct mcti_exchange *x, struct mcti_fetch *f);

/* ---- queue.c ---- */

/* Returns true if the exchange must wait, for credentials, for another exchange or because too many are in progress. */
bool mcti_http_must_wait(const struct mcti_exchange *x);

/* Queues an exchange that waits for credentials. The time limits of notices and barriers go on. */
void mcti_exchange_hold_back(struct mcti_exchange *x);

/* Queue an exchange until mcti_http_release() starts it; mark a queued one as started; remove it from the queue. */
void mcti_http_queue(struct mcti_exchange *x);
void mcti_http_mark_started(struct mcti_exchange *x);
void mcti_http_unqueue(struct mcti_exchange *x);

/* Updates the counters after x->fetch has changed. */
void mcti_exchange_count(struct mcti_exchange *x);

/* Starts queued exchanges that may run now; `data` is the struct mcti_http. */
void mcti_http_release(void *data);

/* Limits the wait of messages that belong to our request `about`, which has ended. */
void mcti_http_limit_wait(struct mcti_http *h, uint64_t about);

/* ---- callbacks to transport_http.c that free x ---- */

/* The exchange has ended. For a REQUEST that is not over, `err` gives the reason for the missing answer; for other
 * kinds, `err` gives the failure or is NULL. */
void mcti_http_on_ended(struct mcti_exchange *x, const struct mct_error *err);

/* The server is unreachable or does not answer any more. */
void mcti_http_on_unreachable(struct mcti_exchange *x, const struct mct_error *err);

/* The server does not know our session: start a new one and send this exchange again (renewal.c). */
void mcti_http_on_session_lost(struct mcti_exchange *x);
void mcti_http_on_new_session(struct mcti_exchange *x, const struct mcti_msg *answer);

/* ---- callbacks that keep x ---- */

/* A message has arrived; `chunk` owns its bytes if it is long, NULL: unknown. Returns false to stop reading. */
bool mcti_http_deliver(struct mcti_exchange *x, struct mcti_str frame, struct mcti_chunk *chunk);

/* Status and headers of a successful answer have arrived. */
void mcti_http_on_answered(struct mcti_exchange *x);

/* Evaluates the answer to initialize. */
void mcti_http_on_initialized(struct mcti_exchange *x, const struct mcti_msg *answer);

/* Returns the GET stream, or NULL. There is at most one. */
struct mcti_exchange *mcti_http_stream(struct mcti_http *h);

/* Sends an exchange as soon as it need not wait for others. With `as_barrier`, sends it now, and others wait for it. */
void mcti_http_post(struct mcti_exchange *x, bool as_barrier);

/* Closes the whole connection because of `why`. */
void mcti_http_give_up(struct mcti_http *h, const struct mct_error *why);

static inline void mcti_http_enter(struct mcti_http *h)
{
    h->depth++;
}
void mcti_http_leave(struct mcti_http *h); /* may free h */

#endif
