#include "hub/provider_mcp.h"

#include "hub/lists.h"

#include <stdlib.h>

struct mcp {
    struct mct_provider base;
    struct mct_mcp_opts opts;
    struct mct_transport *transport;
    struct mct_session session;
    bool open;      /* the session has a transport under it */
    bool stopping;
    uint64_t start_deadline_ms;
    uint64_t up_since_ms; /* 0: not connected */
    bool respawned; /* the one extra start after a failed probe was used */
    enum mct_era era; /* of this attempt */
    struct mct_handshake handshake;
    struct mct_lists lists;
    struct mct_outbound level_out, listen_out;
    char *level;    /* wanted log level, as JSON text; NULL: none */
    struct mct_buf meta;  /* scratch for the `_meta` of one request */
    char *stateless_meta; /* `_meta` for our own requests to a stateless server */
    struct mct_timer restart, relisten;
    unsigned backoff_ms;
    struct mct_task reap; /* frees a transport outside its own callback */
    struct mct_transport *old;
    bool released;
};

static void begin(struct mcp *m);
static const struct mct_session_ops session_ops;

static struct mcp *from_provider(const struct mct_provider *p)
{
    return MCT_CONTAINER(p, struct mcp, base);
}

/* ---- ends ---- */

static void reap_transport(void *data)
{
    struct mcp *m = data;
    mct_transport_free(m->old);
    m->old = NULL;
}

/* Everything above the transport ends; calls in flight fail with `why`. */
static void take_down(struct mcp *m, const struct mct_error *why)
{
    if (!m->open)
        return;
    m->open = false;
    mct_handshake_stop(&m->handshake);
    mct_lists_stop(&m->lists);
    mct_session_cancel(&m->level_out, NULL);
    mct_session_cancel(&m->listen_out, NULL);
    mct_timer_stop(m->opts.sched, &m->relisten);
    mct_session_drop(&m->session, why);
    mct_session_done(&m->session);
}

/* What it last said on stderr outlives the process: that is where the reason often stands. */
static void keep_diagnostics(struct mcp *m)
{
    struct mct_transport_facts facts = { 0 };
    if (m->transport->ops->describe)
        m->transport->ops->describe(m->transport, &facts);
    if (!facts.diagnostics.len)
        return;
    free(m->base.last_diagnostics);
    m->base.last_diagnostics = mct_str_dup(facts.diagnostics);
}

static void drop_transport(struct mcp *m)
{
    keep_diagnostics(m);
    m->old = m->transport;
    m->transport = NULL;
    mct_task_post(m->opts.sched, &m->reap);
}

static void stopped(struct mcp *m)
{
    mct_provider_set_state(&m->base, MCT_DISCONNECTED, NULL);
    if (m->base.events.stopped)
        m->base.events.stopped(m->base.events.data, &m->base);
}

static void plan_restart(struct mcp *m)
{
    uint64_t now = mct_sched_now(m->opts.sched);
    if (!m->opts.restart)
        return;
    if (m->up_since_ms && now - m->up_since_ms >= MCT_BACKOFF_MAX_MS)
        m->backoff_ms = MCT_BACKOFF_FIRST_MS; /* it was up for a good while */
    m->up_since_ms = 0;
    mct_timer_set(m->opts.sched, &m->restart, m->backoff_ms);
    m->backoff_ms = m->backoff_ms * 2 > MCT_BACKOFF_MAX_MS ? MCT_BACKOFF_MAX_MS : m->backoff_ms * 2;
}

/* This attempt is over. Lists are kept: the server may come back, and a call meanwhile says why not. */
static void failed(struct mcp *m, const struct mct_error *err)
{
    bool known = m->base.error.kind && !strcmp(m->base.error.message, err->message);
    mct_log(m->base.log, known ? MCT_LOG_DEBUG : MCT_LOG_WARN, "server '%s': %s", m->base.name,
            err->message);
    mct_provider_set_state(&m->base, MCT_FAILED, err);
    plan_restart(m);
}

