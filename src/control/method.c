/* The control protocol: JSON-RPC 2.0, one message on each line. Methods are rows of a table. */
#include "control/impl.h"

#include "gateway/overview/overview.h"
#include "instance/reload.h"
#include "json/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { REQUEST_BYTES = 1 << 16 };

/* A request of the control protocol, and the answer being written. */
struct method_call {
    struct mcti_control_conn *conn;
    struct mcti_str id, params;
    struct mcti_buf result; /* a JSON value */
    bool later;             /* the answer follows later */
};

/* ---- what the gateway says of itself ---- */

static void method_put_server(struct mcti_buf *to, const struct mcti_provider *p, uint64_t now_ms)
{
    mcti_buf_addc(to, '{');
    mcti_provider_put_status(to, p, now_ms);
    mcti_json_put_key(to, "stateless");
    mcti_buf_addz(to, mcti_rev_is_stateless(p->info.rev) ? "true}" : "false}");
}

static void method_put_servers(struct mcti_buf *to, const struct mcti_instance *i)
{
    mcti_json_put_key(to, "servers");
    mcti_buf_addc(to, '[');
    for (size_t k = 0; k < i->registry.n; k++) {
        mcti_buf_addz(to, k ? "," : "");
        method_put_server(to, i->registry.v[k], mcti_sched_now(&i->loop.sched));
    }
    mcti_buf_addc(to, ']');
}

/* Writes the files of the configuration, which describe this gateway to commands with another one. */
static void method_put_files(struct mcti_buf *to, const struct mcti_strings *files)
{
    mcti_json_put_key(to, "files");
    mcti_buf_addc(to, '[');
    for (size_t i = 0; i < files->n; i++) {
        char *full = realpath(files->v[i], NULL);
        mcti_buf_addz(to, i ? "," : "");
        mcti_json_put_string(to, mcti_str_of(full ? full : files->v[i]));
        free(full);
    }
    mcti_buf_addc(to, ']');
}

void mcti_control_put_self(struct mcti_buf *to, const struct mcti_control *c)
{
    mcti_json_put_member(to, "version", MCT_STR(MCT_VERSION));
    mcti_json_put_member(to, "identity", mcti_str_of(c->socket.place.identity));
    mcti_json_put_key(to, "pid");
    mcti_buf_addu(to, (uint64_t)getpid());
    mcti_json_put_key(to, "readOnly");
    mcti_buf_addz(to, c->inst->policy.read_only ? "true" : "false");
    method_put_files(to, &c->inst->config.files);
    method_put_servers(to, c->inst);
}

/* ---- methods ---- */

static void method_send(struct mcti_control_conn *c, struct mcti_buf *line)
{
    if (mcti_buf_ok(line) && c->transport->ops->send(c->transport, mcti_buf_str(line), NULL) < 0)
        c->transport->ops->close(c->transport); /* it does not read */
    mcti_buf_done(line);
}

static void method_begin_answer(struct mcti_buf *to, const struct mcti_control_conn *c, struct mcti_str id)
{
    mcti_buf_init(to, c->control->inst->config.message_bytes);
    mcti_buf_addz(to, "{\"jsonrpc\":\"2.0\"");
    mcti_json_put_raw(to, "id", id.p ? id : MCT_STR("null"));
}

static int method_identify(struct method_call *m, struct mct_error *err)
{
    (void)err;
    mcti_buf_addc(&m->result, '{');
    mcti_control_put_self(&m->result, m->conn->control);
    mcti_buf_addc(&m->result, '}');
    return 0;
}

static int method_status(struct method_call *m, struct mct_error *err)
{
    (void)err;
    mcti_overview_put(&m->result, m->conn->control->inst->service.gateway, &(struct mcti_overview_opts){ 0 });
    return 0;
}

