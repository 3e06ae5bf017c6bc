/*
 * A provider publishes items and runs calls: an MCP server behind a session, the built-in demo, a
 * plugin. An operation table plus this struct as first member.
 *
 * `settled` is set once the first attempt to start is over, well or
 * badly, and stays.
 */
#ifndef MCT_HUB_CORE_PROVIDER_H
#define MCT_HUB_CORE_PROVIDER_H

#include "base/account.h"
#include "base/log/log.h"
#include "hub/core/call.h"
#include "hub/core/item.h"
#include "io/transport.h"
#include "mcp/handshake.h"

struct mcti_branch;

enum mcti_state { MCT_DISCONNECTED, MCT_CONNECTING, MCT_CONNECTED, MCT_FAILED };

const char *mcti_state_word(enum mcti_state state); /* "connected" … */

/* What is behind a state that is not "connected". */
enum mcti_reason {
    MCT_REASON_NONE,
    MCT_REASON_NEEDS_AUTH, /* the server wants credentials, or others */
    MCT_REASON_BACKOFF,    /* it is tried again at next_try_ms */
    MCT_REASON_CONFIG,     /* the entry cannot be used as it is */
};

const char *mcti_reason_word(enum mcti_reason reason); /* "needs_auth" …, NULL: none */

/* Waits until a server has agreed to a subscription. Embedded in whoever waits, who takes it out of its list when he
 * does not any more. */
struct mcti_agreement {
    struct mcti_list node;
    void (*done)(struct mcti_agreement *w, const struct mct_error *err); /* once, from the loop; NULL: agreed */
};

struct mcti_provider_ops {
    const char *type; /* "mcp", "builtin" */
    void (*start)(struct mcti_provider *p);
    /* -1 with *err when it cannot be started; then done is not called. */
    int (*call)(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err);
    /* Tells the server (reason NULL: it is not told) and forgets the call. */
    void (*cancel)(struct mcti_provider *p, struct mcti_call *call, const char *reason);
    /* Whether a request made on behalf of this call is under way here. NULL: none ever is. */
    bool (*runs_for)(const struct mcti_provider *p, const struct mcti_call *behalf);
    /* The log level that a handshake server is to send, for all its clients; 2026-07-28 servers are told the level of
     * each call (caller.log_level). May be NULL. */
    void (*set_level)(struct mcti_provider *p, const char *level);
    /* Somebody wants to hear when this resource changes (events->updated); counted. 1: the server has agreed, or will
     * be asked when there is a connection; 0: `w`, which may be NULL, hears what it says; -1 with *err: it never tells.
     * Both may be NULL. */
    int (*subscribe)(struct mcti_provider *p, struct mcti_str uri, struct mcti_agreement *w, struct mct_error *err);
    void (*unsubscribe)(struct mcti_provider *p, struct mcti_str uri);
    /* The client's roots are others than they were. May be NULL. */
    void (*roots_changed)(struct mcti_provider *p);
    /* Lists whose time (ttlMs) is over are fetched again; what differs is told as a change. May be NULL. */
    void (*freshen)(struct mcti_provider *p);
    /* All lists are fetched again, whatever is known of them; events->fetched follows. NULL: they are always current.
     */
    void (*refresh)(struct mcti_provider *p);
    /* Whether a list is being fetched, or waits to be. NULL: never. */
    bool (*is_fetching)(const struct mcti_provider *p);
    /* Whether items[kind] is what the server has: it tells when that changes, or said how long it is good for. NULL:
     * always. */
    bool (*list_is_current)(const struct mcti_provider *p, enum mcti_kind kind);
    /* Another connection to the same server, not started, on which it is told that `can` can be asked (NULL: the same
     * as here). `handshake`: it begins with initialize, whatever this connection speaks. NULL when out of memory. May
     * be NULL: there is nothing that callers could share. */
    struct mcti_provider *(*branch)(struct mcti_provider *p, const struct mcti_answerer *can, bool handshake);
    /* Begins an orderly end; events->stopped follows, at once or later. */
    void (*stop)(struct mcti_provider *p);
    void (*describe)(const struct mcti_provider *p, struct mcti_transport_facts *ret); /* may be NULL */
    void (*free)(struct mcti_provider *p);
};

/* What the registry hears. Called from the loop. */
struct mcti_provider_events {
    void (*changed)(void *data, struct mcti_provider *p, unsigned kinds); /* bits 1 << kind */
    void (*state)(void *data, struct mcti_provider *p);
    void (*message)(void *data, struct mcti_provider *p, struct mcti_str params); /* a log message */
    void (*updated)(void *data, struct mcti_provider *p, struct mcti_str params); /* a resource */
    void (*elicited)(void *data, struct mcti_provider *p,
                     struct mcti_str params);              /* notifications/elicitation/complete */
    void (*outdated)(void *data, struct mcti_provider *p); /* what was read of its resources may not be so any more */
    void (*fetched)(void *data, struct mcti_provider *p);  /* no list is being fetched any more */
    void (*stopped)(void *data, struct mcti_provider *p);
    void (*ended)(void *data, struct mcti_branch *b); /* it is stopped next, and freed later */
    void *data;
};

