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

enum mct_exchange_kind {
    MCT_EX_REQUEST, /* of the session above */
    MCT_EX_NOTICE,  /* a notification, or an answer of ours */
    MCT_EX_BEGIN,   /* initialize once more, by the transport itself */
    MCT_EX_STREAM,  /* GET: what the server says unasked */
    MCT_EX_BYE,     /* DELETE */
};

enum mct_exchange_body { MCT_BODY_ERROR, MCT_BODY_JSON, MCT_BODY_SSE, MCT_BODY_IGNORED };

struct mct_http {
    struct mct_transport base;
    struct mct_loop *loop;
    struct mct_http_client *client;
    char *url;
    struct mct_headers headers;
    size_t message_bytes;
    struct mct_list exchanges;    /* that have been started */
    struct mct_list held;         /* that wait, see queue.c */
    size_t max_requests;          /* under way at once */
    size_t n_requests, n_words;   /* under way */
    size_t n_waiting, waiting_bytes; /* words among the held */
    struct mct_task release;      /* somebody's turn may have come */
    char *session_id;             /* NULL: none */
    unsigned session_no;          /* counts them */
    const char *version;          /* negotiated with initialize; NULL: not (yet) */
    char *init_frame;             /* to begin again with */
    size_t init_len;
    struct mct_exchange *barrier; /* others wait until this one is over; NULL: none */
    struct mct_exchange *opening; /* the GET stream until it is answered: calls wait, as the server may
                                   * ask back on it; NULL: none */
    struct mct_timer opening_for; /* how long they wait at most: some servers answer with the first event */
    bool wants_stream, asked;     /* asked: the server may ask us */
    bool fresh_calls;             /* it closes connections without a word: calls get new ones */
    bool closing, told, freed;
    unsigned depth;               /* inside how many callbacks we are */
    size_t charged;               /* told to on_hold */
    struct mct_task tell;         /* on_closed after close() */
    struct mct_timer bye;         /* the time for last words */
    struct mct_error why;         /* kind NONE: we closed it */
    struct mct_transport_facts facts;
};

struct mct_exchange {
    struct mct_list node;
    struct mct_http *http;
    enum mct_exchange_kind kind;
    enum mct_exchange_body body;
    char *frame;                  /* what is POSTed; owned */
    size_t frame_len;
    struct mct_msg msg;           /* what it says; empty for the kinds that POST nothing */
    uint64_t id_number;           /* with msg.id, of a request */
    const char *version;          /* what its `_meta` claims: a 2026-07-28 request; NULL: it has a session */
    bool is_initialize, is_probe; /* server/discover */
    bool is_call;                 /* of a method during which a server may ask back */
    bool started, resuming;
    bool counted, waits;          /* see queue.c */
    uint64_t about;               /* of a NOTICE: our request on whose stream it was asked for; 0: none */
    unsigned session;             /* the number of the session it was sent in; 0: in none */
    unsigned n_renewals;          /* how often it was sent again in another session */
    bool over;                    /* nobody waits for its answer any more */
    bool was_open;                /* a STREAM that has been answered with one */
    bool fed;                     /* we are inside its on_body */
    struct mct_fetch *fetch;      /* NULL: not on its way */
    struct mct_buf text;          /* a JSON or error body */
    struct mct_sse sse;
    struct mct_timer timer;       /* the next try, or the end of the lingering */
    unsigned n_retries, n_resumes;
    size_t charged;               /* its part of http->charged */
};

static inline struct mct_exchange *mct_exchange_of(struct mct_list *node)
{
    return MCT_CONTAINER(node, struct mct_exchange, node);
}

/* `frame` is copied; absent: none. NULL when out of memory or when it is no message. */
struct mct_exchange *mct_exchange_new(struct mct_http *h, enum mct_exchange_kind kind, struct mct_str frame);
void mct_exchange_free(struct mct_exchange *x);

/* -1 with *err when it cannot be sent at all (its headers are too large). */
int mct_exchange_start(struct mct_exchange *x, struct mct_error *err);

/* Nobody waits any more: it ends now, or, answered, when its stream does (soon). */
void mct_exchange_over(struct mct_exchange *x, bool answered);

/* ---- queue.c ---- */

/* Whether something else must come first, or too many are under way. */
bool mct_http_is_held(const struct mct_exchange *x);

/* It waits until mct_http_release() starts it; it is started; it goes for good. */
void mct_http_hold(struct mct_exchange *x);
void mct_http_set_off(struct mct_exchange *x);
void mct_http_forget_place(struct mct_exchange *x);

/* x->fetch has changed. */
void mct_exchange_count(struct mct_exchange *x);

/* Starts those that need not wait any more; `data` is the struct mct_http. */
void mct_http_release(void *data);

/* Nobody waits any more for our request `about`. */
void mct_http_hasten(struct mct_http *h, uint64_t about);

/* ---- what transport_http.c is told; x is gone after each ---- */

/* It came to its end. For a REQUEST that is not over: `err` says why there is no answer. For others err
 * says what failed, NULL: nothing. */
void mct_http_ended(struct mct_exchange *x, const struct mct_error *err);

/* The server could not be reached at all, or does not speak any more. */
void mct_http_unreachable(struct mct_exchange *x, const struct mct_error *err);

/* The server does not know our session: begin another and send this one again (renewal.c). */
void mct_http_forgotten(struct mct_exchange *x);
void mct_http_on_begun(struct mct_exchange *x, const struct mct_msg *answer);

/* ---- and what leaves x where it is ---- */

/* A message has come. False: stop reading. */
bool mct_http_deliver(struct mct_exchange *x, struct mct_str frame);

/* Status and headers of a successful answer are there. */
void mct_http_answered(struct mct_exchange *x);

/* Reads what the answer to initialize says. */
void mct_http_on_initialized(struct mct_exchange *x, const struct mct_msg *answer);

/* Sends it, now or when nothing must come first any more; a barrier at once. */
void mct_http_post(struct mct_exchange *x, bool as_barrier);

/* The connection as a whole is over. */
void mct_http_give_up(struct mct_http *h, const struct mct_error *why);

static inline void mct_http_enter(struct mct_http *h)
{
    h->depth++;
}
void mct_http_leave(struct mct_http *h); /* may free h */

#endif
