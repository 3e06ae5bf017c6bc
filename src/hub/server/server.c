#include "hub/server/branch.h"
#include "hub/server/call.h"
#include "hub/server/connect.h"
#include "hub/server/hold.h"
#include "hub/server/lazy.h"
#include "hub/server/listen.h"
#include "hub/server/question.h"
#include "hub/server/slow.h"
#include "hub/server/subscribe.h"

#include "base/limits.h"
#include "base/rand.h"

#include <stdlib.h>

/* ---- ending a connection ---- */

static void reap_transport(void *data)
{
    struct mcti_server *m = data;
    mcti_transport_free(m->old);
    m->old = NULL;
}

void mcti_server_report_outdated(struct mcti_server *m)
{
    if (m->base.events.outdated)
        m->base.events.outdated(m->base.events.data, &m->base);
}

void mcti_server_take_down(struct mcti_server *m, const struct mct_error *why)
{
    if (!m->open)
        return;
    m->open = false;
    mcti_server_report_outdated(m);
    mcti_handshake_stop(&m->handshake);
    mcti_lists_stop(&m->lists);
    mcti_server_listen_stop(m);
    mcti_timer_stop(m->opts.sched, &m->recheck);
    mcti_server_idle_end(m);
    m->up = false;
    mcti_session_drop(&m->session, why);
    mcti_session_done(&m->session);
}

/* Keeps the last stderr output of the process, which often contains the reason of its end. */
static void keep_diagnostics(struct mcti_server *m)
{
    struct mcti_transport_facts facts = { 0 };
    mcti_transport_describe(m->transport, &facts);
    if (!facts.diagnostics.len)
        return;
    free(m->base.last_diagnostics);
    m->base.last_diagnostics = mcti_str_dup(facts.diagnostics);
    m->err_out.kept = m->base.last_diagnostics != NULL;
}

void mcti_server_drop_transport(struct mcti_server *m)
{
    keep_diagnostics(m);
    mcti_transport_free(m->old); /* only m->transport may be in a callback */
    m->old = m->transport;
    m->transport = NULL;
    mcti_task_post(m->opts.sched, &m->reap);
}

void mcti_server_stopped(struct mcti_server *m)
{
    mcti_provider_set_state(&m->base, MCT_DISCONNECTED, NULL);
    if (m->base.events.stopped)
        m->base.events.stopped(m->base.events.data, &m->base);
}

/* Makes half of the pause random, so that many gateways do not reconnect to one server at the same moment. */
static unsigned server_jittered(unsigned ms)
{
    unsigned char r;
    mcti_random(&r, sizeof r);
    return ms / 2 + (unsigned)((uint64_t)ms / 2 * r / 255);
}

static void plan_restart(struct mcti_server *m)
{
    uint64_t now = mcti_sched_now(m->opts.sched);
    unsigned in_ms;
    bool waits_for_use = m->opts.lazy && mcti_list_empty(&m->subs);
    if (!m->opts.restart || m->stopping || m->base.retired || waits_for_use)
        return;
    if (m->up_since_ms && now - m->up_since_ms >= MCT_BACKOFF_MAX_MS)
        m->backoff_ms = MCT_BACKOFF_FIRST_MS; /* it was connected for long enough */
    m->up_since_ms = 0;
    in_ms = server_jittered(m->backoff_ms);
    if (m->base.reason == MCT_REASON_NONE)
        m->base.reason = MCT_REASON_BACKOFF;
    m->base.next_try_ms = now + in_ms;
    mcti_provider_note(&m->base, "next attempt in %.1f s", in_ms / 1000.0);
    mcti_timer_set(m->opts.sched, &m->restart, in_ms);
    m->backoff_ms = m->backoff_ms * 2 > MCT_BACKOFF_MAX_MS ? MCT_BACKOFF_MAX_MS : m->backoff_ms * 2;
}

void mcti_server_failed(struct mcti_server *m, const struct mct_error *why)
{
    struct mct_error explained = *why, *err = &explained;
    mcti_server_slow_end(m);
    if (m->opts.explain)
        m->opts.explain(m->opts.data, mcti_server_last_lines(m), err);
    bool known = m->base.error->kind && !strcmp(m->base.error->message, err->message);
    bool told = known || mcti_provider_needs_login(&m->base); /* a needed login is logged by whoever made it */
    bool quiet = told || !m->opts.log_failures || m->tries_handshake;
    enum mct_log_level level = quiet ? MCT_LOG_DEBUG : MCT_LOG_WARN;
    mcti_log(m->base.log, level, "server '%s': %s", m->base.name, err->message);
    mcti_server_log_last_lines(m, level);
    if (m->tries_handshake && !m->stopping)
        mcti_server_note_failure(m, err, known);
    mcti_server_drop_stored(m);
    mcti_provider_set_state(&m->base, MCT_FAILED, err);
    plan_restart(m);
    mcti_server_held_fail(m, err);
}

