/* One request of a client, and the helpers that the files of gateway/, its questions and notifications share. */
#ifndef MCT_GATEWAY_IMPL_H
#define MCT_GATEWAY_IMPL_H

#include "hub/call/start.h"
#include "hub/core/branch.h"
#include "hub/core/lease.h"
#include "gateway/gateway.h"
#include "mcp/handshake.h"
#include "mcp/shape/shape.h"

struct gw_park;
struct mcti_gw_tasked;
struct mcti_gw_page;
struct mcti_gw_sub;
struct mcti_gw_watch;
struct mcti_span;

/* Result of a function that may answer, keep or free the request it is given. */
enum mcti_gw_step {
    GO_ON, /* the caller still owns the request and continues with it */
    TAKEN, /* the function has taken the request; the caller must not touch it again */
};

/* One request of a client while it is being answered. Owns its call, its connection, its timers and its other waits. */
struct mcti_gw_request {
    struct mcti_inbound in;
    struct mcti_peer *peer;
    struct mcti_principal *principal;
    struct mcti_lease lease;    /* a subscriptions/listen that is acknowledged has none, because it may stay for days */
    struct mcti_account *payer; /* account charged for the request */
    size_t held;
    struct mcti_charge charge; /* server charged for the call */
    enum mcti_verb verb;
    enum mcti_rev rev;
    struct mcti_call call;
    char *method;           /* of MCT_VERB_FOREIGN; otherwise NULL */
    char *uri;              /* URI of a 2026-07-28 read, as written, for the error that must name it */
    char *output_schema;    /* output schema of the tool if the result is reshaped because of it; otherwise NULL */
    struct mcti_span *span; /* of telemetry; NULL: none, or it has ended */
    int log_level;          /* log level that a 2026-07-28 request has requested; GW_SILENT: none */

    struct mcti_list behind; /* in peer->behind while the request waits for the answer to initialize */
    char *kept;              /* copy of the message, for a second dispatch; NULL: not needed so far */
    size_t kept_len;
    uint64_t until_ms;       /* initialize: time at which it is answered in any case; 0: not set yet */
    struct mcti_settle wait; /* for servers that are still starting */

    const struct mcti_provider *connection; /* connection used last */
    struct mcti_branch *branch; /* connection in use, if that is not the shared one; see hub/core/branch.h */

    struct mcti_provider **candidates; /* resources/read: servers to try, best first; owned */
    size_t n_candidates, next, first;  /* first: candidate to begin with at the second dispatch */
    bool recalls;                      /* the answer may come from the cache */
    struct mcti_cache_place *place;    /* for the answer in the cache; NULL: none */
    struct mcti_gw_page *page;         /* see gateway/apps.h; owned. NULL: none is read */

    bool varies;                 /* results of unknown kinds may be meant for the client */
    struct mcti_answerer can;    /* questions that a 2026-07-28 client can answer, see gateway/park.h */
    unsigned char digest[32];    /* of method and params, see gateway/question/claim.h */
    unsigned char skill;         /* enum mcti_gw_skill */
    struct mcti_gw_tasked *task; /* see gateway/tasks.h; NULL: the request cannot bring a task */
    struct gw_park *park;        /* questions put to the client; NULL: none so far */

    struct mcti_list listen; /* in peer->listens, once it is acknowledged */
    bool listens;            /* counted in principal->n_listens */
    unsigned listen_kinds;
    struct mcti_subs subs;       /* resources of a subscriptions/listen */
    struct mcti_gw_watch *watch; /* tasks of a subscriptions/listen; NULL: none */
    struct mcti_gw_sub *sub;     /* subscription that a resources/subscribe waits for; NULL: none */
    unsigned n_pending;          /* subscriptions in `subs` that no server has accepted yet */
};

enum { GW_SILENT = 99 }; /* above every log level */

/* A handler answers r->in now or later and then frees `r` with mcti_gw_request_free(). */
typedef void (*mcti_gw_handler)(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                const struct mcti_msg_meta *meta);

/* ---- request.c ---- */

extern const struct mcti_session_ops mcti_gw_session_ops;

void mcti_gw_request_free(struct mcti_gw_request *r);

/* Keeps a copy of the message in r->kept. TAKEN when out of memory: the request has been answered and freed. */
enum mcti_gw_step mcti_gw_keep(struct mcti_gw_request *r, const struct mcti_msg *msg);

/* Waits up to `max_ms` for servers that are still starting, then dispatches the request again. Returns GO_ON if no
 * server is starting or the request has waited before. */
enum mcti_gw_step mcti_gw_wait(struct mcti_gw_request *r, const struct mcti_msg *msg, unsigned max_ms);

/* Takes the request and waits until `enough` returns true or `max_ms` are over, then dispatches it again. */
void mcti_gw_wait_until(struct mcti_gw_request *r, const struct mcti_msg *msg,
                        bool (*enough)(const struct mcti_settle *w), unsigned max_ms);

/* Takes the request and waits for r->branch to connect or fail, then dispatches it again; max_ms 0: no limit. */
void mcti_gw_wait_for_branch(struct mcti_gw_request *r, const struct mcti_msg *msg, unsigned max_ms);

/* ---- helpers ---- */

/* Returns the name of the principal that the request comes from. */
static inline struct mcti_str gw_principal(const struct mcti_gw_request *r)
{
    return r->principal->name;
}

/* Returns the preferences of the client that sends on `lane`. */
static inline const struct mcti_client_prefs *mcti_gw_prefs(const struct mcti_peer *p, void *lane)
{
    return p->ops->prefs ? p->ops->prefs(p->data, lane) : &p->prefs;
}

/* Returns what crosses between the clients of a view and its servers. */
static inline enum mcti_extensions mcti_gw_extensions(const struct mcti_view *v)
{
    return v->single ? MCT_EXTENSIONS_SINGLE : MCT_EXTENSIONS_DECLARED;
}

/* Returns the key that seals cursors and requestStates. */
static inline struct mcti_str gw_seal_key(const struct mcti_gateway *g)
{
    return (struct mcti_str){ (const char *)g->seal_key, sizeof g->seal_key };
}

/* Returns whether a handshake client may be sent notifications and requests: it has the answer to initialize and has
 * sent notifications/initialized. */
static inline bool mcti_gw_is_ready(const struct mcti_peer *p)
{
    return p->initialized && !p->greeting;
}

/* Records a change of a client that has a session, for people who look at the gateway. */
static inline void mcti_gw_note_client(struct mcti_peer *p)
{
    if (p->gateway->activity && !p->is_inner)
        p->changed = mcti_activity_note(p->gateway->activity);
}

/* Returns the request that a call, or the call it is made on behalf of, belongs to. */
static inline struct mcti_gw_request *mcti_gw_of(struct mcti_call *call)
{
    while (call->behalf)
        call = call->behalf;
    return MCT_CONTAINER(call, struct mcti_gw_request, call);
}

#endif