/* A server that cannot bear server/discover gets one fresh start with initialize. */
static bool try_handshake_era(struct mcp *m)
{
    if (m->respawned || m->era != MCT_ERA_AUTO)
        return false;
    m->respawned = true;
    m->era = MCT_ERA_HANDSHAKE;
    begin(m);
    return true;
}

static void on_closed(void *data, const struct mct_error *why)
{
    struct mcp *m = data;
    struct mct_error err;
    bool probed = m->open && m->handshake.probed && m->handshake.out.session;
    bool connecting = m->base.state == MCT_CONNECTING;
    bool told = !m->open && m->base.state == MCT_FAILED; /* we gave it up, and said why */
    if (why)
        err = *why;
    else
        mct_fail(&err, MCT_ERR_CONNECT, "it was stopped");
    take_down(m, &err);
    drop_transport(m);
    if (m->stopping) {
        stopped(m);
    } else if (!told && !(probed && try_handshake_era(m))) {
        if (connecting)
            mct_error_wrap(&err, "it ended before it was ready");
        failed(m, &err);
    }
}

/* ---- ready ---- */

static void ignore_answer(struct mct_outbound *o, const struct mct_msg *answer,
                          const struct mct_error *err)
{
    (void)o;
    (void)answer;
    (void)err;
}

static void send_level(struct mcp *m)
{
    bool can = m->base.state == MCT_CONNECTED && !mct_rev_is_stateless(m->base.info.rev) &&
               mct_server_can(&m->base.info, "logging", NULL);
    if (!can || !m->level)
        return;
    mct_session_cancel(&m->level_out, NULL);
    m->level_out = (struct mct_outbound){ .done = ignore_answer, .timeout_ms = m->opts.call_timeout_ms };
    struct mct_buf *b = mct_session_begin(&m->session, &m->level_out, "logging/setLevel");
    mct_buf_printf(b, "{\"level\":%s}", m->level);
    mct_session_send(&m->session, &m->level_out, NULL);
}

/* The server ended the subscription in order: what changed meanwhile is fetched, and it begins anew.
 * One that was refused is not asked for again. */
static void on_listen_over(struct mct_outbound *o, const struct mct_msg *answer,
                           const struct mct_error *err)
{
    struct mcp *m = MCT_CONTAINER(o, struct mcp, listen_out);
    (void)err;
    if (answer && answer->kind == MCT_MSG_RESULT)
        mct_timer_set(m->opts.sched, &m->relisten, MCT_BACKOFF_FIRST_MS);
}

/* 2026-07-28: changes are told on a subscription only. */
static void send_listen(struct mcp *m)
{
    const struct mct_server_info *info = &m->base.info;
    bool tools = mct_server_can(info, "tools", "listChanged");
    bool prompts = mct_server_can(info, "prompts", "listChanged");
    bool resources = mct_server_can(info, "resources", "listChanged");
    if (!mct_rev_is_stateless(info->rev) || (!tools && !prompts && !resources))
        return;
    m->listen_out = (struct mct_outbound){ .done = on_listen_over };
    struct mct_buf *b = mct_session_begin(&m->session, &m->listen_out, "subscriptions/listen");
    mct_buf_addz(b, "{\"notifications\":{");
    const struct {
        bool wanted;
        const char *key;
    } flags[] = { { tools, "toolsListChanged" }, { prompts, "promptsListChanged" },
                  { resources, "resourcesListChanged" } };
    for (size_t i = 0; i < 3; i++) {
        if (!flags[i].wanted)
            continue;
        mct_json_put_key(b, flags[i].key);
        mct_buf_addz(b, "true");
    }
    mct_buf_printf(b, "},\"_meta\":%s}", m->stateless_meta);
    mct_session_send(&m->session, &m->listen_out, NULL);
}

static void on_relisten(void *data)
{
    struct mcp *m = data;
    send_listen(m);
    mct_lists_refetch(&m->lists, (1u << MCT_KIND_N) - 1);
}

static void on_lists(void *data)
{
    struct mcp *m = data;
    if (m->base.state != MCT_CONNECTING)
        return;
    m->up_since_ms = mct_sched_now(m->opts.sched);
    mct_provider_set_state(&m->base, MCT_CONNECTED, NULL);
    send_level(m);
    send_listen(m);
}

