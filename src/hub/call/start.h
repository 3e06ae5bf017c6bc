/* The entry of every call: a request to a provider passes the hooks that are for it, or goes straight to the provider.
 */
#ifndef MCT_HUB_CALL_START_H
#define MCT_HUB_CALL_START_H

#include "hub/core/provider.h"

/* Starts a call. -1 with *err that names the server. */
int mcti_provider_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err);

/* Ends a call that is under way; otherwise does nothing. */
void mcti_call_cancel(struct mcti_call *call, const char *reason);

#endif
