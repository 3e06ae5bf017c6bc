/*
 * The gateway answers the MCP requests of clients from views of the registry. A peer is a client of the gateway: a
 * stdio client, one HTTP session of a handshake client, or all stateless HTTP requests to one face. Transports belong
 * to the fronts; the gateway receives and sends frames.
 */
#ifndef MCT_GATEWAY_GATEWAY_H
#define MCT_GATEWAY_GATEWAY_H

#include "base/account.h"
#include "base/seal.h"
#include "gateway/activity/activity.h"
#include "hub/apps/memory.h"
#include "resources/cache.h"
#include "resources/dialect/dialect.h"
#include "hub/guard/rate.h"
#include "hub/policy/policy.h"
#include "hub/view/prefs.h"
#include "hub/call/events.h"
#include "hub/hooks/hooks.h"
#include "base/text.h"
#include "hub/results/results.h"
#include "hub/view/view.h"
#include "mcp/session.h"

/* The holder of a credential, and counters of the memory and objects that its requests occupy in the gateway. */
struct mcti_principal {
    struct mcti_str name; /* name of the credential, never the credential itself; borrowed */
    uint64_t authority;   /* hash of the name, for mcti_call.authority */
    struct mcti_account account;
    struct mcti_tally tally;
    size_t n_parked, n_listens, n_subs; /* see the ceilings in base/limits.h */
    struct mcti_rates rates;            /* its rule is set by the owner */
    struct mcti_app_memory apps;        /* of its clients without a session, see gateway/apps.h */
};

void mcti_principal_init(struct mcti_principal *p, struct mcti_memory *m, struct mcti_str name);

/* Log messages waiting to be sent to very many clients, see gateway/notify/fan.c. */
struct mcti_fan {
    struct mcti_list items;
    size_t bytes;
    uint64_t turn_ms;
    unsigned left;        /* work left in this turn */
    struct mcti_list *at; /* next peer to receive the first item; NULL: none has received it */
    struct mcti_timer tick;
};

/* What clients are told about the gateway itself. Borrowed texts. */
struct mcti_presentation {
    const char *server_info;  /* Implementation object; NULL in options: MCT_IMPLEMENTATION */
    const char *instructions; /* come before those of the servers; NULL: none */
    unsigned kinds;           /* bits 1 << kind: lists that are declared even if no server has them */
};

struct mcti_gateway {
    struct mcti_registry *registry;
    struct mcti_sched *sched;
    const struct mcti_log *log;
    unsigned list_wait_ms;         /* time from the start of a server for which lists wait for it */
    unsigned instructions_wait_ms; /* like list_wait_ms, for initialize and server/discover, which carry instructions */
    size_t message_bytes;
    size_t page_items;
    enum mcti_era era;       /* MCT_ERA_AUTO: both */
    struct mcti_offer offer; /* default of clients */
    struct mcti_app_rules app_rules;
    struct mcti_dialect_opts dialect;
    struct mcti_presentation present;
    const char *preferred;
    bool apart;
    struct mcti_rates rates; /* of all clients together */
    struct mcti_policy policy;
    struct mcti_cache *cache;     /* of resources; NULL: none */
    struct mcti_results *results; /* budgets of results, and what is over them; NULL: there can be none */
    struct mcti_memory memory;
    struct mcti_principal local; /* principal of clients without a token */
    /* Ends an idle session or stream charged below `over`, so that `asks` may hold more. Returns false if there is none
     * to end. May be NULL. */
    bool (*make_room)(void *data, const struct mcti_account *asks, const struct mcti_account *over);
    void *make_room_data;
    struct mcti_list peers;
    struct mcti_fan fan;
    struct mcti_map subs, topics; /* see gateway/notify/subscribe.c */
    unsigned n_updates;
    size_t max_subscriptions;       /* of one principal */
    struct mcti_events *events;     /* listeners of calls, borrowed; NULL: none */
    struct mcti_activity *activity; /* NULL: nobody looks, see mcti_gateway_observe() */
    const char *url;                /* of the HTTP endpoint, set by its front; borrowed. NULL: none */
    struct mcti_hooks *hooks;       /* hooks of tool calls, borrowed; NULL: none */
    uint64_t n_peers;               /* number of peers created so far */
    struct mcti_peer *sole;         /* the only client there will ever be, which gets questions that belong to no call;
                                 * NULL: there may be more clients */
    struct mcti_watcher watcher;
    struct mcti_timer tell;       /* folds bursts of changes into one notification */
    int program_level;            /* log level that the program itself has requested */
    int stateless_level;          /* most verbose log level that recent 2026-07-28 requests have set */
    struct mcti_timer levels_due; /* expiry of stateless_level */
    bool has_set_level;           /* servers have been given a log level */
    struct mcti_map parks;        /* parked calls, by id */
    struct mcti_list park_list;
    unsigned char seal_key[MCT_SEAL_KEY_BYTES]; /* seals requestStates and cursors */
    const char *task_key_file;                  /* borrowed; NULL: the key of ids of tasks ends with the gateway */
    bool has_task_key;
    unsigned char task_key[MCT_SEAL_KEY_BYTES]; /* seals ids of tasks, if has_task_key */
    bool has_old_task_key;
    unsigned char old_task_key[MCT_SEAL_KEY_BYTES]; /* ids that it has sealed are accepted as well */
    struct mcti_list open_tasks;                    /* see gateway/tasks/open.h */
    struct mcti_list own_tasks;                     /* see gateway/tasks.h */
};

