#include "io/process/transport_stdio.h"

#include "base/limits.h"
#include "io/intake.h"
#include "io/lines.h"
#include "io/out.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_CHILD_MS = 50, DRAIN_MS = 200 };

enum phase {
    PHASE_NEW,
    PHASE_RUNNING,
    PHASE_EOF_SENT, /* stdin is closed, waiting for the child to exit */
    PHASE_TERM_SENT,
    PHASE_KILL_SENT,
    PHASE_ENDED, /* the child was reaped and its process tree has ended */
};

struct stdio {
    struct mcti_transport base;
    struct mcti_loop *loop;
    struct mcti_stdio_opts opts;
    struct mcti_child child;
    struct mcti_sandbox *sandbox; /* NULL: none */
    void *gate;                   /* opened by opts.gate; NULL: none */
    enum phase phase;
    bool exited; /* the child was reaped */
    int wait_status;
    bool asked_to_close; /* by the owner */
    bool reported;       /* on_closed was called */
    bool freed;          /* freed by the owner; the memory is kept until every handle is closed */
    bool stdout_ended;
    uint64_t n_read;    /* bytes read from stdout */
    uint64_t last_byte; /* value of n_read that covers all output written before the child exited */
    int n_handles;

    uv_pipe_t in, out, err;
    uv_poll_t exit_poll;
    struct mcti_out writer;
    struct mcti_lines lines;
    struct mcti_intake intake; /* of stdout */
    struct mcti_timer timer;   /* next step of stopping, or the next check of the child */
    uint64_t step_due_ms;      /* end of the current step of stopping */
    char *tail; /* last bytes of stderr, MCT_LIMIT_STDERR_TAIL at most; NULL: the child has written none */
    size_t tail_len;
    unsigned bad_lines;
};

static void transport_stdio_advance(void *data);
static void close_stdin(struct stdio *s);

static struct stdio *transport_stdio_from_transport(const struct mcti_transport *t)
{
    return MCT_CONTAINER(t, struct stdio, base);
}

/* ---- stopping ---- */

static void transport_stdio_release_if_done(struct stdio *s)
{
    if (!s->freed || s->n_handles || (s->phase != PHASE_NEW && s->phase != PHASE_ENDED))
        return;
    mcti_timer_stop(&s->loop->sched, &s->timer);
    mcti_intake_done(&s->intake);
    mcti_lines_done(&s->lines);
    if (s->gate)
        s->opts.gate.close(s->gate);
    mcti_sandbox_free(s->sandbox);
    free(s->tail);
    free(s);
}

static void transport_stdio_on_handle_closed(uv_handle_t *h)
{
    struct stdio *s = h->data;
    s->n_handles--;
    transport_stdio_release_if_done(s);
}

static void transport_stdio_close_handle(uv_handle_t *h)
{
    if (h->loop && !uv_is_closing(h))
        uv_close(h, transport_stdio_on_handle_closed);
}

static void transport_stdio_describe_end(const struct stdio *s, struct mct_error *ret)
{
    if (WIFSIGNALED(s->wait_status))
        mcti_fail(ret, MCT_ERR_CONNECT, "the process was killed by signal %d (%s)", WTERMSIG(s->wait_status),
                  strsignal(WTERMSIG(s->wait_status)));
    else if (s->exited)
        mcti_fail(ret, MCT_ERR_CONNECT, "the process exited with status %d", WEXITSTATUS(s->wait_status));
    else
        mcti_fail(ret, MCT_ERR_CONNECT, "the process closed its output");
}

static void transport_stdio_report_closed(struct stdio *s)
{
    struct mct_error why;
    if (s->reported || s->freed)
        return;
    s->reported = true;
    transport_stdio_describe_end(s, &why);
    s->base.events.on_closed(s->base.events.data, s->asked_to_close ? NULL : &why);
}

