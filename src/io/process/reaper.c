#include "io/process/reaper.h"

#include "io/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { GRACE_MS = 1000, STEP_MS = 20, N_KILLS = 50, N_CLEAN = 3, SEND_MS = 100, AGAIN_MS = 1000 };

/* Command to the helper: a positive number adds that group, a negative one removes it, 0 reports that nothing was
 * started. */
typedef int32_t order_t;

/* ---- registered groups, in both processes ---- */

static void add_group(struct mcti_reaper *r, pid_t group)
{
    if (r->n_groups == r->max_groups) {
        size_t max = r->max_groups ? 2 * r->max_groups : 16;
        struct mcti_tree *v = realloc(r->groups, max * sizeof *v);
        if (!v)
            return; /* its processes are still found by their mark */
        r->groups = v;
        r->max_groups = max;
    }
    r->groups[r->n_groups++] = (struct mcti_tree){ .leader = group };
}

static void remove_group(struct mcti_reaper *r, pid_t group)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        if (r->groups[i].leader == group) {
            r->groups[i] = r->groups[--r->n_groups];
            return;
        }
    }
}

static void reaper_apply(struct mcti_reaper *r, order_t order)
{
    if (order > 0)
        add_group(r, order);
    else
        remove_group(r, -order);
}

/* ---- the helper ---- */

static void reaper_end_all(const struct mcti_reaper *r)
{
    const struct timespec step = { .tv_nsec = STEP_MS * 1000000L }, pause = { .tv_nsec = 1000000L };
    const struct mcti_forest all = { r->groups, r->n_groups, r->mark };
    mcti_forest_signal(&all, SIGTERM);
    for (int ms = 0; ms < GRACE_MS && mcti_forest_signal(&all, 0) > 0; ms += STEP_MS)
        nanosleep(&step, NULL);
    /* repeated until several passes found none, because processes may have been forked in between */
    for (int i = 0, clean = 0; i < N_KILLS && clean < N_CLEAN; i++) {
        clean = mcti_forest_signal(&all, SIGKILL) > 0 ? 0 : clean + 1;
        nanosleep(clean ? &pause : &step, NULL);
    }
}

/* Gives the helper a name and a session of its own and removes its mark, so that neither `killall mcptools` ends it,
 * nor a gateway that runs this gateway as a server. */
static void helper_begin(const struct mcti_reaper *r)
{
    setsid();
    for (int sig = 1; sig < 32; sig++)
        signal(sig, SIG_IGN);
    mcti_mark_set(r->mark);
#ifdef __linux__
    prctl(PR_SET_NAME, "mct-reaper");
#endif
}

