/* Starts a gateway in the background. */
#ifndef MCT_CLI_RUNNING_LAUNCH_H
#define MCT_CLI_RUNNING_LAUNCH_H

#include "cli/running/running.h"

#include <limits.h>
#include <sys/types.h>

struct mcti_launch {
    pid_t pid;
    char log[PATH_MAX]; /* what it writes to stdout and stderr */
    off_t log_at;       /* where its lines begin */
};

/* Starts `mcptools serve` with the configuration files and options of this command, in a session of its own, with a log
 * file in the state folder. Returns -1 with *err. */
int mcti_launch_start(struct mcti_app *app, struct mcti_launch *ret, struct mct_error *err);

/* Waits until commands can use the gateway. Returns -1 with *err if it ends before, or does not get ready. */
int mcti_launch_await(struct mcti_app *app, const struct mcti_launch *l, struct mct_error *err);

/* Writes the path of the log file for this configuration. Returns -1 with *err if there is no folder for it. */
int mcti_launch_log_path(const struct mcti_app *app, char ret[PATH_MAX], struct mct_error *err);

#endif