static int method_reload(struct method_call *m, struct mct_error *err)
{
    struct mcti_instance *i = m->conn->control->inst;
    if (mcti_instance_reload(i, err) < 0)
        return -1;
    const char *last = mcti_reload_last(i);
    mcti_buf_addc(&m->result, '{');
    mcti_json_put_member(&m->result, "text", mcti_str_of(last ? last : ""));
    mcti_buf_addc(&m->result, '}');
    return 0;
}

static int method_stop(struct method_call *m, struct mct_error *err)
{
    struct mcti_control *control = m->conn->control;
    (void)err;
    mcti_buf_printf(&m->result, "{\"pid\":%ld}", (long)getpid());
    control->stop(control->data);
    return 0;
}

static struct mcti_provider *method_server(const struct method_call *m, struct mct_error *err)
{
    const struct mcti_registry *r = &m->conn->control->inst->registry;
    char *name = mcti_json_dup(mcti_json_get(m->params, "server"));
    struct mcti_provider *p = name ? mcti_registry_find(r, mcti_str_of(name)) : NULL;
    if (!p)
        mcti_fail(err, MCT_ERR_NOT_FOUND, "the running gateway has no server '%s'", name ? name : "");
    free(name);
    return p;
}

static int method_describe(struct method_call *m, struct mct_error *err)
{
    const struct mcti_provider *p = method_server(m, err);
    if (!p)
        return -1;
    mcti_buf_addc(&m->result, '{');
    mcti_provider_put_identity(&m->result, p);
    mcti_buf_addc(&m->result, '}');
    return 0;
}

/* ---- restart: answered when the server is connected again, or has failed ---- */

static int method_restart(struct method_call *m, struct mct_error *err)
{
    struct mcti_control_conn *c = m->conn;
    struct mcti_provider *p = method_server(m, err);
    if (!p)
        return -1;
    if (!p->ops->restart)
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "server '%s' is part of the gateway and cannot be restarted",
                         p->name);
    if (c->restarts || m->id.len >= sizeof c->restart_id)
        return mcti_fail(err, MCT_ERR_LIMIT, "this connection restarts a server already");
    mcti_registry_restart(&c->control->inst->registry, p); /* its end is reported, which is no answer */
    c->restarts = p;
    snprintf(c->restart_id, sizeof c->restart_id, "%.*s", MCT_STR_ARG(m->id.p ? m->id : MCT_STR("null")));
    m->later = true;
    return 0;
}

void mcti_control_tell_state(struct mcti_control *control, struct mcti_provider *p)
{
    MCT_LIST_EACH(it, &control->conns) {
        struct mcti_control_conn *c = MCT_CONTAINER(it, struct mcti_control_conn, node);
        struct mcti_buf b;
        if (c->phase != CONTROL_METHODS || c->restarts != p || p->state == MCT_CONNECTING)
            continue;
        c->restarts = NULL;
        method_begin_answer(&b, c, mcti_str_of(c->restart_id));
        mcti_json_put_key(&b, "result");
        method_put_server(&b, p, mcti_sched_now(&control->inst->loop.sched));
        mcti_buf_addc(&b, '}');
        method_send(c, &b);
    }
}

/* ---- logs ---- */

static void method_add_line(void *data, const struct mcti_journal_line *line)
{
    struct mcti_buf *to = data;
    mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "" : ",");
    mcti_journal_put_line(to, line);
}

static int method_logs(struct method_call *m, struct mct_error *err)
{
    struct mcti_provider *p = method_server(m, err);
    if (!p)
        return -1;
    mcti_buf_addz(&m->result, "{\"lines\":[");
    mcti_journal_each(&p->journal, 0, method_add_line, &m->result);
    mcti_buf_addz(&m->result, "]}");
    if (mcti_json_true(mcti_json_get(m->params, "follow")))
        m->conn->follows = p;
    return 0;
}

static void method_tell_line(void *data, const struct mcti_journal_line *line)
{
    struct mcti_control_conn *c = data;
    struct mcti_buf b;
    mcti_buf_init(&b, c->control->inst->config.message_bytes);
    mcti_buf_addz(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"said\",\"params\":");
    mcti_journal_put_line(&b, line);
    mcti_buf_addc(&b, '}');
    method_send(c, &b);
}

