#include "instance/logs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { AUDIT_WAIT_MS = 1000, LOG_MODE = 0640 };

static const char access_key[] = "serve.access_log", audit_key[] = "serve.audit_log";

int mcti_log_append_to(const char *path, mode_t mode)
{
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, mode);
}

/* Opens the log `where`: a file, or "-" for stderr. Sets *ret_fd to -1 if `where` is NULL or empty. */
static int log_open(const char *key, const char *where, int *ret_fd, struct mct_error *err)
{
    *ret_fd = -1;
    if (!where || !*where)
        return 0;
    *ret_fd = strcmp(where, "-") ? mcti_log_append_to(where, LOG_MODE) : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    return *ret_fd >= 0 ? 0 : mcti_fail(err, MCT_ERR_CONFIG, "%s %s: %s", key, where, strerror(errno));
}

/* Gives the new file the descriptor number of the old one, so that writers can keep using that number. */
void mcti_log_reopen(const struct mcti_log *log, const char *key, const char *where, mode_t mode, int fd)
{
    if (fd < 0 || !where || !strcmp(where, "-"))
        return;
    int fresh = mcti_log_append_to(where, mode);
    if (fresh < 0) {
        mcti_log(log, MCT_LOG_WARN, "%s %s: reopening the file failed: %s; still writing to the old one", key, where,
                 strerror(errno));
        return;
    }
    dup3(fresh, fd, O_CLOEXEC);
    close(fresh);
}

int mcti_logs_open(struct mcti_instance *i, bool http, struct mct_error *err)
{
    const struct mcti_config *c = &i->config;
    struct mcti_service *s = &i->service;
    if (log_open(access_key, http ? c->access_log : NULL, &s->access_fd, err) < 0 ||
        log_open(audit_key, c->audit_log, &s->audit_fd, err) < 0)
        return mcti_error_wrap(err, "%s", c->settings_file);
    if (s->audit_fd < 0)
        return 0;
    mcti_audit_log_open(&s->audit, &i->events, &i->loop.sched, s->audit_fd);
    mcti_line_file_report(&s->audit.file, i->log, audit_key);
    return 0;
}

void mcti_logs_reopen(struct mcti_instance *i)
{
    mcti_log_reopen(i->log, access_key, i->config.access_log, LOG_MODE, i->service.access_fd);
    mcti_log_reopen(i->log, audit_key, i->config.audit_log, LOG_MODE, i->service.audit_fd);
}

void mcti_logs_close(struct mcti_instance *i)
{
    struct mcti_service *s = &i->service;
    mcti_event_log_close(&s->audit, AUDIT_WAIT_MS);
    if (s->access_fd >= 0)
        close(s->access_fd);
    if (s->audit_fd >= 0)
        close(s->audit_fd);
    s->access_fd = s->audit_fd = -1;
}
