/* The option --events: the file or descriptor that call events are written to. */
#include "cli/command.h"
#include "instance/logs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENTS_WAIT_MS = 1000 }; /* time for the reader to take the last events at the end */
enum { EVENTS_MODE = 0600 };

void mcti_app_reopen_events(struct mcti_app *app)
{
    if (!app->opt.events_inherited)
        mcti_log_reopen(&app->log, "--events", app->opt.events, EVENTS_MODE, app->event_fd);
}

/* Checks the descriptor while only inherited ones are open: later a wrong number could be one of the program's own. */
static int check_descriptor(const char *number, struct mct_error *err)
{
    char *end;
    errno = 0;
    long fd = strtol(number, &end, 10);
    int flags = errno || fd > INT_MAX ? -1 : fcntl((int)fd, F_GETFL);
    if (flags < 0)
        return mcti_fail(err, MCT_ERR_USAGE, "--events %s: the descriptor is not open; for a file write ./%s", number,
                         number);
    if (fd == STDIN_FILENO || (flags & O_ACCMODE) == O_RDONLY)
        return mcti_fail(err, MCT_ERR_USAGE, "--events %s: the descriptor is not open for writing", number);
    if (fd > STDERR_FILENO)
        fcntl((int)fd, F_SETFD, FD_CLOEXEC);
    return 0;
}

int mcti_events_option(struct mcti_app *app, const char *value, struct mct_error *err)
{
    if (!*value || !strcmp(value, "-"))
        return mcti_fail(err, MCT_ERR_USAGE, "--events needs a file or the number of an open descriptor (2: stderr)");
    app->opt.events = value;
    app->opt.events_inherited = value[strspn(value, "0123456789")] == '\0';
    return app->opt.events_inherited ? check_descriptor(value, err) : 0;
}

int mcti_app_open_events(struct mcti_app *app, struct mct_error *err)
{
    const char *where = app->opt.events;
    if (!where)
        return 0;
    app->event_fd = app->opt.events_inherited ? atoi(where) : mcti_log_append_to(where, EVENTS_MODE);
    if (app->event_fd < 0)
        return mcti_fail(err, MCT_ERR_USAGE, "--events %s: %s", where, strerror(errno));
    if (app->event_fd == STDOUT_FILENO && app->command->serves && app->opt.stdio)
        return mcti_fail(err, MCT_ERR_USAGE, "--events %s: with --stdio, stdout belongs to the client", where);
    mcti_event_log_open(&app->event_log, &app->inst.events, &app->inst.loop.sched, app->event_fd);
    mcti_line_file_report(&app->event_log.file, &app->log, "--events");
    return 0;
}

/* Returns true if `fd` is the same file as stderr. A reader that does not take events would not take a message about
 * them either, and writing one would block. */
static bool is_same_as_stderr(int fd)
{
    struct stat a, b;
    return fstat(fd, &a) == 0 && fstat(STDERR_FILENO, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void mcti_app_close_events(struct mcti_app *app)
{
    mcti_event_log_close(&app->event_log, EVENTS_WAIT_MS);
    if (app->event_log.file.lost && !is_same_as_stderr(app->event_fd))
        mcti_log(&app->log, MCT_LOG_WARN, "--events: %llu lines were lost",
                 (unsigned long long)app->event_log.file.lost);
    if (app->event_fd > STDERR_FILENO)
        close(app->event_fd);
    app->event_fd = -1;
}
