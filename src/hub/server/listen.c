/* Hearing of changes: lists, resources, log messages, and whether the server is still there. */
#include "hub/server/impl.h"

#include "base/limits.h"
#include "mcp/http_refusal.h"

#include <stdlib.h>

static void on_level_set(struct mct_outbound *o, const struct mct_msg *answer, const struct mct_error *err)
{
    struct mcp *m = MCT_CONTAINER(o, struct mcp, level_out);
    bool again = m->level_again && m->open;
    (void)answer;
    (void)err;
    m->level_again = false;
    if (again)
        mcp_send_level(m);
    else if (m->open)
        mct_timer_set(m->opts.sched, &m->recheck, 0); /* calls may have waited for it */
}

void mcp_send_level(struct mcp *m)
{
    bool can = m->base.state == MCT_CONNECTED && !mcp_is_stateless(m) && mct_server_can(&m->base.info, "logging", NULL);
    if (!can || !m->level)
        return; /* 2026-07-28: the level goes with each request */
    m->level_again = m->level_out.session && m->transport->ops->http;
    if (m->level_again)
        return; /* two requests over HTTP may arrive in any order: this one waits for the answer to the other */
    mct_session_cancel(&m->level_out, NULL);
    m->level_out = (struct mct_outbound){ .done = on_level_set, .timeout_ms = m->opts.call_timeout_ms };
    struct mct_buf *b = mct_session_begin(&m->session, &m->level_out, "logging/setLevel");
    mct_buf_printf(b, "{\"level\":%s}", m->level);
    mct_session_send(&m->session, &m->level_out, NULL);
}

/* ---- 2026-07-28: subscriptions/listen ---- */

static struct mcp_listen *listen_of(struct mct_outbound *o)
{
    return MCT_CONTAINER(o, struct mcp_listen, out);
}

/* After a pause that doubles. */
static void plan_relisten(struct mcp *m)
{
    if (!m->relisten_ms)
        m->relisten_ms = MCT_BACKOFF_FIRST_MS;
    mct_timer_set(m->opts.sched, &m->relisten, m->relisten_ms);
    m->relisten_ms = m->relisten_ms * 2 < MCT_BACKOFF_MAX_MS ? m->relisten_ms * 2 : MCT_BACKOFF_MAX_MS;
}

/* The server ended the subscription, in order or with its connection: what changed meanwhile is fetched,
 * and it begins anew. One that was refused is not asked for again. */
static void on_listen_over(struct mct_outbound *o, const struct mct_msg *answer, const struct mct_error *err)
{
    struct mcp *m = listen_of(o)->owner;
    bool refused = answer ? answer->kind == MCT_MSG_ERROR : mct_http_says_other(err->http_status);
    bool newest = listen_of(o) == &m->listen[m->listening];
    uint64_t lived_ms = mct_sched_now(m->opts.sched) - listen_of(o)->since_ms;
    if (refused)
        mct_log(m->base.log, MCT_LOG_DEBUG, "server '%s' takes no subscription: %.*s", m->base.name,
                MCT_STR_ARG(answer ? answer->error : mct_str_of(err->message)));
    if (refused && newest && m->open)
        mcp_subs_fail(m, "the server takes no subscription");
    if (refused || !m->open || !newest)
        return;
    m->gap = true;
    if (lived_ms >= MCT_BACKOFF_MAX_MS)
        m->relisten_ms = 0;
    plan_relisten(m);
}

static void put_filter(struct mcp *m, struct mct_buf *b)
{
    static const struct {
        const char *capability, *key;
    } rows[] = { { "tools", "toolsListChanged" }, { "prompts", "promptsListChanged" },
                 { "resources", "resourcesListChanged" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!mct_server_can(&m->base.info, rows[i].capability, "listChanged"))
            continue;
        mct_json_put_key(b, rows[i].key);
        mct_buf_addz(b, "true");
    }
    mcp_subs_put(m, b);
}

/* Opens a subscription for all that is wanted now; the one before it ends when this one stands. */
static void send_listen(struct mcp *m)
{
    struct mct_buf filter;
    mct_buf_init(&filter, m->opts.message_bytes);
    put_filter(m, &filter);
    unsigned next = filter.len || !mct_buf_ok(&filter) ? 1 - m->listening : m->listening;
    struct mcp_listen *l = &m->listen[next];
    mct_session_cancel(&l->out, "another subscription takes over");
    if (next != m->listening) {
        m->listening = next;
        *l = (struct mcp_listen){ .owner = m, .since_ms = mct_sched_now(m->opts.sched), .out.done = on_listen_over };
        struct mct_buf *b = mct_session_begin(&m->session, &l->out, "subscriptions/listen");
        mct_buf_addz(b, "{\"notifications\":{");
        mct_buf_add(b, mct_buf_str(&filter));
        mct_buf_printf(b, "},\"_meta\":%s}", m->stateless_meta);
        if (mct_session_send(&m->session, &l->out, NULL) < 0)
            plan_relisten(m); /* no memory, or the connection is about to end */
        mct_timer_set(m->opts.sched, &m->disagree, m->opts.call_timeout_ms);
    }
    mct_buf_done(&filter);
}

