/*
 * Runs the hooks of a call: hooks before it, the user's approval if a hook requires it, the call itself, hooks that
 * observe it, and hooks that change its result. The stage "hooks" of hub/call consists of these functions.
 */
#ifndef MCT_HUB_HOOKS_RUN_H
#define MCT_HUB_HOOKS_RUN_H

#include "hub/core/stage.h"
#include "hub/hooks/hooks.h"

/* Takes a call that has its provider: copies all borrowed texts, runs the hooks of `target` from the loop, and passes
 * the call on if they allow it. Returns NULL and sets *err when out of memory, or if "arguments" is duplicate or no
 * object. */
struct mcti_stage *mcti_hooked_new(struct mcti_call *call, const struct mcti_hook_target *target,
                                   struct mct_error *err);

/* The same for a request that reads the result of a task: the hooks before the call ran when the task was made. Runs
 * the hooks after the call on the result, with every request that brings it. */
struct mcti_stage *mcti_hooked_new_after(struct mcti_call *call, const struct mcti_hook_target *target,
                                         struct mct_error *err);

/* The stage's members of struct mcti_stage_ops. */
void mcti_hooked_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed);
void mcti_hooked_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o);
void mcti_hooked_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason);

#endif
