/* Shared by run.c, before.c, guard.c and after.c only: before.c runs the hooks before the call, guard.c decides by the
 * flow policy, after.c runs the hooks after the call. */
#ifndef MCT_HUB_HOOKS_RUN_IMPL_H
#define MCT_HUB_HOOKS_RUN_IMPL_H

#include "base/arena.h"
#include "hub/hooks/run.h"
#include "hub/hooks/hooks_impl.h"

struct mcti_hooked {
    struct mcti_stage base;
    struct mcti_list node; /* in hooks->waiting */
    struct mcti_call *call;
    struct mcti_provider *provider;
    struct mcti_hooks *hooks;
    struct mcti_arena texts; /* copies of the texts borrowed from the caller */
    struct mcti_hook_target target;
    struct mcti_str client; /* as a JSON string */
    char *params;           /* of the call */
    char id[40];
    struct mcti_task begin;

    struct mcti_hook **chain; /* hooks that run one after the other; each is used */
    size_t n, at;
    struct mct_hook_event *event; /* event of the running hook chain[at - 1]; NULL: none is running */

    char *changes, *reason; /* "params" and "blockReason" of the decisions so far, as text; NULL: none */
    bool block;
    struct mcti_hook_approval approval;

    bool reads;     /* the call reads the result of a task */
    bool is_called; /* the provider has it */
    uint64_t started_ms, duration_ms;
    char *result;      /* result as changed by hooks */
    enum mcti_rev rev; /* of `result` */
};

static inline struct mcti_hooked *hooked_of(struct mcti_stage *s)
{
    return MCT_CONTAINER(s, struct mcti_hooked, base);
}

/* ---- run.c ---- */

/* Passes the outcome on to the caller and frees *c. */
void mcti_hooked_finish(struct mcti_hooked *c, const struct mcti_outcome *o);

/* The same with an error result of one text. */
void mcti_hooked_finish_saying(struct mcti_hooked *c, struct mcti_str text, bool blocked);

/* Replaces the params of the call. */
void mcti_hooked_set_params(struct mcti_hooked *c, char *take_params);

/* Returns the contents of an event for hooks of this kind. */
struct mcti_hook_facts mcti_hooked_facts(const struct mcti_hooked *c, enum mct_hook_kind kind);

/* Makes a chain of the hooks of this kind that apply to the call. Returns -1 when out of memory. */
int mcti_hooked_collect(struct mcti_hooked *c, enum mct_hook_kind kind);

/* Starts the next hook of the chain. Returns 1 if it decides later, 0 if there is none; on failure logs it and returns
 * -1. */
int mcti_hooked_next(struct mcti_hooked *c, const struct mcti_hook_facts *f, mcti_hook_decided_fn done);

/* Reads the decision of the hook that has just ended; logs a failure and returns -1. */
int mcti_hooked_read(struct mcti_hooked *c, struct mcti_str text, const struct mct_error *failed,
                     struct mcti_hook_decision *ret);

void mcti_hooked_log_failure(const struct mcti_hook *hook, const struct mct_error *err);

/* ---- before.c ---- */

/* Runs the hooks before the call, and makes the call if they allow it. */
void mcti_hooked_before(struct mcti_hooked *c);

/* End the part before the call: make it, or refuse it. Both take *c. */
void mcti_hooked_make_call(struct mcti_hooked *c);
void mcti_hooked_block(struct mcti_hooked *c, struct mcti_str reason);

/* Returns the key of an approval: principal, client and tool by name, because the objects may be freed earlier. */
char *mcti_hooked_approval_key(const struct mcti_hooked *c);

/* Asks for the approval whose hook and request are set. `take_key` NULL: no answer is remembered. */
void mcti_hooked_ask(struct mcti_hooked *c, char *take_key,
                     void (*done)(struct mcti_hook_approval *a, enum mcti_hook_verdict verdict));

/* ---- guard.c ---- */

/* Has the flow policy decide about a call that the hooks allow: asks for approval, refuses the call, or makes it. */
void mcti_hooked_guard(struct mcti_hooked *c);

/* ---- after.c ---- */

/* Reports to the observing hooks that the call was cancelled. */
void mcti_hooked_tell_given_up(struct mcti_hooked *c, const char *reason);

#endif