struct mcti_gateway_opts {
    unsigned list_wait_ms, instructions_wait_ms;
    size_t message_bytes;
    size_t page_items; /* of a list; 0: MCT_LIST_PAGE_ITEMS */
    struct mcti_offer offer;
    struct mcti_app_rules app_rules;
    const struct mcti_dialect_opts *dialect; /* copied; NULL: mcti_dialect_defaults */
    struct mcti_presentation present;
    const char *preferred;          /* server tried first for a URI that no server lists; borrowed. NULL: none */
    bool apart;                     /* clients have tokens, so their lists may differ */
    struct mcti_memory_opts memory; /* its member `apart` is ignored */
    size_t subscriptions;           /* of one principal; 0: MCT_LIMIT_PRINCIPAL_SUBSCRIPTIONS */
    struct mcti_events *events;     /* as in struct mcti_gateway */
    struct mcti_hooks *hooks;
    const struct mcti_cache_opts *cache; /* NULL: mcti_cache_defaults */
    struct mcti_results_opts results;    /* rules NULL: no budgets; otherwise borrowed. The account is the gateway's */
    /* Era of the clients that are served. A client of the other era gets the error of a server without that era. */
    enum mcti_era era;
    struct mcti_policy policy;
    struct mcti_rate_rule rate; /* of all clients together */
    const char *task_key_file;  /* as in struct mcti_gateway */
};

void mcti_gateway_init(struct mcti_gateway *g, struct mcti_registry *r, const struct mcti_log *log,
                       const struct mcti_gateway_opts *opts);

/* Sets the limits, rates, waits and the policy of `opts`; other options keep their values. */
void mcti_gateway_update(struct mcti_gateway *g, const struct mcti_gateway_opts *opts);

/* Notifies all clients that their lists of tools may have changed. */
void mcti_gateway_tell_tools(struct mcti_gateway *g);

/* Requests log messages of this level (a JSON string) from the servers, whatever clients request. */
void mcti_gateway_set_program_level(struct mcti_gateway *g, struct mcti_str level);

/* Begins to record what the gateway does, for people who look at it; once is enough. Returns -1 when out of memory. */
int mcti_gateway_observe(struct mcti_gateway *g);

void mcti_gateway_done(struct mcti_gateway *g); /* all peers must have been freed */

/* Initialises `v` as a view for clients with this offer, and its variants for handshake clients; see
 * mcti_view_init(). */
int mcti_gateway_view(struct mcti_gateway *g, struct mcti_view *v, const struct mcti_view_opts *opts,
                      const struct mcti_offer *offer);

