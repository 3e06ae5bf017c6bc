#include "io/process/trial.h"

#include "io/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MS = 20 }; /* if there is no pidfd */

struct mcti_trial {
    struct mcti_trial_opts opts;
    struct mcti_tree tree;
    int pidfd, fd;
    uv_poll_t exit;
    uv_timer_t timer;
    uint64_t end_ms;
    unsigned n_handles;
    bool late;
};

/* ---- the copy ---- */

/* Ends the copy when its code calls exit(): added last, this handler runs before those of this process. */
static void trial_leave(void)
{
    _exit(EXIT_FAILURE);
}

static void copy_main(const struct mcti_trial_opts *opts, int fd, pid_t parent, uint64_t mark)
{
    const struct rlimit no_core = { 0 };
    mcti_child_begin(parent, SIGKILL, mark);
    setrlimit(RLIMIT_CORE, &no_core);
    fd = mcti_close_others(fd);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    atexit(trial_leave);
    opts->run(fd, opts->data);
    _exit(EXIT_SUCCESS);
}

/* ---- ending ---- */

static void trial_on_closed(uv_handle_t *h)
{
    struct mcti_trial *t = h->data;
    if (!--t->n_handles)
        free(t);
}

static void trial_release(struct mcti_trial *t)
{
    uv_close((uv_handle_t *)&t->timer, trial_on_closed);
    if (t->pidfd >= 0) {
        uv_close((uv_handle_t *)&t->exit, trial_on_closed);
        close(t->pidfd);
    }
    close(t->fd);
}

/* Kills the copy, which may not have its own session yet, and its tree. */
static void trial_end(const struct mcti_trial *t)
{
    kill(t->tree.leader, SIGKILL);
    mcti_tree_kill(&t->tree, SIGKILL);
}

static void trial_over(struct mcti_trial *t, int status)
{
    char said[MCT_TRIAL_SAID_BYTES];
    ssize_t n = read(t->fd, said, sizeof said);
    const struct mcti_trial_end how = { { said, n > 0 ? (size_t)n : 0 }, t->late, status };
    mcti_reaper_remove(t->opts.reaper, t->tree.leader);
    trial_release(t);
    if (t->opts.done)
        t->opts.done(&how, t->opts.data);
}

/* Kills processes the copy left behind while it is a zombie: once it is reaped, its process id may be reused. */
static bool trial_reap(struct mcti_trial *t)
{
    siginfo_t info = { 0 };
    int status = -1;
    if (waitid(P_PID, (id_t)t->tree.leader, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && !info.si_pid)
        return false;
    if (info.si_pid) {
        mcti_tree_kill(&t->tree, SIGKILL);
        waitpid(t->tree.leader, &status, 0);
    }
    trial_over(t, status);
    return true;
}

static void trial_on_exit_seen(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    trial_reap(poll->data);
}

static void trial_on_time(uv_timer_t *timer)
{
    struct mcti_trial *t = timer->data;
    if (trial_reap(t) || uv_now(timer->loop) < t->end_ms)
        return;
    t->late = true;
    trial_end(t);
}

/* Starts the timer for the time limit, which also polls for the end if there is no pidfd. */
static void trial_watch(struct mcti_trial *t)
{
    uv_loop_t *uv = &t->opts.loop->uv;
    unsigned first_ms = POLL_MS;
    uv_update_time(uv);
    t->end_ms = uv_now(uv) + t->opts.limit_ms;
    uv_timer_init(uv, &t->timer);
    t->timer.data = t->exit.data = t;
    t->n_handles = 1;
    t->pidfd = mcti_pidfd(t->tree.leader);
    if (t->pidfd >= 0) {
        uv_poll_init(uv, &t->exit, t->pidfd);
        uv_poll_start(&t->exit, UV_READABLE, trial_on_exit_seen);
        t->n_handles++;
        first_ms = t->opts.limit_ms;
    }
    uv_timer_start(&t->timer, trial_on_time, first_ms, POLL_MS);
}

/* ---- starting ---- */

/* Forks with all signals blocked: in the copy, signal handlers would write to memory and pipes shared with this
 * process. */
static pid_t fork_quietly(const struct mcti_trial_opts *opts, int fd, uint64_t mark)
{
    sigset_t all, old;
    pid_t parent = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pid_t pid = fork();
    if (pid == 0)
        copy_main(opts, fd, parent, mark);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return pid;
}

struct mcti_trial *mcti_trial_start(const struct mcti_trial_opts *opts, struct mct_error *err)
{
    struct mcti_trial *t = calloc(1, sizeof *t);
    int fds[2] = { -1, -1 };
    if (!t || pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0) {
        mcti_fail(err, MCT_ERR_INTERNAL, "starting a trial process: %s", strerror(errno));
        free(t);
        return NULL;
    }
    t->opts = *opts;
    t->fd = fds[0];
    t->tree.mark = mcti_reaper_mark(opts->reaper);
    t->tree.leader = fork_quietly(opts, fds[1], t->tree.mark);
    close(fds[1]);
    if (t->tree.leader < 0) {
        mcti_fail(err, MCT_ERR_INTERNAL, "starting a trial process: %s", strerror(errno));
        close(fds[0]);
        free(t);
        return NULL;
    }
    mcti_reaper_add(opts->reaper, t->tree.leader);
    trial_watch(t);
    return t;
}

void mcti_trial_cancel(struct mcti_trial *t)
{
    if (!t)
        return;
    t->opts.done = NULL;
    trial_end(t);
}
