/*
 * Pings, and reports of plugin hosts. 2026-07-28 has no ping; there the request is server/discover, which every server
 * must answer ("Server discovery") and which has no effect.
 */
#include "hub/server/alive.h"

#include "base/limits.h"
#include "hub/core/hosted.h"

/* ---- ping ---- */

static void plan_ping(struct mcti_server *m)
{
    if (m->opts.ping_ms)
        mcti_timer_set(m->opts.sched, &m->ping, m->opts.ping_ms);
}

static void server_alive_on_pong(struct mcti_outbound *o, const struct mcti_msg *answer, const struct mct_error *err)
{
    struct mcti_server *m = MCT_CONTAINER(o, struct mcti_server, ping_out);
    struct mct_error why;
    m->n_pings_lost = answer ? 0 : m->n_pings_lost + 1; /* an error is an answer, too */
    if (m->n_pings_lost < 2) {
        plan_ping(m);
    } else if (m->open) {
        why = *err;
        mcti_error_wrap(&why, "no answer to ping");
        mcti_server_abandon(m, &why);
    }
}

static int alive_send(struct mcti_server *m, struct mcti_outbound *o, struct mct_error *err)
{
    bool stateless = mcti_server_is_stateless(m);
    struct mcti_buf *b = mcti_session_begin(&m->session, o, stateless ? "server/discover" : "ping");
    if (stateless)
        mcti_buf_printf(b, "{\"_meta\":%s}", m->stateless_meta);
    else
        mcti_buf_addz(b, "{}");
    return mcti_session_send(&m->session, o, err);
}

static void server_alive_on_ping_due(void *data)
{
    struct mcti_server *m = data;
    if (m->ping_out.session)
        return; /* its answer plans the next ping */
    m->ping_out = (struct mcti_outbound){ .done = server_alive_on_pong, .timeout_ms = m->opts.ping_ms };
    alive_send(m, &m->ping_out, NULL);
}

void mcti_server_alive_init(struct mcti_server *m)
{
    mcti_timer_init(&m->ping, server_alive_on_ping_due, m);
}

void mcti_server_alive_begin(struct mcti_server *m)
{
    m->n_pings_lost = 0;
    plan_ping(m);
}

void mcti_server_alive_stop(struct mcti_server *m)
{
    mcti_timer_stop(m->opts.sched, &m->ping);
    mcti_session_cancel(&m->ping_out, NULL);
    mcti_session_cancel(&m->check_out, NULL);
}

/* ---- after a time-out ---- */

static void server_alive_on_checked(struct mcti_outbound *o, const struct mcti_msg *answer, const struct mct_error *err)
{
    struct mcti_server *m = MCT_CONTAINER(o, struct mcti_server, check_out);
    struct mct_error why = { 0 };
    if (!m->open)
        return;
    if (!answer) {
        why = *err;
        mcti_error_wrap(&why, "a call timed out, and a ping");
    }
    mcti_gate_pinged(mcti_gate_of(&m->base), answer ? NULL : &why);
}

void mcti_server_check(struct mcti_server *m, uint64_t since_ms)
{
    struct mct_error err;
    if (!m->opts.gate.breaker.failures || m->heard_ms > since_ms || m->check_out.session || !m->up ||
        m->session.n_holds)
        return;
    m->check_out = (struct mcti_outbound){ .done = server_alive_on_checked, .timeout_ms = MCT_BREAKER_PING_MS };
    if (alive_send(m, &m->check_out, &err) < 0)
        mcti_gate_pinged(mcti_gate_of(&m->base), &err);
}

/* ---- plugins ---- */

static void alive_warn(void *data, const char *text)
{
    const struct mcti_server *m = data;
    mcti_log(m->base.log, MCT_LOG_WARN, "server '%s': %s", m->base.name, text);
}

static void alive_inform(void *data, const char *text)
{
    const struct mcti_server *m = data;
    mcti_log(m->base.log, MCT_LOG_INFO, "server '%s': %s", m->base.name, text);
}

void mcti_server_log_hosted(struct mcti_server *m)
{
    if (!m->opts.log_failures)
        return;
    mcti_hosted_tell(&m->base, MCT_HOSTED_FAULTS, alive_warn, m);
    mcti_hosted_tell(&m->base, MCT_HOSTED_OFF, alive_inform, m);
}

void mcti_server_on_hosted(struct mcti_server *m, struct mcti_str params)
{
    const struct mcti_provider_events *e = &m->base.events;
    bool was_whole = mcti_hosted_whole(&m->base);
    if (!mcti_hosted_take(&m->base, params))
        return;
    if (!mcti_hosted_whole(&m->base))
        mcti_hosted_tell(&m->base, MCT_HOSTED_FAULTS, alive_warn, m);
    else if (!was_whole)
        mcti_log(m->base.log, MCT_LOG_INFO, "server '%s': all its plugins are there again", m->base.name);
    if (mcti_json_true(mcti_json_get(params, "hooksChanged")) && e->hosted)
        e->hosted(e->data, &m->base);
}
