/* Notifications of a server about changed lists and resources, its and log messages. */
#include "hub/server/listen.h"
#include "hub/server/alive.h"
#include "hub/server/question.h"
#include "hub/server/subscribe.h"

#include "base/limits.h"
#include "mcp/http_refusal.h"

#include <stdlib.h>

static void server_listen_on_level_set(struct mcti_outbound *o, const struct mcti_msg *answer,
                                       const struct mct_error *err)
{
    struct mcti_server *m = MCT_CONTAINER(o, struct mcti_server, level_out);
    bool again = m->level_again && m->open;
    (void)answer;
    (void)err;
    m->level_again = false;
    if (again)
        mcti_server_send_level(m);
    else if (m->open)
        mcti_timer_set(m->opts.sched, &m->recheck, 0); /* calls may wait for the new level */
}

void mcti_server_send_level(struct mcti_server *m)
{
    bool can = m->base.state == MCT_CONNECTED && !mcti_server_is_stateless(m) &&
               mcti_server_can(&m->base.info, "logging", NULL);
    if (!can || !m->level)
        return; /* 2026-07-28: the level goes with each request */
    m->level_again = m->level_out.session && m->transport->ops->http;
    if (m->level_again)
        return; /* two HTTP requests may arrive in any order: send this one after the answer to the other */
    mcti_session_cancel(&m->level_out, NULL);
    m->level_out = (struct mcti_outbound){ .done = server_listen_on_level_set, .timeout_ms = m->opts.call_timeout_ms };
    struct mcti_buf *b = mcti_session_begin(&m->session, &m->level_out, "logging/setLevel");
    mcti_buf_printf(b, "{\"level\":%s}", m->level);
    mcti_session_send(&m->session, &m->level_out, NULL);
}

/* ---- 2026-07-28: subscriptions/listen ---- */

static struct mcti_server_listen *listen_of(struct mcti_outbound *o)
{
    return MCT_CONTAINER(o, struct mcti_server_listen, out);
}

/* Plans the next subscriptions/listen after a pause that doubles. */
static void plan_relisten(struct mcti_server *m)
{
    if (!m->relisten_ms)
        m->relisten_ms = MCT_BACKOFF_FIRST_MS;
    mcti_timer_set(m->opts.sched, &m->relisten, m->relisten_ms);
    m->relisten_ms = m->relisten_ms * 2 < MCT_BACKOFF_MAX_MS ? m->relisten_ms * 2 : MCT_BACKOFF_MAX_MS;
}

/* Handles the end of a subscriptions/listen. Unless the server refused it, plans the next one, which also fetches the
 * changes that were missed in between. */
static void server_listen_on_listen_over(struct mcti_outbound *o, const struct mcti_msg *answer,
                                         const struct mct_error *err)
{
    struct mcti_server *m = listen_of(o)->owner;
    bool refused = answer ? answer->kind == MCT_MSG_ERROR : mcti_http_is_unsupported(err->http_status);
    bool newest = listen_of(o) == &m->listen[m->listening];
    uint64_t lived_ms = mcti_sched_now(m->opts.sched) - listen_of(o)->since_ms;
    if (refused)
        mcti_log(m->base.log, MCT_LOG_DEBUG, "server '%s' refused subscriptions/listen: %.*s", m->base.name,
                 MCT_STR_ARG(answer ? answer->error : mcti_str_of(err->message)));
    if (refused && newest && m->open)
        mcti_server_subs_fail(m, "the server refused subscriptions/listen");
    if (refused || !m->open || !newest)
        return;
    m->gap = true;
    if (lived_ms >= MCT_BACKOFF_MAX_MS)
        m->relisten_ms = 0;
    plan_relisten(m);
}

static void put_filter(struct mcti_server *m, struct mcti_buf *b)
{
    static const struct {
        const char *capability, *key;
    } rows[] = { { "tools", "toolsListChanged" },
                 { "prompts", "promptsListChanged" },
                 { "resources", "resourcesListChanged" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!mcti_server_can(&m->base.info, rows[i].capability, "listChanged"))
            continue;
        mcti_json_put_key(b, rows[i].key);
        mcti_buf_addz(b, "true");
    }
    mcti_server_subs_put(m, b);
}

/* Opens a subscription with the current filter; the older one ends when this one is acknowledged. */
static void send_listen(struct mcti_server *m)
{
    struct mcti_buf filter;
    mcti_buf_init(&filter, m->opts.message_bytes);
    put_filter(m, &filter);
    unsigned next = filter.len || !mcti_buf_ok(&filter) ? 1 - m->listening : m->listening;
    struct mcti_server_listen *l = &m->listen[next];
    mcti_session_cancel(&l->out, "replaced by a newer subscription");
    if (next != m->listening) {
        m->listening = next;
        *l = (struct mcti_server_listen){ .owner = m,
                                          .since_ms = mcti_sched_now(m->opts.sched),
                                          .out.done = server_listen_on_listen_over };
        struct mcti_buf *b = mcti_session_begin(&m->session, &l->out, "subscriptions/listen");
        mcti_buf_addz(b, "{\"notifications\":{");
        mcti_buf_add(b, mcti_buf_str(&filter));
        mcti_buf_printf(b, "},\"_meta\":%s}", m->stateless_meta);
        if (mcti_session_send(&m->session, &l->out, NULL) < 0)
            plan_relisten(m); /* out of memory, or the connection is about to end */
        mcti_timer_set(m->opts.sched, &m->disagree, m->opts.call_timeout_ms);
    }
    mcti_buf_done(&filter);
}

