/*
 * The HTTP front of `serve --http`: the Streamable HTTP endpoint of both eras, for all servers (/mcp) and for single
 * servers (/mcp/NAME, also as /NAME/mcp); the pages that its owner gives it (front/page/); and, if enabled, HTTP+SSE
 * (/sse, /sse/NAME, /messages). It owns the HTTP server, sessions and faces; the gateway and its registry are borrowed.
 */
#ifndef MCT_FRONT_HTTP_HTTP_H
#define MCT_FRONT_HTTP_HTTP_H

#include "front/guard.h"
#include "hub/call/event_log.h"
#include "gateway/gateway.h"
#include "io/http/server.h"

struct mcti_front_http;
struct mcti_http_visit;

/* A path that is not an MCP endpoint. */
struct mcti_http_page {
    const char *path; /* a glob, see mcti_str_glob() */
    void (*serve)(const struct mcti_http_visit *v);
    bool open; /* needs no token */
};

/* The pages of a front, and what they need as long as the front. */
struct mcti_http_pages {
    const struct mcti_http_page *rows;        /* up to one without a path */
    void *(*open)(struct mcti_front_http *f); /* returns their state; NULL when out of memory */
    /* Answers a person who opens an endpoint in a browser; status 401: without the token that it needs. */
    void (*explain)(const struct mcti_http_visit *v, int status);
    bool (*abort)(void *state, struct mcti_http_exchange *x); /* returns whether the lost request was one of theirs */
    void (*end)(void *state);                                 /* ends their streams: the front stops */
    void (*free)(void *state);                                /* the state may be NULL */
};

struct mcti_front_http_opts {
    const struct mcti_http_pages *pages; /* outlives the front */
    const char *address;                 /* HOST:PORT */
    int socket;                          /* a socket that listens there already, taken; 0: none */
    struct mcti_guard guard;             /* its pointers must outlive the front */
    struct mcti_naming naming;
    const char *const *only; /* as in struct mcti_view_opts; must outlive the front */
    size_t n_only;
    size_t message_bytes;
    size_t connections, sessions; /* limits; 0: the defaults of base/limits.h */
    bool legacy_sse;
    int access_log;                                     /* borrowed descriptor; -1: no access log */
    const struct mcti_event_log *event_log, *audit_log; /* /metrics reports their lost lines; may be NULL */
};

/* Creates the front and starts to listen. On failure returns NULL and sets *err. */
struct mcti_front_http *mcti_front_http_new(struct mcti_loop *loop, struct mcti_gateway *g,
                                            const struct mcti_front_http_opts *opts, struct mct_error *err);

/* Replaces the guard and the limit of sessions. Ends the sessions, streams and requests of the tokens that are not in
 * the guard any more, and of those for whose index `same` returns false; without tokens before, those of all clients.
 * Returns -1 when out of memory. */
int mcti_front_http_update(struct mcti_front_http *f, const struct mcti_guard *guard, size_t sessions,
                           bool (*same)(const void *data, size_t token), const void *data);

int mcti_front_http_port(const struct mcti_front_http *f);
size_t mcti_front_http_connections(const struct mcti_front_http *f); /* open ones */

/* Stops accepting connections, ends the streams that have no last answer, and lets open requests finish; then calls
 * `done`. */
void mcti_front_http_drain(struct mcti_front_http *f, mcti_later_fn done, void *data);

/* Frees the front. Requests that are still open are answered with an error. `f` may be NULL. */
void mcti_front_http_free(struct mcti_front_http *f);

#endif
