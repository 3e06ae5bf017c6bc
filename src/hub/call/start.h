/*
 * The entry of every call. The gateway, the library and the command line say what is called and who calls it, and bring
 * the callbacks of struct mcti_call. Whether the call may be made is decided by the stages (stages.c) and nowhere else.
 */
#ifndef MCT_HUB_CALL_START_H
#define MCT_HUB_CALL_START_H

#include "hub/call/limits.h"
#include "hub/core/provider.h"
#include "hub/core/stage.h"
#include "hub/hooks/hooks.h"
#include "hub/view/prefs.h"

/* What is called, and by whom. Borrowed by mcti_call_start(). */
struct mcti_call_start {
    /* A tool or prompt of a view: by the name that was sent, or as the caller has found it there. */
    struct mcti_view *view;
    struct mcti_str name;
    const struct mcti_exposure *found; /* set by the stages, too; good until the loop turns */
    bool is_looked_up;                 /* the caller has looked for the name: without `found` it is unknown */
    /* Without a view: what call->params name, at this provider. Otherwise the stages set it. */
    struct mcti_provider *provider;

    const struct mcti_rules *rules;        /* judged in addition to those of the view; NULL: none */
    const struct mcti_policy *policy;      /* NULL: read-only mode does not apply */
    const struct mcti_client_prefs *prefs; /* of the client; NULL: it has none */
    struct mcti_charge *charge;            /* NULL: calls of this caller are not counted */
    struct mcti_hooks *hooks;              /* NULL: none are run */
    const struct mcti_answerer
        *approver;    /* asked when a hook wants a person's approval; outlives the call. NULL: nobody */
    uint64_t session; /* of the client, for hooks; 0: none */

    /* Returns true if the caller keeps the call to start it again later, or has answered it. Called before an unknown
     * name fails, and before a tool that was found gets its connection. NULL: never. */
    bool (*take)(struct mcti_call *call, struct mcti_call_start *start);
    /* Sets call->provider to the connection that the call uses to start->provider. NULL: that provider is used. As
     * mcti_stage_ops.enter. */
    enum mcti_pass (*connect)(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);

    /* For the stages. */
    struct mcti_call_texts *texts;
    struct mcti_hook_target *target; /* what the hooks are told, if is_hooked; otherwise room for that */
    bool is_hooked;
};

/* What stages write while the call is started. Whoever writes to one of these initialises it. */
struct mcti_call_texts {
    struct mcti_buf params, name; /* of a call for which another one stood */
    struct mcti_buf rewritten;    /* room for params that `connect` changes */
    struct mcti_buf answer;       /* with which a stage answers: a CallToolResult of a handshake revision */
};

/* Starts `call`, whose members up to `data` are set. Returns 0 when call->done follows, was called because a stage has
 * answered, or when the caller has kept the call; -1 with *err when the call cannot be made. */
int mcti_call_start(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);

/* Starts a call to `p` that names nothing of a view. */
int mcti_provider_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err);

/* Whether the call, which has been found, is going to pass hooks. */
bool mcti_call_is_hooked(const struct mcti_call *call, struct mcti_call_start *start);

#endif
