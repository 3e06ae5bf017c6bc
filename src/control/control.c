#include "control/impl.h"

#include "base/clock.h"
#include "base/limits.h"
#include "io/transport_fd.h"
#include "json/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CONNECTIONS = 256,
    GREETING_MS = 5000,
    PAUSE_MS = 200,
    STDERR_LINES = 200,
    CALL_MS = 24 * 3600 * 1000, /* the command has the time limit of its calls, and cancels them */
};

static struct mcti_control_conn *control_at(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct mcti_control_conn, node);
}

/* ---- the end of a connection ---- */

static void control_on_polled(uv_handle_t *handle)
{
    free(handle->data);
}

void mcti_control_drop(struct mcti_control_conn *c)
{
    struct mcti_control *control = c->control;
    if (c->phase == CONTROL_CLOSED)
        return;
    if (c->phase == CONTROL_SERVER)
        mcti_front_stdio_close(&c->front);
    if (c->phase == CONTROL_METHODS)
        mcti_transport_free(c->transport);
    c->phase = CONTROL_CLOSED;
    mcti_timer_stop(&control->inst->loop.sched, &c->deadline);
    mcti_list_remove(&c->node);
    control->n_conns--;
    free(c->greeting.server);
    uv_close((uv_handle_t *)&c->poll, control_on_polled);
    if (c->fd >= 0)
        close(c->fd);
}

static void control_on_deadline(void *data);

/* Answers the greeting with a line, which the empty buffer of the socket takes at once. Returns -1 if it does not. */
static int control_answer(const struct mcti_control_conn *c, struct mcti_buf *line)
{
    mcti_buf_addz(line, "}\n");
    struct mcti_str text = mcti_buf_str(line);
    ssize_t n = text.len ? send(c->fd, text.p, text.len, MSG_NOSIGNAL) : -1;
    mcti_buf_done(line);
    return n == (ssize_t)text.len ? 0 : -1;
}

