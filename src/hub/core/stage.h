/*
 * Passes a call through stages, which are the rows of a table. The call enters them in the order of the rows; each
 * stage passes the call on, ends it, or holds it. A stage that handles the outcome as well attaches a struct mcti_stage
 * to the call. The outcome passes the attached stages in reverse order. The table is hub/call/stages.c, the entry
 * hub/call/start.h.
 */
#ifndef MCT_HUB_CORE_STAGE_H
#define MCT_HUB_CORE_STAGE_H

#include "hub/core/call.h"

struct mcti_call_start;
struct mcti_stage_ops;

/* A stage attached to a call; embedded in the state that the stage keeps for the call. */
struct mcti_stage {
    const struct mcti_stage_ops *ops;
    struct mcti_stage *outer; /* next stage for the outcome; NULL: the caller */
};

enum mcti_pass {
    MCT_PASS,   /* The call continues with the next stage. */
    MCT_ANSWER, /* The call ends here: *err has the reason, or start->texts->answer the result. */
    MCT_HOLD, /* This stage holds the call and calls mcti_call_go_on() later, or the caller has taken over the call. */
};

struct mcti_stage_ops {
    const char *name;

    /* Decides about `call`. `start` is that of mcti_call_start(), NULL after another stage has held the call. */
    enum mcti_pass (*enter)(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);

    /* The members below are for stages that attach themselves to calls. */

    /* Called when the provider has accepted the call (`failed` is NULL) or has refused it. In the second case `s` is
     * already detached, and the stage must free it. NULL if the stage holds every call. */
    void (*sent)(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed);

    /* Receives the outcome. The stage detaches itself from the call and passes an outcome on with mcti_call_leave(),
     * now or later. */
    void (*leave)(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o);

    /* Frees `s`, which is already detached, because the caller cancels the call. The provider is notified afterwards.
     */
    void (*cancel)(struct mcti_stage *s, struct mcti_call *call, const char *reason);

    /* Called when an earlier stage that held the call has refused it. May be NULL. */
    void (*missed)(struct mcti_call *call, const struct mct_error *why);
};

/* ---- for the entry, hub/call/start.c ---- */

/* Passes `call` through `stages`, which end with a row without a name, and then to call->provider, which a stage has
 * set. Returns 0 if the call was sent, is held by a stage, or was taken over by the caller, which may have freed it.
 * Returns -1 and sets *err if a stage or the provider refuses the call. */
int mcti_call_enter(struct mcti_call *call, const struct mcti_stage_ops *stages, struct mcti_call_start *start,
                    struct mct_error *err);

/* ---- for stages ---- */

/* Attach `s`, which belongs to the stage that the call is entering, to the call, and detach it. */
void mcti_stage_put(struct mcti_call *call, struct mcti_stage *s);
void mcti_stage_take(struct mcti_call *call, struct mcti_stage *s);

/* Passes a held call on to the next stage. On failure returns -1 and sets *err; the innermost stage then still has the
 * call. */
int mcti_call_go_on(struct mcti_call *call, struct mct_error *err);

/* Passes the outcome on to the next stage, or to the caller. */
void mcti_call_leave(struct mcti_call *call, const struct mcti_outcome *o);

/* Notifies the stages that follow the innermost attached one that this one refuses the call. */
void mcti_call_pass_over(struct mcti_call *call, const struct mct_error *why);

/* Gives the call to its provider. On failure returns -1 and sets *err, which names the server. */
int mcti_call_send(struct mcti_call *call, struct mct_error *err);

/* ---- for providers ---- */

/* Ends a call with its outcome. The provider calls this once, later from the loop. */
void mcti_call_finish(struct mcti_call *call, const struct mcti_outcome *o);

/* ---- for callers ---- */

/* Sends a request of the hub's own to `p`, without stages. On failure returns -1 and sets *err, which names the
 * server. */
int mcti_call_begin(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err);

/* Cancels an open call; does nothing if the call is not open. */
void mcti_call_cancel(struct mcti_call *call, const char *reason);

#endif
