#include "hub/server/impl.h"

#include "base/limits.h"
#include "base/rand.h"

#include <stdlib.h>

/* ---- ends ---- */

static void reap_transport(void *data)
{
    struct mcp *m = data;
    mct_transport_free(m->old);
    m->old = NULL;
}

void mcp_tell_outdated(struct mcp *m)
{
    if (m->base.events.outdated)
        m->base.events.outdated(m->base.events.data, &m->base);
}

/* Everything above the transport ends; calls in flight fail with `why`. */
void mcp_take_down(struct mcp *m, const struct mct_error *why)
{
    if (!m->open)
        return;
    m->open = false;
    mcp_tell_outdated(m);
    mct_handshake_stop(&m->handshake);
    mct_lists_stop(&m->lists);
    mcp_listen_stop(m);
    mct_timer_stop(m->opts.sched, &m->recheck);
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
    m->err_out.kept = m->base.last_diagnostics != NULL;
}

void mcp_drop_transport(struct mcp *m)
{
    keep_diagnostics(m);
    mct_transport_free(m->old); /* never the one whose callback we may be in */
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

/* Half of the pause is chance: many gateways must not come back to one server at the same moment. */
static unsigned jittered(unsigned ms)
{
    unsigned char r;
    mct_random(&r, sizeof r);
    return ms / 2 + (unsigned)((uint64_t)ms / 2 * r / 255);
}

static void plan_restart(struct mcp *m)
{
    uint64_t now = mct_sched_now(m->opts.sched);
    unsigned in_ms;
    if (!m->opts.restart || m->stopping)
        return;
    if (m->up_since_ms && now - m->up_since_ms >= MCT_BACKOFF_MAX_MS)
        m->backoff_ms = MCT_BACKOFF_FIRST_MS; /* it was up for a good while */
    m->up_since_ms = 0;
    in_ms = jittered(m->backoff_ms);
    if (m->base.reason == MCT_REASON_NONE)
        m->base.reason = MCT_REASON_BACKOFF;
    m->base.next_try_ms = now + in_ms;
    mct_timer_set(m->opts.sched, &m->restart, in_ms);
    m->backoff_ms = m->backoff_ms * 2 > MCT_BACKOFF_MAX_MS ? MCT_BACKOFF_MAX_MS : m->backoff_ms * 2;
}

/* This attempt is over. Lists are kept: the server may come back, and a call meanwhile says why not. */
static void failed(struct mcp *m, const struct mct_error *err)
{
    bool known = m->base.error.kind && !strcmp(m->base.error.message, err->message);
    bool quiet = known || !m->opts.log_failures || m->tries_handshake;
    enum mct_log_level level = quiet ? MCT_LOG_DEBUG : MCT_LOG_WARN;
    mct_log(m->base.log, level, "server '%s': %s", m->base.name, err->message);
    mcp_log_last_words(m, level);
    if (m->tries_handshake && !m->stopping)
        mcp_note_failure(m, err, known);
    mct_provider_set_state(&m->base, MCT_FAILED, err);
    plan_restart(m);
}

void mcp_abandon(struct mcp *m, const struct mct_error *why)
{
    struct mct_error err = *why;
    mct_timer_stop(m->opts.sched, &m->restart);
    m->transport->ops->close(m->transport);
    mcp_take_down(m, &err);
    failed(m, &err);
}

/* ---- what the session says ---- */

static int on_send(void *data, struct mct_str frame, void *lane, bool final)
{
    struct mcp *m = data;
    (void)final;
    return m->transport ? m->transport->ops->send(m->transport, frame, lane) : -1;
}

static void on_request(void *data, struct mct_session *s, const struct mct_msg *msg, void *lane)
{
    (void)s;
    mcp_on_request(data, msg, lane);
}

static void on_notification(void *data, struct mct_session *s, const struct mct_msg *msg)
{
    (void)s;
    mcp_on_notification(data, msg);
}

static void on_over(void *data, uint64_t id, bool answered)
{
    struct mcp *m = data;
    if (m->transport && m->transport->ops->over)
        m->transport->ops->over(m->transport, id, answered);
}

static void on_bad_frame(void *data, const struct mct_msg *msg, const struct mct_error *err)
{
    mcp_on_bad_message(data, msg->text, err);
}

static const struct mct_session_ops session_ops = {
    .send = on_send,
    .on_request = on_request,
    .on_notification = on_notification,
    .over = on_over,
    .on_bad_frame = on_bad_frame,
};

/* ---- what the transport says ---- */

static void on_frame(void *data, struct mct_str frame, void *lane)
{
    struct mcp *m = data;
    if (m->open)
        mct_session_receive(&m->session, frame, lane);
}

static bool on_hold(void *data, size_t *charged, size_t n)
{
    struct mcp *m = data;
    return !mct_account_set(&m->answers, MCT_HELD_CALL, charged, n);
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

static void on_lost(void *data, struct mct_str id, const struct mct_error *why)
{
    struct mcp *m = data;
    if (m->open)
        mct_session_fail(&m->session, id, why);
}

/* The first time is worth a warning where the server takes nothing; one that refuses a notification is common. */
static void on_untold(void *data, const struct mct_error *why)
{
    struct mcp *m = data;
    bool takes_nothing = why->kind == MCT_ERR_TIMEOUT || why->kind == MCT_ERR_LIMIT;
    mct_log(m->base.log, takes_nothing && !m->warned_of_untold ? MCT_LOG_WARN : MCT_LOG_DEBUG,
            "server '%s': an answer or notification was given up: %s", m->base.name, why->message);
    m->warned_of_untold |= takes_nothing;
}

/* The server starts from nothing: it is told again what we want, and may have other things to offer. */
static void on_renewed(void *data, struct mct_str answer)
{
    struct mcp *m = data;
    struct mct_msg msg;
    struct mct_error err;
    struct mct_str version = MCT_STR_NONE;
    mct_log(m->base.log, MCT_LOG_DEBUG, "server '%s' had forgotten the session: a new one has begun", m->base.name);
    if (!m->open || m->base.state != MCT_CONNECTED || mct_msg_parse(answer, &msg, NULL) < 0)
        return;
    mct_json_plain(mct_json_get(msg.result, "protocolVersion"), &version);
    char *capabilities = mct_str_dup(mct_json_get(msg.result, "capabilities"));
    if (mct_rev_find(version) != m->session.rev || !capabilities) {
        free(capabilities);
        mct_fail(&err, MCT_ERR_CONNECT, "the server came back speaking another revision");
        mcp_abandon(m, &err);
        return;
    }
    free(m->base.info.capabilities);
    m->base.info.capabilities = capabilities;
    mcp_listen_begin(m);
    mcp_tell_outdated(m);
    mct_lists_refetch(&m->lists, (1u << MCT_KIND_N) - 1);
}

static void put_headers(void *data, struct mct_str params, struct mct_headers *to)
{
    mcp_put_param_headers(data, params, to);
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
    bool url = m->transport->ops->http;
    if (m->open && connecting && !m->stopping && url && (mcp_try_without_verdict(m, &err) || mcp_try_next_variant(m, &err)))
        return;
    if (connecting && m->first_error.kind)
        err = *mcp_telling_error(m, &err);
    mcp_take_down(m, &err);
    mcp_drop_transport(m);
    if (m->stopping) {
        stopped(m);
    } else if (!told && !(probed && mcp_try_handshake_era(m))) {
        if (connecting && !url)
            mct_error_wrap(&err, "it ended before it was ready");
        failed(m, &err);
    }
}

/* ---- operations ---- */

/* One attempt: a transport, a session, the handshake. */
void mcp_begin(struct mcp *m)
{
    struct mct_error err;
    mct_provider_set_state(&m->base, MCT_CONNECTING, NULL);
    m->err_out = (struct mcp_stderr){ 0 };
    m->answers.parent = m->base.origin ? &m->base.origin->account : &m->base.account;
    m->transport = m->opts.connect(m->opts.data, m->variant, &err);
    if (!m->transport) {
        failed(m, &err);
        return;
    }
    m->base.transport = m->transport->ops->name;
    m->base.by_process = !m->transport->ops->http;
    m->transport->events = (struct mct_transport_events){
        .on_frame = on_frame, .on_dropped = on_dropped, .on_hold = on_hold, .on_lost = on_lost, .on_untold = on_untold,
        .on_renewed = on_renewed, .put_headers = put_headers, .on_stderr = mcp_on_stderr, .on_closed = on_closed, .data = m,
    };
    if (m->transport->ops->open(m->transport, &err) < 0) {
        mct_transport_free(m->transport);
        m->transport = NULL;
        failed(m, &err);
        return;
    }
    mct_session_init(&m->session, &session_ops, m, m->opts.sched, m->opts.message_bytes);
    m->open = true;
    mcp_start_handshake(m);
}

static void mcp_start(struct mct_provider *p)
{
    struct mcp *m = mcp_of(p);
    m->start_deadline_ms = mct_sched_now(m->opts.sched) + m->opts.start_timeout_ms;
    mcp_start_attempt(m);
}

static void on_restart(void *data)
{
    struct mcp *m = data;
    if (m->transport) /* the one that failed is still on its way out */
        mct_timer_set(m->opts.sched, &m->restart, MCT_BACKOFF_FIRST_MS);
    else
        mcp_start(&m->base);
}

static void mcp_set_level(struct mct_provider *p, const char *level)
{
    struct mcp *m = mcp_of(p);
    struct mct_buf b;
    mct_buf_init(&b, 64);
    mct_json_put_string(&b, mct_str_of(level));
    char *text = mct_buf_take(&b);
    bool same = text && m->level && !strcmp(text, m->level);
    free(m->level);
    m->level = text;
    if (!same)
        mcp_send_level(m);
}

static void mcp_roots_changed(struct mct_provider *p)
{
    struct mcp *m = mcp_of(p);
    if (p->state == MCT_CONNECTED && !mcp_is_stateless(m))
        mct_session_notify(&m->session, "notifications/roots/list_changed", MCT_STR_NONE, NULL);
}

static void mcp_refresh(struct mct_provider *p)
{
    mct_lists_refetch(&mcp_of(p)->lists, (1u << MCT_KIND_N) - 1);
}

static bool mcp_is_fetching(const struct mct_provider *p)
{
    const struct mcp *m = mcp_of(p);
    for (int k = 0; k < MCT_KIND_N; k++)
        if (mct_lists_busy(&m->lists, (enum mct_kind)k))
            return true;
    return false;
}

static void mcp_freshen(struct mct_provider *p)
{
    if (p->state == MCT_CONNECTED)
        mct_lists_freshen(&mcp_of(p)->lists);
}

static bool mcp_list_is_current(const struct mct_provider *p, enum mct_kind kind)
{
    return mct_lists_current(&mcp_of(p)->lists, kind);
}

static void mcp_stop(struct mct_provider *p)
{
    struct mcp *m = mcp_of(p);
    struct mct_error why;
    m->stopping = true;
    mct_handshake_stop(&m->handshake);
    mct_fail(&why, MCT_ERR_CONNECT, "it was stopped");
    mcp_calls_fail(m, &why);
    mct_lists_stop(&m->lists);
    mct_timer_stop(m->opts.sched, &m->restart);
    if (m->transport)
        m->transport->ops->close(m->transport);
    else
        stopped(m);
}

void mcp_make_texts(struct mcp *m)
{
    struct mct_buf b;
    free(m->capabilities);
    free(m->stateless_meta);
    mct_buf_init(&b, 4096);
    mct_capabilities_put(&b, m->opts.answerer);
    m->capabilities = mct_buf_take(&b);
    mct_meta_put_stateless(&b, MCT_STR_NONE, MCT_STR_NONE, mct_str_of(m->capabilities), MCT_STR_NONE, 0);
    m->stateless_meta = mct_buf_take(&b);
}

static void mcp_describe(const struct mct_provider *p, struct mct_transport_facts *ret)
{
    const struct mct_transport *t = mcp_of(p)->transport;
    if (t && t->ops->describe)
        t->ops->describe(t, ret);
}

static void mcp_free(struct mct_provider *p)
{
    struct mcp *m = mcp_of(p);
    struct mct_error why;
    mct_fail(&why, MCT_ERR_CONNECT, "the gateway is shutting down");
    m->stopping = true;
    mct_timer_stop(m->opts.sched, &m->restart);
    mct_task_stop(&m->reap);
    mcp_take_down(m, &why);
    mcp_listen_stop(m); /* whatever was begun meanwhile */
    mcp_calls_fail(m, &why);
    mct_transport_free(m->transport);
    mct_transport_free(m->old);
    mct_lists_done(&m->lists);
    mcp_listen_done(m);
    if (m->opts.free_data)
        m->opts.free_data(m->opts.data);
    free(m->capabilities);
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
    .subscribe = mcp_subscribe,
    .unsubscribe = mcp_unsubscribe,
    .roots_changed = mcp_roots_changed,
    .freshen = mcp_freshen,
    .refresh = mcp_refresh,
    .is_fetching = mcp_is_fetching,
    .list_is_current = mcp_list_is_current,
    .branch = mcp_branch,
    .runs_for = mcp_runs_for,
    .stop = mcp_stop,
    .describe = mcp_describe,
    .free = mcp_free,
};

struct mct_provider *mct_provider_mcp_new(const char *name, const struct mct_mcp_opts *opts,
                                          const struct mct_log *log)
{
    struct mcp *m = calloc(1, sizeof *m);
    if (!m || mct_provider_init(&m->base, &ops, name, opts->sched, log) < 0) {
        if (opts->free_data)
            opts->free_data(opts->data);
        free(m);
        return NULL;
    }
    m->opts = *opts;
    m->base.answerer = opts->answerer;
    m->base.isolation = opts->isolation;
    m->base.by_capabilities = opts->by_capabilities;
    m->base.match = opts->era == MCT_ERA_AUTO ? opts->match : MCT_MATCH_NONE;
    m->verdict = opts->known;
    mcp_take_both(m, opts->known.both);
    m->verdict_ms = mct_sched_now(opts->sched);
    m->base.allow = opts->allow;
    m->base.n_allow = opts->n_allow;
    m->base.deny = opts->deny;
    m->base.n_deny = opts->n_deny;
    m->backoff_ms = MCT_BACKOFF_FIRST_MS;
    mcp_make_texts(m);
    mct_buf_init(&m->meta, opts->message_bytes);
    mct_list_init(&m->attempts);
    mct_list_init(&m->calls);
    mct_list_init(&m->questions);
    mct_timer_init(&m->recheck, mcp_questions_recheck, m);
    mct_timer_init(&m->restart, on_restart, m);
    mct_task_init(&m->reap, reap_transport, m);
    mct_lists_init(&m->lists, &m->base, opts->sched, mcp_on_lists, m);
    mcp_listen_init(m);
    return &m->base;
}