static void helper_main(struct mcti_reaper *r, int fd)
{
    order_t order = 1;
    ssize_t got;
    helper_begin(r);
    while ((got = read(fd, &order, sizeof order)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            reaper_apply(r, order);
    if (order)
        reaper_end_all(r);
    _exit(0);
}

/* Forks the helper. Returns our end of the socket, or -1 and sets errno. */
static int fork_helper(struct mcti_reaper *r)
{
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
        return -1;
    r->pid = fork();
    if (r->pid == 0)
        helper_main(r, mcti_close_others(fds[0]));
    close(fds[0]);
    if (r->pid > 0)
        return fds[1];
    close(fds[1]);
    return -1;
}

/* ---- starting and stopping ---- */

int mcti_reaper_start(struct mcti_reaper *r, struct mct_error *err)
{
    *r = (struct mcti_reaper){ .mark = mcti_mark_new() };
    r->fd = fork_helper(r);
    return r->fd < 0 ? mcti_fail(err, MCT_ERR_INTERNAL, "starting the reaper: %s", strerror(errno)) : 0;
}

static void reaper_send(struct mcti_reaper *r, order_t order)
{
    struct pollfd ready = { .fd = r->fd, .events = POLLOUT };
    while (send(r->fd, &order, sizeof order, MSG_NOSIGNAL) < 0)
        if (errno != EINTR && (errno != EAGAIN || poll(&ready, 1, SEND_MS) != 1))
            return; /* the helper has died: the next one gets all registered groups */
}

static void wait_for_helper(struct mcti_reaper *r)
{
    while (r->pid > 0 && waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    r->pid = -1;
}

void mcti_reaper_stop(struct mcti_reaper *r)
{
    if (r->fd < 0)
        return;
    if (!r->n_marks) /* otherwise a process that went on forking may have been missed when its server ended */
        reaper_send(r, 0);
    close(r->fd);
    r->fd = -1;
    wait_for_helper(r);
    free(r->groups);
    r->groups = NULL;
}

/* ---- restarting a dead helper ---- */

static void reaper_on_gone(uv_poll_t *watch, int status, int events);

static void watch_helper(struct mcti_reaper *r)
{
    r->since_ms = mcti_sched_now(&r->loop->sched);
    uv_poll_start(&r->watch, UV_READABLE, reaper_on_gone);
}

/* Starts a new helper. Its socket replaces the old one under the same number, which the poll handle uses. */
static void reaper_restart(void *data)
{
    struct mcti_reaper *r = data;
    int fd = fork_helper(r);
    if (fd < 0) {
        mcti_log(r->loop->log, MCT_LOG_WARN, "restarting the reaper: %s", strerror(errno));
        mcti_timer_set(&r->loop->sched, &r->again, AGAIN_MS);
        return;
    }
    dup3(fd, r->fd, O_CLOEXEC);
    fcntl(r->fd, F_SETFL, O_NONBLOCK);
    close(fd);
    watch_helper(r);
}

static void reaper_on_gone(uv_poll_t *watch, int status, int events)
{
    struct mcti_reaper *r = watch->data;
    bool lived = mcti_sched_now(&r->loop->sched) - r->since_ms >= AGAIN_MS;
    (void)status;
    (void)events; /* the helper never writes: readable means that it has closed the socket */
    uv_poll_stop(watch);
    if (r->pid > 0)
        kill(r->pid, SIGKILL); /* in case it lives without its socket */
    wait_for_helper(r);
    mcti_log(r->loop->log, MCT_LOG_WARN,
             "the reaper process, which ends the servers if this process is killed, has died; restarting it");
    mcti_timer_set(&r->loop->sched, &r->again, lived ? 0 : AGAIN_MS);
}

void mcti_reaper_watch(struct mcti_reaper *r, struct mcti_loop *loop)
{
    if (r->fd < 0 || uv_poll_init(&loop->uv, &r->watch, r->fd) < 0)
        return;
    r->loop = loop;
    r->watch.data = r;
    uv_unref((uv_handle_t *)&r->watch);
    mcti_timer_init(&r->again, reaper_restart, r);
    watch_helper(r);
}

void mcti_reaper_unwatch(struct mcti_reaper *r)
{
    if (r->fd < 0 || !r->loop)
        return;
    mcti_timer_stop(&r->loop->sched, &r->again);
    uv_close((uv_handle_t *)&r->watch, NULL);
    r->loop = NULL;
}

/* ---- registering ---- */

uint64_t mcti_reaper_mark(struct mcti_reaper *r)
{
    uint64_t owner = r ? r->mark : mcti_mark_new(), child = r ? ++r->n_marks : 1;
    return owner ? owner | (child & (((uint64_t)1 << MCT_MARK_CHILD_BITS) - 1)) : 0;
}

void mcti_reaper_add(struct mcti_reaper *r, pid_t group)
{
    if (!r || r->fd < 0)
        return;
    add_group(r, group);
    reaper_send(r, group);
}

void mcti_reaper_remove(struct mcti_reaper *r, pid_t group)
{
    if (!r || r->fd < 0)
        return;
    remove_group(r, group);
    reaper_send(r, -group);
}
