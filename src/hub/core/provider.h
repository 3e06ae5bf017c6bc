/*
 * A provider publishes items and runs calls: an MCP server, the program's own tools, a plugin. Each type of provider
 * has an operation table and embeds struct mcti_provider as its first member.
 */
#ifndef MCT_HUB_CORE_PROVIDER_H
#define MCT_HUB_CORE_PROVIDER_H

#include "base/log/log.h"
#include "hub/core/call.h"
#include "hub/core/item.h"
#include "hub/core/journal.h"
#include "base/text.h"
#include "hub/core/vetted.h"
#include "io/transport.h"
#include "mcp/handshake.h"

struct mcti_branch;
struct mcti_entrance;
struct mcti_outside;

enum mcti_state { MCT_DISCONNECTED, MCT_CONNECTING, MCT_CONNECTED, MCT_FAILED };

const char *mcti_state_word(enum mcti_state state); /* "connected" … */

/* A provider that shows what it had when it was connected before, while it is not: it counts as connected, and calls
 * wait until it is. */
enum mcti_standby {
    MCT_STANDBY_NONE,
    MCT_STANDBY_ASLEEP,   /* it is not running; a call starts it */
    MCT_STANDBY_STARTING, /* it is being started */
};

/* Why a provider is not connected. */
enum mcti_reason {
    MCT_REASON_NONE,
    MCT_REASON_NEEDS_AUTH, /* credentials are missing or were refused */
    MCT_REASON_BACKOFF,    /* the next attempt is at next_try_ms */
    MCT_REASON_CONFIG,     /* the configuration of the server is invalid */
};

const char *mcti_reason_word(enum mcti_reason reason); /* "needs_auth" …, NULL: none */

/* A wait for a server's answer to a subscription. Embedded in an object of the waiter, which removes `node` from its
 * list to end the wait. */
struct mcti_agreement {
    struct mcti_list node;
    /* Called once from the loop; err NULL: the server has accepted the subscription. */
    void (*done)(struct mcti_agreement *w, const struct mct_error *err);
};

struct mcti_provider_ops {
    const char *type;   /* "mcp", "builtin" */
    bool lists_foreign; /* its items are those of a peer: the registry's vetter judges them */
    void (*start)(struct mcti_provider *p);
    /* Starts a call. On failure returns -1 and sets *err; call->done is then not called. */
    int (*call)(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err);
    /* Forgets the call and sends a cancellation with the reason to the server; reason NULL: sends none. */
    void (*cancel)(struct mcti_provider *p, struct mcti_call *call, const char *reason);
    /* Returns whether the provider runs a request on behalf of this call. NULL: never. */
    bool (*runs_for)(const struct mcti_provider *p, const struct mcti_call *behalf);
    /* Returns whether a call runs. NULL: never. */
    bool (*is_busy)(const struct mcti_provider *p);
    /* Sets the log level of a handshake server, for all its clients; 2026-07-28 servers get the level of each call
     * (caller.log_level). May be NULL. */
    void (*set_level)(struct mcti_provider *p, const char *level);
    /* Adds a subscription to the updates of a resource (events->updated); subscriptions are counted. Returns 1 if the
     * server has accepted the subscription, or if the request will be sent once the server is connected; 0 if w->done
     * will report the answer (`w` may be NULL); -1 with *err if the server sends no updates. Both functions may be
     * NULL. */
    int (*subscribe)(struct mcti_provider *p, struct mcti_str uri, struct mcti_agreement *w, struct mct_error *err);
    void (*unsubscribe)(struct mcti_provider *p, struct mcti_str uri);
    /* Notifies the server that the client's roots have changed. May be NULL. */
    void (*roots_changed)(struct mcti_provider *p);
    /* Sends a notification of an extension to a handshake server. May be NULL. */
    void (*notify)(struct mcti_provider *p, const char *method, struct mcti_str params);
    /* Fetches the lists whose ttlMs is over; events->changed follows for those that differ. May be NULL. */
    void (*freshen)(struct mcti_provider *p);
    /* Fetches all lists in any case; events->fetched follows. NULL: the lists are always current. */
    void (*refresh)(struct mcti_provider *p);
    /* Returns whether a list is being fetched, or about to be. NULL: never. */
    bool (*is_fetching)(const struct mcti_provider *p);
    /* Returns whether items[kind] is still valid: the server reports changes, or the ttlMs of the list has not passed.
     * NULL: always. */
    bool (*list_is_current)(const struct mcti_provider *p, enum mcti_kind kind);
    /* Creates another connection to the same server, not started, which declares the capabilities `can` (NULL: those of
     * this connection). `handshake`: it begins with initialize, whichever era this connection has. Returns NULL when
     * out of memory. May be NULL: the provider has no connection. */
    struct mcti_provider *(*branch)(struct mcti_provider *p, const struct mcti_answerer *can, bool handshake);
    /* Begins an orderly stop; events->stopped follows, at once or later. */
    void (*stop)(struct mcti_provider *p);
    /* Closes the connection and makes a new one at once; calls in flight fail. May be NULL: there is no connection. */
    void (*restart)(struct mcti_provider *p);
    void (*describe)(const struct mcti_provider *p, struct mcti_transport_facts *ret); /* may be NULL */
    void (*free)(struct mcti_provider *p);
};