void mcti_server_abandon(struct mcti_server *m, const struct mct_error *why)
{
    struct mct_error err = *why;
    mcti_timer_stop(m->opts.sched, &m->restart);
    m->transport->ops->close(m->transport);
    mcti_server_take_down(m, &err);
    mcti_server_failed(m, &err);
}

/* ---- operations ---- */

void mcti_server_start(struct mcti_server *m)
{
    mcti_server_slow_begin(m);
    mcti_server_start_attempt(m);
}

static void mcp_start(struct mcti_provider *p)
{
    struct mcti_server *m = mcti_server_of(p);
    if (mcti_server_sleeps(m))
        mcti_provider_settle(p);
    else
        mcti_server_start(m);
}

static void server_on_restart(void *data)
{
    struct mcti_server *m = data;
    m->again = m->again && m->transport;
    if (m->transport) /* the failed one is still closing */
        mcti_timer_set(m->opts.sched, &m->restart, MCT_BACKOFF_FIRST_MS);
    else
        mcti_server_start(m);
}

static void mcp_set_level(struct mcti_provider *p, const char *level)
{
    struct mcti_server *m = mcti_server_of(p);
    struct mcti_buf b;
    mcti_buf_init(&b, 64);
    mcti_json_put_string(&b, mcti_str_of(level));
    char *text = mcti_buf_take(&b);
    bool same = text && m->level && !strcmp(text, m->level);
    free(m->level);
    m->level = text;
    if (!same)
        mcti_server_send_level(m);
}

static void mcp_roots_changed(struct mcti_provider *p)
{
    struct mcti_server *m = mcti_server_of(p);
    if (m->up && !mcti_server_is_stateless(m))
        mcti_session_notify(&m->session, "notifications/roots/list_changed", MCT_STR_NONE, NULL);
}

static void mcp_notify(struct mcti_provider *p, const char *method, struct mcti_str params)
{
    struct mcti_server *m = mcti_server_of(p);
    if (m->up && !mcti_server_is_stateless(m))
        mcti_session_notify(&m->session, method, params, NULL);
}

static void mcp_refresh(struct mcti_provider *p)
{
    mcti_lists_refetch(&mcti_server_of(p)->lists, (1u << MCT_KIND_N) - 1);
}

static bool mcp_is_fetching(const struct mcti_provider *p)
{
    const struct mcti_server *m = mcti_server_of(p);
    for (int k = 0; k < MCT_KIND_N; k++)
        if (mcti_lists_busy(&m->lists, (enum mcti_kind)k))
            return true;
    return false;
}

static void mcp_freshen(struct mcti_provider *p)
{
    if (mcti_server_of(p)->up)
        mcti_lists_freshen(&mcti_server_of(p)->lists);
}

static bool mcp_list_is_current(const struct mcti_provider *p, enum mcti_kind kind)
{
    return p->standby || mcti_lists_current(&mcti_server_of(p)->lists, kind);
}

static void mcp_stop(struct mcti_provider *p)
{
    struct mcti_server *m = mcti_server_of(p);
    struct mct_error why;
    m->stopping = true;
    mcti_server_slow_end(m);
    mcti_handshake_stop(&m->handshake);
    mcti_fail(&why, MCT_ERR_CONNECT, p->retired ? "it was removed" : "it was stopped");
    mcti_server_calls_fail(m, &why);
    mcti_lists_stop(&m->lists);
    mcti_timer_stop(m->opts.sched, &m->restart);
    if (p->retired) /* its calls do not wait until the process has ended */
        mcti_server_take_down(m, &why);
    if (m->transport)
        m->transport->ops->close(m->transport);
    else
        mcti_server_stopped(m);
}

int mcti_server_make_texts(struct mcti_server *m)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 4096);
    mcti_capabilities_put(&b, m->opts.answerer);
    char *capabilities = mcti_buf_take(&b);
    mcti_meta_put_stateless(&b, MCT_STR_NONE, MCT_STR_NONE, mcti_str_of(capabilities), &(struct mcti_meta_more){ 0 });
    char *meta = mcti_buf_take(&b);
    if (!capabilities || !meta) {
        free(capabilities);
        free(meta);
        return -1;
    }
    free(m->capabilities);
    free(m->stateless_meta);
    m->capabilities = capabilities;
    m->stateless_meta = meta;
    return 0;
}

static void mcp_describe(const struct mcti_provider *p, struct mcti_transport_facts *ret)
{
    mcti_transport_describe(mcti_server_of(p)->transport, ret);
}

