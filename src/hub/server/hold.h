/* Calls that wait until the server has been started. */
#ifndef MCT_HUB_SERVER_HOLD_H
#define MCT_HUB_SERVER_HOLD_H

#include "hub/server/impl.h"

/* Keeps the call with copies of all that it borrows until the server is up, and starts the server if need be. Returns
 * -1 with *err when out of memory. */
int mcti_server_hold(struct mcti_server *m, struct mcti_call *call, struct mct_error *err);

/* Forgets the call. Returns false if it is not held. */
bool mcti_server_unhold(struct mcti_server *m, const struct mcti_call *call);

void mcti_server_held_go(struct mcti_server *m); /* sends them all: the server is up */
void mcti_server_held_fail(struct mcti_server *m, const struct mct_error *why);

#endif
