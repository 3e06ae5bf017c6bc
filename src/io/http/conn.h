/*
 * One connection of the HTTP server: shared by server.c (listening, draining), conn.c (life),
 * request.c, parse.c and reply.c.
 */
#ifndef MCT_IO_HTTP_CONN_H
#define MCT_IO_HTTP_CONN_H

#include "base/limits.h"
#include "io/http/server.h"
#include "io/out.h"

#include <llhttp.h>

enum mct_http_phase {
    MCT_HTTP_IDLE,      /* between requests */
    MCT_HTTP_READING,   /* part of a request is here */
    MCT_HTTP_ANSWERING, /* the handler has the exchange */
    MCT_HTTP_LINGERING, /* refused: what still comes is thrown away, so that the answer is not lost */
};

struct mct_http_exchange {
    void *user, *record;
    const char *headers; /* further lines of the answer's head; NULL: none */
    uint64_t sent;       /* bytes of the answer so far */
    int status;
    uint8_t method;      /* of llhttp */
    bool known;          /* the request was whole: it has a method */
    bool seen;           /* the handler knows it: it hears of its end */
    bool streaming, chunked, finished;
};

struct mct_http_span {
    uint32_t name, name_len, value, value_len; /* offsets into head */
};

/*
 * What was read of one request. A connection has one from the first byte of a request until its answer
 * is complete or has become a stream, so that a client that only listens costs little.
 */
struct mct_http_request {
    struct mct_http_request *next; /* among the server's spare ones */
    llhttp_t parser;
    struct mct_buf head; /* target, then names and values */
    struct mct_buf body;
    size_t target_len;
    struct mct_http_span span[MCT_LIMIT_HTTP_HEADERS];
    size_t n_headers;
    bool in_value;
    bool head_done; /* what comes as header now is a trailer: counted, and dropped */
    size_t trailer_len;
    size_t seen_len;     /* of the body, when its rate was looked at last */
    uint64_t last_ms;    /* when its last bytes came */
    size_t moved_len;    /* of the body, when it had last grown by MCT_LIMIT_HTTP_ROOM_BYTES */
    uint64_t moved_ms;   /* when that was; at first the end of the head */
    struct mct_http_lines {
        char last;        /* byte before the next one to look at */
        size_t line_len;  /* bytes of the current line so far */
        bool any, over;   /* a line with text was there; the headers are complete */
    } lines;              /* of the headers as they come, see head_fault() */
};

struct mct_http_conn {
    struct mct_http_exchange x;
    struct mct_http_server *server;
    struct mct_list node;
    uv_tcp_t tcp;
    struct mct_http_request *request; /* NULL: idle, or a stream */
    enum mct_http_phase phase;
    bool closing, close_after;
    bool lingers;     /* after the answer, see MCT_HTTP_LINGERING */
    bool dispatching; /* inside on_head or on_request: the request's bytes are in use */
    bool paused;      /* nothing is read until what is here has been worked on, or this turn is over */
    size_t turn_bytes; /* read in the turn of that number */
    uint64_t turn;
    uint64_t since_ms; /* when the phase began */
    int refuse;     /* status to refuse the request with, 0 = fine */
    const char *refuse_why;
    struct mct_buf ahead; /* bytes of pipelined requests */
    struct mct_task resume;
    struct mct_out out;
    size_t biggest;   /* the longest unit since everything had left */
    size_t left;      /* unsent when last looked at */
    uint64_t stuck_ms; /* since when the client has taken nothing, as far as is known; 0: nothing waits */
    struct mct_account account;
    size_t held_in, held_out; /* charged to it for the request and for the answer */
};

enum { MCT_HTTP_LOOKS = 16 };

struct mct_http_server {
    struct mct_loop *loop;
    struct mct_http_opts opts;
    struct mct_http_handler handler;
    struct mct_http_counters counters;
    uv_tcp_t listener;
    int port;
    bool listening, draining;
    struct mct_http_look {
        const struct mct_account *asks, *over; /* only compared: they may have gone */
        uint64_t ms;
    } looks[MCT_HTTP_LOOKS]; /* the last searches that found no connection that could make room */
    struct mct_list conns;
    struct mct_http_request *spare;
    size_t n_spare;
    struct mct_timer sweep;
    struct mct_task settle; /* while draining: is anybody busy? */
    mct_later_fn drained;
    void *drained_data;
    uint64_t date_ms;
    char date[40];
    bool freed;
};

static inline struct mct_http_conn *mct_http_conn_of(const struct mct_http_exchange *x)
{
    return MCT_CONTAINER(x, struct mct_http_conn, x);
}

/* ---- conn.c ---- */

void mct_http_on_connection(uv_stream_t *listener, int status);
void mct_http_conn_close(struct mct_http_conn *c);

/* The client does not take what it asked for: says so, and why it is not waited for, in the log; closed later, from the
 * loop. */
void mct_http_conn_drop(struct mct_http_conn *c, const char *why);

/* Bytes that have not reached the kernel. */
size_t mct_http_unsent(const struct mct_http_conn *c);

/* The answer is complete: the next request, or the end of the connection. */
void mct_http_finished(struct mct_http_conn *c);

/* ---- hold.c ---- */

/* Charges what the connection will hold for its request or its answer. When that is too much, other connections that
 * stand still make room. NULL, or why it may not. */
const char *mct_http_conn_hold(struct mct_http_conn *c, enum mct_held kind, size_t bytes);

/* The same without asking. */
void mct_http_conn_note(struct mct_http_conn *c, enum mct_held kind, size_t bytes);

/* What it holds for its request. */
size_t mct_http_conn_requested(const struct mct_http_conn *c);

/* ---- request.c ---- */

/* Whether the authority in an absolute request target is the one in Host (RFC 9112 section 3.2.2); other targets have
 * none. */
bool mct_http_names_host(const struct mct_http_exchange *x);

/* -1 when out of memory. */
int mct_http_request_begin(struct mct_http_conn *c);
void mct_http_request_end(struct mct_http_conn *c); /* gives it back; safe without one */
void mct_http_requests_free(struct mct_http_server *s);

/* ---- parse.c ---- */

extern const llhttp_settings_t mct_http_settings;

/* Takes bytes from the peer; hands a complete request to the handler. */
void mct_http_feed(struct mct_http_conn *c, struct mct_str bytes);

/* Answers with an error and hangs up. `headers` as for mct_http_reply(). */
void mct_http_refuse(struct mct_http_conn *c, int status, const char *why, struct mct_str headers);

/* ---- server.c ---- */

/* A connection has gone, or fell silent while the server drains. */
void mct_http_server_settle(struct mct_http_server *s);

#endif