/* What is left of the time to start; the lists get a moment even when the handshake took it all. */
static unsigned remaining_ms(const struct mcp *m)
{
    uint64_t now = mct_sched_now(m->opts.sched), min = m->opts.start_timeout_ms / 4;
    uint64_t left = m->start_deadline_ms > now ? m->start_deadline_ms - now : 0;
    return (unsigned)(left > min ? left : min ? min : 1);
}

static void on_handshake(struct mct_handshake *h, const struct mct_error *err)
{
    struct mcp *m = h->data;
    struct mct_error why;
    if (err) {
        why = *err;
        mct_timer_stop(m->opts.sched, &m->restart);
        m->transport->ops->close(m->transport);
        take_down(m, &why);
        failed(m, &why);
        return;
    }
    mct_server_info_clear(&m->base.info);
    m->base.info = h->info;
    h->info = (struct mct_server_info){ 0 };
    m->session.rev = m->base.info.rev;
    mct_log(m->base.log, MCT_LOG_DEBUG, "server '%s' speaks %s", m->base.name,
            mct_rev_text(m->base.info.rev));
    struct mct_str meta = mct_rev_is_stateless(m->session.rev) ? mct_str_of(m->stateless_meta)
                                                               : MCT_STR_NONE;
    mct_lists_start(&m->lists, &m->session, meta, remaining_ms(m), m->opts.start_timeout_ms);
}

static void start_handshake(struct mcp *m)
{
    struct mct_error err;
    unsigned probe = m->opts.probe_timeout_ms ? m->opts.probe_timeout_ms : MCT_PROBE_TIMEOUT_MS;
    if (probe > m->opts.start_timeout_ms / 2)
        probe = m->opts.start_timeout_ms / 2 + 1;
    m->handshake = (struct mct_handshake){
        .session = &m->session,
        .era = m->era,
        .rev = m->opts.rev,
        .probe_ms = probe,
        .timeout_ms = m->opts.start_timeout_ms,
        .done = on_handshake,
        .data = m,
    };
    if (mct_handshake_start(&m->handshake, &err) < 0)
        m->transport->ops->close(m->transport); /* on_closed tells why */
}

/* ---- what the session says ---- */

static int on_send(void *data, struct mct_str frame, void *lane, bool final)
{
    struct mcp *m = data;
    (void)final;
    return m->transport ? m->transport->ops->send(m->transport, frame, lane) : -1;
}

/* Handshake servers may ask; what no capability of ours invites is refused. */
static void on_request(void *data, struct mct_session *s, const struct mct_msg *msg, void *lane)
{
    struct mct_inbound in = { 0 };
    struct mct_error err;
    (void)data;
    if (mct_rev_is_stateless(s->rev))
        return; /* it may not ask, and we may not answer (2026-07-28, stdio) */
    if (mct_str_is(msg->method, "ping")) {
        if (mct_inbound_init(&in, s, msg, MCT_STR_NONE, lane) == 0)
            mct_inbound_result(&in, MCT_STR("{}"));
        return;
    }
    mct_fail(&err, MCT_ERR_UNSUPPORTED, "this client does not offer %.*s", MCT_STR_ARG(msg->method));
    mct_session_refuse(s, msg, lane, &err, MCT_STR_NONE);
}

static void on_notification(void *data, struct mct_session *s, const struct mct_msg *msg)
{
    struct mcp *m = data;
    (void)s;
    unsigned kinds = mct_kinds_changed(msg->method);
    if (kinds)
        mct_lists_refetch(&m->lists, kinds);
    else if (mct_str_is(msg->method, "notifications/message") && m->base.events.message)
        m->base.events.message(m->base.events.data, &m->base, msg->params);
}

static void on_bad_frame(void *data, const struct mct_error *err)
{
    struct mcp *m = data;
    mct_log(m->base.log, MCT_LOG_DEBUG, "server '%s' sent something unusable: %s", m->base.name,
            err->message);
}

static const struct mct_session_ops session_ops = {
    .send = on_send,
    .on_request = on_request,
    .on_notification = on_notification,
    .on_bad_frame = on_bad_frame,
};

