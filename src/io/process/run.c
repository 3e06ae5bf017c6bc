#include "io/process/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_CHILD_MS = 50, DRAIN_MS = 200, COMPLAINT_BYTES = 300 };

struct mct_run {
    struct mct_loop *loop;
    struct mct_reaper *reaper;
    void (*done)(void *data, const struct mct_run_end *end); /* NULL: nobody waits any more */
    void *data;
    struct mct_child child;
    bool exited, output_ended;
    int wait_status;
    int broken;             /* what libuv said of a pipe that cannot be used; 0: nothing */
    int n_handles;
    uv_pipe_t in, out, err;
    uv_poll_t exit_poll;
    uv_write_t write;
    struct mct_timer timer; /* the next look at the child where that is not told; then: for its last words */
    char *input;
    struct mct_buf output;
    char complaint[COMPLAINT_BYTES];
    size_t complaint_len;
    bool complaint_ended;
};

/* ---- the end ---- */

static void free_run(struct mct_run *r)
{
    mct_timer_stop(&r->loop->sched, &r->timer);
    mct_buf_done(&r->output);
    free(r->input);
    free(r);
}

static void on_handle_closed(uv_handle_t *h)
{
    struct mct_run *r = h->data;
    if (!--r->n_handles)
        free_run(r);
}

static void close_handle(uv_handle_t *h)
{
    if (h->loop && !uv_is_closing(h))
        uv_close(h, on_handle_closed);
}

static int describe_end(const struct mct_run *r, struct mct_error *ret)
{
    if (r->broken)
        return mct_fail(ret, MCT_ERR_INTERNAL, "a pipe to it cannot be used: %s", uv_strerror(r->broken));
    if (!mct_buf_ok(&r->output))
        return mct_fail(ret, MCT_ERR_LIMIT, "wrote more than %zu bytes to its stdout", r->output.max);
    if (WIFSIGNALED(r->wait_status))
        return mct_fail(ret, MCT_ERR_CONNECT, "was ended by signal %d (%s)", WTERMSIG(r->wait_status),
                        strsignal(WTERMSIG(r->wait_status)));
    if (WEXITSTATUS(r->wait_status))
        return mct_fail(ret, MCT_ERR_CONNECT, "ended with status %d", WEXITSTATUS(r->wait_status));
    return 0;
}

static void finish(struct mct_run *r)
{
    struct mct_error err;
    struct mct_run_end end = { .output = mct_buf_str(&r->output), .complaint = { r->complaint, r->complaint_len } };
    void (*done)(void *, const struct mct_run_end *) = r->done;
    mct_timer_stop(&r->loop->sched, &r->timer);
    r->done = NULL;
    if (done) {
        end.err = describe_end(r, &err) < 0 ? &err : NULL;
        done(r->data, &end);
    }
    close_handle((uv_handle_t *)&r->in);
    close_handle((uv_handle_t *)&r->out);
    close_handle((uv_handle_t *)&r->err);
}

