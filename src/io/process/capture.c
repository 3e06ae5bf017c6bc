#include "io/process/capture.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* STEP: time between two looks at a child without a pidfd. */
enum { CAPTURE_STEP_MS = 20, CAPTURE_READ_BYTES = 4096 };
enum { CAPTURE_OUT, CAPTURE_ERR, CAPTURE_EXIT, N_CAPTURE };

struct capture {
    struct mcti_child child;
    struct pollfd fds[N_CAPTURE]; /* fd -1: ended */
    struct mcti_buf *output;
    struct mcti_capture_end *end;
    size_t complaint_len;
    bool complaint_ended, too_long;
    int wait_status; /* -1: unknown */
};

/* Writes the input without the SIGPIPE of a program that reads none: the handling of signals is the caller's. */
static void capture_write(int fd, struct mcti_str input)
{
    static const struct timespec now = { 0, 0 };
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    if (input.len && write(fd, input.p, input.len) < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE))
        sigtimedwait(&pipe, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(fd);
}

/* Reads output that has arrived. Returns false at its end. */
static bool capture_read_output(struct capture *c)
{
    struct mcti_buf *b = c->output;
    char more;
    size_t room = b->max - b->len < CAPTURE_READ_BYTES ? b->max - b->len : CAPTURE_READ_BYTES;
    char *to = room ? mcti_buf_reserve(b, room) : &more;
    ssize_t n = to ? read(c->fds[CAPTURE_OUT].fd, to, room ? room : 1) : 0;
    c->too_long = n > 0 && !room;
    b->len += n > 0 && room ? (size_t)n : 0;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool capture_read_complaint(struct capture *c)
{
    char bytes[512];
    ssize_t n = read(c->fds[CAPTURE_ERR].fd, bytes, sizeof bytes);
    for (ssize_t i = 0; i < n && !c->complaint_ended; i++) {
        c->complaint_ended = bytes[i] == '\n' || c->complaint_len == sizeof c->end->complaint - 1;
        if (!c->complaint_ended)
            c->end->complaint[c->complaint_len++] = bytes[i];
    }
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Returns true once the child has ended. It stays a zombie, so that its process id is not used again. */
static bool capture_has_ended(const struct capture *c)
{
    siginfo_t info = { 0 };
    int r = waitid(P_PID, (id_t)c->child.tree.leader, &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid || (r < 0 && errno == ECHILD);
}

/* Reads until the program has ended or must be killed. Returns false if its time is over. */
static bool capture_watch(struct capture *c, unsigned limit_ms)
{
    uint64_t until = mcti_clock_since_us() / 1000 + limit_ms;
    bool ended = false;
    while (!ended && !c->too_long && mcti_buf_ok(c->output)) {
        uint64_t now = mcti_clock_since_us() / 1000;
        int wait_ms = now >= until ? 0 : (int)(until - now);
        if (!wait_ms)
            return false;
        poll(c->fds, N_CAPTURE, c->child.pidfd < 0 && wait_ms > CAPTURE_STEP_MS ? CAPTURE_STEP_MS : wait_ms);
        ended = capture_has_ended(c); /* before reading, so that its last words are there */
        if (c->fds[CAPTURE_OUT].revents && !capture_read_output(c))
            c->fds[CAPTURE_OUT].fd = -1;
        if (c->fds[CAPTURE_ERR].revents && !capture_read_complaint(c))
            c->fds[CAPTURE_ERR].fd = -1;
    }
    return true;
}

/* Reads what is left in the pipes of a program that has ended. */
static void capture_drain(struct capture *c)
{
    errno = 0;
    while (c->fds[CAPTURE_OUT].fd >= 0 && errno != EAGAIN && !c->too_long && mcti_buf_ok(c->output))
        if (!capture_read_output(c))
            c->fds[CAPTURE_OUT].fd = -1;
    if (c->fds[CAPTURE_ERR].fd >= 0)
        capture_read_complaint(c);
}

static void capture_reap(struct capture *c)
{
    mcti_tree_kill(&c->child.tree, SIGKILL);
    while (waitpid(c->child.tree.leader, &c->wait_status, 0) < 0)
        if (errno != EINTR) {
            c->wait_status = -1; /* another part of the process has reaped it */
            break;
        }
    close(c->child.out);
    close(c->child.err);
    if (c->child.pidfd >= 0)
        close(c->child.pidfd);
}

static int capture_judge(const struct capture *c, bool in_time, unsigned limit_ms, struct mct_error *err)
{
    if (!mcti_buf_ok(c->output))
        return mcti_no_memory(err);
    if (c->too_long)
        return mcti_fail(err, MCT_ERR_LIMIT, "wrote more than %zu bytes to its stdout", c->output->max);
    if (!in_time)
        return mcti_fail(err, MCT_ERR_TIMEOUT, "did not end within %u s", limit_ms / 1000);
    if (c->wait_status == -1)
        return mcti_fail(err, MCT_ERR_INTERNAL, "has an unknown exit status: this process ignores SIGCHLD");
    if (WIFSIGNALED(c->wait_status))
        return mcti_fail(err, MCT_ERR_CONNECT, "was killed by signal %d (%s)", WTERMSIG(c->wait_status),
                         strsignal(WTERMSIG(c->wait_status)));
    c->end->status = WEXITSTATUS(c->wait_status);
    return c->end->status ? mcti_fail(err, MCT_ERR_CONNECT, "exited with status %d", c->end->status) : 0;
}

int mcti_capture(const struct mcti_capture_opts *opts, struct mcti_buf *output, struct mcti_capture_end *ret_end,
                 struct mct_error *err)
{
    struct capture c = { .output = output, .end = ret_end };
    *ret_end = (struct mcti_capture_end){ .status = -1 };
    if (mcti_spawn(&opts->spawn, &c.child, err) < 0)
        return -1;
    c.fds[CAPTURE_OUT] = (struct pollfd){ c.child.out, POLLIN, 0 };
    c.fds[CAPTURE_ERR] = (struct pollfd){ c.child.err, POLLIN, 0 };
    c.fds[CAPTURE_EXIT] = (struct pollfd){ c.child.pidfd, POLLIN, 0 };
    fcntl(c.child.out, F_SETFL, O_NONBLOCK);
    fcntl(c.child.err, F_SETFL, O_NONBLOCK);
    capture_write(c.child.in, opts->input);
    bool in_time = capture_watch(&c, opts->limit_ms);
    if (in_time)
        capture_drain(&c);
    capture_reap(&c);
    return capture_judge(&c, in_time, opts->limit_ms, err);
}