static void on_frame(void *data, struct mct_str frame, void *lane)
{
    struct mcp *m = data;
    if (m->open)
        mct_session_receive(&m->session, frame, lane);
}

static void on_dropped(void *data, size_t max_bytes)
{
    struct mcp *m = data;
    struct mct_error err;
    mct_fail(&err, MCT_ERR_LIMIT, "its answer is larger than limits.message_bytes (%zu)", max_bytes);
    mct_log(m->base.log, MCT_LOG_WARN, "server '%s': a message was dropped: %s", m->base.name, err.message);
    if (m->open)
        mct_session_lost_message(&m->session, &err);
}

/* ---- operations ---- */

/* One attempt: a transport, a session, the handshake. */
static void begin(struct mcp *m)
{
    struct mct_error err;
    mct_provider_set_state(&m->base, MCT_CONNECTING, NULL);
    m->transport = m->opts.connect(m->opts.data, &err);
    if (!m->transport) {
        failed(m, &err);
        return;
    }
    m->transport->events = (struct mct_transport_events){ .on_frame = on_frame, .on_dropped = on_dropped,
                                                          .on_closed = on_closed, .data = m };
    if (m->transport->ops->open(m->transport, &err) < 0) {
        mct_transport_free(m->transport);
        m->transport = NULL;
        failed(m, &err);
        return;
    }
    mct_session_init(&m->session, &session_ops, m, m->opts.sched, m->opts.message_bytes);
    m->open = true;
    start_handshake(m);
}

static void mcp_start(struct mct_provider *p)
{
    struct mcp *m = from_provider(p);
    m->era = m->opts.era;
    m->respawned = false;
    m->start_deadline_ms = mct_sched_now(m->opts.sched) + m->opts.start_timeout_ms;
    begin(m);
}

static void on_restart(void *data)
{
    struct mcp *m = data;
    if (m->transport) /* the one that failed is still on its way out */
        mct_timer_set(m->opts.sched, &m->restart, MCT_BACKOFF_FIRST_MS);
    else
        mcp_start(&m->base);
}

static void on_call_done(struct mct_outbound *o, const struct mct_msg *answer,
                         const struct mct_error *err)
{
    struct mct_call *call = MCT_CONTAINER(o, struct mct_call, out);
    struct mct_provider *p = call->provider;
    struct mct_outcome outcome = { .rev = p->info.rev };
    struct mct_error wrapped;
    call->provider = NULL;
    if (answer) {
        outcome.result = answer->result;
        outcome.error = answer->error;
    } else {
        wrapped = *err;
        mct_error_wrap(&wrapped, "server '%s'", p->name);
        outcome.failed = &wrapped;
    }
    call->done(call, &outcome);
}

static void on_call_progress(struct mct_outbound *o, struct mct_str params)
{
    struct mct_call *call = MCT_CONTAINER(o, struct mct_call, out);
    if (call->progress)
        call->progress(call, params);
}

static void make_meta(struct mcp *m, const struct mct_call *call)
{
    struct mct_buf *b = &m->meta;
    mct_buf_clear(b);
    if (mct_rev_is_stateless(m->session.rev))
        mct_meta_put_stateless(b, call->meta, call->caller.client_info, call->caller.capabilities,
                               call->out.id);
    else
        mct_meta_put_handshake(b, call->meta, call->out.id);
}

/* The caller's params with subject and `_meta` replaced, straight into the frame. */
static void put_params(struct mcp *m, struct mct_buf *b, const struct mct_call *call)
{
    make_meta(m, call);
    const struct mct_json_set sets[] = {
        { "_meta", mct_buf_str(&m->meta) },
        { call->subject.key ? call->subject.key : "name", call->subject.value },
    };
    mct_json_put_object(b, call->params, sets, call->subject.value.p ? 2 : 1);
    b->failed |= !mct_buf_ok(&m->meta);
}

