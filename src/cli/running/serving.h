/* The gateway of serve, for commands and for systemd: the socket, --idle, and notifications. */
#ifndef MCT_CLI_RUNNING_SERVING_H
#define MCT_CLI_RUNNING_SERVING_H

#include "cli/command.h"

/* Returns the listening socket that systemd passes, 0 without one, or -1 with *err. */
int mcti_serving_take_socket(struct mcti_app *app, struct mct_error *err);

/* Opens the socket through which commands use this gateway. It works without one, if it has other clients. Returns -1
 * with *err if it has none. */
int mcti_serving_open(struct mcti_app *app, struct mct_error *err);

/* Tells systemd that the gateway serves, or that it ends. In between, --idle ends a gateway that nobody uses. */
void mcti_serving_begin(struct mcti_app *app);
void mcti_serving_end(struct mcti_app *app);

#endif