/* The answerer of servers behind a gateway; it declares every capability. The client of a call answers the questions of
 * that call; this answerer gets the questions that belong to no call. In a copy, `data` may point to a pointer to the
 * gateway, which may be NULL. */
extern const struct mcti_answerer mcti_gateway_answerer;

struct mcti_gw_request;

/* The resource subscriptions of a session, or of a subscriptions/listen request. */
struct mcti_subs {
    struct mcti_list list; /* struct mcti_gw_sub */
    unsigned n;
    unsigned n_updates; /* value of mcti_gateway.n_updates at the last update sent to the owner */
};

struct mcti_peer_ops {
    /* Send one frame, whole or in pieces; one of them may be NULL. Is notified of the end of a lane. See struct
     * mcti_session_ops. */
    int (*send)(void *data, struct mcti_str frame, void *lane, bool final);
    int (*send_pieces)(void *data, const struct mcti_pieces *frame, void *lane, bool final);
    void (*lane_done)(void *data, void *lane, bool lost); /* may be NULL */
    /* Sends a notification that goes to many peers; a peer that keeps the frame takes a reference. If the client has no
     * open stream, the frame is kept if `wanted`, otherwise dropped. May be NULL: `send` is used. */
    void (*tell)(void *data, struct mcti_text *frame, bool wanted);
    /* Returns the principal of the request on `lane`; lane NULL: of the peer. The principal outlives the peer. May be
     * NULL: mcti_gateway.local. */
    struct mcti_principal *(*principal)(void *data, void *lane);
    /* Returns the preferences of the client that sent the request on `lane`. May be NULL: mcti_peer.prefs. */
    const struct mcti_client_prefs *(*prefs)(void *data, void *lane);
    /* Closes the stream of a lane before its answer; the client resumes it later (2025-11-25, "polling"). Does nothing
     * if the client cannot resume. May be NULL. */
    void (*close_stream)(void *data, void *lane);
    /* Returns whether a message that belongs to no request reaches the client now. May be NULL: it does. */
    bool (*hears)(void *data);
    const char *transport; /* how the client is connected: "stdio", "streamable-http" or "sse"; NULL: unknown */
    /* Returns the header `traceparent` of the request on `lane`, absent if it has none. May be NULL: it has none. */
    struct mcti_str (*traceparent)(void *data, void *lane);
};

struct mcti_peer {
    struct mcti_gateway *gateway;
    struct mcti_view *endpoint; /* view of its endpoint, borrowed */
    enum mcti_view_of of;       /* group of clients it belongs to since initialize */
    struct mcti_view *view;     /* variant of `endpoint` for that group */
    struct mcti_session session;
    struct mcti_list node;
    uint64_t number;           /* unique among all clients of the gateway */
    uint64_t n_calls, changed; /* of a session: its calls, and the number of its latest change in gateway->activity */
    const struct mcti_peer_ops *ops;
    void *data;
    struct mcti_client_prefs prefs;   /* set by the owner before the first message */
    bool initialized;                 /* has sent notifications/initialized */
    uint64_t initialized_ms;          /* at this time */
    struct mcti_gw_request *greeting; /* its initialize, while that waits for servers; otherwise NULL */
    struct mcti_list behind;          /* struct mcti_gw_request: requests that came before `greeting` was answered */
    unsigned call_timeout_ms;         /* of its calls, set by the owner; 0: that of the server */
    bool is_inner;                    /* no client: the gateway itself, on behalf of one (gateway/tasks) */
    struct mcti_own_task *of_task;    /* task that this inner peer makes the call of; NULL: none */
    bool is_command;                  /* of this user: errors tell their kind. Set by the owner */
    int level;                        /* of logging/setLevel; -1: never set */
    struct mcti_answerer can;         /* capabilities declared at initialize */
    char *client;                     /* clientInfo.name of initialize, maybe cut; NULL: unknown */
    char *client_info;                /* clientInfo of initialize; NULL: none, or a long one */
    bool leaving;
    char *capabilities;                   /* ClientCapabilities object of initialize; NULL: none */
    const struct mcti_provider *answered; /* server of the last answer; compared only. NULL: none, or it is gone */
    uint64_t answered_ms;
    struct mcti_account account;   /* of a session; requests without one are charged to their principal */
    struct mcti_subs subs;         /* resources/subscribe */
    struct mcti_list holds;        /* struct gw_hold: connections in its era that it has used */
    struct mcti_list elicitations; /* struct gw_elicitation: pages it was sent to, newest last */
    struct mcti_list held;         /* questions that came before it was initialized, see gateway/question/ask.c */
    unsigned dirty;                /* kinds whose lists have changed since the last notification */
    bool lists_apps;               /* it has been given the tools of apps in a list */
    bool own_dirty;                /* the tools of the view's own may have changed */
    uint64_t own_tools;            /* hash of these tools at the last notification */
    struct mcti_list listens;      /* open subscriptions/listen requests */
    struct mcti_app_memory apps;   /* of a session, see gateway/apps.h */
};