static void on_acknowledged(struct mcp *m, struct mct_str params)
{
    struct mcp_listen *l = &m->listen[m->listening], *old = &m->listen[1 - m->listening];
    uint64_t id;
    if (!mct_json_uint(mct_json_get(mct_json_get(params, "_meta"), MCT_META_SUBSCRIPTION), &id) || id != l->out.id)
        return;
    mct_session_cancel(&old->out, "another subscription has taken over");
    mcp_subs_agreed(m, mct_json_get(mct_json_get(params, "notifications"), "resourceSubscriptions"));
}

static void on_relisten(void *data)
{
    struct mcp *m = data;
    bool gap = m->gap;
    if (m->base.state != MCT_CONNECTED || !mcp_is_stateless(m))
        return;
    send_listen(m);
    m->gap = false;
    if (!gap)
        return;
    mcp_tell_outdated(m);
    mct_lists_refetch(&m->lists, (1u << MCT_KIND_N) - 1);
    mcp_subs_touch(m);
}

/* ---- ping ---- */

static void plan_ping(struct mcp *m)
{
    if (m->opts.ping_ms && !mcp_is_stateless(m))
        mct_timer_set(m->opts.sched, &m->ping, m->opts.ping_ms);
}

static void on_pong(struct mct_outbound *o, const struct mct_msg *answer, const struct mct_error *err)
{
    struct mcp *m = MCT_CONTAINER(o, struct mcp, ping_out);
    struct mct_error why;
    m->n_pings_lost = answer ? 0 : m->n_pings_lost + 1; /* an error is a sign of life, too */
    if (m->n_pings_lost < 2) {
        plan_ping(m);
    } else if (m->open) {
        why = *err;
        mct_error_wrap(&why, "it does not answer pings");
        mcp_abandon(m, &why);
    }
}

static void on_ping_due(void *data)
{
    struct mcp *m = data;
    if (m->ping_out.session)
        return; /* its answer plans the next */
    m->ping_out = (struct mct_outbound){ .done = on_pong, .timeout_ms = m->opts.ping_ms };
    mct_buf_addz(mct_session_begin(&m->session, &m->ping_out, "ping"), "{}");
    mct_session_send(&m->session, &m->ping_out, NULL);
}

/* ---- what the server tells ---- */

/* Over HTTP what belongs to no request takes another way than answers, which may be faster: it may be of a call of
 * somebody else that has just been answered. */
static bool may_be_late(const struct mcp *m, const struct mct_call *call)
{
    return m->transport && m->transport->ops->http && !m->transport->about && m->answered && m->answered != call->owner &&
           mct_sched_now(m->opts.sched) - m->answered_ms < MCT_ASIDE_MS;
}

static void on_message(struct mcp *m, struct mct_str params)
{
    const struct mct_provider_events *e = &m->base.events;
    bool unclear;
    struct mct_call *call = mcp_call_about(m, &unclear);
    if (call && call->log && !may_be_late(m, call))
        call->log(call, params);
    else if (e->message)
        e->message(e->data, &m->base, params);
}

void mcp_on_notification(struct mcp *m, const struct mct_msg *msg)
{
    const struct mct_provider_events *e = &m->base.events;
    unsigned kinds = mct_kinds_changed(msg->method);
    if (kinds & 1u << MCT_RESOURCE) /* the list may be the same, and what is in it another */
        mcp_tell_outdated(m);
    if (kinds)
        mct_lists_refetch(&m->lists, kinds);
    else if (mct_str_is(msg->method, "notifications/message"))
        on_message(m, msg->params);
    else if (mct_str_is(msg->method, "notifications/elicitation/complete") && e->elicited)
        e->elicited(e->data, &m->base, msg->params);
    else if (mct_str_is(msg->method, "notifications/resources/updated") && e->updated)
        e->updated(e->data, &m->base, msg->params);
    else if (mct_str_is(msg->method, "notifications/subscriptions/acknowledged"))
        on_acknowledged(m, msg->params);
}

/* ---- life ---- */

void mcp_listen_init(struct mcp *m)
{
    mcp_subs_init(m);
    mct_timer_init(&m->relisten, on_relisten, m);
    mct_timer_init(&m->ping, on_ping_due, m);
}

void mcp_listen_begin(struct mcp *m)
{
    mcp_send_level(m);
    m->n_pings_lost = 0;
    plan_ping(m);
    if (mcp_is_stateless(m))
        send_listen(m);
    else
        mcp_subs_begin(m);
    if (m->gap)
        mcp_subs_touch(m); /* the lists have been fetched anew anyway */
    m->gap = false;
}

void mcp_listen_stop(struct mcp *m)
{
    m->gap |= m->base.state == MCT_CONNECTED;
    mcp_subs_stop(m); /* first: it may plan another listen */
    mct_timer_stop(m->opts.sched, &m->relisten);
    mct_timer_stop(m->opts.sched, &m->ping);
    m->level_again = false;
    mct_session_cancel(&m->level_out, NULL);
    mct_session_cancel(&m->ping_out, NULL);
    for (int i = 0; i < 2; i++)
        mct_session_cancel(&m->listen[i].out, NULL);
}

void mcp_listen_done(struct mcp *m)
{
    mcp_subs_done(m);
    free(m->level);
}
