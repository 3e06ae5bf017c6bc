/* Shared by run.c, before.c and after.c only: run.c begins and ends, before.c is the way to the call, after.c the
 * way back. */
#ifndef MCT_HUB_HOOKS_RUN_IMPL_H
#define MCT_HUB_HOOKS_RUN_IMPL_H

#include "base/arena.h"
#include "hub/hooks/run.h"
#include "hub/hooks/hooks_impl.h"

struct mct_hooked {
    struct mct_stage base;
    struct mct_list node;  /* in hooks->waiting */
    struct mct_call *call;
    struct mct_provider *provider;
    struct mct_hooks *hooks;
    struct mct_arena texts; /* what is borrowed from the caller while the call is started */
    struct mct_hook_target target;
    struct mct_str client;  /* as a JSON string */
    char *params;           /* of the call */
    char id[40];
    struct mct_task begin;

    struct mct_hook **chain; /* that are run one after the other, each used */
    size_t n, at;
    struct mct_hook_event *event; /* of chain[at - 1]; NULL: none is running */

    char *changes, *reason;  /* of what was decided so far: "params" and "blockReason" as text; NULL: nothing */
    bool block;
    struct hook_approval approval;

    bool is_called;          /* the provider has it */
    uint64_t started_ms, duration_ms;
    char *result;            /* as the hooks behind the call have it */
    enum mct_rev rev;        /* of that */
};

/* ---- run.c ---- */

static inline struct mct_hooked *hooked_of(struct mct_stage *s)
{
    return MCT_CONTAINER(s, struct mct_hooked, base);
}

/* The outcome goes on its way to the caller; *c is gone. */
void hooked_finish(struct mct_hooked *c, const struct mct_outcome *o);

/* The same with a result of one text that says what went wrong. */
void hooked_finish_saying(struct mct_hooked *c, struct mct_str text, bool blocked);

/* What the call is sent with, from now on. */
void hooked_set_params(struct mct_hooked *c, char *take_params);

/* What hooks of that kind are told. */
struct hook_facts hooked_facts(const struct mct_hooked *c, enum mct_hook_kind kind);

/* Makes a chain of those of this kind that the call passes, as of now. -1 when out of memory. */
int hooked_collect(struct mct_hooked *c, enum mct_hook_kind kind);

/* Starts the next of the chain. 1: it decides later; 0: there is none any more; -1: it has failed, which is logged. */
int hooked_next(struct mct_hooked *c, const struct hook_facts *f, hook_decided_fn done);

/* What the one that has just ended says; -1: it has failed, which is logged. */
int hooked_read(struct mct_hooked *c, struct mct_str text, const struct mct_error *failed, struct hook_decision *ret);

void hooked_log_failure(const struct mct_hook *hook, const struct mct_error *err);

/* ---- before.c ---- */

/* Runs the hooks before the call, and makes it if they let it through. */
void hooked_before(struct mct_hooked *c);

/* ---- after.c ---- */

/* Tells those that observe that it was given up. */
void hooked_tell_given_up(struct mct_hooked *c, const char *reason);

#endif
