/*
 * A provider publishes items and runs calls: an MCP server behind a session, the built-in demo, a
 * plugin. An operation table plus this struct as first member.
 *
 * States as seed 001 names them; `settled` is set once the first attempt to start is over, well or
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

struct mct_branch;

enum mct_state { MCT_DISCONNECTED, MCT_CONNECTING, MCT_CONNECTED, MCT_FAILED };

const char *mct_state_word(enum mct_state state); /* "connected" … */

/* What is behind a state that is not "connected". */
enum mct_reason {
    MCT_REASON_NONE,
    MCT_REASON_NEEDS_AUTH, /* the server wants credentials, or others */
    MCT_REASON_BACKOFF,    /* it is tried again at next_try_ms */
    MCT_REASON_CONFIG,     /* the entry cannot be used as it is */
};

const char *mct_reason_word(enum mct_reason reason); /* "needs_auth" …, NULL: none */

/* Waits until a server has agreed to a subscription. Embedded in whoever waits, who takes it out of its list when he does
 * not any more. */
struct mct_agreement {
    struct mct_list node;
    void (*done)(struct mct_agreement *w, const struct mct_error *err); /* once, from the loop; NULL: agreed */
};

struct mct_provider_ops {
    const char *type; /* "mcp", "builtin" */
    void (*start)(struct mct_provider *p);
    /* -1 with *err when it cannot be started; then done is not called. */
    int (*call)(struct mct_provider *p, struct mct_call *call, struct mct_error *err);
    /* Tells the server (reason NULL: it is not told) and forgets the call. */
    void (*cancel)(struct mct_provider *p, struct mct_call *call, const char *reason);
    /* Whether a request made on behalf of this call is under way here. NULL: none ever is. */
    bool (*runs_for)(const struct mct_provider *p, const struct mct_call *behalf);
    /* The log level that a handshake server is to send, for all its clients; 2026-07-28 servers are told the level of each
     * call (caller.log_level). May be NULL. */
    void (*set_level)(struct mct_provider *p, const char *level);
    /* Somebody wants to hear when this resource changes (events->updated); counted. 1: the server has agreed, or will be
     * asked when there is a connection; 0: `w`, which may be NULL, hears what it says; -1 with *err: it never tells. Both
     * may be NULL. */
    int (*subscribe)(struct mct_provider *p, struct mct_str uri, struct mct_agreement *w, struct mct_error *err);
    void (*unsubscribe)(struct mct_provider *p, struct mct_str uri);
    /* The client's roots are others than they were. May be NULL. */
    void (*roots_changed)(struct mct_provider *p);
    /* Lists whose time (ttlMs) is over are fetched again; what differs is told as a change. May be NULL. */
    void (*freshen)(struct mct_provider *p);
    /* All lists are fetched again, whatever is known of them; events->fetched follows. NULL: they are always current. */
    void (*refresh)(struct mct_provider *p);
    /* Whether a list is being fetched, or waits to be. NULL: never. */
    bool (*is_fetching)(const struct mct_provider *p);
    /* Whether items[kind] is what the server has: it tells when that changes, or said how long it is good for. NULL:
     * always. */
    bool (*list_is_current)(const struct mct_provider *p, enum mct_kind kind);
    /* Another connection to the same server, not started, on which it is told that `can` can be asked (NULL: the same
     * as here). `handshake`: it begins with initialize, whatever this connection speaks. NULL when out of memory. May
     * be NULL: there is nothing that callers could share. */
    struct mct_provider *(*branch)(struct mct_provider *p, const struct mct_answerer *can, bool handshake);
    /* Begins an orderly end; events->stopped follows, at once or later. */
    void (*stop)(struct mct_provider *p);
    void (*describe)(const struct mct_provider *p, struct mct_transport_facts *ret); /* may be NULL */
    void (*free)(struct mct_provider *p);
};

/* What the registry hears. Called from the loop. */
struct mct_provider_events {
    void (*changed)(void *data, struct mct_provider *p, unsigned kinds); /* bits 1 << kind */
    void (*state)(void *data, struct mct_provider *p);
    void (*message)(void *data, struct mct_provider *p, struct mct_str params); /* a log message */
    void (*updated)(void *data, struct mct_provider *p, struct mct_str params); /* a resource */
    void (*elicited)(void *data, struct mct_provider *p, struct mct_str params); /* notifications/elicitation/complete */
    void (*outdated)(void *data, struct mct_provider *p); /* what was read of its resources may not be so any more */
    void (*fetched)(void *data, struct mct_provider *p); /* no list is being fetched any more */
    void (*stopped)(void *data, struct mct_provider *p);
    void (*ended)(void *data, struct mct_branch *b); /* it is stopped next, and freed later */
    void *data;
};

/* How long a list is good for (2026-07-28 "Caching"); handshake servers say nothing of it. */
struct mct_hint {
    uint64_t fresh_until_ms; /* 0: not at all */
    bool is_public;
};

