/*
 * Shared by the files of this folder only: hooks.c is the list of hooks, event.c a running handler, decision.c its
 * decision, params.c the change of arguments, approval.c the question to the user, guard.c the flow policy, run.c the
 * call.
 */
#ifndef MCT_HUB_HOOKS_HOOKS_IMPL_H
#define MCT_HUB_HOOKS_HOOKS_IMPL_H

#include "hub/hooks/hooks.h"

/* Callbacks of hooks of plugins. */
struct mcti_hook_source {
    /* Returns whether the server `p` runs the hook itself for its own tools. */
    bool (*skips)(void *data, const struct mcti_provider *p);
    /* Reports the decision about an approval that the hook has requested with this "id". */
    void (*resolved)(void *data, struct mcti_str id, const char *decision);
};

struct mcti_hook {
    struct mcti_list node;
    struct mcti_hooks *hooks;
    enum mct_hook_kind kind;
    uint64_t serial; /* unique */
    char *name;
    char **tools; /* globs; NULL: every tool */
    bool nocase;  /* globs ignore case */
    int priority;
    unsigned timeout_ms;
    mct_hook_fn run, withdrawn;
    void *data;
    void (*free_data)(void *data);
    const struct mcti_hook_source *source; /* NULL: none */
    const void *owner;
    unsigned n_uses; /* references from the list, calls and events */
    unsigned depth;  /* number of its functions that are running */
    bool removed;
    bool warned; /* of unknown members in its decisions */
};

struct mcti_hook_more {
    bool nocase;
    bool beyond_limit; /* the limit of hooks does not apply */
    const struct mcti_hook_source *source;
};

/* Like mcti_hooks_add(); `more` may be NULL. */
int mcti_hook_add(struct mcti_hooks *h, const struct mct_hook_def *def, const void *owner,
                  const struct mcti_hook_more *more, struct mct_error *err);
void mcti_hook_use(struct mcti_hook *hook);
void mcti_hook_unuse(struct mcti_hook *hook);

/* Called before and after each function of the hook. */
void mcti_hook_enter(struct mcti_hook *hook);
void mcti_hook_leave(struct mcti_hook *hook);

/* ---- event.c ---- */

/* Runs the handler with a copy of the event. `done` is called once, later, with the text of the decision (absent:
 * none), unless mcti_hook_event_withdraw() comes first. `take_json` NULL counts as out of memory. On failure returns
 * NULL and sets *err. */
typedef void (*mcti_hook_decided_fn)(void *data, struct mcti_str decision, const struct mct_error *failed);
struct mct_hook_event *mcti_hook_event_start(struct mcti_hook *hook, char *take_json, mcti_hook_decided_fn done,
                                             void *data, struct mct_error *err);

/* Abandons the event; accepts NULL. */
void mcti_hook_event_withdraw(struct mct_hook_event *e);

/* Fails the running handlers of a hook that is removed. */
void mcti_hook_events_abandon(struct mcti_hook *hook);
void mcti_hook_events_withdraw(struct mcti_hooks *h); /* events whose handlers are running */

/* ---- decision.c ---- */

/* Spans of the text of the decision; absent: no such member. */
struct mcti_hook_decision {
    struct mcti_str params;   /* object */
    struct mcti_str block;    /* true or false */
    struct mcti_str reason;   /* string */
    struct mcti_str approval; /* object with valid members */
    struct mcti_str result;   /* object with a list "content" */
    struct mcti_str unknown;  /* first unknown member */
    const char *unknown_in;   /* prefix of its name */
};

/* Reads a decision; an absent text is an empty decision. On failure returns -1 and sets *err. */
int mcti_hook_decision_read(enum mct_hook_kind kind, struct mcti_str text, struct mcti_hook_decision *ret,
                            struct mct_error *err);

/* ---- json.c ---- */

/* The contents of an event. Absent spans are left out, except params, which become {}. */
struct mcti_hook_facts {
    enum mct_hook_kind kind;
    struct mcti_str name, server, tool, id, principal;
    struct mcti_str params; /* raw JSON */
    struct mcti_str client; /* a JSON string */
    struct mcti_str result; /* raw JSON */
    struct mcti_str error;
    uint64_t duration_ms; /* of the call; after it only */
};

/* Returns the event as one line of JSON, owned by the caller; NULL when out of memory. */
char *mcti_hook_facts_json(const struct mcti_hook_facts *f);

/* ---- params.c ---- */

/* Writes `arguments` (an object; absent: {}) with the members of `changes`. Returns -1 when out of memory. */
int mcti_hook_merge(struct mcti_buf *to, struct mcti_str arguments, struct mcti_str changes);

/* ---- approval.c ---- */

enum mcti_hook_verdict { HOOK_ALLOW_ONCE, HOOK_ALLOW_ALWAYS, HOOK_DENY, HOOK_TIMEOUT, HOOK_CANCELLED, HOOK_UNASKED };

/* An approval that a hook or the flow policy requests from the user; at most one at a time for a call. */
struct mcti_hook_approval {
    struct mcti_hooks *hooks;
    struct mcti_hook *hook; /* requesting hook; used. NULL: the flow policy requests it */
    char *request;          /* its "requireApproval"; owned; NULL: no approval is requested */
    struct mcti_call *call;
    struct mcti_str tool; /* name shown to the user */
    const char *server;
    struct mcti_str params; /* arguments shown to the user */
    char *key;              /* identifies the calls that "allow-always" applies to; owned */
    /* Called once, later, unless mcti_hook_approval_end() comes first. */
    void (*done)(struct mcti_hook_approval *a, enum mcti_hook_verdict verdict);

    const char *instead; /* of the answerer */
    char *form;
    struct mcti_ask ask;
    struct mcti_timer timer;
    struct mcti_task over;
    enum mcti_hook_verdict verdict;
};

/* Asks for the approval, unless a permanent one is stored. The caller sets the members up to `done`; `by` may be
 * NULL. */
void mcti_hook_approval_start(struct mcti_hook_approval *a, const struct mcti_answerer *by);

/* Withdraws the question if it is open, reports the verdict to the hook, and frees everything; does nothing if no
 * approval was requested. */
void mcti_hook_approval_end(struct mcti_hook_approval *a, enum mcti_hook_verdict verdict);

/* Appends the text of the refusal for the caller. */
void mcti_hook_approval_put_refusal(struct mcti_buf *to, const struct mcti_hook_approval *a,
                                    enum mcti_hook_verdict verdict);

/* Reports to a hook that its request was ignored because another hook has requested an approval first. */
void mcti_hook_approval_pass_over(struct mcti_hook *hook, struct mcti_str request);

void mcti_hook_approvals_forget(struct mcti_hooks *h);

/* ---- run.c ---- */

/* Starts the calls that waited until all hooks were known. */
void mcti_hooked_go_on(struct mcti_list *waiting);

#endif
