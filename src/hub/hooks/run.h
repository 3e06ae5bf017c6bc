/*
 * A call with hooks around it: those before it, a person's approval where one asks for it, the call itself, those that
 * observe it, and those that change its result. The stage "hooks" of hub/call is made of these functions.
 */
#ifndef MCT_HUB_HOOKS_RUN_H
#define MCT_HUB_HOOKS_RUN_H

#include "hub/core/stage.h"
#include "hub/hooks/hooks.h"

/* Takes a call that has its provider: copies what is borrowed, runs the hooks of `target` from the loop, and lets the
 * call go on when they do. Returns NULL with *err when memory is short, or "arguments" is no object or there twice. */
struct mcti_stage *mcti_hooked_new(struct mcti_call *call, const struct mcti_hook_target *target,
                                   struct mct_error *err);

/* As in struct mcti_stage_ops. */
void mcti_hooked_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o);
void mcti_hooked_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason);

#endif
