/*
 * A call whose result asks back (2026-07-28 "Input required", or the error -32042 of 2025-11-25) is made again with the
 * answers, until it has an outcome. This sits between whoever makes an interactive call and the provider, which sees
 * plain calls.
 */
#ifndef MCT_HUB_CORE_ROUNDS_H
#define MCT_HUB_CORE_ROUNDS_H

#include "hub/core/provider.h"

/* Makes an interactive call, in as many rounds as it takes. As mcti_provider_call(), which calls it. */
int mcti_rounds_start(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err);

/* Ends it without an outcome. */
void mcti_rounds_cancel(struct mcti_call *call, const char *reason);

#endif
