/* Attempts to connect: which transport and which era to try, and what to try next. */
#ifndef MCT_HUB_SERVER_CONNECT_H
#define MCT_HUB_SERVER_CONNECT_H

#include "hub/server/impl.h"

/* Starts an attempt with the remembered verdict or with the configuration. */
void mcti_server_start_attempt(struct mcti_server *m);

/* Starts the handshake on an open transport. */
void mcti_server_start_handshake(struct mcti_server *m);

/* Handles that all lists have been fetched; `data` is the server. */
void mcti_server_on_lists(void *data);

/* Start another attempt, if there is one left to try after `err`: with initialize, without the remembered verdict, or
 * with the next transport. Return true if they did. */
bool mcti_server_try_handshake_era(struct mcti_server *m);
bool mcti_server_try_without_verdict(struct mcti_server *m, const struct mct_error *err);
bool mcti_server_try_next_variant(struct mcti_server *m, const struct mct_error *err);

/* If both transports failed, returns the error of the one that got further: `err`, unless the second transport was
 * refused outright as well. */
const struct mct_error *mcti_server_best_error(const struct mcti_server *m, const struct mct_error *err);

/* Closes the connection, if there is one, and makes a new one as soon as the old one has ended. */
void mcti_server_restart(struct mcti_provider *p);

#endif