static void server_listen_on_acknowledged(struct mcti_server *m, struct mcti_str params)
{
    struct mcti_server_listen *l = &m->listen[m->listening], *old = &m->listen[1 - m->listening];
    uint64_t id;
    if (!mcti_json_uint(mcti_json_get(mcti_json_get(params, "_meta"), MCT_META_SUBSCRIPTION), &id) || id != l->out.id)
        return;
    mcti_session_cancel(&old->out, "replaced by a newer subscription");
    mcti_server_subs_agreed(m, mcti_json_get(mcti_json_get(params, "notifications"), "resourceSubscriptions"));
}

static void server_listen_on_relisten(void *data)
{
    struct mcti_server *m = data;
    bool gap = m->gap;
    if (m->base.state != MCT_CONNECTED || !mcti_server_is_stateless(m))
        return;
    send_listen(m);
    m->gap = false;
    if (!gap)
        return;
    mcti_server_report_outdated(m);
    mcti_lists_refetch(&m->lists, (1u << MCT_KIND_N) - 1);
    mcti_server_subs_touch(m);
}

/* ---- notifications ---- */

/* Returns true if a message outside a request may belong to another owner's call that was answered just now: over HTTP
 * such messages and answers use different streams, so the answer may have arrived first. */
static bool may_be_late(const struct mcti_server *m, const struct mcti_call *call)
{
    return m->transport && m->transport->ops->http && !m->transport->about && m->answered_owner &&
           m->answered_owner != call->owner && mcti_sched_now(m->opts.sched) - m->answered_ms < MCT_ASIDE_MS;
}

static void server_listen_on_message(struct mcti_server *m, struct mcti_str params)
{
    const struct mcti_provider_events *e = &m->base.events;
    struct mcti_call *call = mcti_server_call_aside(m, true);
    if (call && call->log && !may_be_late(m, call))
        call->log(call, params);
    else if (e->message)
        e->message(e->data, &m->base, params);
}

/* Passes a notification of an extension to the call that it came with. */
static void server_listen_on_foreign(struct mcti_server *m, const struct mcti_msg *msg)
{
    struct mcti_call *call = mcti_server_call_aside(m, false);
    if (call && call->notified && !may_be_late(m, call))
        call->notified(call, msg->method, msg->params);
}

void mcti_server_on_notification(struct mcti_server *m, const struct mcti_msg *msg)
{
    const struct mcti_provider_events *e = &m->base.events;
    unsigned kinds = mcti_kinds_changed(msg->method);
    if (kinds & 1u << MCT_RESOURCE) /* the contents may have changed even if the list did not */
        mcti_server_report_outdated(m);
    if (kinds)
        mcti_lists_announced(&m->lists, kinds, !m->opts.only_different);
    else if (mcti_str_is(msg->method, "notifications/message"))
        server_listen_on_message(m, msg->params);
    else if (mcti_str_is(msg->method, "notifications/elicitation/complete") && e->elicited)
        e->elicited(e->data, &m->base, msg->params);
    else if (mcti_str_is(msg->method, "notifications/resources/updated") && e->updated)
        e->updated(e->data, &m->base, msg->params);
    else if (mcti_str_is(msg->method, "notifications/subscriptions/acknowledged"))
        server_listen_on_acknowledged(m, msg->params);
    else if (mcti_str_is(msg->method, "notifications/openclaw/plugins") && m->base.hosts_plugins)
        mcti_server_on_hosted(m, msg->params);
    else
        server_listen_on_foreign(m, msg);
}

/* ---- life ---- */

void mcti_server_listen_init(struct mcti_server *m)
{
    mcti_server_subs_init(m);
    mcti_timer_init(&m->relisten, server_listen_on_relisten, m);
    mcti_server_alive_init(m);
}

void mcti_server_listen_begin(struct mcti_server *m)
{
    mcti_server_send_level(m);
    mcti_server_alive_begin(m);
    if (mcti_server_is_stateless(m))
        send_listen(m);
    else
        mcti_server_subs_begin(m);
    if (m->gap)
        mcti_server_subs_touch(m); /* a new connection has fetched the lists already */
    m->gap = false;
}

void mcti_server_listen_stop(struct mcti_server *m)
{
    m->gap |= m->up;
    mcti_server_subs_stop(m); /* before relisten is stopped: this may set it */
    mcti_timer_stop(m->opts.sched, &m->relisten);
    mcti_server_alive_stop(m);
    m->level_again = false;
    mcti_session_cancel(&m->level_out, NULL);
    for (int i = 0; i < 2; i++)
        mcti_session_cancel(&m->listen[i].out, NULL);
}

void mcti_server_listen_done(struct mcti_server *m)
{
    mcti_server_subs_done(m);
    free(m->level);
}