/* Its tree goes while it is there to be named: when it has been waited for its number may be another's. */
static bool reap(struct mct_run *r)
{
    siginfo_t info = { 0 };
    if (waitid(P_PID, (id_t)r->child.tree.leader, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || !info.si_pid)
        return false;
    mct_tree_kill(&r->child.tree, SIGKILL);
    waitpid(r->child.tree.leader, &r->wait_status, 0);
    mct_reaper_remove(r->reaper, r->child.tree.leader);
    r->exited = true;
    if (r->child.pidfd >= 0) {
        close_handle((uv_handle_t *)&r->exit_poll);
        close(r->child.pidfd);
    }
    return true;
}

/* It has exited; what it has written may still be in the pipe. */
static void exited(struct mct_run *r)
{
    if (r->output_ended)
        finish(r);
    else
        mct_timer_set(&r->loop->sched, &r->timer, DRAIN_MS);
}

static void look(void *data)
{
    struct mct_run *r = data;
    if (r->exited)
        finish(r);
    else if (reap(r))
        exited(r);
    else
        mct_timer_set(&r->loop->sched, &r->timer, POLL_CHILD_MS);
}

static void on_exit_readable(uv_poll_t *poll, int status, int events)
{
    struct mct_run *r = poll->data;
    (void)status;
    (void)events;
    if (!r->exited && reap(r))
        exited(r);
}

void mct_run_kill(struct mct_run *r)
{
    if (!r)
        return;
    r->done = NULL;
    if (!r->exited)
        mct_tree_kill(&r->child.tree, SIGKILL);
}

/* ---- pipes ---- */

static void on_output(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct mct_run *r = stream->data;
    if (n > 0) {
        bool fit = mct_buf_ok(&r->output);
        mct_buf_add(&r->output, (struct mct_str){ buf->base, (size_t)n });
        if (fit && !mct_buf_ok(&r->output) && !r->exited)
            mct_tree_kill(&r->child.tree, SIGKILL);
    } else if (n < 0) {
        r->output_ended = true;
        uv_read_stop(stream);
        if (r->exited)
            finish(r);
    }
}

static void on_complaint(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct mct_run *r = stream->data;
    if (n < 0)
        uv_read_stop(stream);
    for (ssize_t i = 0; i < n && !r->complaint_ended; i++) {
        r->complaint_ended = buf->base[i] == '\n' || r->complaint_len == sizeof r->complaint;
        if (!r->complaint_ended)
            r->complaint[r->complaint_len++] = buf->base[i];
    }
}

static void on_written(uv_write_t *w, int status)
{
    struct mct_run *r = w->data;
    (void)status; /* a program that does not read may still answer */
    close_handle((uv_handle_t *)&r->in);
}

static void note(struct mct_run *r, int status)
{
    r->broken = status < 0 && !r->broken ? status : r->broken;
}

static void add_pipe(struct mct_run *r, uv_pipe_t *pipe, int fd)
{
    uv_pipe_init(&r->loop->uv, pipe, 0);
    pipe->data = r;
    r->n_handles++;
    int status = uv_pipe_open(pipe, fd);
    if (status < 0)
        close(fd);
    note(r, status);
}

/* ---- the beginning ---- */

static void watch_exit(struct mct_run *r)
{
    if (r->child.pidfd < 0 || uv_poll_init(&r->loop->uv, &r->exit_poll, r->child.pidfd) < 0) {
        mct_timer_set(&r->loop->sched, &r->timer, POLL_CHILD_MS);
        return;
    }
    r->exit_poll.data = r;
    r->n_handles++;
    uv_poll_start(&r->exit_poll, UV_READABLE, on_exit_readable);
}

static void open_pipes(struct mct_run *r, size_t len)
{
    uv_buf_t text = uv_buf_init(r->input, (unsigned)len);
    add_pipe(r, &r->in, r->child.in);
    add_pipe(r, &r->out, r->child.out);
    add_pipe(r, &r->err, r->child.err);
    r->write.data = r;
    if (uv_write(&r->write, (uv_stream_t *)&r->in, &text, 1, on_written) < 0)
        close_handle((uv_handle_t *)&r->in);
    note(r, uv_read_start((uv_stream_t *)&r->out, mct_loop_alloc, on_output));
    note(r, uv_read_start((uv_stream_t *)&r->err, mct_loop_alloc, on_complaint));
    if (r->broken) { /* its end tells it */
        r->output_ended = true;
        mct_tree_kill(&r->child.tree, SIGKILL);
    }
}

struct mct_run *mct_run_start(struct mct_loop *loop, const struct mct_run_opts *opts,
                              void (*done)(void *data, const struct mct_run_end *end), void *data, struct mct_error *err)
{
    struct mct_spawn spawn = opts->spawn;
    struct mct_run *r = calloc(1, sizeof *r);
    char *input = mct_str_dup(opts->input);
    spawn.n_files = loop->child_files;
    spawn.mark = mct_reaper_mark(opts->reaper);
    if (r)
        *r = (struct mct_run){ .loop = loop, .reaper = opts->reaper, .done = done, .data = data, .input = input };
    if (!r || !input || mct_spawn(&spawn, &r->child, err) < 0) {
        if (!r || !input)
            mct_no_memory(err);
        free(input);
        free(r);
        return NULL;
    }
    mct_buf_init(&r->output, opts->max_output);
    mct_timer_init(&r->timer, look, r);
    mct_reaper_add(r->reaper, r->child.tree.leader);
    open_pipes(r, opts->input.len);
    watch_exit(r);
    return r;
}