/* Events of a provider, for the registry. Called from the loop. */
struct mcti_provider_events {
    void (*changed)(void *data, struct mcti_provider *p, unsigned kinds); /* bits 1 << kind */
    void (*state)(void *data, struct mcti_provider *p);
    void (*message)(void *data, struct mcti_provider *p, struct mcti_str params); /* a log message */
    void (*updated)(void *data, struct mcti_provider *p, struct mcti_str params); /* a resource */
    void (*elicited)(void *data, struct mcti_provider *p,
                     struct mcti_str params); /* notifications/elicitation/complete */
    void (*announced)(void *data, struct mcti_provider *p,
                      unsigned kinds); /* as changed, but the fetched lists are equal to the old ones */
    void (*outdated)(void *data, struct mcti_provider *p); /* cached contents of its resources may be outdated */
    void (*fetched)(void *data, struct mcti_provider *p);  /* the last fetch of a list has ended */
    void (*hosted)(void *data, struct mcti_provider *p);   /* a plugin host reports changed hooks */
    void (*said)(void *data, struct mcti_provider *p, const struct mcti_journal_line *line); /* in its journal */
    void (*stopped)(void *data, struct mcti_provider *p);
    void (*ended)(void *data, struct mcti_branch *b); /* the branch is stopped next, and freed later */
    void *data;
};

/* Caching hint of a list (2026-07-28 "Caching"); zero for handshake servers, which send none. */
struct mcti_hint {
    uint64_t fresh_until_ms; /* 0: not fresh */
    bool is_public;
};

/* Callers that share a connection to the server: all, those of one session, those of one principal. */
enum mcti_isolation { MCT_SHARED, MCT_BY_SESSION, MCT_BY_PRINCIPAL };

/* Handshake clients that reach a dual-era server over a handshake connection. AUTO: over HTTP all; over stdio, which
 * needs a second process, those that can answer questions. */
enum mcti_match { MCT_MATCH_AUTO, MCT_MATCH_ALL, MCT_MATCH_NONE };

/* Whether a server is dual-era. */
enum mcti_both { MCT_BOTH_UNKNOWN, MCT_BOTH_NO, MCT_BOTH_YES };

/* When resource tools are offered for a server: if the client's offer has them, always, never. */
enum mcti_resource_tools { MCT_RESOURCE_TOOLS_ASKED, MCT_RESOURCE_TOOLS_ALWAYS, MCT_RESOURCE_TOOLS_NEVER };