/* Closes stdin after writing the queue (for example a last notifications/cancelled); on_drained calls this again. */
static void end_stdin(struct stdio *s)
{
    mcti_out_flush(&s->writer);
    if (s->writer.failed || mcti_out_idle(&s->writer))
        close_stdin(s);
}

static void transport_stdio_on_drained(void *data)
{
    struct stdio *s = data;
    if (s->phase >= PHASE_EOF_SENT)
        close_stdin(s);
}

static void close_stdin(struct stdio *s)
{
    mcti_out_done(&s->writer);
    transport_stdio_close_handle((uv_handle_t *)&s->in);
}

/* Keeps the last bytes of stderr. Most servers write none, so the memory comes with the first; without it, the owner
 * still gets them through on_stderr. */
static void keep_tail(struct stdio *s, const char *p, size_t n)
{
    enum { MAX = MCT_LIMIT_STDERR_TAIL };
    if (!s->tail && !(s->tail = malloc(MAX)))
        return;
    if (n > MAX) {
        p += n - MAX;
        n = MAX;
    }
    size_t over = s->tail_len + n > MAX ? s->tail_len + n - MAX : 0;
    memmove(s->tail, s->tail + over, s->tail_len - over);
    s->tail_len -= over;
    memcpy(s->tail + s->tail_len, p, n);
    s->tail_len += n;
}

static void take_stderr(struct stdio *s, const char *p, size_t n)
{
    keep_tail(s, p, n);
    if (s->base.events.on_stderr && !s->freed)
        s->base.events.on_stderr(s->base.events.data, (struct mcti_str){ p, n });
}

/* Reads the rest of stderr, where a crashed process has written the reason; the loop may report its exit first. */
static void drain_stderr(struct stdio *s)
{
    char last[MCT_LIMIT_STDERR_TAIL];
    ssize_t n = uv_is_active((const uv_handle_t *)&s->err) ? read(s->child.err, last, sizeof last) : 0;
    if (n > 0)
        take_stderr(s, last, (size_t)n);
}

static void transport_stdio_ended(struct stdio *s)
{
    s->phase = PHASE_ENDED;
    drain_stderr(s);
    mcti_timer_stop(&s->loop->sched, &s->timer);
    mcti_reaper_remove(s->opts.reaper, s->child.tree.leader);
    mcti_intake_stop(&s->intake);
    close_stdin(s);
    transport_stdio_close_handle((uv_handle_t *)&s->out);
    transport_stdio_close_handle((uv_handle_t *)&s->err);
    transport_stdio_report_closed(s);
    transport_stdio_release_if_done(s);
}

static size_t bytes_in_pipe(const uv_pipe_t *pipe)
{
    int fd, n = 0;
    if (uv_fileno((const uv_handle_t *)pipe, &fd) < 0 || ioctl(fd, FIONREAD, &n) < 0)
        return 0;
    return n > 0 ? (size_t)n : 0;
}

/* Returns true if output that the child wrote before its exit has not been processed. Output of processes it left
 * behind is not waited for. */
static bool has_unread_output(const struct stdio *s)
{
    size_t waiting = s->intake.rest.len - s->intake.at;
    return !s->stdout_ended && !s->intake.stopped && !s->asked_to_close && s->n_read - waiting < s->last_byte;
}

static bool transport_stdio_reap(struct stdio *s)
{
    if (!s->exited && waitpid(s->child.tree.leader, &s->wait_status, WNOHANG) == s->child.tree.leader) {
        s->exited = true;
        s->last_byte = s->n_read + bytes_in_pipe(&s->out);
        if (s->child.pidfd >= 0) {
            transport_stdio_close_handle((uv_handle_t *)&s->exit_poll);
            close(s->child.pidfd);
        }
    }
    return s->exited;
}

static unsigned stop_step_ms(const struct stdio *s)
{
    unsigned eof = s->opts.stop_eof_ms ? s->opts.stop_eof_ms : MCT_STOP_EOF_MS;
    unsigned term = s->opts.stop_term_ms ? s->opts.stop_term_ms : MCT_STOP_TERM_MS;
    return s->phase == PHASE_EOF_SENT ? eof : s->phase == PHASE_TERM_SENT ? term : POLL_CHILD_MS;
}

