/* Log files of an instance that serves clients: opened by their names in the configuration, and again after they were
 * moved away. */
#ifndef MCT_INSTANCE_LOGS_H
#define MCT_INSTANCE_LOGS_H

#include "instance/instance.h"

#include <sys/types.h>

/* Opens the access log, if `http`, and the audit log, where they are configured. -1 with *err, which names the file of
 * the settings. */
int mcti_logs_open(struct mcti_instance *i, bool http, struct mct_error *err);

/* Opens them again, after a program such as logrotate has moved them away. */
void mcti_logs_reopen(struct mcti_instance *i);

/* Closes them after the last call has ended, and waits up to a second for the reader of the audit log. */
void mcti_logs_close(struct mcti_instance *i);

/* ---- one file ---- */

/* Opens a file for appending, and makes it with `mode` if need be. Returns the descriptor, or -1 with errno. */
int mcti_log_append_to(const char *path, mode_t mode);

/* Opens the log `where` again, which is a file: `fd` is the new one then. Does nothing where `where` is NULL or "-"
 * (stderr). Logs a failure as one of `key`, and leaves the old file. */
void mcti_log_reopen(const struct mcti_log *log, const char *key, const char *where, mode_t mode, int fd);

#endif