static int mcp_call(struct mct_provider *p, struct mct_call *call, struct mct_error *err)
{
    struct mcp *m = from_provider(p);
    if (!m->open || p->state != MCT_CONNECTED)
        return mct_fail(err, MCT_ERR_CONNECT, "not connected%s%s", p->error.kind ? ": " : "",
                        p->error.kind ? p->error.message : "");
    call->out = (struct mct_outbound){
        .done = on_call_done,
        .progress = on_call_progress,
        .timeout_ms = call->timeout_ms ? call->timeout_ms : m->opts.call_timeout_ms,
    };
    struct mct_buf *b = mct_session_begin(&m->session, &call->out, mct_method(call->verb)->name);
    put_params(m, b, call);
    return mct_session_send(&m->session, &call->out, err);
}

static void mcp_cancel(struct mct_provider *p, struct mct_call *call, const char *reason)
{
    (void)p;
    mct_session_cancel(&call->out, reason);
}

static void mcp_set_level(struct mct_provider *p, const char *level)
{
    struct mcp *m = from_provider(p);
    struct mct_buf b;
    mct_buf_init(&b, 64);
    mct_json_put_string(&b, mct_str_of(level));
    char *text = mct_buf_take(&b);
    bool same = text && m->level && !strcmp(text, m->level);
    free(m->level);
    m->level = text;
    if (!same)
        send_level(m);
}

static void mcp_stop(struct mct_provider *p)
{
    struct mcp *m = from_provider(p);
    m->stopping = true;
    mct_lists_stop(&m->lists);
    mct_timer_stop(m->opts.sched, &m->restart);
    if (m->transport)
        m->transport->ops->close(m->transport);
    else
        stopped(m);
}

static void mcp_describe(const struct mct_provider *p, struct mct_transport_facts *ret)
{
    const struct mct_transport *t = from_provider(p)->transport;
    if (t && t->ops->describe)
        t->ops->describe(t, ret);
}

static void mcp_free(struct mct_provider *p)
{
    struct mcp *m = from_provider(p);
    struct mct_error why;
    mct_fail(&why, MCT_ERR_CONNECT, "the gateway is shutting down");
    mct_timer_stop(m->opts.sched, &m->restart);
    mct_task_stop(&m->reap);
    take_down(m, &why);
    mct_transport_free(m->transport);
    mct_transport_free(m->old);
    mct_lists_done(&m->lists);
    if (m->opts.free_data)
        m->opts.free_data(m->opts.data);
    free(m->level);
    free(m->stateless_meta);
    mct_buf_done(&m->meta);
    mct_provider_done(p);
    free(m);
}

static const struct mct_provider_ops ops = {
    .type = "mcp",
    .start = mcp_start,
    .call = mcp_call,
    .cancel = mcp_cancel,
    .set_level = mcp_set_level,
    .stop = mcp_stop,
    .describe = mcp_describe,
    .free = mcp_free,
};

static char *make_stateless_meta(void)
{
    struct mct_buf b;
    mct_buf_init(&b, 4096);
    mct_meta_put_stateless(&b, MCT_STR_NONE, MCT_STR_NONE, MCT_STR_NONE, 0);
    return mct_buf_take(&b);
}

struct mct_provider *mct_provider_mcp_new(const char *name, const struct mct_mcp_opts *opts,
                                          const struct mct_log *log)
{
    struct mcp *m = calloc(1, sizeof *m);
    if (!m || mct_provider_init(&m->base, &ops, name, log) < 0) {
        if (opts->free_data)
            opts->free_data(opts->data);
        free(m);
        return NULL;
    }
    m->opts = *opts;
    m->base.allow = opts->allow;
    m->base.n_allow = opts->n_allow;
    m->base.deny = opts->deny;
    m->base.n_deny = opts->n_deny;
    m->backoff_ms = MCT_BACKOFF_FIRST_MS;
    m->stateless_meta = make_stateless_meta();
    mct_buf_init(&m->meta, opts->message_bytes);
    mct_timer_init(&m->restart, on_restart, m);
    mct_timer_init(&m->relisten, on_relisten, m);
    mct_task_init(&m->reap, reap_transport, m);
    mct_lists_init(&m->lists, &m->base, opts->sched, on_lists, m);
    return &m->base;
}