struct mcti_provider {
    const struct mcti_provider_ops *ops;
    struct mcti_provider_events events;
    struct mcti_entrance *entrance; /* every call to it passes; NULL: none */
    struct mcti_sched *sched;
    const struct mcti_log *log;
    const struct mcti_answerer *answerer; /* of questions outside of calls, and in calls without an answerer; NULL:
                                           * none */
    struct mcti_text *label;              /* the name, for those that outlive the provider; NUL-terminated */
    char *name;                           /* in `label` */
    enum mcti_state state;
    enum mcti_standby standby; /* with MCT_CONNECTED */
    enum mcti_reason reason;
    const char *transport; /* "stdio", "streamable-http", "sse", "plugin"; NULL: none yet */
    uint64_t next_try_ms;  /* with MCT_REASON_BACKOFF, on the scheduler's clock */
    bool started;          /* it was started by the registry */
    uint64_t started_ms;   /* time of the first start, on the scheduler's clock */
    bool settled;          /* the first attempt to start is over, with or without success, or takes too long */
    bool retired;          /* it was removed from the registry, see mcti_registry_retire() */
    bool retired_stops;    /* `stop` was called for that reason */
    bool retired_ended;    /* it has stopped */
    uint64_t left_at;      /* number of the newest lease when it was reported as gone; 0: it was not, see lease.h */
    struct mcti_task retire;
    struct mcti_timer drain; /* with `retired`: set while its running calls may end */
    uint64_t drain_until_ms;
    bool has_greeted; /* the handshake is over. With MCT_CONNECTING: the server is being asked for its first lists */
    bool required;
    bool trusted;       /* annotations of its tools are trusted */
    bool only_one;      /* no other server is configured, so a bare name means one of its tools */
    bool hosts_plugins; /* it is the program's own plugin host, which may name the plugin of a tool */
    bool hooks_pass;    /* hooks of its plugins that are not there block nothing */
    bool bars_calls;    /* hooks of its plugins cannot run, and so block calls of other servers' tools */
    const char *plugin; /* id of the C plugin loaded in it; NULL: none */
    bool read_only;     /* all its tools count as read-only */
    bool bare;          /* its tools are the program's own and have no prefix */
    bool tasks_here;    /* the gateway makes tasks of calls of its tools that say so, because it cannot itself */
    bool asks;          /* its calls put questions to their answerer, whichever revision it speaks */
    enum mcti_isolation isolation;
    enum mcti_resource_tools resource_tools;
    struct mcti_login *login;        /* of its server; owned by whoever made the provider; NULL: it cannot log in */
    bool has_credentials;            /* its requests carry configured credentials */
    bool refuses_credentials;        /* HTTP 401 was its latest answer to a call; only in use while it is connected */
    enum mcti_extensions extensions; /* those that cross to and from this server */
    bool by_capabilities;            /* only clients with the same capabilities share a connection */
    bool asks_for_roots;             /* it has asked for roots outside of calls */
    bool by_process;                 /* each connection is a process */
    unsigned call_timeout_ms;        /* default time limit of its calls; 0: none */
    enum mcti_match match;
    enum mcti_both both;             /* eras of the server, as far as known */
    uint64_t both_until_ms;          /* with MCT_BOTH_NO: time of the next attempt */
    bool told_full;                  /* the branch limit was logged; reset when a branch is created */
    struct mcti_provider *origin;    /* of a branch, see branch.h; otherwise NULL */
    struct mcti_provider *handshake; /* provider of the common branch; NULL: none */
    const struct mct_error *error;   /* why it is not connected; kind NONE: unknown. Kept, see base/error.h */
    const struct mct_error *list_error[MCT_KIND_N]; /* why a list is missing or incomplete; it is fetched again. Kept */
    struct mcti_text_payer payer;                   /* memory held for calls to it and texts of it; has no parent */
    struct mcti_journal journal;                    /* of this server and of its branches */
    size_t n_told_later, n_not_told;                /* its log messages waiting in the fan, and dropped there */
    uint64_t n_calls;                               /* calls started */
    size_t n_tasks;                                 /* tasks made over this connection that run, as far as known */
    uint64_t n_uris_refused;                        /* reads refused because of resource_uri_allowlist */
    char *last_diagnostics;                         /* stderr of the last process that ended; NULL: none */
    struct mcti_server_info info;
    struct mcti_items items[MCT_KIND_N];
    struct mcti_vetter *vetter;               /* borrowed; NULL: nothing is judged. See vetted.h */
    struct mcti_items barred[MCT_KIND_N];     /* quarantined: in no list, and not to be called */
    bool bars_instructions, bars_server_info; /* these texts are not to be shown */
    struct mcti_findings findings[MCT_SUBJECT_N];
    uint64_t n_quarantines, n_warnings; /* findings so far, those of branches included */
    struct mcti_findings next_findings; /* of the list that is being judged */
    struct mcti_hint hint[MCT_KIND_N];
    struct mcti_outside *outside;           /* of the registry; NULL: nothing is called external */
    bool external;                          /* its results are from outside, see hub/policy/outside.h */
    bool is_attached;                       /* reached through the running gateway, which has marked its results */
    const char *const *allow, *const *deny; /* globs of raw tool names, borrowed; n_allow 0: all are allowed */
    size_t n_allow, n_deny;
};

int mcti_provider_init(struct mcti_provider *p, const struct mcti_provider_ops *ops, const char *name,
                       struct mcti_sched *sched, const struct mcti_log *log);
void mcti_provider_done(struct mcti_provider *p);

/* Gives the provider another name. Returns -1 when out of memory. */
int mcti_provider_rename(struct mcti_provider *p, const char *name);

/* Returns whether the server may make tasks of calls (mcp/task.h). */
static inline bool mcti_provider_makes_tasks(const struct mcti_provider *p)
{
    return p->info.tasks && p->extensions != MCT_EXTENSIONS_NONE;
}

