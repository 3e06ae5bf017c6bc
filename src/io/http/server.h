/*
 * An HTTP/1.1 server on libuv and llhttp: requests in, one answer or stream each out, keep-alive,
 * limits on everything a peer controls. It knows nothing of MCP, Host or Origin rules (see
 * front/http/guard.h).
 *
 * An exchange is one request with its answer. It belongs to the server; the handler may use it in on_head, and from
 * on_request until it has finished the answer (reply or stream_close) or until on_abort, whichever is
 * first, and must not touch it afterwards.
 */
#ifndef MCT_IO_HTTP_SERVER_H
#define MCT_IO_HTTP_SERVER_H

#include "base/account.h"
#include "base/error.h"
#include "io/loop.h"

struct mcti_http_exchange;
struct mcti_http_server;

struct mcti_http_handler {
    /* The headers are here, and nothing of the body: who may not send one is answered now. What is not
     * answered when this returns goes on to on_request; mcti_http_reply() only. May be NULL. */
    void (*on_head)(void *data, struct mcti_http_exchange *x);
    void (*on_request)(void *data, struct mcti_http_exchange *x);
    /* The client has gone before the answer was complete; sends are over. */
    void (*on_abort)(void *data, struct mcti_http_exchange *x);
    /* An exchange is over: answered, aborted (after on_abort), or refused before on_request would have
     * been called, on_head or not. For counting: only mcti_http_status() and what stands beside it may be used. May be
     * NULL. */
    void (*on_over)(void *data, struct mcti_http_exchange *x);
    void *data;
};

struct mcti_http_opts {
    size_t body_bytes;            /* longest request body */
    size_t answer_bytes;          /* longest answer */
    size_t connections;           /* more are turned away with 503; 0: MCT_LIMIT_HTTP_CONNECTIONS */
    unsigned header_ms;           /* for the headers, and for a body that comes slowly; 0: MCT_LIMIT_HTTP_HEADER_MS */
    struct mcti_account *account; /* of connections nobody else pays for; outlives the server */
    const struct mcti_account_rule *connection; /* ceiling of each */
    unsigned idle_ms;                           /* 0: MCT_LIMIT_HTTP_IDLE_MS */
};

struct mcti_http_counters {
    size_t open;                             /* connections */
    uint64_t accepted, turned_away, dropped; /* dropped: did not read what they had asked for */
    uint64_t bytes_in, bytes_out;
};

/* Listens on HOST:PORT (port 0: any; [v6]:PORT). NULL with *err set when it cannot. */
struct mcti_http_server *mcti_http_server_new(struct mcti_loop *loop, const char *address,
                                              const struct mcti_http_opts *opts,
                                              const struct mcti_http_handler *handler, struct mct_error *err);

/* The port it really listens on. */
int mcti_http_server_port(const struct mcti_http_server *s);
const struct mcti_http_counters *mcti_http_server_counters(const struct mcti_http_server *s);

/* Stops listening and waits until nobody has an answer to get; what is asked meanwhile on connections
 * that are open is answered with "Connection: close". `done` is called when the last one has gone. */
void mcti_http_server_drain(struct mcti_http_server *s, mcti_later_fn done, void *data);

/* Closes everything at once; what the kernel takes right now is still sent. No callback is made
 * afterwards. */
void mcti_http_server_free(struct mcti_http_server *s);

/* ---- reading the request: in on_head (all but the body), and until on_request returns or the answer
 * begins, whichever is later. The body: until on_request returns ---- */

struct mcti_str mcti_http_method(const struct mcti_http_exchange *x); /* at any time; empty: never known */
struct mcti_str mcti_http_path(const struct mcti_http_exchange *x);   /* without the query, as sent */
/* What stands behind the path's '?', as sent; absent when there is none. */
struct mcti_str mcti_http_query_text(const struct mcti_http_exchange *x);
/* The value of a query parameter as sent; absent when there is none. */
struct mcti_str mcti_http_query(const struct mcti_http_exchange *x, const char *name);
struct mcti_str mcti_http_body(const struct mcti_http_exchange *x); /* absent when there is none */
/* The first header of that name (any case); absent when there is none. */
struct mcti_str mcti_http_get(const struct mcti_http_exchange *x, const char *name);
/* The same for the n-th of several, from 0. */
struct mcti_str mcti_http_get_nth(const struct mcti_http_exchange *x, const char *name, size_t n);
size_t mcti_http_count(const struct mcti_http_exchange *x, const char *name);

/* The handler's own pointers: one for who answers, one for who keeps the books. */
void mcti_http_set_user(struct mcti_http_exchange *x, void *user);
void *mcti_http_user(const struct mcti_http_exchange *x);
void mcti_http_set_record(struct mcti_http_exchange *x, void *record);
void *mcti_http_record(const struct mcti_http_exchange *x);

/* Charges what the connection holds from now on to an account below `parent`, which outlives the server. */
void mcti_http_set_account(struct mcti_http_exchange *x, struct mcti_account *parent);

/* `over` has no room for something that the principal `asks` needs: ends the request or answer of one connection below
 * `over` that stands still and holds most, if its principal does not hold less. False: there is none. */
bool mcti_http_make_room(struct mcti_http_server *s, const struct mcti_account *asks, const struct mcti_account *over);

/* ---- answering ---- */

/* Further header lines (each with \r\n) for whatever the answer will be. Borrowed until it begins. */
void mcti_http_set_headers(struct mcti_http_exchange *x, const char *lines);

/* A whole answer. `headers` is raw lines, each with \r\n, may be empty; type may be NULL for none. */
void mcti_http_reply(struct mcti_http_exchange *x, int status, const char *type, struct mcti_str headers,
                     struct mcti_str body);

/* An answer in parts (chunked; HTTP/1.0 clients: until the connection ends). */
void mcti_http_stream_open(struct mcti_http_exchange *x, int status, const char *type, struct mcti_str headers);
/* -1 when the client is too slow and has been dropped: on_abort follows. */
int mcti_http_stream_write(struct mcti_http_exchange *x, struct mcti_str bytes);
void mcti_http_stream_close(struct mcti_http_exchange *x);

/* ---- what became of it ---- */

int mcti_http_status(const struct mcti_http_exchange *x);    /* 0: the client went before there was one */
uint64_t mcti_http_sent(const struct mcti_http_exchange *x); /* bytes, head and framing included */

#endif