static void transport_stdio_step(struct stdio *s, enum phase phase)
{
    s->phase = phase;
    if (phase == PHASE_EOF_SENT)
        end_stdin(s);
    else
        mcti_tree_kill(&s->child.tree, phase == PHASE_TERM_SENT ? SIGTERM : SIGKILL);
    if (phase == PHASE_KILL_SENT)
        mcti_sandbox_kill(s->sandbox);
    s->step_due_ms = mcti_sched_now(&s->loop->sched) + stop_step_ms(s);
    mcti_timer_set(&s->loop->sched, &s->timer, stop_step_ms(s));
}

/* Handles the exit of the child. Processes it left behind (a shell's, for instance) get the rest of the current step,
 * then the next step. The transport ends when none are left. */
static void stdio_on_child_gone(struct stdio *s)
{
    bool waiting = s->phase > PHASE_RUNNING && mcti_sched_now(&s->loop->sched) < s->step_due_ms;
    if (has_unread_output(s))
        mcti_timer_set(&s->loop->sched, &s->timer, POLL_CHILD_MS); /* each turn processes a part of the output */
    else if (!mcti_tree_alive(&s->child.tree))
        transport_stdio_ended(s);
    else if (waiting)
        mcti_timer_set(&s->loop->sched, &s->timer, POLL_CHILD_MS);
    else
        transport_stdio_step(s, s->phase < PHASE_TERM_SENT ? PHASE_TERM_SENT : PHASE_KILL_SENT);
}

/* Runs on the timer: takes the next step of stopping, or checks the child if there is no pidfd. */
static void transport_stdio_advance(void *data)
{
    struct stdio *s = data;
    if (transport_stdio_reap(s))
        stdio_on_child_gone(s);
    else if (s->phase == PHASE_RUNNING)
        mcti_timer_set(&s->loop->sched, &s->timer, POLL_CHILD_MS);
    else
        transport_stdio_step(s, s->phase == PHASE_EOF_SENT ? PHASE_TERM_SENT : PHASE_KILL_SENT);
}

static void transport_stdio_begin_stop(struct stdio *s)
{
    if (s->phase == PHASE_RUNNING)
        transport_stdio_step(s, PHASE_EOF_SENT);
}

static void transport_stdio_on_child_exit(uv_poll_t *poll, int status, int events)
{
    struct stdio *s = poll->data;
    (void)status;
    (void)events;
    if (!transport_stdio_reap(s))
        return;
    /* The child's last output may still be in the pipe: read it before reporting the end. */
    if (s->phase == PHASE_RUNNING && !s->stdout_ended)
        mcti_timer_set(&s->loop->sched, &s->timer, DRAIN_MS);
    else
        stdio_on_child_gone(s);
}

/* ---- reading ---- */

static void transport_stdio_pass_on(struct stdio *s, struct mcti_str line)
{
    s->base.chunk = s->lines.chunk;
    s->base.wanted = false;
    s->base.events.on_frame(s->base.events.data, line, NULL);
    s->base.chunk = NULL;
    if (!s->base.wanted)
        mcti_intake_waste(&s->intake, line.len + MCT_WASTE_MESSAGE);
}

static bool transport_stdio_on_line(void *data, struct mcti_str line)
{
    struct stdio *s = data;
    if (*mcti_str_trim(line).p != '{' && *mcti_str_trim(line).p != '[') {
        s->bad_lines++;
        mcti_intake_waste(&s->intake, line.len + MCT_WASTE_LINE);
    } else {
        transport_stdio_pass_on(s, line);
    }
    return mcti_intake_frame(&s->intake) && !s->freed;
}