/* Returns whether the server runs a tool as a task of 2025-11-25 if the call asks for one. */
static inline bool mcti_provider_takes_task(const struct mcti_provider *p, const struct mcti_item *tool)
{
    return p->info.tasks_2025 && tool->takes_task;
}

/* Returns whether calls to the provider may become tasks, of either revision. */
static inline bool mcti_provider_has_tasks(const struct mcti_provider *p)
{
    return mcti_provider_makes_tasks(p) || p->info.tasks_2025 || p->tasks_here;
}

/* Returns whether a call of the tool may become one. */
static inline bool mcti_provider_may_make_task(const struct mcti_provider *p, const struct mcti_item *tool)
{
    return mcti_provider_makes_tasks(p) || (tool->takes_task && mcti_provider_has_tasks(p));
}

/* Returns which extensions of the caller are declared to the server with the call. */
static inline struct mcti_extensions_kept mcti_provider_keeps(const struct mcti_provider *p,
                                                              const struct mcti_call *call)
{
    return (struct mcti_extensions_kept){ mcti_extensions_both(p->extensions, call->caller.extensions),
                                          call->tasks == MCT_TASKS_FOLLOWED, mcti_str_of(p->info.capabilities) };
}

/* Sets the state and notifies the registry; `err` may be NULL. */
void mcti_provider_set_state(struct mcti_provider *p, enum mcti_state state, const struct mct_error *err);

/* Returns the state as others are told: "connected" … or "idle". */
const char *mcti_provider_state_word(const struct mcti_provider *p);

/* Sets `standby` of a provider that counts as connected, and notifies the registry. */
void mcti_provider_set_standby(struct mcti_provider *p, enum mcti_standby standby);

/* Lets those who wait for the first attempt of `p` to start go on, although it has not ended. */
void mcti_provider_settle(struct mcti_provider *p);

/* Adds a line to the journal of the provider, or of its origin, and notifies the registry. */
void mcti_provider_say(struct mcti_provider *p, enum mcti_said by, struct mcti_str text);

/* Adds what the gateway says. */
void mcti_provider_note(struct mcti_provider *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Returns true if a person has to log in before the server can be used. */
bool mcti_provider_needs_login(const struct mcti_provider *p);

/* Returns the remaining time for which answers wait for the first start of `p`, if they may wait `max_ms` in all; 0: no
 * longer. */
unsigned mcti_provider_hold_ms(const struct mcti_provider *p, unsigned max_ms);

/* Returns the number of lists of the connected provider that are missing or incomplete, and sets *ret (may be NULL) to
 * the first reason. */
unsigned mcti_provider_lacks_lists(const struct mcti_provider *p, struct mct_error *ret);

/* Returns whether a list of the connected provider has no items because it could not be fetched. */
bool mcti_provider_misses_list(const struct mcti_provider *p);

/* Writes the status as members of an object, without the braces: name, state and, if known, reason, transport,
 * protocolVersion, error {kind, message}, listErrors [{list, kind, message}] and nextTryMs (counted from now_ms, on the
 * scheduler's clock). Once the server has asked for a login or has one: login {state, expiresAt (seconds since 1970),
 * command (to run if it is needed)}. A common branch is written as the object "handshake" with the same members but the
 * name. */
void mcti_provider_put_status(struct mcti_buf *to, const struct mcti_provider *p, uint64_t now_ms);

/* Return the text of the server, unless it is quarantined; absent: none. */
struct mcti_str mcti_provider_instructions(const struct mcti_provider *p);
struct mcti_str mcti_provider_server_info(const struct mcti_provider *p);

/* Writes what the server says of itself as members of an object, without the braces: serverInfo, capabilities and
 * instructions, as far as they are known. */
void mcti_provider_put_identity(struct mcti_buf *to, const struct mcti_provider *p);

/* Moves a fetched list into the provider, without quarantined items, and empties `fresh`. If it differs, frees the old
 * items, notifies the registry and returns true; pointers to items are not valid across this call. */
bool mcti_provider_take_items(struct mcti_provider *p, enum mcti_kind kind, struct mcti_items *fresh);

/* Notifies the registry that a list has changed. Cached contents of resources that are quarantined are outdated. */
void mcti_provider_tell_list(struct mcti_provider *p, enum mcti_kind kind);

/* Returns whether the lists `allow` and `deny` admit an item; `deny` takes precedence. Only tools are filtered. */
bool mcti_provider_admits(const struct mcti_provider *p, enum mcti_kind kind, struct mcti_str id);

#endif
