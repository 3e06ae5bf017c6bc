/*
 * An HTTP/1.1 server on libuv and llhttp: requests in, one answer or stream each out, keep-alive,
 * limits on everything a peer controls. It knows nothing of MCP, Host or Origin rules (see
 * front/http_guard.h).
 *
 * An exchange is one request with its answer. It belongs to the server; the handler may use it from
 * on_request until it has finished the answer (reply or stream_close) or until on_abort, whichever is
 * first, and must not touch it afterwards.
 */
#ifndef MCT_IO_HTTP_SERVER_H
#define MCT_IO_HTTP_SERVER_H

#include "base/error.h"
#include "io/loop.h"

struct mct_http_exchange;
struct mct_http_server;

struct mct_http_handler {
    void (*on_request)(void *data, struct mct_http_exchange *x);
    /* The client has gone before the answer was complete; sends are over. */
    void (*on_abort)(void *data, struct mct_http_exchange *x);
    void *data;
};

struct mct_http_opts {
    size_t body_bytes;     /* longest request body */
    size_t answer_bytes;   /* longest answer; a slow reader may be some way behind beyond it */
    unsigned header_ms;    /* from first byte to whole request; 0: MCT_LIMIT_HTTP_HEADER_MS */
    unsigned idle_ms;      /* 0: MCT_LIMIT_HTTP_IDLE_MS */
};

/* Listens on HOST:PORT (port 0: any; [v6]:PORT). NULL with *err set when it cannot. */
struct mct_http_server *mct_http_server_new(struct mct_loop *loop, const char *address,
                                            const struct mct_http_opts *opts,
                                            const struct mct_http_handler *handler,
                                            struct mct_error *err);

/* The port it really listens on. */
int mct_http_server_port(const struct mct_http_server *s);

/* Stops listening, lets answers that are under way leave, closes idle connections at once and the
 * others when their answer is complete; `done` is called when the last one has gone. */
void mct_http_server_drain(struct mct_http_server *s, mct_later_fn done, void *data);

/* Closes everything at once. No callback is made afterwards. */
void mct_http_server_free(struct mct_http_server *s);

/* ---- reading the request ---- */

struct mct_str mct_http_method(const struct mct_http_exchange *x);
struct mct_str mct_http_path(const struct mct_http_exchange *x);  /* without the query, as sent */
struct mct_str mct_http_body(const struct mct_http_exchange *x);  /* absent when there is none */
/* The first header of that name (any case); absent when there is none. */
struct mct_str mct_http_get(const struct mct_http_exchange *x, const char *name);
/* The same for the n-th of several, from 0. */
struct mct_str mct_http_get_nth(const struct mct_http_exchange *x, const char *name, size_t n);
size_t mct_http_count(const struct mct_http_exchange *x, const char *name);

/* The handler's own pointer. */
void mct_http_set_user(struct mct_http_exchange *x, void *user);
void *mct_http_user(const struct mct_http_exchange *x);

/* ---- answering ---- */

/* A whole answer. `headers` is raw lines, each with \r\n, may be empty; type may be NULL for none. */
void mct_http_reply(struct mct_http_exchange *x, int status, const char *type,
                    struct mct_str headers, struct mct_str body);

/* An answer in parts (chunked; HTTP/1.0 clients: until the connection ends). */
void mct_http_stream_open(struct mct_http_exchange *x, int status, const char *type,
                          struct mct_str headers);
/* -1 when the client is too slow and has been dropped: on_abort follows. */
int mct_http_stream_write(struct mct_http_exchange *x, struct mct_str bytes);
void mct_http_stream_close(struct mct_http_exchange *x);

#endif