void mcti_control_tell_said(struct mcti_control *control, struct mcti_provider *p, const struct mcti_journal_line *line)
{
    MCT_LIST_EACH(it, &control->conns) {
        struct mcti_control_conn *c = MCT_CONTAINER(it, struct mcti_control_conn, node);
        if (c->phase == CONTROL_METHODS && c->follows == p)
            method_tell_line(c, line);
    }
}

static bool method_is_replaced(const struct mcti_provider *old, const struct mcti_provider *p)
{
    return old && old != p && old->retired && !strcmp(old->name, p->name);
}

void mcti_control_tell_joined(struct mcti_control *control, struct mcti_provider *p)
{
    MCT_LIST_EACH(it, &control->conns) {
        struct mcti_control_conn *c = MCT_CONTAINER(it, struct mcti_control_conn, node);
        if (method_is_replaced(c->restarts, p))
            c->restarts = p;
        if (!method_is_replaced(c->follows, p))
            continue;
        c->follows = p;
        mcti_journal_each(&p->journal, 0, method_tell_line, c);
    }
}

void mcti_control_tell_left(struct mcti_control *control, const struct mcti_provider *p)
{
    MCT_LIST_EACH(it, &control->conns) {
        struct mcti_control_conn *c = MCT_CONTAINER(it, struct mcti_control_conn, node);
        if (c->follows == p)
            c->follows = NULL;
        if (c->restarts == p) /* its end was reported when it stopped */
            c->restarts = NULL;
    }
}

static const struct {
    const char *name;
    int (*run)(struct method_call *m, struct mct_error *err);
} methods[] = {
    { "describe", method_describe }, { "identify", method_identify }, { "logs", method_logs },
    { "reload", method_reload },     { "restart", method_restart },   { "status", method_status },
    { "stop", method_stop },
};

/* ---- the connection ---- */

static void method_answer(struct method_call *m, const struct mct_error *err)
{
    struct mcti_buf b;
    method_begin_answer(&b, m->conn, m->id);
    if (err)
        mcti_answer_put_error(&b, err);
    else
        mcti_json_put_raw(&b, "result", mcti_buf_str(&m->result));
    mcti_buf_addc(&b, '}');
    method_send(m->conn, &b);
}

static int method_run(struct method_call *m, struct mcti_str name, struct mct_error *err)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (mcti_json_is(name, methods[i].name))
            return methods[i].run(m, err);
    return mcti_fail(err, MCT_ERR_UNSUPPORTED, "this version of the gateway has no method %.*s", MCT_STR_ARG(name));
}

static void method_on_frame(void *data, struct mcti_str frame, void *lane)
{
    struct method_call m = { .conn = data };
    struct mct_error err;
    (void)lane;
    mcti_buf_init(&m.result, m.conn->control->inst->config.message_bytes);
    bool valid = mcti_line_is_object(frame);
    if (valid) {
        m.id = mcti_json_get(frame, "id");
        m.params = mcti_json_get(frame, "params");
    }
    int r = valid
                ? method_run(&m, mcti_json_get(frame, "method"), &err)
                : mcti_fail(&err, MCT_ERR_PROTOCOL, "the line is not a JSON object of at most %d bytes", REQUEST_BYTES);
    if (r < 0 || (m.id.p && !m.later))
        method_answer(&m, r < 0 ? &err : NULL);
    mcti_buf_done(&m.result);
}

static void method_on_closed(void *data, const struct mct_error *why)
{
    (void)why;
    mcti_control_drop(data);
}

int mcti_control_serve_methods(struct mcti_control_conn *c)
{
    c->transport = mcti_control_take_fd(c, REQUEST_BYTES);
    if (!c->transport)
        return -1;
    c->phase = CONTROL_METHODS;
    c->transport->events =
        (struct mcti_transport_events){ .on_frame = method_on_frame, .on_closed = method_on_closed, .data = c };
    return c->transport->ops->open(c->transport, NULL);
}