/* Creates a peer with the view of its endpoint. Returns NULL when out of memory. */
struct mcti_peer *mcti_peer_new(struct mcti_gateway *g, struct mcti_view *view, const struct mcti_peer_ops *ops,
                                void *data);

/* Gives the peer another view: one with the same offer or, while the peer is idle, any. */
void mcti_peer_move(struct mcti_peer *p, struct mcti_view *view);

/* Cancels all requests of a peer whose client has disconnected. Everything still charged to its account must be
 * released before mcti_peer_free(). */
void mcti_peer_leave(struct mcti_peer *p);
void mcti_peer_free(struct mcti_peer *p);

/* Ends the tasks that the gateway has made of calls at an endpoint (NULL: at any), of a principal (NULL: of any). */
void mcti_gateway_end_tasks(struct mcti_gateway *g, const struct mcti_view *endpoint, const struct mcti_principal *who);

/* Returns the number of tasks of a server's tools that run, as far as the gateway knows. */
size_t mcti_gateway_count_tasks(const struct mcti_gateway *g, const char *server);

/* Returns whether such a task of the endpoint runs. */
bool mcti_gateway_has_tasks(const struct mcti_gateway *g, const struct mcti_view *endpoint);

/* Returns whether the peer has parked calls. */
bool mcti_peer_has_parked(const struct mcti_peer *p);

/* Ends the open subscriptions/listen requests with a result, as required of a server that shuts down. */
void mcti_peer_end_listens(struct mcti_peer *p);

/* `chunk` owns the bytes of a long frame; NULL: unknown. */
static inline void mcti_peer_receive(struct mcti_peer *p, struct mcti_str frame, struct mcti_chunk *chunk, void *lane)
{
    mcti_session_receive_chunk(&p->session, frame, chunk, lane);
}

/* Checks that `_meta` of a 2026-07-28 request has a supported version and capabilities. If not, returns -1 and sets
 * *err with its code; for -32022 also writes the JSON of the error's data to *ret_data. */
int mcti_stateless_check(const struct mcti_msg_meta *meta, struct mcti_buf *ret_data, struct mct_error *err);

/* Checks whether a request with a method that the gateway does not know is passed on to a server of the view. If not,
 * returns -1 and sets *err. */
int mcti_gateway_passes(const struct mcti_gateway *g, struct mcti_view *v, const struct mcti_client_prefs *prefs,
                        const struct mcti_msg *msg, struct mct_error *err);

/* Checks whether a method about tasks may be used at the endpoint by a request with this `_meta`. If not, returns -1
 * and sets *err with its code; if the request lacks the declaration, also writes the JSON of the error's data to
 * *ret_data. */
int mcti_gateway_admits_task(const struct mcti_view *v, const struct mcti_msg *msg, const struct mcti_msg_meta *meta,
                             struct mcti_buf *ret_data, struct mct_error *err);

/* Sets *err and *ret_data to the error for an unsupported version (-32022); returns -1. */
int mcti_fail_version(struct mcti_str version, struct mcti_buf *ret_data, struct mct_error *err);

#endif
