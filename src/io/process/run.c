#include "io/process/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_CHILD_MS = 50, DRAIN_MS = 200, COMPLAINT_BYTES = 300 };

struct mcti_run {
    struct mcti_loop *loop;
    struct mcti_reaper *reaper;
    void (*done)(void *data, const struct mcti_run_end *end); /* NULL: killed by the owner */
    void *data;
    struct mcti_child child;
    bool exited, output_ended;
    int wait_status;
    int broken; /* error of libuv for a pipe that cannot be used; 0: none */
    int n_handles;
    uv_pipe_t in, out, err;
    uv_poll_t exit_poll;
    uv_write_t write;
    /* next check of the child if there is no pidfd; after its exit: end of the wait for remaining output */
    struct mcti_timer timer;
    char *input;
    struct mcti_buf output;
    char complaint[COMPLAINT_BYTES];
    size_t complaint_len;
    bool complaint_ended;
};

/* ---- end of the program ---- */

static void free_run(struct mcti_run *r)
{
    mcti_timer_stop(&r->loop->sched, &r->timer);
    mcti_buf_done(&r->output);
    free(r->input);
    free(r);
}

static void process_run_on_handle_closed(uv_handle_t *h)
{
    struct mcti_run *r = h->data;
    if (!--r->n_handles)
        free_run(r);
}

static void process_run_close_handle(uv_handle_t *h)
{
    if (h->loop && !uv_is_closing(h))
        uv_close(h, process_run_on_handle_closed);
}

static int process_run_describe_end(const struct mcti_run *r, struct mct_error *ret)
{
    if (r->broken)
        return mcti_fail(ret, MCT_ERR_INTERNAL, "pipe failed: %s", uv_strerror(r->broken));
    if (!mcti_buf_ok(&r->output))
        return mcti_fail(ret, MCT_ERR_LIMIT, "wrote more than %zu bytes to its stdout", r->output.max);
    if (WIFSIGNALED(r->wait_status))
        return mcti_fail(ret, MCT_ERR_CONNECT, "was killed by signal %d (%s)", WTERMSIG(r->wait_status),
                         strsignal(WTERMSIG(r->wait_status)));
    if (WEXITSTATUS(r->wait_status))
        return mcti_fail(ret, MCT_ERR_CONNECT, "exited with status %d", WEXITSTATUS(r->wait_status));
    return 0;
}

static void process_run_finish(struct mcti_run *r)
{
    struct mct_error err;
    struct mcti_run_end end = { .output = mcti_buf_str(&r->output), .complaint = { r->complaint, r->complaint_len } };
    void (*done)(void *, const struct mcti_run_end *) = r->done;
    mcti_timer_stop(&r->loop->sched, &r->timer);
    r->done = NULL;
    if (done) {
        end.err = process_run_describe_end(r, &err) < 0 ? &err : NULL;
        done(r->data, &end);
    }
    process_run_close_handle((uv_handle_t *)&r->in);
    process_run_close_handle((uv_handle_t *)&r->out);
    process_run_close_handle((uv_handle_t *)&r->err);
}