static void mcp_free(struct mcti_provider *p)
{
    struct mcti_server *m = mcti_server_of(p);
    struct mct_error why;
    mcti_fail(&why, MCT_ERR_CONNECT, "the gateway is shutting down");
    m->stopping = true;
    mcti_server_slow_end(m);
    mcti_timer_stop(m->opts.sched, &m->restart);
    mcti_task_stop(&m->reap);
    mcti_server_take_down(m, &why);
    mcti_server_listen_stop(m); /* callbacks above may have started requests */
    mcti_server_calls_fail(m, &why);
    mcti_transport_free(m->transport);
    mcti_transport_free(m->old);
    mcti_lists_done(&m->lists);
    mcti_server_listen_done(m);
    if (m->opts.free_data)
        m->opts.free_data(m->opts.data);
    free(m->capabilities);
    free(m->stateless_meta);
    free(m->err_out.line);
    free(m->habits);
    mcti_error_keep(&m->first_error, NULL);
    mcti_buf_done(&m->meta);
    mcti_gate_done(&m->gate);
    mcti_provider_done(p);
    free(m);
}

static const struct mcti_provider_ops ops = {
    .type = "mcp",
    .lists_foreign = true,
    .start = mcp_start,
    .call = mcti_server_call,
    .cancel = mcti_server_cancel,
    .set_level = mcp_set_level,
    .subscribe = mcti_server_subscribe,
    .unsubscribe = mcti_server_unsubscribe,
    .roots_changed = mcp_roots_changed,
    .notify = mcp_notify,
    .freshen = mcp_freshen,
    .refresh = mcp_refresh,
    .is_fetching = mcp_is_fetching,
    .list_is_current = mcp_list_is_current,
    .branch = mcti_server_branch,
    .runs_for = mcti_server_runs_for,
    .is_busy = mcti_server_is_busy,
    .stop = mcp_stop,
    .restart = mcti_server_restart,
    .describe = mcp_describe,
    .free = mcp_free,
};

void mcti_provider_mcp_retime(struct mcti_provider *p, const struct mcti_mcp_times *times,
                              const struct mcti_gate_opts *gate)
{
    if (p->ops != &ops)
        return;
    struct mcti_mcp_opts *o = &mcti_server_of(p)->opts;
    o->start_timeout_ms = times->start_ms;
    o->page_timeout_ms = times->page_ms;
    o->settle_ms = times->settle_ms;
    p->call_timeout_ms = o->call_timeout_ms = times->call_ms;
    o->gate = *gate;
    mcti_gate_set(&mcti_server_of(p)->gate, gate);
}

struct mcti_provider *mcti_provider_mcp_new(const char *name, const struct mcti_mcp_opts *opts,
                                            const struct mcti_log *log)
{
    struct mcti_server *m = calloc(1, sizeof *m);
    if (!m || mcti_provider_init(&m->base, &ops, name, opts->sched, log) < 0) {
        if (opts->free_data)
            opts->free_data(opts->data);
        if (opts->stored)
            mcti_stored_clear(opts->stored);
        free(m);
        return NULL;
    }
    m->opts = *opts;
    m->first_error = &mcti_error_none;
    mcti_gate_init(&m->gate, &m->base, &m->opts.call_timeout_ms, &opts->gate);
    m->base.answerer = opts->answerer;
    m->base.isolation = opts->isolation;
    m->base.by_capabilities = opts->by_capabilities;
    m->base.extensions = opts->extensions;
    m->base.call_timeout_ms = opts->call_timeout_ms;
    m->base.match = opts->era == MCT_ERA_AUTO ? opts->match : MCT_MATCH_NONE;
    m->verdict = opts->known;
    mcti_server_set_both(m, opts->known.both);
    m->verdict_ms = mcti_sched_now(opts->sched);
    m->base.allow = opts->allow;
    m->base.n_allow = opts->n_allow;
    m->base.deny = opts->deny;
    m->base.n_deny = opts->n_deny;
    m->opts.stored = NULL;
    m->backoff_ms = MCT_BACKOFF_FIRST_MS;
    mcti_buf_init(&m->meta, opts->message_bytes);
    mcti_list_init(&m->attempts);
    mcti_list_init(&m->calls);
    mcti_list_init(&m->held);
    mcti_list_init(&m->questions);
    mcti_timer_init(&m->recheck, mcti_server_questions_recheck, m);
    mcti_timer_init(&m->restart, server_on_restart, m);
    mcti_server_slow_init(m);
    mcti_server_lazy_init(m);
    mcti_task_init(&m->reap, reap_transport, m);
    mcti_lists_init(&m->lists, &m->base, opts->sched, mcti_server_on_lists, m);
    mcti_server_listen_init(m);
    if (opts->stored)
        mcti_server_show_stored(m, opts->stored);
    if (mcti_server_make_texts(m) == 0)
        return &m->base;
    mcp_free(&m->base);
    return NULL;
}
