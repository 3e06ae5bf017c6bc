/*
 * One connection of the HTTP server, shared by server.c (listening, draining), conn.c (life cycle), hold.c (memory),
 * request.c, parse.c and reply.c.
 */
#ifndef MCT_IO_HTTP_CONN_H
#define MCT_IO_HTTP_CONN_H

#include "base/limits.h"
#include "io/http/server.h"
#include "io/out.h"

#include <llhttp.h>

enum mcti_http_phase {
    MCT_HTTP_IDLE,      /* between two requests */
    MCT_HTTP_READING,   /* part of a request has arrived */
    MCT_HTTP_ANSWERING, /* the handler owns the exchange */
    /* the request was refused: further input is discarded so that closing does not lose the answer */
    MCT_HTTP_LINGERING,
};

struct mcti_http_exchange {
    void *user, *record;
    const char *headers; /* further header lines of the answer; NULL: none */
    uint64_t sent;       /* bytes of the answer written so far */
    int status;
    uint8_t method; /* llhttp_method of the request */
    bool known;     /* the request line and headers were complete, so `method` is valid */
    bool seen;      /* the handler has seen the exchange and gets its on_abort() */
    bool streaming, chunked, finished;
};

struct mcti_http_span {
    uint32_t name, name_len, value, value_len; /* offsets into head */
};

/*
 * The input of one request. A connection has one from the first byte of a request until the answer is complete or has
 * become a stream, so that a connection that only streams uses little memory.
 */
struct mcti_http_request {
    struct mcti_http_request *next; /* next in the server's list of spare requests */
    llhttp_t parser;
    struct mcti_buf head; /* request target, then header names (in lower case) and values */
    struct mcti_buf body;
    struct mcti_json_scan *check; /* of a long body, which is JSON in most requests; NULL: none */
    struct mcti_chunk *chunk;     /* the body while it is handled, if it is long; otherwise NULL */
    size_t target_len;
    struct mcti_http_span span[MCT_LIMIT_HTTP_HEADERS];
    size_t n_headers;
    bool in_value;
    bool head_done; /* the next header fields are trailers: counted and discarded */
    size_t trailer_len;
    size_t seen_len;   /* length of the body at the last check of its speed */
    uint64_t last_ms;  /* time of the last received bytes */
    size_t moved_len;  /* length of the body when it had last grown by MCT_LIMIT_HTTP_ROOM_BYTES */
    uint64_t moved_ms; /* time of that growth; initially the end of the headers */
    struct mcti_http_lines {
        char last;       /* byte before the next one to check */
        size_t line_len; /* bytes of the current line so far */
        bool any, over;  /* any: a line with text has been seen; over: the headers are complete */
    } lines;             /* state of head_fault() */
};

struct mcti_http_conn {
    struct mcti_http_exchange x;
    struct mcti_http_server *server;
    struct mcti_list node;
    uv_tcp_t tcp;
    uint64_t address;                  /* see mcti_http_address(); 0: not asked for yet */
    struct mcti_http_request *request; /* NULL while idle or streaming */
    enum mcti_http_phase phase;
    bool closing, close_after;
    bool lingers;      /* enter MCT_HTTP_LINGERING after the answer */
    bool dispatching;  /* inside on_head or on_request: the request's bytes are in use */
    bool gone;         /* the client has closed it: it closes when its turn comes */
    bool paused;       /* reading is paused until the buffered input is processed or the turn is over */
    size_t turn_bytes; /* bytes read in turn `turn` */
    uint64_t turn;
    uint64_t since_ms; /* time at which the phase began */
    int refuse;        /* HTTP status to refuse the request with; 0: accepted */
    const char *refuse_why;
    struct mcti_list waits; /* for its turn, see turn.c */
    struct mcti_buf ahead;  /* bytes of pipelined requests, or of one whose turn has not come */
    struct mcti_task resume;
    struct mcti_out out;
    size_t biggest;    /* length of the longest unit since the queue was last empty */
    size_t left;       /* unsent bytes at the last check */
    uint64_t stuck_ms; /* time since which the client is known to have read nothing; 0: nothing is unsent */
    struct mcti_account account;
    size_t held_in, held_out; /* bytes charged to the account for the request and for the answer */
};

/* In which order connections get their turn. */
enum mcti_http_rank {
    MCT_HTTP_FRESH, /* a request has just arrived */
    MCT_HTTP_LATER, /* more requests than one, or the end of the connection */
    MCT_HTTP_RANKS,
};

enum { MCT_HTTP_LOOKS = 16 };