static void transport_stdio_dropped(struct stdio *s)
{
    s->bad_lines++;
    if (s->base.events.on_dropped && !s->freed)
        s->base.events.on_dropped(s->base.events.data, s->opts.message_bytes,
                                  (struct mcti_str){ s->lines.head, s->lines.head_len });
}

static void transport_stdio_take(void *data, struct mcti_str *bytes)
{
    struct stdio *s = data;
    while (mcti_lines_feed(&s->lines, bytes, transport_stdio_on_line, s) < 0 && !s->freed)
        transport_stdio_dropped(s);
    mcti_intake_waste(&s->intake, s->lines.wasted);
    s->lines.wasted = 0;
}

static void transport_stdio_on_stdout(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf);

static void transport_stdio_hold(void *data, bool hold)
{
    struct stdio *s = data;
    if (hold)
        uv_read_stop((uv_stream_t *)&s->out);
    else
        uv_read_start((uv_stream_t *)&s->out, mcti_loop_alloc, transport_stdio_on_stdout);
}

static void transport_stdio_on_stdout(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct stdio *s = stream->data;
    if (n > 0) {
        s->n_read += (size_t)n;
        if (mcti_intake_feed(&s->intake, (struct mcti_str){ buf->base, (size_t)n }) < 0)
            transport_stdio_begin_stop(s);
    } else if (n < 0) {
        s->stdout_ended = true;
        uv_read_stop(stream);
        if (s->exited)
            stdio_on_child_gone(s);
        else
            transport_stdio_begin_stop(s);
    }
}

static void transport_stdio_on_stderr(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct stdio *s = stream->data;
    if (n > 0)
        take_stderr(s, buf->base, (size_t)n);
    else if (n < 0)
        uv_read_stop(stream);
}

/* ---- operations ---- */

static void write_failed(void *data, int uv_error)
{
    (void)uv_error; /* the child does not read any more: its exit status says more than EPIPE */
    transport_stdio_begin_stop(data);
}

static void transport_stdio_add_pipe(struct stdio *s, uv_pipe_t *pipe, int fd)
{
    uv_pipe_init(&s->loop->uv, pipe, 0);
    pipe->data = s;
    uv_pipe_open(pipe, fd);
    s->n_handles++;
}

static void transport_stdio_watch_exit(struct stdio *s)
{
    if (s->child.pidfd < 0 || uv_poll_init(&s->loop->uv, &s->exit_poll, s->child.pidfd) < 0) {
        mcti_timer_set(&s->loop->sched, &s->timer, POLL_CHILD_MS);
        return;
    }
    s->exit_poll.data = s;
    s->n_handles++;
    uv_poll_start(&s->exit_poll, UV_READABLE, transport_stdio_on_child_exit);
}

/* Serves the proxy of the sandbox, if it has one. */
static int stdio_open_gate(struct stdio *s, struct mct_error *err)
{
    struct mcti_sandbox_gate gate;
    mcti_sandbox_take_gate(s->sandbox, &gate);
    if (gate.fd < 0)
        return 0;
    s->gate = s->opts.gate.open(s->opts.gate.data, &gate, err);
    return s->gate ? 0 : -1;
}

/* Starts the child, in its sandbox if it has one. */
static int stdio_spawn(struct stdio *s, struct mct_error *err)
{
    struct mcti_spawn spawn = s->opts.spawn;
    spawn.n_files = s->loop->child_files;
    spawn.n_core = s->loop->child_core;
    spawn.mark = mcti_reaper_mark(s->opts.reaper);
    if (s->opts.wish && !(s->sandbox = mcti_sandbox_new(s->opts.wish, err)))
        return mcti_error_wrap(err, "starting '%s'", spawn.argv[0]);
    spawn.sandbox = s->sandbox;
    if (s->sandbox && stdio_open_gate(s, err) < 0)
        return -1;
    if (s->sandbox && !(spawn.envp = mcti_sandbox_environ(s->sandbox, spawn.envp)))
        return mcti_no_memory(err);
    int r = mcti_spawn(&spawn, &s->child, err);
    mcti_sandbox_started(s->sandbox);
    return r;
}

