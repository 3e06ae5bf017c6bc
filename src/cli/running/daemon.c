/* mcptools daemon: a gateway in the background, for commands. */
#include "cli/running/launch.h"

#include "base/log/near.h"
#include "json/write.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { END_MS = 60000 };

static uint64_t cmd_daemon_pid(const struct mcti_control_client *c)
{
    struct mcti_str value = mcti_json_get(mcti_buf_str(&c->said), "pid");
    uint64_t pid = 0;
    if (value.p)
        mcti_json_uint(value, &pid);
    return pid;
}

/* Prints what was done with a process, or with -o json an object. */
static void cmd_daemon_tell(const struct mcti_app *app, const char *word, const char *text, uint64_t pid,
                            const char *log)
{
    struct mcti_buf b;
    if (app->opt.output != MCT_OUT_JSON) {
        mcti_out(app, "%s", text);
        if (pid)
            mcti_out(app, ": process %llu", (unsigned long long)pid);
        mcti_out(app, log ? ", log %s\n" : "%s\n", log ? log : "");
        return;
    }
    mcti_buf_init(&b, 1u << 16);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "daemon", mcti_str_of(word));
    if (pid) {
        mcti_json_put_key(&b, "pid");
        mcti_buf_addu(&b, pid);
    }
    if (log)
        mcti_json_put_member(&b, "log", mcti_str_of(log));
    mcti_buf_addc(&b, '}');
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static int cmd_daemon_start(struct mcti_app *app)
{
    struct mcti_control_client c;
    struct mcti_launch l = { 0 };
    struct mct_error err;
    bool runs = mcti_running_open(app, &c, &err) == 0;
    if (runs)
        cmd_daemon_tell(app, "running", "already running", cmd_daemon_pid(&c), NULL);
    mcti_control_client_close(&c);
    if (runs)
        return 0;
    if (err.kind != MCT_ERR_CONNECT || mcti_launch_start(app, &l, &err) < 0 || mcti_launch_await(app, &l, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    cmd_daemon_tell(app, "started", "started", (uint64_t)l.pid, l.log);
    return 0;
}

/* ---- stop ---- */

/* Waits until the process has ended. `fd`: its pidfd; -1: the system has none, or it has ended. */
static int cmd_daemon_await_end(int fd, uint64_t pid, struct mct_error *err)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    if (fd < 0 || poll(&p, 1, END_MS) == 1)
        return 0;
    return mcti_fail(err, MCT_ERR_TIMEOUT, "process %llu has not ended within %d s", (unsigned long long)pid,
                     END_MS / 1000);
}

static int cmd_daemon_stop(struct mcti_app *app)
{
    struct mcti_control_client c;
    struct mct_error err;
    struct mcti_str result;
    int r = mcti_running_open(app, &c, &err);
    bool absent = r < 0 && err.kind == MCT_ERR_CONNECT;
    uint64_t pid = r == 0 ? cmd_daemon_pid(&c) : 0;
    int fd = r == 0 ? (int)syscall(SYS_pidfd_open, (pid_t)pid, 0) : -1;
    if (r == 0)
        r = mcti_control_request(&c, "stop", MCT_STR_NONE, MCT_RUNNING_MS, &result, &err);
    mcti_control_client_close(&c);
    if (r == 0)
        r = cmd_daemon_await_end(fd, pid, &err);
    if (fd >= 0)
        close(fd);
    if (r < 0 && !absent)
        return mcti_out_fail(app, &err, NULL);
    cmd_daemon_tell(app, absent ? "absent" : "stopped", absent ? "no gateway runs with this configuration" : "stopped",
                    pid, NULL);
    return 0;
}

/* ---- status ---- */

static int cmd_daemon_status(struct mcti_app *app)
{
    struct mcti_control_client c;
    struct mct_error err;
    char log[PATH_MAX];
    int status = 0;
    if (mcti_running_open(app, &c, &err) == 0) {
        bool has_log = mcti_launch_log_path(app, log, NULL) == 0 && access(log, R_OK) == 0;
        cmd_daemon_tell(app, "running", "running", cmd_daemon_pid(&c), has_log ? log : NULL);
    } else if (err.kind == MCT_ERR_CONNECT) {
        cmd_daemon_tell(app, "absent", "no gateway runs with this configuration", 0, NULL);
        status = mcti_error_exit_status(MCT_ERR_CONNECT);
    } else {
        status = mcti_out_fail(app, &err, NULL);
    }
    mcti_control_client_close(&c);
    return status;
}

static const struct {
    const char *name;
    int (*run)(struct mcti_app *app);
} verbs[] = { { "start", cmd_daemon_start }, { "stop", cmd_daemon_stop }, { "status", cmd_daemon_status } };

int mcti_cmd_daemon(struct mcti_app *app)
{
    struct mcti_near near = { .word = mcti_str_of(app->argv[0]) };
    char hint[MCT_NEAR_HINT_BYTES];
    struct mct_error err;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (!strcmp(verbs[i].name, app->argv[0]))
            return verbs[i].run(app);
        mcti_near_try(&near, mcti_str_of(verbs[i].name));
    }
    mcti_fail(&err, MCT_ERR_USAGE, "unknown word '%s': daemon takes start, stop or status%s", app->argv[0],
              mcti_near_hint(&near, hint));
    return mcti_out_fail(app, &err, NULL);
}
