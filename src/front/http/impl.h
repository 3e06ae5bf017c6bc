/* The HTTP front and its endpoints: structs shared by the files of this folder, and of front/page/ above it. */
#ifndef MCT_FRONT_HTTP_IMPL_H
#define MCT_FRONT_HTTP_IMPL_H

#include "base/strings.h"
#include "front/http/http.h"
#include "front/tries.h"
#include "io/line_file.h"

enum { MCT_RPC_SESSION_NOT_FOUND = -32001, MCT_RPC_REFUSED = -32000 }; /* codes that the official SDKs use */

/* The endpoint /mcp or /mcp/NAME. */
struct mcti_http_endpoint {
    struct mcti_front_http *front;
    char *name;             /* of the only server; NULL: all servers */
    char *path;             /* /mcp, or /mcp/NAME with the name percent-encoded */
    struct mcti_list faces; /* struct mcti_face; the first one serves clients without preferences */
};

/* State of the front for a principal: one for each token, and number 0 for clients without a token. */
struct mcti_http_visitor {
    struct mcti_principal *principal;
    struct mcti_principal own; /* `principal` of a token */
    char *name;                /* of the token; NULL: none */
    struct mcti_list events;   /* stored events of its sessions, oldest first */
    size_t event_bytes;
    size_t n_sessions, n_faces; /* n_faces: faces that its requests created */
};

struct mcti_http_front_counters {
    uint64_t requests[6][24];           /* by method and status, see metrics.c */
    uint64_t kept, replayed, forgotten; /* events */
    size_t n_streams;
};

struct mcti_front_http {
    struct mcti_loop *loop;
    struct mcti_gateway *gateway;
    struct mcti_http_server *server;
    struct mcti_guard guard;
    struct mcti_tries *tries; /* owned; NULL: there was no token to try yet */
    struct mcti_naming naming;
    size_t message_bytes, max_sessions;
    bool draining;
    struct mcti_http_endpoint **endpoints;
    struct mcti_watcher watcher;
    size_t n_endpoints, n_faces; /* n_faces: without the first face of each endpoint */
    const char *const *only;     /* servers of /mcp; none: all */
    size_t n_only;
    struct mcti_map sessions_by_id;
    struct mcti_list sessions; /* least recently used first */
    size_t n_sessions;
    struct mcti_list lanes;              /* of stateless requests */
    struct mcti_list waiting;            /* lanes with an exchange, in the order of their next ping */
    struct mcti_timer tick;              /* keep-alive comments and expiry */
    struct mcti_list silent;             /* lanes that may have to be primed, oldest first */
    struct mcti_timer prime;             /* runs while there is one */
    struct mcti_http_visitor **visitors; /* by number of the principal; none leaves before the end */
    size_t n_visitors;
    struct mcti_credential *tokens; /* guard.tokens: by number of the principal, from 1 on; without a token if that was
                                     * removed. Their texts are borrowed */
    struct mcti_buf line, scratch;  /* an event under construction: its text, and its encoded form */
    bool legacy_sse;
    char **cors;                   /* header lines for each of guard.origins; owned */
    struct mcti_strings cors_kept; /* of former origins: exchanges may have borrowed them */
    struct mcti_http_front_counters counters;
    const struct mcti_http_pages *pages;
    void *page_state;
    char *url; /* of the endpoint /mcp; owned */
    const struct mcti_event_log *event_log, *audit_log;
    struct mcti_line_file log; /* access log */
};

/* One request and its sender. */
struct mcti_http_visit {
    struct mcti_front_http *front;
    struct mcti_http_endpoint *endpoint; /* NULL: the path is not an endpoint */
    struct mcti_face *face;              /* face of the endpoint; NULL: not chosen, see mcti_face_for_visit() */
    struct mcti_http_exchange *x;
    unsigned principal;
    struct mcti_client_prefs prefs; /* settings of the operator for this client, and those of the URL */
};

/* Sets f->guard, and creates the visitors of new tokens. Returns -1 when out of memory; then the guard is unchanged. */
int mcti_visitors_take(struct mcti_front_http *f, const struct mcti_guard *guard);
void mcti_visitors_done(struct mcti_front_http *f);

/* Returns the principal with the largest count; `offset` is that of a size_t member of struct mcti_http_visitor. */
unsigned mcti_visitors_most(const struct mcti_front_http *f, size_t offset);

#endif