static int stdio_open(struct mcti_transport *t, struct mct_error *err)
{
    struct stdio *s = transport_stdio_from_transport(t);
    if (stdio_spawn(s, err) < 0)
        return -1;
    mcti_reaper_add(s->opts.reaper, s->child.tree.leader);
    s->phase = PHASE_RUNNING;
    transport_stdio_add_pipe(s, &s->in, s->child.in);
    transport_stdio_add_pipe(s, &s->out, s->child.out);
    transport_stdio_add_pipe(s, &s->err, s->child.err);
    mcti_out_init(&s->writer, s->loop, (uv_stream_t *)&s->in, s->opts.message_bytes * 2);
    s->writer.on_failed = write_failed;
    s->writer.on_drained = transport_stdio_on_drained;
    s->writer.data = s;
    uv_read_start((uv_stream_t *)&s->out, mcti_loop_alloc, transport_stdio_on_stdout);
    uv_read_start((uv_stream_t *)&s->err, mcti_loop_alloc, transport_stdio_on_stderr);
    transport_stdio_watch_exit(s);
    return 0;
}

static int stdio_send(struct mcti_transport *t, struct mcti_str frame, void *lane)
{
    struct stdio *s = transport_stdio_from_transport(t);
    (void)lane;
    if (s->phase != PHASE_RUNNING || frame.len > s->opts.message_bytes)
        return -1;
    mcti_lines_put(mcti_out_buf(&s->writer), frame);
    return mcti_out_commit(&s->writer);
}

static int stdio_send_pieces(struct mcti_transport *t, const struct mcti_pieces *frame)
{
    struct stdio *s = transport_stdio_from_transport(t);
    if (s->phase != PHASE_RUNNING || frame->len > s->opts.message_bytes)
        return -1;
    return mcti_lines_send(&s->writer, frame);
}

static void stdio_close(struct mcti_transport *t)
{
    struct stdio *s = transport_stdio_from_transport(t);
    s->asked_to_close = true;
    transport_stdio_begin_stop(s);
}

static void stdio_free(struct mcti_transport *t)
{
    struct stdio *s = transport_stdio_from_transport(t);
    bool held = s->intake.holding && !s->intake.stopped;
    s->freed = true;
    mcti_intake_stop(&s->intake);
    if (held)
        transport_stdio_hold(s, false); /* a child that blocks on its output could not exit */
    transport_stdio_begin_stop(s);
    transport_stdio_release_if_done(s);
}

static void stdio_describe(const struct mcti_transport *t, struct mcti_transport_facts *ret)
{
    const struct stdio *s = transport_stdio_from_transport(t);
    ret->pid = s->exited ? 0 : s->child.tree.leader;
    ret->diagnostics = (struct mcti_str){ s->tail, s->tail_len };
    ret->bad_lines = s->bad_lines;
    ret->sandbox = mcti_sandbox_report(s->sandbox);
    ret->unread = s->phase == PHASE_RUNNING && bytes_in_pipe(&s->in) > 0;
}

static const struct mcti_transport_ops ops = {
    .name = "stdio",
    .open = stdio_open,
    .send = stdio_send,
    .send_pieces = stdio_send_pieces,
    .close = stdio_close,
    .describe = stdio_describe,
    .free = stdio_free,
};

struct mcti_transport *mcti_transport_stdio_new(struct mcti_loop *loop, const struct mcti_stdio_opts *opts)
{
    struct stdio *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->base.ops = &ops;
    s->loop = loop;
    s->opts = *opts;
    mcti_lines_init(&s->lines, opts->message_bytes);
    mcti_intake_init(&s->intake, &loop->sched, MCT_LOOP_READ_BYTES);
    s->intake.take = transport_stdio_take;
    s->intake.hold = transport_stdio_hold;
    s->intake.data = s;
    mcti_timer_init(&s->timer, transport_stdio_advance, s);
    return &s->base;
}