struct mcti_http_server {
    struct mcti_loop *loop;
    struct mcti_http_opts opts;
    struct mcti_http_handler handler;
    struct mcti_http_counters counters;
    uv_tcp_t listener;
    int port;
    bool listening, draining;
    struct mcti_http_look {
        const struct mcti_account *requester, *over; /* compared only, never dereferenced: may have been freed */
        uint64_t ms;
    } looks[MCT_HTTP_LOOKS]; /* last searches that found no connection to close */
    struct mcti_list conns;
    struct mcti_http_request *spare;
    size_t n_spare;
    struct mcti_timer sweep;
    struct mcti_timer again; /* a connection waits to be accepted: there was no memory */
    struct mcti_task accept; /* or the share of the turn was used up */
    uint64_t turn;           /* turn that n_accepted, turn_bytes and turn_work belong to */
    unsigned n_accepted;
    size_t turn_bytes, turn_work;
    struct mcti_list waiting[MCT_HTTP_RANKS]; /* connections whose turn comes, by mcti_http_conn.waits */
    struct mcti_task next;                    /* gives them their turn */
    bool serves_waiting;                      /* inside `next` */
    struct mcti_task settle;                  /* while draining: checks for connections that are still busy */
    mcti_later_fn drained;
    void *drained_data;
    uint64_t date_ms;
    char date[40];
    bool freed;
};

static inline struct mcti_http_conn *mcti_http_conn_of(const struct mcti_http_exchange *x)
{
    return MCT_CONTAINER(x, struct mcti_http_conn, x);
}

/* ---- conn.c ---- */

void mcti_http_on_connection(uv_stream_t *listener, int status);
void mcti_http_accept_again(void *data); /* callback of `again` and `accept` */
void mcti_http_conn_close(struct mcti_http_conn *c);

/* Schedules closing the connection of a client that does not read its answer, and logs `why` it is dropped. */
void mcti_http_conn_drop(struct mcti_http_conn *c, const char *why);

/* Goes on with a connection whose turn has come: closes it or parses what it has sent. */
void mcti_http_conn_go_on(struct mcti_http_conn *c);

/* Returns the number of bytes that have not reached the kernel. */
size_t mcti_http_unsent(const struct mcti_http_conn *c);

/* Ends the current exchange after its answer is complete: continues with the next request or closes the connection. */
void mcti_http_finished(struct mcti_http_conn *c);

/* ---- hold.c ---- */

/* Charges `bytes` for the request or the answer of the connection. If the limit is exceeded, stalled connections are
 * closed to make room. Returns NULL on success, otherwise the reason for the refusal. */
const char *mcti_http_conn_hold(struct mcti_http_conn *c, enum mcti_held kind, size_t bytes);

/* Charges `bytes` without checking the limit. */
void mcti_http_conn_note(struct mcti_http_conn *c, enum mcti_held kind, size_t bytes);

/* Returns the bytes held for the request. */
size_t mcti_http_conn_requested(const struct mcti_http_conn *c);

/* ---- turn.c ---- */

/* Resets the shares of all connections together when a new turn has begun. */
void mcti_http_turn_renew(struct mcti_http_server *s);

/* Counts work of this turn, see MCT_TURN_WORK_BYTES. */
void mcti_http_turn_spend(struct mcti_http_server *s, size_t bytes);

/* Returns true if the connection may work in this turn. Otherwise mcti_http_conn_go_on() follows in a later one. */
bool mcti_http_turn_take(struct mcti_http_conn *c, enum mcti_http_rank rank);

void mcti_http_turn_next(void *data); /* callback of `next` */

/* ---- request.c ---- */

/* Returns true unless the request target is absolute and its authority differs from Host (RFC 9112 section 3.2.2). */
bool mcti_http_names_host(const struct mcti_http_exchange *x);

/* Gives the connection a request. Returns -1 if memory is exhausted. */
int mcti_http_request_begin(struct mcti_http_conn *c);
void mcti_http_request_end(struct mcti_http_conn *c); /* Gives the request back; safe without one. */
void mcti_http_requests_free(struct mcti_http_server *s);

/* ---- parse.c ---- */

extern const llhttp_settings_t mcti_http_settings;

/* Parses bytes from the client and passes a complete request to the handler. */
void mcti_http_feed(struct mcti_http_conn *c, struct mcti_str bytes);

/* Answers with `status` and closes the connection. `headers` as for mcti_http_reply(). */
void mcti_http_refuse(struct mcti_http_conn *c, int status, const char *why, struct mcti_str headers);

/* ---- server.c ---- */

/* Checks, while draining, whether all connections are idle. Called when a connection closes or becomes idle. */
void mcti_http_server_settle(struct mcti_http_server *s);

#endif
