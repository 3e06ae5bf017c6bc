#include "io/reaper.h"

#include "io/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_GROUPS = 4096, GRACE_MS = 1000, STEP_MS = 20 };

/* One order: positive adds the group, negative removes it. */
typedef int32_t order_t;

static void apply(pid_t *groups, size_t *n, order_t order)
{
    if (order > 0 && *n < MAX_GROUPS) {
        groups[(*n)++] = order;
        return;
    }
    for (size_t i = 0; i < *n; i++) {
        if (groups[i] == -order) {
            groups[i] = groups[--*n];
            return;
        }
    }
}

static bool any_alive(const pid_t *groups, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (mct_tree_alive(groups[i]))
            return true;
    return false;
}

static void end_all(const pid_t *groups, size_t n)
{
    struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
    for (size_t i = 0; i < n; i++)
        mct_kill_tree(groups[i], SIGTERM);
    for (int ms = 0; ms < GRACE_MS && any_alive(groups, n); ms += STEP_MS)
        nanosleep(&step, NULL);
    for (size_t i = 0; i < n; i++)
        mct_kill_tree(groups[i], SIGKILL);
}

static void helper_main(int fd)
{
    pid_t groups[MAX_GROUPS];
    size_t n = 0;
    order_t order;
    setsid();
    for (int sig = 1; sig < 32; sig++)
        signal(sig, SIG_IGN);
    for (;;) {
        ssize_t got = read(fd, &order, sizeof order);
        if (got == (ssize_t)sizeof order)
            apply(groups, &n, order);
        else if (got >= 0 || errno != EINTR)
            break;
    }
    end_all(groups, n);
    _exit(0);
}

int mct_reaper_start(struct mct_reaper *r, struct mct_error *err)
{
    int fds[2];
    r->pid = -1;
    r->fd = -1;
    if (pipe2(fds, O_CLOEXEC) < 0)
        return mct_fail(err, MCT_ERR_INTERNAL, "starting the reaper: no pipe");
    r->pid = fork();
    if (r->pid == 0)
        helper_main(mct_close_others(fds[0]));
    close(fds[0]);
    if (r->pid < 0) {
        close(fds[1]);
        return mct_fail(err, MCT_ERR_INTERNAL, "starting the reaper: %s", strerror(errno));
    }
    r->fd = fds[1];
    return 0;
}

void mct_reaper_stop(struct mct_reaper *r)
{
    if (r->fd < 0)
        return;
    close(r->fd);
    r->fd = -1;
    while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

static void tell(struct mct_reaper *r, order_t order)
{
    if (r && r->fd >= 0)
        while (write(r->fd, &order, sizeof order) < 0 && errno == EINTR)
            ;
}

void mct_reaper_add(struct mct_reaper *r, pid_t group)
{
    tell(r, (order_t)group);
}

void mct_reaper_remove(struct mct_reaper *r, pid_t group)
{
    tell(r, -(order_t)group);
}
