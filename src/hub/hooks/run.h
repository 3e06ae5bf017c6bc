/*
 * A call with hooks around it: those before it, a person's approval where one asks for it, the call itself, those that
 * observe it, and those that change its result. This sits between hub/call/start.c and what core/provider.c does with
 * the call, outside of listeners (hub/core/events.h) and rounds (hub/core/rounds.h): they see what is really called.
 */
#ifndef MCT_HUB_HOOKS_RUN_H
#define MCT_HUB_HOOKS_RUN_H

#include "hub/core/provider.h"

/* As mcti_provider_call(), which calls it for a call that has hooks. -1: "arguments" is no object, or there twice. */
int mcti_hooked_start(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err);

/* Ends it without an outcome, wherever it is. */
void mcti_hooked_cancel(struct mcti_call *call, const char *reason);

#endif
