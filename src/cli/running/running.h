/* What commands ask the gateway that runs with their configuration. */
#ifndef MCT_CLI_RUNNING_RUNNING_H
#define MCT_CLI_RUNNING_RUNNING_H

#include "cli/command.h"
#include "control/client.h"

enum { MCT_RUNNING_MS = 5000 }; /* for an answer of the running gateway */

/* Reads the configuration and connects to the gateway that runs with it, or with what was in its files before. Returns
 * -1 with *err, which says how to start one if there is none. The caller ends *c in any case. */
int mcti_running_open(struct mcti_app *app, struct mcti_control_client *c, struct mct_error *err);

/* Writes {"server":NAME} and the members of `more` (may be empty) to `to`. */
void mcti_running_put_params(struct mcti_buf *to, const char *server, const char *more);

/* Prints the status of the running gateway, or of one of its servers. Returns false if none runs with this
 * configuration; otherwise true with the exit status. */
bool mcti_running_status(struct mcti_app *app, int *ret_status);

/* Prints one line of a journal: {"time","by","text"}. */
void mcti_running_print_line(const struct mcti_app *app, struct mcti_str line);

/* Appends a duration for people: "3 s", "2 h 5 min". */
void mcti_running_put_duration(struct mcti_buf *to, uint64_t ms);

#endif