/* How long a list is good for (2026-07-28 "Caching"); handshake servers say nothing of it. */
struct mcti_hint {
    uint64_t fresh_until_ms; /* 0: not at all */
    bool is_public;
};

/* Who shares a connection to the server. */
enum mcti_isolation { MCT_SHARED, MCT_BY_SESSION, MCT_BY_PRINCIPAL };

/* Which handshake clients reach a server that speaks 2026-07-28 over a handshake connection, if it has both eras:
 * AUTO: over HTTP all; over stdio, where that takes a second process, those that can be asked something. */
enum mcti_match { MCT_MATCH_AUTO, MCT_MATCH_ALL, MCT_MATCH_NONE };

/* Whether it has both. */
enum mcti_both { MCT_BOTH_UNKNOWN, MCT_BOTH_NO, MCT_BOTH_YES };

/* Whether a server has resource tools of its own: where they are asked for, always, never. */
enum mcti_resource_tools { MCT_RESOURCE_TOOLS_ASKED, MCT_RESOURCE_TOOLS_ALWAYS, MCT_RESOURCE_TOOLS_NEVER };

struct mcti_provider {
    const struct mcti_provider_ops *ops;
    struct mcti_provider_events events;
    struct mcti_sched *sched;
    const struct mcti_log *log;
    const struct mcti_answerer *answerer; /* of what is asked outside of a call, or in one that names no other; NULL:
                                           * nobody */
    char *name;
    enum mcti_state state;
    enum mcti_reason reason;
    const char *transport; /* "stdio", "streamable-http", "sse", "plugin"; NULL: none yet */
    uint64_t next_try_ms;  /* with MCT_REASON_BACKOFF, on the scheduler's clock */
    uint64_t started_ms;   /* when it was first told to start, on the scheduler's clock */
    bool settled, required;
    bool trusted;       /* what its tools say of themselves is believed */
    bool only_one;      /* no other server is configured, whose tools could be meant by a bare name */
    bool hosts_plugins; /* it is our own host: which plugin a tool is part of is believed */
    const char *plugin; /* id of the C plugin that is loaded in it; NULL: none is */
    bool read_only;     /* its tools only look, whatever they say */
    bool bare;          /* its tools are this program's own: called without a prefix */
    enum mcti_isolation isolation;
    enum mcti_resource_tools resource_tools;
    bool has_credentials; /* it is given some with each request */
    bool by_capabilities; /* only clients that can be asked the same share one */
    bool by_process;      /* each connection is a process */
    enum mcti_match match;
    enum mcti_both both;                     /* eras; as far as is known */
    uint64_t both_until_ms;                  /* with MCT_BOTH_NO: when it is tried again */
    bool told_full;                          /* that it has as many branches as it may; until there is room */
    struct mcti_provider *origin;            /* NULL: it is no branch, see branch.h */
    struct mcti_provider *handshake;         /* the branch that all clients of that era share; NULL: there is none */
    struct mct_error error;                  /* why it is not connected; kind NONE: no reason to give */
    struct mct_error list_error[MCT_KIND_N]; /* why a list is missing or incomplete */
    struct mcti_account account;     /* what calls to it, and texts of it, make the gateway hold; without a parent */
    size_t n_told_later, n_not_told; /* its log messages: waiting in the fan, and dropped there */
    uint64_t n_calls;                /* that were started */
    uint64_t n_uris_refused;         /* resources that resource_uri_allowlist kept from being read */
    char *last_diagnostics;          /* stderr of a process that has gone; NULL: none */
    struct mcti_server_info info;
    struct mcti_items items[MCT_KIND_N];
    struct mcti_hint hint[MCT_KIND_N];
    const char *const *allow, *const *deny; /* globs over raw tool names, borrowed; no allow: all */
    size_t n_allow, n_deny;
};

int mcti_provider_init(struct mcti_provider *p, const struct mcti_provider_ops *ops, const char *name,
                       struct mcti_sched *sched, const struct mcti_log *log);
void mcti_provider_done(struct mcti_provider *p);

/* Sets the state and tells the registry; `err` may be NULL. */
void mcti_provider_set_state(struct mcti_provider *p, enum mcti_state state, const struct mct_error *err);

/* Returns for how long the first start of `p` still holds up answers that wait for it, if it may do so for `max_ms`.
 * 0: not, or not any more. */
unsigned mcti_provider_hold_ms(const struct mcti_provider *p, unsigned max_ms);

/* What a person or program asks about it, as members of an object without the braces: name, state, and
 * where there is something to say reason, transport, protocolVersion, error {kind, message}, and nextTryMs (from
 * now_ms, on the scheduler's clock); the same but the name of its connection in the handshake era, as an object
 * "handshake", where there is one. */
void mcti_provider_put_status(struct mcti_buf *to, const struct mcti_provider *p, uint64_t now_ms);

/* Takes a freshly fetched list (which is empty afterwards) and tells the registry if it differs from
 * the old one, whose items are gone then: nobody may keep pointers to items across this. */
void mcti_provider_take_items(struct mcti_provider *p, enum mcti_kind kind, struct mcti_items *fresh);

/* Whether the configuration lets this tool through: denied beats allowed. */
bool mcti_provider_admits(const struct mcti_provider *p, const struct mcti_item *item);

#endif
