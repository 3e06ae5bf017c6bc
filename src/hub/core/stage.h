/*
 * The way of a call through stages, which are the rows of a table. The call comes to them in the order of the rows, and
 * each lets it pass, ends it, or holds it. A stage that has something to do later puts a struct mcti_stage on the call;
 * the outcome passes these in reverse order. hub/call/stages.c is the table, hub/call/start.h the entry.
 */
#ifndef MCT_HUB_CORE_STAGE_H
#define MCT_HUB_CORE_STAGE_H

#include "hub/core/call.h"

struct mcti_call_start;
struct mcti_stage_ops;

/* A stage that a call is in: part of what the stage keeps for it. */
struct mcti_stage {
    const struct mcti_stage_ops *ops;
    struct mcti_stage *outer; /* which the outcome comes to next; NULL: the caller */
};

enum mcti_pass {
    MCT_PASS,   /* The call goes on to the next stage. */
    MCT_ANSWER, /* The call ends here: *err says why, or start->answer has the result. */
    MCT_HOLD, /* The call waits in this stage, which calls mcti_call_go_on() later; or the caller has taken it back. */
};

struct mcti_stage_ops {
    const char *name;

    /* Decides about `call`. `start` is what the call was started with, NULL after another stage has held it. */
    enum mcti_pass (*enter)(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);

    /* The others are for stages that put themselves on calls. */

    /* The provider has the call; or `failed` says why it has not, and the stage frees `s`, which is off the call. NULL
     * where the stage always holds. */
    void (*sent)(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed);

    /* The outcome comes back. The stage takes itself off the call and hands an outcome on with mcti_call_leave(), now
     * or later. */
    void (*leave)(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o);

    /* The caller gives the call up. Frees `s`, which is off the call; the provider is told afterwards. */
    void (*cancel)(struct mcti_stage *s, struct mcti_call *call, const char *reason);

    /* An earlier stage held the call and has refused it. May be NULL. */
    void (*missed)(struct mcti_call *call, const struct mct_error *why);
};

/* ---- for the entry, hub/call/start.c ---- */

/* Sends `call` through `stages`, which end with a row without a name, and then to call->provider, which a stage has
 * set. Returns 0 when the call is under way or held, also by the caller, who may have freed it; -1 with *err when a
 * stage or the provider refuses it. */
int mcti_call_enter(struct mcti_call *call, const struct mcti_stage_ops *stages, struct mcti_call_start *start,
                    struct mct_error *err);

/* ---- for stages ---- */

/* Puts `s`, of the stage that the call is entering, on the call; and takes it off. */
void mcti_stage_put(struct mcti_call *call, struct mcti_stage *s);
void mcti_stage_take(struct mcti_call *call, struct mcti_stage *s);

/* Lets a call go on that the innermost stage has held. -1 with *err: it is in that stage again. */
int mcti_call_go_on(struct mcti_call *call, struct mct_error *err);

/* Hands the outcome to the next stage, or the caller. */
void mcti_call_leave(struct mcti_call *call, const struct mcti_outcome *o);

/* Tells the stages behind the innermost one that it refuses the call. */
void mcti_call_pass_over(struct mcti_call *call, const struct mct_error *why);

/* Gives the call to its provider. -1 with *err, which names the server. */
int mcti_call_send(struct mcti_call *call, struct mct_error *err);

/* ---- for providers ---- */

/* Ends a call that the provider was given; once, later from the loop. */
void mcti_call_finish(struct mcti_call *call, const struct mcti_outcome *o);

/* ---- for callers ---- */

/* Sends a call to `p` past all stages: a request of the hub's own. -1 with *err, which names the server. */
int mcti_call_begin(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err);

/* Gives up a call that is under way; otherwise does nothing. */
void mcti_call_cancel(struct mcti_call *call, const char *reason);

#endif
