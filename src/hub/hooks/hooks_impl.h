/*
 * The parts of hooks share this: hooks.c is the list, event.c one handler at work, decision.c what it says,
 * params.c what becomes of arguments, approval.c the question to a person, run.c the way of a call.
 */
#ifndef MCT_HUB_HOOKS_HOOKS_IMPL_H
#define MCT_HUB_HOOKS_HOOKS_IMPL_H

#include "hub/hooks/hooks.h"

/* What hooks of plugins need beside their definition. */
struct hook_source {
    /* Whether the server sees to them itself in calls of its tools. */
    bool (*skips)(void *data, const struct mct_provider *p);
    /* What became of an approval that it asked for, and named in "id". */
    void (*resolved)(void *data, struct mct_str id, const char *decision);
};

struct mct_hook {
    struct mct_list node;
    struct mct_hooks *hooks;
    enum mct_hook_kind kind;
    uint64_t serial;       /* no other has had it */
    char *name;
    char **tools;          /* globs; NULL: every tool */
    bool nocase;           /* they compare without case */
    int priority;
    unsigned timeout_ms;
    mct_hook_fn run, withdrawn;
    void *data;
    void (*free_data)(void *data);
    const struct hook_source *source; /* NULL: none */
    const void *owner;
    unsigned n_uses;       /* by the list, calls and events */
    unsigned depth;        /* functions of it that are running */
    bool removed;
    bool warned;           /* of members of its decisions that mean nothing */
};

struct hook_more {
    bool nocase;
    bool beyond_limit;   /* of how many there may be */
    const struct hook_source *source;
};

/* As mct_hooks_add(); `more` may be NULL. */
int hook_add(struct mct_hooks *h, const struct mct_hook_def *def, const void *owner, const struct hook_more *more,
             struct mct_error *err);
void hook_use(struct mct_hook *hook);
void hook_unuse(struct mct_hook *hook);

/* A function of it begins and has returned. */
void hook_enter(struct mct_hook *hook);
void hook_leave(struct mct_hook *hook);

/* ---- event.c ---- */

/* Runs the handler with an event of its own. `done` follows once, later, unless hook_event_withdraw(); the decision is
 * its text, absent: it has nothing to say. NULL with *err when it cannot be run. `json` NULL: memory was short. */
typedef void (*hook_decided_fn)(void *data, struct mct_str decision, const struct mct_error *failed);
struct mct_hook_event *hook_event_start(struct mct_hook *hook, char *take_json, hook_decided_fn done, void *data,
                                        struct mct_error *err);

/* Nobody waits for it any more; NULL: nothing. */
void hook_event_withdraw(struct mct_hook_event *e);

/* The hook is removed: handlers of it that are running fail. */
void hook_events_abandon(struct mct_hook *hook);
void hook_events_withdraw(struct mct_hooks *h); /* all that are running */

/* ---- decision.c ---- */

/* Spans on the text of the decision; absent: it says nothing of that. */
struct hook_decision {
    struct mct_str params;   /* object */
    struct mct_str block;    /* true or false */
    struct mct_str reason;   /* string */
    struct mct_str approval; /* object, whose members are what they must be */
    struct mct_str result;   /* object with a list "content" */
    struct mct_str unknown;  /* the first member that means nothing */
    const char *unknown_in;  /* what its name begins with */
};

/* -1 with *err: it is none. An absent text is one that says nothing. */
int hook_decision_read(enum mct_hook_kind kind, struct mct_str text, struct hook_decision *ret, struct mct_error *err);

/* ---- json.c ---- */

/* What an event says. Absent spans are left out, but for params: then it is {}. */
struct hook_facts {
    enum mct_hook_kind kind;
    struct mct_str name, server, tool, id, principal;
    struct mct_str params;      /* raw JSON */
    struct mct_str client;      /* a JSON string */
    struct mct_str result;      /* raw JSON */
    struct mct_str error;
    uint64_t duration_ms;       /* of what is over */
};

/* One line of JSON, owned; NULL when out of memory. */
char *hook_facts_json(const struct hook_facts *f);

/* ---- params.c ---- */

/* Writes `arguments` (an object; absent: {}) with the members of `changes`. -1 when out of memory. */
int hook_merge(struct mct_buf *to, struct mct_str arguments, struct mct_str changes);

/* ---- approval.c ---- */

enum hook_verdict { HOOK_ALLOW_ONCE, HOOK_ALLOW_ALWAYS, HOOK_DENY, HOOK_TIMEOUT, HOOK_CANCELLED, HOOK_UNASKED };

/* What a hook asks a person for; at most one for a call. */
struct hook_approval {
    struct mct_hook *hook;  /* that asks; used */
    char *request;          /* its "requireApproval"; owned; NULL: nobody asks for any */
    struct mct_call *call;
    struct mct_str tool;    /* as the person is told */
    const char *server;
    struct mct_str params;  /* the same: what it is to be called with */
    char *key;              /* whose calls of what: for these "allow-always" is good; owned */
    /* Once, later, unless hook_approval_end(). */
    void (*done)(struct hook_approval *a, enum hook_verdict verdict);

    const char *instead;    /* the answerer's */
    char *form;
    struct mct_ask ask;
    struct mct_timer timer;
    struct mct_task over;
    enum hook_verdict verdict;
};

/* Asks, unless it is known to be approved of. Everything but what is below `done` is set. `by` may be NULL. */
void hook_approval_start(struct hook_approval *a, const struct mct_answerer *by);

/* Withdraws the question if it is open, tells the hook what has become of it, and frees everything; does nothing when
 * nobody asks. */
void hook_approval_end(struct hook_approval *a, enum hook_verdict verdict);

/* What the caller is told. */
void hook_approval_put_refusal(struct mct_buf *to, const struct hook_approval *a, enum hook_verdict verdict);

/* Of a hook that asked when another had done so already. */
void hook_approval_pass_over(struct mct_hook *hook, struct mct_str request);

void hook_approvals_forget(struct mct_hooks *h);

/* ---- run.c ---- */

/* What hooks there are is known now. */
void hooked_go_on(struct mct_list *waiting);

#endif
