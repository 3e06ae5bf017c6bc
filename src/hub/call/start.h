/*
 * The entry of every call. The gateway, the library and the command line name the called item and the caller, and set
 * the callbacks of struct mcti_call. Only the stages (stages.c) decide whether the call may be made.
 */
#ifndef MCT_HUB_CALL_START_H
#define MCT_HUB_CALL_START_H

#include "hub/call/limits.h"
#include "hub/core/provider.h"
#include "hub/core/stage.h"
#include "hub/hooks/hooks.h"
#include "hub/view/prefs.h"

struct mcti_results;

/* The called item and its caller. Borrowed by mcti_call_start(). */
struct mcti_call_start {
    /* A tool or prompt of a view: by its exposed name, or as the caller has found it in the view. */
    struct mcti_view *view;
    struct mcti_str name;
    const struct mcti_exposure *found; /* set by the stages as well; valid until the next turn of the loop */
    bool is_looked_up;                 /* the caller has looked up the name; `found` NULL means that it is unknown */
    /* Provider of a call without a view, whose params name the item. Otherwise the stages set it. */
    struct mcti_provider *provider;

    const struct mcti_rules *rules;        /* applied in addition to those of the view; NULL: none */
    const struct mcti_policy *policy;      /* NULL: read-only mode does not apply */
    const struct mcti_client_prefs *prefs; /* of the client; NULL: none */
    struct mcti_charge *charge;            /* NULL: calls of this caller are not counted */
    struct mcti_results *results;          /* budgets of results, and the store; NULL: no budget applies */
    struct mcti_hooks *hooks;              /* NULL: none are run */
    const struct mcti_answerer *approver;  /* asks the user for approvals of hooks; outlives the call. NULL: none */
    uint64_t session;                      /* number of the client's session, for hooks; 0: none */

    /* Returns true if the caller has taken the call: it starts the call again later, or has answered it. Called before
     * an unknown name fails, and before a tool that was found gets its connection. May be NULL. */
    bool (*take)(struct mcti_call *call, struct mcti_call_start *start);
    /* Sets call->provider to the connection for the call to start->provider; returns as mcti_stage_ops.enter does.
     * NULL: that provider is used. */
    enum mcti_pass (*connect)(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);

    /* For the stages. */
    struct mcti_call_texts *texts;
    struct mcti_hook_target *target; /* filled if is_hooked */
    bool is_hooked;
};

/* Texts that stages write while the call is started. The stage that writes a buffer initialises it. */
struct mcti_call_texts {
    struct mcti_buf params, name; /* of the unwrapped call */
    struct mcti_buf rewritten;    /* params changed by `connect` */
    struct mcti_buf restored;     /* params with arguments as the tool accepts them */
    struct mcti_buf answer;       /* answer of a stage: a CallToolResult of a handshake revision */
};

/* Starts `call`, whose members up to `data` are set. Returns 0 if call->done follows, was called because a stage has
 * answered, or if the caller has taken the call; on failure returns -1 and sets *err. */
int mcti_call_start(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);

/* Starts a call to `p` without a view. */
int mcti_provider_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err);

/* Records that the caller gets a resource of `p` from a cache, in the place of the call. */
void mcti_external_answered(struct mcti_call *call, const struct mcti_provider *p);

/* Records that the call reads a kept result; `from`: the server whose result from outside it is; NULL: it is none.
 * `outside`: of the registry. */
void mcti_external_kept(struct mcti_call *call, struct mcti_outside *outside, struct mcti_text *from);

/* Returns whether hooks will run for the call, whose tool has been found. */
bool mcti_call_is_hooked(struct mcti_call *call, struct mcti_call_start *start);

#endif
