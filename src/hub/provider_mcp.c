#include "hub/mcp_impl.h"

#include "base/limits.h"
#include "base/rand.h"
#include "mcp/http_refusal.h"

#include <stdlib.h>

enum { VERDICT_MS = 24 * 3600 * 1000 }; /* a server may learn the stateless era */

static void begin(struct mcp *m);
static void start_attempt(struct mcp *m);

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
    mcp_listen_stop(m);
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
    if (!m->opts.restart)
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
    bool told_by_others = known || !m->opts.restart; /* without a restart the failure is the outcome */
    mct_log(m->base.log, told_by_others ? MCT_LOG_DEBUG : MCT_LOG_WARN, "server '%s': %s", m->base.name,
            err->message);
    mct_provider_set_state(&m->base, MCT_FAILED, err);
    plan_restart(m);
}

void mcp_abandon(struct mcp *m, const struct mct_error *why)
{
    struct mct_error err = *why;
    mct_timer_stop(m->opts.sched, &m->restart);
    m->transport->ops->close(m->transport);
    take_down(m, &err);
    failed(m, &err);
}

/* ---- finding out what the server is ---- */

/* Over HTTP every request has an answer of its own; a slow one says nothing of the server. */
static bool speaks_http(const struct mcp *m)
{
    return m->transport->ops->over || (m->opts.handshake_variants & 1u << m->variant);
}

/* A server that cannot bear server/discover gets one fresh start with initialize. */
static bool try_handshake_era(struct mcp *m)
{
    bool open_question = m->era == MCT_ERA_AUTO || m->from_verdict;
    if (m->respawned || !open_question)
        return false;
    m->respawned = true;
    m->from_verdict = false;
    m->verdict = (struct mct_verdict){ 0 };
    m->era = MCT_ERA_HANDSHAKE;
    begin(m);
    return true;
}

/* The same server again over a new transport, at once. */
static void begin_anew(struct mcp *m)
{
    struct mct_error why;
    mct_fail(&why, MCT_ERR_CONNECT, "another way to connect is tried");
    take_down(m, &why);
    drop_transport(m);
    begin(m);
}

/* What was remembered of the server does not hold any more. */
static bool try_without_verdict(struct mcp *m, const struct mct_error *err)
{
    bool tells = mct_http_says_other(err->http_status) || err->kind == MCT_ERR_PROTOCOL ||
                 err->kind == MCT_ERR_SERVER || (err->kind == MCT_ERR_TIMEOUT && !err->unsent);
    if (!m->from_verdict || !tells)
        return false;
    m->verdict = (struct mct_verdict){ 0 };
    take_down(m, err);
    drop_transport(m);
    start_attempt(m);
    return true;
}

/* A URL that refuses one transport may be meant for the next (2025-03-26, "Backwards Compatibility"). */
static bool try_next_variant(struct mcp *m, const struct mct_error *err)
{
    struct mct_transport_facts facts = { 0 };
    if (m->transport->ops->describe)
        m->transport->ops->describe(m->transport, &facts);
    int status = err->http_status ? err->http_status : facts.http_status;
    bool fits = m->opts.era != MCT_ERA_STATELESS || !(m->opts.handshake_variants & 2u << m->variant);
    if (m->variant + 1 >= m->opts.n_variants || !fits || !mct_http_says_other(status))
        return false;
    m->first_error = *err;
    m->variant++;
    begin_anew(m);
    return true;
}

static void note_verdict(struct mcp *m)
{
    struct mct_verdict now = { mct_rev_is_stateless(m->base.info.rev) ? MCT_ERA_STATELESS : MCT_ERA_HANDSHAKE,
                               m->variant };
    if (m->opts.era != MCT_ERA_AUTO || m->from_verdict)
        return;
    m->verdict = now;
    m->verdict_ms = mct_sched_now(m->opts.sched);
    if (m->opts.found)
        m->opts.found(m->opts.data, &now);
}

static void start_attempt(struct mcp *m)
{
    bool old = mct_sched_now(m->opts.sched) - m->verdict_ms >= VERDICT_MS;
    m->from_verdict = m->opts.era == MCT_ERA_AUTO && m->verdict.era != MCT_ERA_AUTO &&
                      (m->verdict.era == MCT_ERA_STATELESS || !old);
    m->era = m->from_verdict ? m->verdict.era : m->opts.era;
    m->variant = m->from_verdict ? m->verdict.variant : 0;
    m->respawned = false;
    m->first_error = (struct mct_error){ 0 };
    begin(m);
}

/* ---- ready ---- */

static void on_lists(void *data)
{
    struct mcp *m = data;
    if (m->base.state == MCT_CONNECTING) {
        m->up_since_ms = mct_sched_now(m->opts.sched);
        mct_provider_set_state(&m->base, MCT_CONNECTED, NULL);
        mcp_listen_begin(m);
    }
    mcp_calls_go_on(m);
}

/* What is left of the time to start; the lists get a moment even when the handshake took it all. */
static unsigned remaining_ms(const struct mcp *m)
{
    uint64_t now = mct_sched_now(m->opts.sched), min = m->opts.start_timeout_ms / 4;
    uint64_t left = m->start_deadline_ms > now ? m->start_deadline_ms - now : 0;
    return (unsigned)(left > min ? left : min ? min : 1);
}

/* Of two ways that both failed the one that got further says more: the second, unless it was just refused,
 * too. */
