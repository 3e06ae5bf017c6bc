/*
 * An HTTP/1.1 server on libuv and llhttp: one answer or stream for each request, keep-alive, and limits on everything a
 * peer controls. Knows nothing of MCP; Host and Origin are checked in front/guard.h.
 *
 * An exchange is one request with its answer and belongs to the server. The handler may use it in on_head, and from
 * on_request until it has finished the answer (mcti_http_reply(), mcti_http_stream_close()) or until on_abort,
 * whichever comes first.
 */
#ifndef MCT_IO_HTTP_SERVER_H
#define MCT_IO_HTTP_SERVER_H

#include "base/account.h"
#include "base/buf.h"
#include "base/error.h"
#include "io/loop.h"

struct mcti_http_exchange;
struct mcti_http_server;

struct mcti_http_handler {
    /* The headers have arrived, the body has not. The handler may refuse the request here with mcti_http_reply();
     * otherwise on_request follows. May be NULL. */
    void (*on_head)(void *data, struct mcti_http_exchange *x);
    void (*on_request)(void *data, struct mcti_http_exchange *x);
    /* The client disconnected before the answer was complete; nothing more can be sent. */
    void (*on_abort)(void *data, struct mcti_http_exchange *x);
    /* The exchange has ended: answered, aborted (after on_abort), or refused before on_request, with or without
     * on_head. For statistics: only mcti_http_method(), mcti_http_record(), mcti_http_status() and mcti_http_sent() may
     * be used. May be NULL. */
    void (*on_over)(void *data, struct mcti_http_exchange *x);
    void *data;
};

struct mcti_http_opts {
    size_t body_bytes;   /* longest request body */
    size_t answer_bytes; /* longest answer */
    /* limit of connections, beyond which 503 is returned; 0: MCT_LIMIT_HTTP_CONNECTIONS */
    int socket; /* a socket that listens already, taken; 0: none */
    size_t connections;
    /* time for the headers, and for each check of a slow body; 0: MCT_LIMIT_HTTP_HEADER_MS */
    unsigned header_ms;
    struct mcti_account *account;               /* account of connections without a principal; outlives the server */
    const struct mcti_account_rule *connection; /* limit of each connection */
    unsigned idle_ms;                           /* 0: MCT_LIMIT_HTTP_IDLE_MS */
};

struct mcti_http_counters {
    size_t open;                             /* open connections */
    uint64_t accepted, turned_away, dropped; /* dropped: clients that did not read their answer */
    uint64_t bytes_in, bytes_out;
};

/* Listens on `address`, HOST:PORT or [v6]:PORT (port 0: any free port). Returns NULL and sets *err on failure. */
struct mcti_http_server *mcti_http_server_new(struct mcti_loop *loop, const char *address,
                                              const struct mcti_http_opts *opts,
                                              const struct mcti_http_handler *handler, struct mct_error *err);

/* Returns the port the server listens on. */
int mcti_http_server_port(const struct mcti_http_server *s);
const struct mcti_http_counters *mcti_http_server_counters(const struct mcti_http_server *s);

/* Stops listening and waits until no connection has an answer pending; requests that arrive on open connections during
 * this time are answered with "Connection: close". Calls `done` when the last connection has closed. */
void mcti_http_server_drain(struct mcti_http_server *s, mcti_later_fn done, void *data);

/* Closes all connections at once and frees the server; bytes the kernel accepts immediately are still sent. No callback
 * follows. */
void mcti_http_server_free(struct mcti_http_server *s);

/* ---- the request: valid in on_head (except the body), and until on_request returns or the answer begins, whichever is
 * later. The body is valid until on_request returns ---- */

