/*
 * The gateway: MCP requests of clients answered from a view of the registry. A peer is one downstream
 * conversation: a stdio client, one HTTP session of a handshake client, or all stateless HTTP requests
 * to one endpoint. The gateway does not know how bytes travel.
 */
#ifndef MCT_GATEWAY_GATEWAY_H
#define MCT_GATEWAY_GATEWAY_H

#include "base/account.h"
#include "base/seal.h"
#include "resources/cache.h"
#include "resources/dialect/dialect.h"
#include "hub/policy/policy.h"
#include "hub/view/prefs.h"
#include "hub/call/events.h"
#include "hub/hooks/hooks.h"
#include "hub/core/text.h"
#include "hub/view/view.h"
#include "mcp/session.h"

/* On whose authority requests come, and what they make the gateway hold. */
struct mcti_principal {
    struct mcti_str name; /* a short word, the same for the same credential, never the credential itself; borrowed */
    uint64_t authority;   /* its hash, for mcti_call.authority */
    struct mcti_account account;
    struct mcti_tally tally;
    size_t n_parked, n_listens, n_subs; /* see the ceilings in base/limits.h */
};

void mcti_principal_init(struct mcti_principal *p, struct mcti_memory *m, struct mcti_str name);

/* What waits to be told to very many clients, see gateway/notify/fan.c. */
struct mcti_fan {
    struct mcti_list items;
    size_t bytes;
    uint64_t turn_ms;
    unsigned left;        /* of what may be done in this turn */
    struct mcti_list *at; /* the next peer that the first item is told to; NULL: it has not begun */
    struct mcti_timer tick;
};

struct mcti_gateway {
    struct mcti_registry *registry;
    struct mcti_sched *sched;
    const struct mcti_log *log;
    unsigned list_wait_ms;         /* how long a server that is still starting holds up lists, from its start on */
    unsigned instructions_wait_ms; /* and the answers to initialize and server/discover, which carry its instructions */
    size_t message_bytes;
    size_t page_items;
    enum mcti_era era;       /* MCT_ERA_AUTO: both */
    struct mcti_offer offer; /* to clients that ask for nothing else */
    struct mcti_dialect_opts dialect;
    const char *preferred;
    bool apart;
    struct mcti_policy policy;
    struct mcti_cache *cache; /* of what was read; NULL: none */
    struct mcti_memory memory;
    struct mcti_principal local; /* of clients that nobody tells apart */
    /* Ends something that stands still below `over`, so that `asks` may hold more. False: there is nothing. NULL: there
     * never is. */
    bool (*make_room)(void *data, const struct mcti_account *asks, const struct mcti_account *over);
    void *make_room_data;
    struct mcti_list peers;
    struct mcti_fan fan;
    struct mcti_map subs, topics; /* see gateway/notify/subscribe.c */
    unsigned n_updates;
    size_t max_subscriptions;   /* of one principal */
    struct mcti_events *events; /* borrowed: who hears of calls; NULL: nobody */
    struct mcti_hooks *hooks;   /* borrowed: what calls of tools pass; NULL: nothing */
    uint64_t n_peers;           /* there have been so far */
    struct mcti_peer *sole; /* the only client there will ever be: what is asked outside of calls is asked of it. NULL:
                             * there may be more */
    struct mcti_watcher watcher;
    struct mcti_timer tell;       /* folds bursts of changes into one notification */
    int stateless_level;          /* the most verbose log level that 2026-07-28 requests have asked for lately */
    struct mcti_timer levels_due; /* when that is looked at again */
    bool has_set_level;           /* servers have been given a log level */
    struct mcti_map parks;        /* calls whose client has been asked something and must come back, by id */
    struct mcti_list park_list;
    unsigned char seal_key[MCT_SEAL_KEY_BYTES]; /* of what such a client is given to bring back */
};

struct mcti_gateway_opts {
    unsigned list_wait_ms, instructions_wait_ms;
    size_t message_bytes;
    size_t page_items; /* of a list; 0: MCT_LIST_PAGE_ITEMS */
    struct mcti_offer offer;
    const struct mcti_dialect_opts *dialect; /* copied; NULL: mcti_dialect_defaults */
    const char *preferred;          /* server asked first for a URI that none is known to have; borrowed. NULL: none */
    bool apart;                     /* clients are told apart: what one is shown may not be what another is */
    struct mcti_memory_opts memory; /* without `apart` */
    size_t subscriptions;           /* of one principal; 0: MCT_LIMIT_PRINCIPAL_SUBSCRIPTIONS */
    struct mcti_events *events;     /* as above */
    struct mcti_hooks *hooks;
    const struct mcti_cache_opts *cache; /* NULL: mcti_cache_defaults */
    enum mcti_era
        era; /* of the clients that are served; those of the other are refused as by a server that knows one */
    struct mcti_policy policy;
};

void mcti_gateway_init(struct mcti_gateway *g, struct mcti_registry *r, const struct mcti_log *log,
                       const struct mcti_gateway_opts *opts);
void mcti_gateway_done(struct mcti_gateway *g); /* its peers have been freed */

/* A view for clients of the gateway, with what they are offered, and the same for handshake clients; see
 * mcti_view_init(). */