static const struct mct_error *telling_error(const struct mcp *m, const struct mct_error *err)
{
    if (!m->first_error.kind || !mct_http_says_other(err->http_status))
        return err;
    mct_log(m->base.log, MCT_LOG_DEBUG, "server '%s': %s", m->base.name, err->message);
    return &m->first_error;
}

static void handshake_failed(struct mcp *m, const struct mct_error *err)
{
    struct mct_error why = *err;
    if (try_without_verdict(m, &why) || try_next_variant(m, &why))
        return;
    mcp_abandon(m, telling_error(m, &why));
}

static void on_handshake(struct mct_handshake *h, const struct mct_error *err)
{
    struct mcp *m = h->data;
    if (err) {
        handshake_failed(m, err);
        return;
    }
    mct_server_info_clear(&m->base.info);
    m->base.info = h->info;
    h->info = (struct mct_server_info){ 0 };
    m->session.rev = m->base.info.rev;
    mct_log(m->base.log, MCT_LOG_DEBUG, "server '%s' speaks %s over %s", m->base.name,
            mct_rev_text(m->base.info.rev), m->base.transport);
    note_verdict(m);
    struct mct_str meta = mcp_is_stateless(m) ? mct_str_of(m->stateless_meta) : MCT_STR_NONE;
    m->lists.checks_headers = mcp_is_stateless(m) && m->transport->ops->over;
    mct_lists_start(&m->lists, &m->session, meta, remaining_ms(m), m->opts.start_timeout_ms);
}

static void start_handshake(struct mcp *m)
{
    struct mct_error err;
    bool old_only = m->opts.handshake_variants & 1u << m->variant;
    bool http = speaks_http(m);
    unsigned probe = m->opts.probe_timeout_ms ? m->opts.probe_timeout_ms : MCT_PROBE_TIMEOUT_MS;
    if (probe > m->opts.start_timeout_ms / 2)
        probe = m->opts.start_timeout_ms / 2 + 1;
    if (http)
        probe = m->opts.start_timeout_ms;
    m->handshake = (struct mct_handshake){
        .session = &m->session,
        .era = old_only ? MCT_ERA_HANDSHAKE : m->era,
        .rev = m->opts.rev,
        .capabilities = m->capabilities,
        .silence_tells = !http,
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
    bool url = speaks_http(m);
    if (m->open && connecting && !m->stopping && url && (try_without_verdict(m, &err) || try_next_variant(m, &err)))
        return;
    if (connecting && m->first_error.kind)
        err = *telling_error(m, &err);
    take_down(m, &err);
    drop_transport(m);
    if (m->stopping) {
        stopped(m);
    } else if (!told && !(probed && try_handshake_era(m))) {
        if (connecting && !url)
            mct_error_wrap(&err, "it ended before it was ready");
        failed(m, &err);
    }
}

/* ---- operations ---- */

/* One attempt: a transport, a session, the handshake. */
static void begin(struct mcp *m)
{
    struct mct_error err;
    mct_provider_set_state(&m->base, MCT_CONNECTING, NULL);
    m->transport = m->opts.connect(m->opts.data, m->variant, &err);
    if (!m->transport) {
        failed(m, &err);
        return;
    }
    m->base.transport = m->transport->ops->name;
    m->transport->events = (struct mct_transport_events){
        .on_frame = on_frame, .on_dropped = on_dropped, .on_lost = on_lost, .on_renewed = on_renewed,
        .put_headers = put_headers, .on_closed = on_closed, .data = m,
    };
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
    struct mcp *m = mcp_of(p);
    m->start_deadline_ms = mct_sched_now(m->opts.sched) + m->opts.start_timeout_ms;
    start_attempt(m);
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

static void mcp_freshen(struct mct_provider *p)
{
    if (p->state == MCT_CONNECTED)
        mct_lists_freshen(&mcp_of(p)->lists);
}

static void mcp_stop(struct mct_provider *p)
{
    struct mcp *m = mcp_of(p);
    struct mct_error why;
    m->stopping = true;
    mct_fail(&why, MCT_ERR_CONNECT, "it was stopped");
    mcp_calls_fail(m, &why);
    mct_lists_stop(&m->lists);
    mct_timer_stop(m->opts.sched, &m->restart);
    if (m->transport)
        m->transport->ops->close(m->transport);
    else
        stopped(m);
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
    take_down(m, &why);
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
    .freshen = mcp_freshen,
    .stop = mcp_stop,
    .describe = mcp_describe,
    .free = mcp_free,
};

static void make_texts(struct mcp *m)
{
    struct mct_buf b;
    mct_buf_init(&b, 4096);
    mct_capabilities_put(&b, m->opts.answerer);
    m->capabilities = mct_buf_take(&b);
    mct_meta_put_stateless(&b, MCT_STR_NONE, MCT_STR_NONE, mct_str_of(m->capabilities), MCT_STR_NONE, 0);
    m->stateless_meta = mct_buf_take(&b);
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
    m->verdict = opts->known;
    m->verdict_ms = mct_sched_now(opts->sched);
    m->base.allow = opts->allow;
    m->base.n_allow = opts->n_allow;
    m->base.deny = opts->deny;
    m->base.n_deny = opts->n_deny;
    m->backoff_ms = MCT_BACKOFF_FIRST_MS;
    make_texts(m);
    mct_buf_init(&m->meta, opts->message_bytes);
    mct_list_init(&m->attempts);
    mct_list_init(&m->questions);
    mct_timer_init(&m->restart, on_restart, m);
    mct_task_init(&m->reap, reap_transport, m);
    mct_lists_init(&m->lists, &m->base, opts->sched, on_lists, m);
    mcp_listen_init(m);
    return &m->base;
}