static void control_begin_answer(struct mcti_buf *line)
{
    mcti_buf_init(line, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addz(line, "{\"mcptools\":1");
}

/* Refuses the client; `p`: because of this server, whose stderr may tell why. NULL: for another reason. */
static void control_refuse(struct mcti_control_conn *c, const struct mct_error *err, const struct mcti_provider *p)
{
    struct mcti_buf line, said;
    control_begin_answer(&line);
    mcti_answer_put_error(&line, err);
    mcti_buf_init(&said, MCT_LIMIT_JOURNAL_BYTES);
    if (p)
        mcti_journal_put_stderr(&p->journal, &said, STDERR_LINES);
    if (said.len)
        mcti_json_put_member(&line, "stderr", mcti_buf_str(&said));
    mcti_buf_done(&said);
    control_answer(c, &line);
    mcti_control_drop(c);
}

struct mcti_transport *mcti_control_take_fd(struct mcti_control_conn *c, size_t message_bytes)
{
    int out = fcntl(c->fd, F_DUPFD_CLOEXEC, 3);
    uv_poll_stop(&c->poll);
    struct mcti_transport *t =
        out < 0 ? NULL : mcti_transport_fd_new(&c->control->inst->loop, c->fd, out, message_bytes);
    if (t)
        c->fd = -1;
    else if (out >= 0)
        close(out);
    return t;
}

/* ---- a client of one server ---- */

static void control_on_gone(void *data)
{
    mcti_control_drop(data);
}

/* Serves the server's own names to the client. It acts for the owner, whose policy the command applies itself. */
static void control_serve(struct mcti_control_conn *c)
{
    static const struct mcti_offer plain = { 0 };
    struct mcti_instance *i = c->control->inst;
    struct mcti_naming naming = i->naming;
    const char *only = c->greeting.server;
    const struct mcti_view_opts view = { .naming = &naming, .only = &only, .n_only = 1, .single = true };
    struct mcti_buf line;
    struct mct_error err;
    naming.prefix = MCT_PREFIX_AUTO;
    control_begin_answer(&line);
    if (control_answer(c, &line) < 0) {
        mcti_control_drop(c);
        return;
    }
    int out = c->fd;
    struct mcti_transport *t = mcti_control_take_fd(c, i->config.message_bytes);
    c->phase = CONTROL_SERVER;
    c->front = (struct mcti_front_stdio){
        .done = control_on_gone, .data = c, .out_fd = out, .offer = &plain, .is_command = true
    };
    if (mcti_front_stdio_open(&c->front, i->service.gateway, t, &view, &err) < 0) {
        mcti_control_drop(c);
        return;
    }
    c->front.peer->call_timeout_ms = CALL_MS;
}

/* Serves the client if the server is connected, refuses it if the server is down, and otherwise waits. */
static void control_settle(struct mcti_control_conn *c, const struct mcti_provider *p)
{
    struct mct_error err = *p->error;
    if (p->state == MCT_CONNECTED) {
        mcti_timer_stop(&c->control->inst->loop.sched, &c->deadline);
        control_serve(c);
    } else if (p->state == MCT_FAILED) {
        if (!err.kind)
            mcti_fail(&err, MCT_ERR_CONNECT, "not connected");
        control_refuse(c, &err, p);
    }
}

/* Connects a server that is down at once: the user may have repaired it. */
static bool control_retries(struct mcti_control *control, struct mcti_provider *p)
{
    bool waits =
        p->reason == MCT_REASON_BACKOFF || p->reason == MCT_REASON_NONE; /* for the pause, or for its next use */
    bool again = p->state == MCT_FAILED && waits;
    if (again)
        mcti_registry_retry(&control->inst->registry, p);
    return again;
}

static void control_want_server(struct mcti_control_conn *c)
{
    struct mcti_control *control = c->control;
    struct mcti_provider *p = mcti_registry_find(&control->inst->registry, mcti_str_of(c->greeting.server));
    struct mct_error err;
    if (!p) {
        mcti_fail(&err, MCT_ERR_NOT_FOUND, "the running gateway has no server '%s'", c->greeting.server);
        control_refuse(c, &err, NULL);
        return;
    }
    c->phase = CONTROL_WAITING;
    mcti_timer_set(&control->inst->loop.sched, &c->deadline, c->greeting.wait_ms ? c->greeting.wait_ms : MCT_START_MS);
    if (!control_retries(control, p))
        control_settle(c, p);
}

static void control_on_state(struct mcti_watcher *w, struct mcti_provider *p)
{
    struct mcti_control *control = MCT_CONTAINER(w, struct mcti_control, watcher);
    MCT_LIST_EACH(it, &control->conns) {
        struct mcti_control_conn *c = control_at(it);
        if (c->phase == CONTROL_WAITING && !p->origin && !strcmp(p->name, c->greeting.server))
            control_settle(c, p);
    }
    if (!p->origin)
        mcti_control_tell_state(control, p);
}

static void control_on_said(struct mcti_watcher *w, struct mcti_provider *p, const struct mcti_journal_line *line)
{
    mcti_control_tell_said(MCT_CONTAINER(w, struct mcti_control, watcher), p, line);
}

static void control_on_joined(struct mcti_watcher *w, struct mcti_provider *p)
{
    mcti_control_tell_joined(MCT_CONTAINER(w, struct mcti_control, watcher), p);
}

static void control_on_left(struct mcti_watcher *w, struct mcti_provider *p)
{
    mcti_control_tell_left(MCT_CONTAINER(w, struct mcti_control, watcher), p);
}

/* ---- the greeting ---- */

static void control_want_methods(struct mcti_control_conn *c)
{
    struct mcti_buf line;
    control_begin_answer(&line);
    mcti_control_put_self(&line, c->control);
    if (control_answer(c, &line) < 0 || mcti_control_serve_methods(c) < 0)
        mcti_control_drop(c);
}

static void control_greeted(struct mcti_control_conn *c)
{
    struct mct_error err;
    mcti_timer_stop(&c->control->inst->loop.sched, &c->deadline);
    if (mcti_greeting_read((struct mcti_str){ c->line, c->len - 1 }, &c->greeting, &err) < 0)
        control_refuse(c, &err, NULL);
    else if (c->greeting.server)
        control_want_server(c);
    else
        control_want_methods(c);
}

static void control_on_deadline(void *data)
{
    struct mcti_control_conn *c = data;
    struct mct_error err;
    if (c->phase == CONTROL_WAITING)
        mcti_fail(&err, MCT_ERR_TIMEOUT, "the running gateway is still starting it");
    else
        mcti_fail(&err, MCT_ERR_TIMEOUT, "no greeting within %d s", GREETING_MS / 1000);
    control_refuse(c, &err, NULL);
}

/* Reads up to the line end and nothing behind it, which belongs to the transport. */
static int control_read_greeting(struct mcti_control_conn *c)
{
    size_t room = sizeof c->line - c->len;
    ssize_t n = recv(c->fd, c->line + c->len, room, MSG_PEEK);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n <= 0)
        return -1;
    const char *end = memchr(c->line + c->len, '\n', (size_t)n);
    size_t take = end ? (size_t)(end + 1 - (c->line + c->len)) : (size_t)n;
    recv(c->fd, c->line + c->len, take, 0);
    c->len += take;
    if (end)
        return 1;
    return c->len < sizeof c->line ? 0 : -1;
}

