/* Shared by run.c, before.c and after.c only: run.c begins and ends, before.c is the way to the call, after.c the
 * way back. */
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
    struct mcti_arena texts; /* what is borrowed from the caller while the call is started */
    struct mcti_hook_target target;
    struct mcti_str client; /* as a JSON string */
    char *params;           /* of the call */
    char id[40];
    struct mcti_task begin;

    struct mcti_hook **chain; /* that are run one after the other, each used */
    size_t n, at;
    struct mct_hook_event *event; /* of chain[at - 1]; NULL: none is running */

    char *changes, *reason; /* of what was decided so far: "params" and "blockReason" as text; NULL: nothing */
    bool block;
    struct mcti_hook_approval approval;

    bool is_called; /* the provider has it */
    uint64_t started_ms, duration_ms;
    char *result;      /* as the hooks behind the call have it */
    enum mcti_rev rev; /* of that */
};

static inline struct mcti_hooked *hooked_of(struct mcti_stage *s)
{
    return MCT_CONTAINER(s, struct mcti_hooked, base);
}

/* ---- run.c ---- */

/* The outcome goes on its way to the caller; *c is gone. */
void mcti_hooked_finish(struct mcti_hooked *c, const struct mcti_outcome *o);

/* The same with a result of one text that says what went wrong. */
void mcti_hooked_finish_saying(struct mcti_hooked *c, struct mcti_str text, bool blocked);

/* What the call is sent with, from now on. */
void mcti_hooked_set_params(struct mcti_hooked *c, char *take_params);

/* What hooks of that kind are told. */
struct mcti_hook_facts mcti_hooked_facts(const struct mcti_hooked *c, enum mct_hook_kind kind);

/* Makes a chain of those of this kind that the call passes, as of now. -1 when out of memory. */
int mcti_hooked_collect(struct mcti_hooked *c, enum mct_hook_kind kind);

/* Starts the next of the chain. 1: it decides later; 0: there is none any more; -1: it has failed, which is logged. */
int mcti_hooked_next(struct mcti_hooked *c, const struct mcti_hook_facts *f, mcti_hook_decided_fn done);

/* What the one that has just ended says; -1: it has failed, which is logged. */
int mcti_hooked_read(struct mcti_hooked *c, struct mcti_str text, const struct mct_error *failed,
                     struct mcti_hook_decision *ret);

void mcti_hooked_log_failure(const struct mcti_hook *hook, const struct mct_error *err);

/* ---- before.c ---- */

/* Runs the hooks before the call, and makes it if they let it through. */
void mcti_hooked_before(struct mcti_hooked *c);

/* ---- after.c ---- */

/* Tells those that observe that it was given up. */
void mcti_hooked_tell_given_up(struct mcti_hooked *c, const char *reason);

#endif
