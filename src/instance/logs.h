/* The access log and the audit log of an instance that serves clients: opened as configured, and reopened after they
 * were moved away. */
#ifndef MCT_INSTANCE_LOGS_H
#define MCT_INSTANCE_LOGS_H

#include "instance/instance.h"

#include <sys/types.h>

/* Opens the configured logs: the access log if `http`, and the audit log. Returns -1 with *err, which names the
 * settings file. */
int mcti_logs_open(struct mcti_instance *i, bool http, struct mct_error *err);

/* Reopens the logs after a program such as logrotate has moved the files away. */
void mcti_logs_reopen(struct mcti_instance *i);

/* Closes the logs, and waits up to a second for the reader of the audit log. To be called after the last call ended. */
void mcti_logs_close(struct mcti_instance *i);

/* ---- one file ---- */

/* Opens a file for appending, and creates it with `mode` if it does not exist. Returns the descriptor, or -1 with
 * errno. */
int mcti_log_append_to(const char *path, mode_t mode);

/* Reopens the file `where` under the descriptor `fd`. Does nothing if `where` is NULL or "-" (stderr). If that fails,
 * logs an error that begins with `key`, and keeps the old file. */
void mcti_log_reopen(const struct mcti_log *log, const char *key, const char *where, mode_t mode, int fd);

#endif
