/*
 * The parts of hooks share this: hooks.c is the list, event.c one handler at work, decision.c what it says,
 * params.c what becomes of arguments, approval.c the question to a person, run.c the way of a call.
 */
#ifndef MCT_HUB_HOOKS_HOOKS_IMPL_H
#define MCT_HUB_HOOKS_HOOKS_IMPL_H

#include "hub/hooks/hooks.h"

/* What hooks of plugins need beside their definition. */
struct mcti_hook_source {
    /* Whether the server sees to them itself in calls of its tools. */
    bool (*skips)(void *data, const struct mcti_provider *p);
    /* What became of an approval that it asked for, and named in "id". */
    void (*resolved)(void *data, struct mcti_str id, const char *decision);
};

struct mcti_hook {
    struct mcti_list node;
    struct mcti_hooks *hooks;
    enum mct_hook_kind kind;
    uint64_t serial; /* no other has had it */
    char *name;
    char **tools; /* globs; NULL: every tool */
    bool nocase;  /* they compare without case */
    int priority;
    unsigned timeout_ms;
    mct_hook_fn run, withdrawn;
    void *data;
    void (*free_data)(void *data);
    const struct mcti_hook_source *source; /* NULL: none */
    const void *owner;
    unsigned n_uses; /* by the list, calls and events */
    unsigned depth;  /* functions of it that are running */
    bool removed;
    bool warned; /* of members of its decisions that mean nothing */
};

struct mcti_hook_more {
    bool nocase;
    bool beyond_limit; /* of how many there may be */
    const struct mcti_hook_source *source;
};

/* As mcti_hooks_add(); `more` may be NULL. */
int mcti_hook_add(struct mcti_hooks *h, const struct mct_hook_def *def, const void *owner,
                  const struct mcti_hook_more *more, struct mct_error *err);
void mcti_hook_use(struct mcti_hook *hook);
void mcti_hook_unuse(struct mcti_hook *hook);

/* A function of it begins and has returned. */
void mcti_hook_enter(struct mcti_hook *hook);
void mcti_hook_leave(struct mcti_hook *hook);

/* ---- event.c ---- */

/* Runs the handler with an event of its own. `done` follows once, later, unless mcti_hook_event_withdraw(); the
 * decision is its text, absent: it has nothing to say. NULL with *err when it cannot be run. `json` NULL: memory was
 * short. */
typedef void (*mcti_hook_decided_fn)(void *data, struct mcti_str decision, const struct mct_error *failed);
struct mct_hook_event *mcti_hook_event_start(struct mcti_hook *hook, char *take_json, mcti_hook_decided_fn done,
                                             void *data, struct mct_error *err);

/* Nobody waits for it any more; NULL: nothing. */
void mcti_hook_event_withdraw(struct mct_hook_event *e);

/* The hook is removed: handlers of it that are running fail. */
void mcti_hook_events_abandon(struct mcti_hook *hook);
void mcti_hook_events_withdraw(struct mcti_hooks *h); /* all that are running */

/* ---- decision.c ---- */

/* Spans on the text of the decision; absent: it says nothing of that. */
struct mcti_hook_decision {
    struct mcti_str params;   /* object */
    struct mcti_str block;    /* true or false */
    struct mcti_str reason;   /* string */
    struct mcti_str approval; /* object, whose members are what they must be */
    struct mcti_str result;   /* object with a list "content" */
    struct mcti_str unknown;  /* the first member that means nothing */
    const char *unknown_in;   /* what its name begins with */
};

/* -1 with *err: it is none. An absent text is one that says nothing. */
int mcti_hook_decision_read(enum mct_hook_kind kind, struct mcti_str text, struct mcti_hook_decision *ret,
                            struct mct_error *err);

/* ---- json.c ---- */

/* What an event says. Absent spans are left out, but for params: then it is {}. */
struct mcti_hook_facts {
    enum mct_hook_kind kind;
    struct mcti_str name, server, tool, id, principal;
    struct mcti_str params; /* raw JSON */
    struct mcti_str client; /* a JSON string */
    struct mcti_str result; /* raw JSON */
    struct mcti_str error;
    uint64_t duration_ms; /* of what is over */
};

/* One line of JSON, owned; NULL when out of memory. */
char *mcti_hook_facts_json(const struct mcti_hook_facts *f);

/* ---- params.c ---- */

/* Writes `arguments` (an object; absent: {}) with the members of `changes`. -1 when out of memory. */
int mcti_hook_merge(struct mcti_buf *to, struct mcti_str arguments, struct mcti_str changes);

/* ---- approval.c ---- */

enum mcti_hook_verdict { HOOK_ALLOW_ONCE, HOOK_ALLOW_ALWAYS, HOOK_DENY, HOOK_TIMEOUT, HOOK_CANCELLED, HOOK_UNASKED };

/* What a hook asks a person for; at most one for a call. */
struct mcti_hook_approval {
    struct mcti_hook *hook; /* that asks; used */
    char *request;          /* its "requireApproval"; owned; NULL: nobody asks for any */
    struct mcti_call *call;
    struct mcti_str tool; /* as the person is told */
    const char *server;
    struct mcti_str params; /* the same: what it is to be called with */
    char *key;              /* whose calls of what: for these "allow-always" is good; owned */
    /* Once, later, unless mcti_hook_approval_end(). */
    void (*done)(struct mcti_hook_approval *a, enum mcti_hook_verdict verdict);

    const char *instead; /* the answerer's */
    char *form;
    struct mcti_ask ask;
    struct mcti_timer timer;
    struct mcti_task over;
    enum mcti_hook_verdict verdict;
};

/* Asks, unless it is known to be approved of. Everything but what is below `done` is set. `by` may be NULL. */
void mcti_hook_approval_start(struct mcti_hook_approval *a, const struct mcti_answerer *by);

/* Withdraws the question if it is open, tells the hook what has become of it, and frees everything; does nothing when
 * nobody asks. */
void mcti_hook_approval_end(struct mcti_hook_approval *a, enum mcti_hook_verdict verdict);

/* What the caller is told. */
void mcti_hook_approval_put_refusal(struct mcti_buf *to, const struct mcti_hook_approval *a,
                                    enum mcti_hook_verdict verdict);

/* Of a hook that asked when another had done so already. */
void mcti_hook_approval_pass_over(struct mcti_hook *hook, struct mcti_str request);

void mcti_hook_approvals_forget(struct mcti_hooks *h);

/* ---- run.c ---- */

/* What hooks there are is known now. */
void mcti_hooked_go_on(struct mcti_list *waiting);

#endif
