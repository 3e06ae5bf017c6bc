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

enum mcti_http_phase {
    MCT_HTTP_IDLE,      /* between requests */
    MCT_HTTP_READING,   /* part of a request is here */
    MCT_HTTP_ANSWERING, /* the handler has the exchange */
    MCT_HTTP_LINGERING, /* refused: what still comes is thrown away, so that the answer is not lost */
};

struct mcti_http_exchange {
    void *user, *record;
    const char *headers; /* further lines of the answer's head; NULL: none */
    uint64_t sent;       /* bytes of the answer so far */
    int status;
    uint8_t method; /* of llhttp */
    bool known;     /* the request was whole: it has a method */
    bool seen;      /* the handler knows it: it hears of its end */
    bool streaming, chunked, finished;
};

struct mcti_http_span {
    uint32_t name, name_len, value, value_len; /* offsets into head */
};

/*
 * What was read of one request. A connection has one from the first byte of a request until its answer
 * is complete or has become a stream, so that a client that only listens costs little.
 */
struct mcti_http_request {
    struct mcti_http_request *next; /* among the server's spare ones */
    llhttp_t parser;
    struct mcti_buf head; /* target, then names and values */
    struct mcti_buf body;
    size_t target_len;
    struct mcti_http_span span[MCT_LIMIT_HTTP_HEADERS];
    size_t n_headers;
    bool in_value;
    bool head_done; /* what comes as header now is a trailer: counted, and dropped */
    size_t trailer_len;
    size_t seen_len;   /* of the body, when its rate was looked at last */
    uint64_t last_ms;  /* when its last bytes came */
    size_t moved_len;  /* of the body, when it had last grown by MCT_LIMIT_HTTP_ROOM_BYTES */
    uint64_t moved_ms; /* when that was; at first the end of the head */
    struct mcti_http_lines {
        char last;       /* byte before the next one to look at */
        size_t line_len; /* bytes of the current line so far */
        bool any, over;  /* a line with text was there; the headers are complete */
    } lines;             /* of the headers as they come, see head_fault() */
};

struct mcti_http_conn {
    struct mcti_http_exchange x;
    struct mcti_http_server *server;
    struct mcti_list node;
    uv_tcp_t tcp;
    struct mcti_http_request *request; /* NULL: idle, or a stream */
    enum mcti_http_phase phase;
    bool closing, close_after;
    bool lingers;      /* after the answer, see MCT_HTTP_LINGERING */
    bool dispatching;  /* inside on_head or on_request: the request's bytes are in use */
    bool paused;       /* nothing is read until what is here has been worked on, or this turn is over */
    size_t turn_bytes; /* read in the turn of that number */
    uint64_t turn;
    uint64_t since_ms; /* when the phase began */
    int refuse;        /* status to refuse the request with, 0 = fine */
    const char *refuse_why;
    struct mcti_buf ahead; /* bytes of pipelined requests */
    struct mcti_task resume;
    struct mcti_out out;
    size_t biggest;    /* the longest unit since everything had left */
    size_t left;       /* unsent when last looked at */
    uint64_t stuck_ms; /* since when the client has taken nothing, as far as is known; 0: nothing waits */
    struct mcti_account account;
    size_t held_in, held_out; /* charged to it for the request and for the answer */
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
        const struct mcti_account *asks, *over; /* only compared: they may have gone */
        uint64_t ms;
    } looks[MCT_HTTP_LOOKS]; /* the last searches that found no connection that could make room */
    struct mcti_list conns;
    struct mcti_http_request *spare;
    size_t n_spare;
    struct mcti_timer sweep;
    struct mcti_task settle; /* while draining: is anybody busy? */
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
void mcti_http_conn_close(struct mcti_http_conn *c);

/* The client does not take what it asked for: says so, and why it is not waited for, in the log; closed later, from the
 * loop. */
void mcti_http_conn_drop(struct mcti_http_conn *c, const char *why);

/* Bytes that have not reached the kernel. */
size_t mcti_http_unsent(const struct mcti_http_conn *c);

/* The answer is complete: the next request, or the end of the connection. */
void mcti_http_finished(struct mcti_http_conn *c);

/* ---- hold.c ---- */

/* Charges what the connection will hold for its request or its answer. When that is too much, other connections that
 * stand still make room. NULL, or why it may not. */
const char *mcti_http_conn_hold(struct mcti_http_conn *c, enum mcti_held kind, size_t bytes);

/* The same without asking. */
void mcti_http_conn_note(struct mcti_http_conn *c, enum mcti_held kind, size_t bytes);

/* What it holds for its request. */
size_t mcti_http_conn_requested(const struct mcti_http_conn *c);

/* ---- request.c ---- */

/* Whether the authority in an absolute request target is the one in Host (RFC 9112 section 3.2.2); other targets have
 * none. */
bool mcti_http_names_host(const struct mcti_http_exchange *x);

/* -1 when out of memory. */
int mcti_http_request_begin(struct mcti_http_conn *c);
void mcti_http_request_end(struct mcti_http_conn *c); /* gives it back; safe without one */
void mcti_http_requests_free(struct mcti_http_server *s);

/* ---- parse.c ---- */

extern const llhttp_settings_t mcti_http_settings;

/* Takes bytes from the peer; hands a complete request to the handler. */
void mcti_http_feed(struct mcti_http_conn *c, struct mcti_str bytes);

/* Answers with an error and hangs up. `headers` as for mcti_http_reply(). */
void mcti_http_refuse(struct mcti_http_conn *c, int status, const char *why, struct mcti_str headers);

/* ---- server.c ---- */

/* A connection has gone, or fell silent while the server drains. */
void mcti_http_server_settle(struct mcti_http_server *s);

#endif