/* Who shares a connection to the server. */
enum mct_isolation { MCT_SHARED, MCT_BY_SESSION, MCT_BY_PRINCIPAL };

/* Which handshake clients reach a server that speaks 2026-07-28 over a handshake connection, if it has both eras:
 * AUTO: over HTTP all; over stdio, where that takes a second process, those that can be asked something. */
enum mct_match { MCT_MATCH_AUTO, MCT_MATCH_ALL, MCT_MATCH_NONE };

/* Whether it has both. */
enum mct_both { MCT_BOTH_UNKNOWN, MCT_BOTH_NO, MCT_BOTH_YES };

/* Whether a server has resource tools of its own: where they are asked for, always, never. */
enum mct_resource_tools { MCT_RESOURCE_TOOLS_ASKED, MCT_RESOURCE_TOOLS_ALWAYS, MCT_RESOURCE_TOOLS_NEVER };

struct mct_provider {
    const struct mct_provider_ops *ops;
    struct mct_provider_events events;
    struct mct_sched *sched;
    const struct mct_log *log;
    const struct mct_answerer *answerer; /* of what is asked outside of a call, or in one that names no other; NULL:
                                          * nobody */
    char *name;
    enum mct_state state;
    enum mct_reason reason;
    const char *transport;        /* "stdio", "streamable-http", "sse", "plugin"; NULL: none yet */
    uint64_t next_try_ms;         /* with MCT_REASON_BACKOFF, on the scheduler's clock */
    uint64_t started_ms;          /* when it was first told to start, on the scheduler's clock */
    bool settled, required;
    bool trusted;                 /* what its tools say of themselves is believed */
    bool only_one;                /* no other server is configured, whose tools could be meant by a bare name */
    bool hosts_plugins;           /* it is our own host: which plugin a tool is part of is believed */
    const char *plugin;           /* id of the C plugin that is loaded in it; NULL: none is */
    bool read_only;               /* its tools only look, whatever they say */
    bool bare;                    /* its tools are this program's own: called without a prefix */
    enum mct_isolation isolation;
    enum mct_resource_tools resource_tools;
    bool has_credentials;         /* it is given some with each request */
    bool by_capabilities;         /* only clients that can be asked the same share one */
    bool by_process;              /* each connection is a process */
    enum mct_match match;
    enum mct_both both;           /* eras; as far as is known */
    uint64_t both_until_ms;       /* with MCT_BOTH_NO: when it is tried again */
    bool told_full;               /* that it has as many branches as it may; until there is room */
    struct mct_provider *origin;  /* NULL: it is no branch, see branch.h */
    struct mct_provider *handshake; /* the branch that all clients of that era share; NULL: there is none */
    struct mct_error error;       /* why it is not connected; kind NONE: no reason to give */
    struct mct_error list_error[MCT_KIND_N]; /* why a list is missing or incomplete */
    struct mct_account account;   /* what calls to it, and texts of it, make the gateway hold; without a parent */
    size_t n_told_later, n_not_told; /* its log messages: waiting in the fan, and dropped there */
    uint64_t n_calls;             /* that were started */
    uint64_t n_uris_refused;      /* resources that resource_uri_allowlist kept from being read */
    char *last_diagnostics;       /* stderr of a process that has gone; NULL: none */
    struct mct_server_info info;
    struct mct_items items[MCT_KIND_N];
    struct mct_hint hint[MCT_KIND_N];
    const char *const *allow, *const *deny; /* globs over raw tool names, borrowed; no allow: all */
    size_t n_allow, n_deny;
};

int mct_provider_init(struct mct_provider *p, const struct mct_provider_ops *ops, const char *name,
                      struct mct_sched *sched, const struct mct_log *log);
void mct_provider_done(struct mct_provider *p);

/* Sets the state and tells the registry; `err` may be NULL. */
void mct_provider_set_state(struct mct_provider *p, enum mct_state state, const struct mct_error *err);

/* Returns for how long the first start of `p` still holds up answers that wait for it, if it may do so for `max_ms`.
 * 0: not, or not any more. */
unsigned mct_provider_hold_ms(const struct mct_provider *p, unsigned max_ms);

/* What a person or program asks about it, as members of an object without the braces: name, state, and
 * where there is something to say reason, transport, protocolVersion, error {kind, message}, and nextTryMs (from
 * now_ms, on the scheduler's clock); the same but the name of its connection in the handshake era, as an object
 * "handshake", where there is one. */
void mct_provider_put_status(struct mct_buf *to, const struct mct_provider *p, uint64_t now_ms);

/* Takes a freshly fetched list (which is empty afterwards) and tells the registry if it differs from
 * the old one, whose items are gone then: nobody may keep pointers to items across this. */
void mct_provider_take_items(struct mct_provider *p, enum mct_kind kind, struct mct_items *fresh);

/* Whether the configuration lets this tool through: denied beats allowed. */
bool mct_provider_admits(const struct mct_provider *p, const struct mct_item *item);

#endif