/* valid at any time; empty if the request line was never complete */
struct mcti_str mcti_http_method(const struct mcti_http_exchange *x);
struct mcti_str mcti_http_path(const struct mcti_http_exchange *x); /* without the query, not decoded */
/* Returns the query, the text after the first '?', not decoded; absent if there is none. */
struct mcti_str mcti_http_query_text(const struct mcti_http_exchange *x);
/* Returns the value of query parameter `name`, not decoded; absent if there is none. */
struct mcti_str mcti_http_query(const struct mcti_http_exchange *x, const char *name);
struct mcti_str mcti_http_body(const struct mcti_http_exchange *x); /* absent if there is none */
/* Returns the owner of the bytes of a long body, borrowed; NULL for a short one. */
struct mcti_chunk *mcti_http_body_chunk(const struct mcti_http_exchange *x);
/* Returns the n-th header `name` (case-insensitive), counted from 0; absent if there is none. */
struct mcti_str mcti_http_get_nth(const struct mcti_http_exchange *x, struct mcti_str name, size_t n);
/* Returns the number of headers `name`. */
size_t mcti_http_count_of(const struct mcti_http_exchange *x, struct mcti_str name);

/* The first header, and the number of headers; inline, because the length of a literal is known then. */
static inline struct mcti_str mcti_http_get(const struct mcti_http_exchange *x, const char *name)
{
    return mcti_http_get_nth(x, mcti_str_of(name), 0);
}

static inline size_t mcti_http_count(const struct mcti_http_exchange *x, const char *name)
{
    return mcti_http_count_of(x, mcti_str_of(name));
}

/* Returns a keyed hash of the client's address, of an IPv6 address of its network (64 bits); never 0. */
uint64_t mcti_http_address(struct mcti_http_exchange *x);

/* Pointers that belong to the handler: `user` for answering, `record` for statistics. */
void mcti_http_set_user(struct mcti_http_exchange *x, void *user);
void *mcti_http_user(const struct mcti_http_exchange *x);
void mcti_http_set_record(struct mcti_http_exchange *x, void *record);
void *mcti_http_record(const struct mcti_http_exchange *x);

/* Charges the memory of the connection from now on to an account below `parent`, which must outlive the server. */
void mcti_http_set_account(struct mcti_http_exchange *x, struct mcti_account *parent);

/* Frees memory below account `over` for the principal `requester`: ends the request or answer of the stalled connection
 * that holds most, unless its principal holds less than `requester`. Returns false if there is no such connection. */
bool mcti_http_make_room(struct mcti_http_server *s, const struct mcti_account *requester,
                         const struct mcti_account *over);

/* ---- the answer ---- */

/* Sets header lines (each ending in \r\n) that are added to any answer. Borrowed until the answer begins. */
void mcti_http_set_headers(struct mcti_http_exchange *x, const char *lines);

/* Sends a complete answer. `headers` are lines that each end in \r\n, or empty; `type` is the Content-Type or NULL. */
void mcti_http_reply(struct mcti_http_exchange *x, int status, const char *type, struct mcti_str headers,
                     struct mcti_str body);

/* The same for a body in pieces; those of its chunk are sent without a copy. */
void mcti_http_reply_pieces(struct mcti_http_exchange *x, int status, const char *type, struct mcti_str headers,
                            const struct mcti_pieces *body);

/* Begins an answer that is sent in parts: chunked, or until the connection closes for HTTP/1.0 clients. */
void mcti_http_stream_open(struct mcti_http_exchange *x, int status, const char *type, struct mcti_str headers);
/* Sends part of the answer. Returns -1 if the client is too slow and was dropped; on_abort follows. */
int mcti_http_stream_write(struct mcti_http_exchange *x, struct mcti_str bytes);
int mcti_http_stream_write_pieces(struct mcti_http_exchange *x, const struct mcti_pieces *bytes);
void mcti_http_stream_close(struct mcti_http_exchange *x);

/* Closes the connection, because there is no memory for an answer; on_abort follows. */
void mcti_http_abort(struct mcti_http_exchange *x);

/* ---- statistics ---- */

int mcti_http_status(const struct mcti_http_exchange *x);    /* 0: the client disconnected before there was an answer */
uint64_t mcti_http_sent(const struct mcti_http_exchange *x); /* bytes sent, head and framing included */

#endif