/* Kills the tree while the child is a zombie: once it is reaped, its process id may be reused. */
static bool process_run_reap(struct mcti_run *r)
{
    siginfo_t info = { 0 };
    if (waitid(P_PID, (id_t)r->child.tree.leader, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || !info.si_pid)
        return false;
    mcti_tree_kill(&r->child.tree, SIGKILL);
    waitpid(r->child.tree.leader, &r->wait_status, 0);
    mcti_reaper_remove(r->reaper, r->child.tree.leader);
    r->exited = true;
    if (r->child.pidfd >= 0) {
        process_run_close_handle((uv_handle_t *)&r->exit_poll);
        close(r->child.pidfd);
    }
    return true;
}

/* Handles the exit of the program; its last output may still be in the pipe. */
static void process_run_exited(struct mcti_run *r)
{
    if (r->output_ended)
        process_run_finish(r);
    else
        mcti_timer_set(&r->loop->sched, &r->timer, DRAIN_MS);
}

static void process_run_poll(void *data)
{
    struct mcti_run *r = data;
    if (r->exited)
        process_run_finish(r);
    else if (process_run_reap(r))
        process_run_exited(r);
    else
        mcti_timer_set(&r->loop->sched, &r->timer, POLL_CHILD_MS);
}

static void process_run_on_exit_readable(uv_poll_t *poll, int status, int events)
{
    struct mcti_run *r = poll->data;
    (void)status;
    (void)events;
    if (!r->exited && process_run_reap(r))
        process_run_exited(r);
}

void mcti_run_kill(struct mcti_run *r)
{
    if (!r)
        return;
    r->done = NULL;
    if (!r->exited)
        mcti_tree_kill(&r->child.tree, SIGKILL);
}

/* ---- pipes ---- */

static void process_run_on_output(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct mcti_run *r = stream->data;
    if (n > 0) {
        bool fit = mcti_buf_ok(&r->output);
        mcti_buf_add(&r->output, (struct mcti_str){ buf->base, (size_t)n });
        if (fit && !mcti_buf_ok(&r->output) && !r->exited)
            mcti_tree_kill(&r->child.tree, SIGKILL);
    } else if (n < 0) {
        r->output_ended = true;
        uv_read_stop(stream);
        if (r->exited)
            process_run_finish(r);
    }
}

static void process_run_on_complaint(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct mcti_run *r = stream->data;
    if (n < 0)
        uv_read_stop(stream);
    for (ssize_t i = 0; i < n && !r->complaint_ended; i++) {
        r->complaint_ended = buf->base[i] == '\n' || r->complaint_len == sizeof r->complaint;
        if (!r->complaint_ended)
            r->complaint[r->complaint_len++] = buf->base[i];
    }
}

static void process_run_on_written(uv_write_t *w, int status)
{
    struct mcti_run *r = w->data;
    (void)status; /* a program that does not read its stdin may still answer */
    process_run_close_handle((uv_handle_t *)&r->in);
}

static void process_run_note(struct mcti_run *r, int status)
{
    r->broken = status < 0 && !r->broken ? status : r->broken;
}

static void process_run_add_pipe(struct mcti_run *r, uv_pipe_t *pipe, int fd)
{
    uv_pipe_init(&r->loop->uv, pipe, 0);
    pipe->data = r;
    r->n_handles++;
    int status = uv_pipe_open(pipe, fd);
    if (status < 0)
        close(fd);
    process_run_note(r, status);
}

/* ---- starting ---- */

static void process_run_watch_exit(struct mcti_run *r)
{
    if (r->child.pidfd < 0 || uv_poll_init(&r->loop->uv, &r->exit_poll, r->child.pidfd) < 0) {
        mcti_timer_set(&r->loop->sched, &r->timer, POLL_CHILD_MS);
        return;
    }
    r->exit_poll.data = r;
    r->n_handles++;
    uv_poll_start(&r->exit_poll, UV_READABLE, process_run_on_exit_readable);
}

static void process_run_open_pipes(struct mcti_run *r, size_t len)
{
    uv_buf_t text = uv_buf_init(r->input, (unsigned)len);
    process_run_add_pipe(r, &r->in, r->child.in);
    process_run_add_pipe(r, &r->out, r->child.out);
    process_run_add_pipe(r, &r->err, r->child.err);
    r->write.data = r;
    if (uv_write(&r->write, (uv_stream_t *)&r->in, &text, 1, process_run_on_written) < 0)
        process_run_close_handle((uv_handle_t *)&r->in);
    process_run_note(r, uv_read_start((uv_stream_t *)&r->out, mcti_loop_alloc, process_run_on_output));
    process_run_note(r, uv_read_start((uv_stream_t *)&r->err, mcti_loop_alloc, process_run_on_complaint));
    if (r->broken) { /* reported when the program ends */
        r->output_ended = true;
        mcti_tree_kill(&r->child.tree, SIGKILL);
    }
}

struct mcti_run *mcti_run_start(struct mcti_loop *loop, const struct mcti_run_opts *opts,
                                void (*done)(void *data, const struct mcti_run_end *end), void *data,
                                struct mct_error *err)
{
    struct mcti_spawn spawn = opts->spawn;
    struct mcti_run *r = calloc(1, sizeof *r);
    char *input = mcti_str_dup(opts->input);
    spawn.n_files = loop->child_files;
    spawn.n_core = loop->child_core;
    spawn.mark = mcti_reaper_mark(opts->reaper);
    if (r)
        *r = (struct mcti_run){ .loop = loop, .reaper = opts->reaper, .done = done, .data = data, .input = input };
    if (!r || !input || mcti_spawn(&spawn, &r->child, err) < 0) {
        if (!r || !input)
            mcti_no_memory(err);
        free(input);
        free(r);
        return NULL;
    }
    mcti_buf_init(&r->output, opts->max_output);
    mcti_timer_init(&r->timer, process_run_poll, r);
    mcti_reaper_add(r->reaper, r->child.tree.leader);
    process_run_open_pipes(r, opts->input.len);
    process_run_watch_exit(r);
    return r;
}
