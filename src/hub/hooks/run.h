/*
 * A call with hooks around it: those before it, a person's approval where one asks for it, the call itself, those that
 * observe it, and those that change its result. The stage "hooks" of hub/call is made of these functions.
 */
#ifndef MCT_HUB_HOOKS_RUN_H
#define MCT_HUB_HOOKS_RUN_H

#include "hub/core/stage.h"
#include "hub/hooks/hooks.h"

/* Takes a call that has its provider: copies what is borrowed, runs the hooks of `target` from the loop, and lets the call
 * go on when they do. Returns NULL with *err when memory is short, or "arguments" is no object or there twice. */
struct mct_stage *mct_hooked_new(struct mct_call *call, const struct mct_hook_target *target, struct mct_error *err);

/* As in struct mct_stage_ops. */
void mct_hooked_leave(struct mct_stage *s, struct mct_call *call, const struct mct_outcome *o);
void mct_hooked_cancel(struct mct_stage *s, struct mct_call *call, const char *reason);

#endif