int mcti_gateway_view(struct mcti_gateway *g, struct mcti_view *v, const struct mcti_view_opts *opts,
                      const struct mcti_offer *offer);

/* What servers behind a gateway are told: everything can be asked. Who really answers is the client whose call it comes
 * up in; this one answers what comes up in none. A copy's data may lead to a pointer to the gateway (or to NULL). */
extern const struct mcti_answerer mcti_gateway_answerer;

struct mcti_gw_request;

/* Resources that a session, or a subscription, is told about: struct gw_sub. */
struct mcti_subs {
    struct mcti_list list;
    unsigned n;
    unsigned n_updates; /* of the gateway, when the owner was told of a change last */
};

struct mcti_peer_ops {
    /* Sends one frame, and hears that a lane is over; see struct mcti_session_ops. */
    int (*send)(void *data, struct mcti_str frame, void *lane, bool final);
    void (*lane_done)(void *data, void *lane); /* may be NULL */
    /* The same for a notification that goes to many; a peer that keeps it takes a reference. Where nobody listens it is
     * kept if it is `wanted`, and left out if not. May be NULL: `send` is used. */
    void (*tell)(void *data, struct mcti_text *frame, bool wanted);
    /* On whose authority a request came; lane NULL: whose the peer is. It outlives the peer. May be NULL: all are the
     * machine's own user. */
    struct mcti_principal *(*principal)(void *data, void *lane);
    /* What is set for the client that a request came from, where one peer stands for many. May be NULL:
     * mcti_peer.prefs. */
    const struct mcti_client_prefs *(*prefs)(void *data, void *lane);
    /* Hangs up on a lane in the middle of its request: the client comes back for the rest (2025-11-25,
     * "polling"). Does nothing where the client could not. May be NULL. */
    void (*close_stream)(void *data, void *lane);
};

struct mcti_peer {
    struct mcti_gateway *gateway;
    struct mcti_view *endpoint; /* borrowed: what it was given to see */
    enum mcti_view_of of;       /* the group of clients it belongs to since initialize */
    struct mcti_view *view;     /* the endpoint's for that group */
    struct mcti_session session;
    struct mcti_list node;
    uint64_t number; /* that no other peer of the gateway has had */
    const struct mcti_peer_ops *ops;
    void *data;
    struct mcti_client_prefs prefs;   /* set by the owner before the first message */
    bool initialized;                 /* notifications/initialized has come */
    struct mcti_gw_request *greeting; /* its initialize, while that waits for servers; NULL: it does not */
    struct mcti_list behind;          /* struct mcti_gw_request: came meanwhile */
    int level;                        /* of logging/setLevel; -1: never set */
    struct mcti_answerer can;         /* what it said at initialize that it can be asked */
    char *client; /* what it calls itself (clientInfo.name at initialize), maybe cut; NULL: unknown */
    bool leaving;
    char *capabilities;                   /* the same as a ClientCapabilities object; NULL: it said nothing */
    const struct mcti_provider *answered; /* whose answer it was given last, compared only */
    uint64_t answered_ms;
    struct mcti_account account;   /* of a session; requests without one are charged to their principal */
    struct mcti_subs subs;         /* resources/subscribe */
    struct mcti_list holds;        /* struct gw_hold: connections in its era that it has used */
    struct mcti_list elicitations; /* struct gw_elicitation: pages it was sent to, newest last */
    struct mcti_list held;    /* questions of servers that came before it was initialized, see gateway/question/ask.c */
    unsigned dirty;           /* kinds that changed and were not told yet */
    bool own_dirty;           /* so may have the tools that its view has of its own */
    uint64_t own_tools;       /* hash of those, as they were told last */
    struct mcti_list listens; /* open subscriptions/listen requests */
};

/* NULL when out of memory. */
struct mcti_peer *mcti_peer_new(struct mcti_gateway *g, struct mcti_view *view, const struct mcti_peer_ops *ops,
                                void *data);

/* Shows it another view from now on: with the same offer, or, while it is idle, any. */
void mcti_peer_move(struct mcti_peer *p, struct mcti_view *view);

/* Everything it asked for is cancelled. What is still charged to it must be released before it is freed. */
void mcti_peer_leave(struct mcti_peer *p);
void mcti_peer_free(struct mcti_peer *p);

/* Whether a call waits at its server for the client to come back to it. */
bool mcti_peer_has_parked(const struct mcti_peer *p);

/* Ends open subscriptions with a result, as a server that shuts down does. */
void mcti_peer_end_listens(struct mcti_peer *p);

static inline void mcti_peer_receive(struct mcti_peer *p, struct mcti_str frame, void *lane)
{
    mcti_session_receive(&p->session, frame, lane);
}

/*
 * What a 2026-07-28 request must have before it is looked at: a known version and capabilities in
 * `_meta`. -1 with *err (its code set) and, for -32022, raw JSON in *ret_data.
 */
int mcti_stateless_check(const struct mcti_msg_meta *meta, struct mcti_buf *ret_data, struct mct_error *err);

/* Sets *err and *ret_data to what is said of a version (text) that is not served (-32022); returns -1. */
int mcti_fail_version(struct mcti_str version, struct mcti_buf *ret_data, struct mct_error *err);

#endif
