/*
 * `serve --http`: the Streamable HTTP endpoint of both eras, for all servers (/mcp) and for each alone
 * (/mcp/NAME), with /healthz, /readyz and /metrics beside it, and HTTP+SSE (/sse, /sse/NAME, /messages)
 * where that is wanted.
 */
#ifndef MCT_FRONT_HTTP_HTTP_H
#define MCT_FRONT_HTTP_HTTP_H

#include "front/http/guard.h"
#include "hub/call/event_log.h"
#include "gateway/gateway.h"
#include "io/http/server.h"

struct mcti_front_http;

struct mcti_front_http_opts {
    const char *address;     /* HOST:PORT */
    struct mcti_guard guard; /* what it points to must outlive the front */
    struct mcti_naming naming;
    const char *const *only; /* as in struct mcti_view_opts; must outlive the front */
    size_t n_only;
    size_t message_bytes;
    size_t connections, sessions; /* at most; 0: the defaults of base/limits.h */
    bool legacy_sse;
    int access_log;                                     /* descriptor to write to, borrowed; -1: none */
    const struct mcti_event_log *event_log, *audit_log; /* whose lost lines are told, too; NULL: none */
};

/* NULL with *err when it cannot listen. */
struct mcti_front_http *mcti_front_http_new(struct mcti_loop *loop, struct mcti_gateway *g,
                                            const struct mcti_front_http_opts *opts, struct mct_error *err);
int mcti_front_http_port(const struct mcti_front_http *f);

/* Takes no new connections, ends streams that have no end, lets answers leave; `done` follows. What is
 * not over when the front is freed is told so. */
void mcti_front_http_drain(struct mcti_front_http *f, mcti_later_fn done, void *data);
void mcti_front_http_free(struct mcti_front_http *f);

#endif
