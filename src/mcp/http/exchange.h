/*
 * One request of the Streamable HTTP transport and its answer: a POST, the standalone GET stream, or the
 * DELETE. Private to transport_http.c, which decides what there is; this decides how one of them goes:
 * JSON or event stream, resuming a broken stream, waiting as Retry-After says, and what a status means.
 */
#ifndef MCT_MCP_HTTP_EXCHANGE_H
#define MCT_MCP_HTTP_EXCHANGE_H

#include "io/http/sse.h"
#include "mcp/message.h"
#include "mcp/http/transport_http.h"

enum mcti_exchange_kind {
    MCT_EX_REQUEST, /* of the session above */
    MCT_EX_NOTICE,  /* a notification, or an answer of ours */
    MCT_EX_BEGIN,   /* initialize once more, by the transport itself */
    MCT_EX_STREAM,  /* GET: what the server says unasked */
    MCT_EX_BYE,     /* DELETE */
};

enum mcti_exchange_body { MCT_BODY_ERROR, MCT_BODY_JSON, MCT_BODY_SSE, MCT_BODY_IGNORED };

struct mcti_http {
    struct mcti_transport base;
    struct mcti_loop *loop;
    struct mcti_http_client *client;
    char *url;
    struct mcti_headers headers;
    size_t message_bytes;
    struct mcti_list exchanges;      /* that have been started */
    struct mcti_list held;           /* that wait, see queue.c */
    size_t max_requests;             /* under way at once */
    size_t n_requests, n_words;      /* under way */
    size_t n_waiting, waiting_bytes; /* words among the held */
    struct mcti_task release;        /* somebody's turn may have come */
    char *session_id;                /* NULL: none */
    unsigned session_no;             /* counts them */
    const char *version;             /* negotiated with initialize; NULL: not (yet) */
    char *init_frame;                /* to begin again with */
    size_t init_len;
    struct mcti_exchange *barrier; /* others wait until this one is over; NULL: none */
    struct mcti_exchange *opening; /* the GET stream until it is answered: calls wait, as the server may
                                    * ask back on it; NULL: none */
    struct mcti_timer opening_for; /* how long they wait at most: some servers answer with the first event */
    bool wants_stream, asked;      /* asked: the server may ask us */
    bool fresh_calls;              /* it closes connections without a word: calls get new ones */
    bool closing, told, freed;
    unsigned depth;        /* inside how many callbacks we are */
    size_t charged;        /* told to on_hold */
    struct mcti_task tell; /* on_closed after close() */
    struct mcti_timer bye; /* the time for last words */
    struct mct_error why;  /* kind NONE: we closed it */
    struct mcti_transport_facts facts;
};

struct mcti_exchange {
    struct mcti_list node;
    struct mcti_http *http;
    enum mcti_exchange_kind kind;
    enum mcti_exchange_body body;
    char *frame; /* what is POSTed; owned */
    size_t frame_len;
    struct mcti_msg msg;          /* what it says; empty for the kinds that POST nothing */
    uint64_t id_number;           /* with msg.id, of a request */
    const char *version;          /* what its `_meta` claims: a 2026-07-28 request; NULL: it has a session */
    bool is_initialize, is_probe; /* server/discover */
    bool is_call;                 /* of a method during which a server may ask back */
    bool started, resuming;
    bool counted, waits;      /* see queue.c */
    uint64_t about;           /* of a NOTICE: our request on whose stream it was asked for; 0: none */
    unsigned session;         /* the number of the session it was sent in; 0: in none */
    unsigned n_renewals;      /* how often it was sent again in another session */
    bool over;                /* nobody waits for its answer any more */
    bool was_open;            /* a STREAM that has been answered with one */
    bool fed;                 /* we are inside its on_body */
    struct mcti_fetch *fetch; /* NULL: not on its way */
    struct mcti_buf text;     /* a JSON or error body */
    struct mcti_sse sse;
    struct mcti_timer timer; /* the next try, or the end of the lingering */
    unsigned n_retries, n_resumes;
    size_t charged; /* its part of http->charged */
};

static inline struct mcti_exchange *mcti_exchange_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct mcti_exchange, node);
}

/* `frame` is copied; absent: none. NULL when out of memory or when it is no message. */
struct mcti_exchange *mcti_exchange_new(struct mcti_http *h, enum mcti_exchange_kind kind, struct mcti_str frame);
void mcti_exchange_free(struct mcti_exchange *x);

/* -1 with *err when it cannot be sent at all (its headers are too large). */
int mcti_exchange_start(struct mcti_exchange *x, struct mct_error *err);

/* Nobody waits any more: it ends now, or, answered, when its stream does (soon). */
void mcti_exchange_over(struct mcti_exchange *x, bool answered);

/* ---- queue.c ---- */

/* Whether something else must come first, or too many are under way. */
bool mcti_http_is_held(const struct mcti_exchange *x);

/* It waits until mcti_http_release() starts it; it is started; it goes for good. */
void mcti_http_hold(struct mcti_exchange *x);
void mcti_http_set_off(struct mcti_exchange *x);
void mcti_http_forget_place(struct mcti_exchange *x);

/* x->fetch has changed. */
void mcti_exchange_count(struct mcti_exchange *x);

/* Starts those that need not wait any more; `data` is the struct mcti_http. */
void mcti_http_release(void *data);

/* Nobody waits any more for our request `about`. */
void mcti_http_hasten(struct mcti_http *h, uint64_t about);

/* ---- what transport_http.c is told; x is gone after each ---- */

/* It came to its end. For a REQUEST that is not over: `err` says why there is no answer. For others err
 * says what failed, NULL: nothing. */
void mcti_http_ended(struct mcti_exchange *x, const struct mct_error *err);

/* The server could not be reached at all, or does not speak any more. */
void mcti_http_unreachable(struct mcti_exchange *x, const struct mct_error *err);

/* The server does not know our session: begin another and send this one again (renewal.c). */
void mcti_http_forgotten(struct mcti_exchange *x);
void mcti_http_on_begun(struct mcti_exchange *x, const struct mcti_msg *answer);

/* ---- and what leaves x where it is ---- */

/* A message has come. False: stop reading. */
bool mcti_http_deliver(struct mcti_exchange *x, struct mcti_str frame);

/* Status and headers of a successful answer are there. */
void mcti_http_answered(struct mcti_exchange *x);

/* Reads what the answer to initialize says. */
void mcti_http_on_initialized(struct mcti_exchange *x, const struct mcti_msg *answer);

/* Sends it, now or when nothing must come first any more; a barrier at once. */
void mcti_http_post(struct mcti_exchange *x, bool as_barrier);

/* The connection as a whole is over. */
void mcti_http_give_up(struct mcti_http *h, const struct mct_error *why);

static inline void mcti_http_enter(struct mcti_http *h)
{
    h->depth++;
}
void mcti_http_leave(struct mcti_http *h); /* may free h */

#endif