static void control_on_readable(uv_poll_t *poll, int status, int events)
{
    struct mcti_control_conn *c = poll->data;
    if (c->phase == CONTROL_WAITING && (status < 0 || (events & UV_DISCONNECT))) {
        mcti_control_drop(c);
        return;
    }
    if (c->phase != CONTROL_GREETING)
        return;
    int r = status < 0 ? -1 : control_read_greeting(c);
    if (r < 0)
        mcti_control_drop(c);
    if (r <= 0)
        return;
    uv_poll_start(poll, UV_DISCONNECT, control_on_readable);
    control_greeted(c);
}

/* ---- the socket ---- */

static int control_add(struct mcti_control *control, int fd)
{
    struct mcti_control_conn *c = control->n_conns < CONNECTIONS ? calloc(1, sizeof *c) : NULL;
    if (!c || uv_poll_init(&control->inst->loop.uv, &c->poll, fd) < 0) {
        free(c);
        return -1;
    }
    c->control = control;
    c->fd = fd;
    c->poll.data = c;
    c->front.out_fd = -1;
    mcti_timer_init(&c->deadline, control_on_deadline, c);
    mcti_timer_set(&control->inst->loop.sched, &c->deadline, GREETING_MS);
    mcti_list_append(&control->conns, &c->node);
    control->n_conns++;
    uv_poll_start(&c->poll, UV_READABLE | UV_DISCONNECT, control_on_readable);
    return 0;
}

static void control_on_client(uv_poll_t *poll, int status, int events)
{
    struct mcti_control *control = poll->data;
    int fd = mcti_control_socket_accept(&control->socket);
    (void)status, (void)events;
    if (fd >= 0 && control_add(control, fd) < 0)
        close(fd);
    if (fd >= 0 || (errno != EMFILE && errno != ENFILE && errno != ENOMEM))
        return;
    uv_poll_stop(poll);
    mcti_timer_set(&control->inst->loop.sched, &control->pause, PAUSE_MS);
}

static void control_accept(void *data)
{
    struct mcti_control *control = data;
    uv_poll_start(&control->poll, UV_READABLE, control_on_client);
}

int mcti_control_open(struct mcti_control *c, struct mcti_instance *i, struct mct_error *err)
{
    c->inst = i;
    c->since_ms = mcti_clock_wall_ms();
    mcti_list_init(&c->conns);
    mcti_timer_init(&c->pause, control_accept, c);
    if (mcti_control_socket_open(&c->socket, &i->config, err) < 0)
        return -1;
    int r = uv_poll_init(&i->loop.uv, &c->poll, c->socket.fd);
    if (r < 0) {
        mcti_control_socket_close(&c->socket);
        return mcti_fail(err, MCT_ERR_INTERNAL, "%s: %s", c->socket.place.socket, uv_strerror(r));
    }
    c->poll.data = c;
    c->watcher.state = control_on_state;
    c->watcher.said = control_on_said;
    c->watcher.joined = control_on_joined;
    c->watcher.left = control_on_left;
    mcti_registry_watch(&i->registry, &c->watcher);
    c->open = true;
    control_accept(c);
    return 0;
}

int mcti_control_move(struct mcti_control *c, struct mct_error *err)
{
    return c->open && c->socket.fd >= 0 ? mcti_control_socket_move(&c->socket, &c->inst->config, err) : 0;
}

void mcti_control_drain(struct mcti_control *c)
{
    if (!c->open || c->socket.fd < 0)
        return;
    mcti_timer_stop(&c->inst->loop.sched, &c->pause);
    uv_close((uv_handle_t *)&c->poll, NULL);
    mcti_control_socket_close(&c->socket);
}

bool mcti_control_is_drained(const struct mcti_control *c)
{
    if (!c->open)
        return true;
    MCT_LIST_EACH(it, &c->conns) {
        const struct mcti_control_conn *conn = control_at(it);
        if (conn->phase == CONTROL_SERVER && mcti_front_stdio_is_busy(&conn->front))
            return false;
    }
    return true;
}

void mcti_control_close(struct mcti_control *c)
{
    if (!c->open)
        return;
    mcti_control_drain(c);
    mcti_watcher_remove(&c->watcher);
    while (!mcti_list_empty(&c->conns))
        mcti_control_drop(control_at(c->conns.next));
    c->open = false;
}
