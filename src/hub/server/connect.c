/*
 * One attempt to connect: finding out which of its transports and which era a server speaks, the first
 * words, the lists; and what is tried next when that fails.
 */
#include "hub/server/impl.h"

#include "base/limits.h"
#include "mcp/http_refusal.h"

enum { VERDICT_MS = 24 * 3600 * 1000 }; /* a server may learn the stateless era */

/* A server that cannot bear server/discover gets one fresh start with initialize. */
bool mcp_try_handshake_era(struct mcp *m)
{
    bool open_question = m->era == MCT_ERA_AUTO || m->from_verdict;
    if (m->stopping || m->respawned || !open_question)
        return false;
    m->respawned = true;
    m->from_verdict = false;
    m->verdict = (struct mct_verdict){ 0 };
    m->era = MCT_ERA_HANDSHAKE;
    mcp_begin(m);
    return true;
}

/* The same server again over a new transport, at once. */
static void begin_anew(struct mcp *m)
{
    struct mct_error why;
    mct_fail(&why, MCT_ERR_CONNECT, "another way to connect is tried");
    mcp_take_down(m, &why);
    mcp_drop_transport(m);
    mcp_begin(m);
}

/* What was remembered of the server does not hold any more. */
bool mcp_try_without_verdict(struct mcp *m, const struct mct_error *err)
{
    bool tells = mct_http_says_other(err->http_status) || err->kind == MCT_ERR_PROTOCOL ||
                 err->kind == MCT_ERR_SERVER || (err->kind == MCT_ERR_TIMEOUT && !err->unsent);
    if (m->stopping || !m->from_verdict || !tells)
        return false;
    m->verdict = (struct mct_verdict){ 0 };
    mcp_take_down(m, err);
    mcp_drop_transport(m);
    mcp_start_attempt(m);
    return true;
}

/* A URL that refuses one transport may be meant for the next (2025-03-26, "Backwards Compatibility"). */
bool mcp_try_next_variant(struct mcp *m, const struct mct_error *err)
{
    struct mct_transport_facts facts = { 0 };
    if (m->transport->ops->describe)
        m->transport->ops->describe(m->transport, &facts);
    int status = err->http_status ? err->http_status : facts.http_status;
    bool fits = m->opts.era != MCT_ERA_STATELESS || !(m->opts.handshake_variants & 2u << m->variant);
    if (m->stopping || m->variant + 1 >= m->opts.n_variants || !fits || !mct_http_says_other(status))
        return false;
    m->first_error = *err;
    m->variant++;
    begin_anew(m);
    return true;
}

static void note_verdict(struct mcp *m)
{
    struct mct_verdict now = { mct_rev_is_stateless(m->base.info.rev) ? MCT_ERA_STATELESS : MCT_ERA_HANDSHAKE,
                               m->variant, MCT_BOTH_UNKNOWN };
    if (m->opts.era != MCT_ERA_AUTO || m->from_verdict)
        return;
    m->verdict = now;
    mcp_take_both(m, now.both);
    m->verdict_ms = mct_sched_now(m->opts.sched);
    if (m->opts.found)
        m->opts.found(m->opts.data, &now);
}

void mcp_start_attempt(struct mcp *m)
{
    bool old = mct_sched_now(m->opts.sched) - m->verdict_ms >= VERDICT_MS;
    m->from_verdict = m->opts.era == MCT_ERA_AUTO && m->verdict.era != MCT_ERA_AUTO &&
                      (m->verdict.era == MCT_ERA_STATELESS || !old);
    m->era = m->from_verdict ? m->verdict.era : m->opts.era;
    m->variant = m->from_verdict ? m->verdict.variant : 0;
    m->respawned = false;
    m->first_error = (struct mct_error){ 0 };
    mcp_begin(m);
}

/* ---- the first words ---- */

void mcp_on_lists(void *data)
{
    struct mcp *m = data;
    if (m->base.state == MCT_CONNECTING) {
        m->up_since_ms = mct_sched_now(m->opts.sched);
        mct_provider_set_state(&m->base, MCT_CONNECTED, NULL);
        mcp_listen_begin(m);
    }
    mcp_calls_go_on(m);
    if (m->base.events.fetched)
        m->base.events.fetched(m->base.events.data, &m->base);
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
const struct mct_error *mcp_telling_error(const struct mcp *m, const struct mct_error *err)
{
    if (!m->first_error.kind || !mct_http_says_other(err->http_status))
        return err;
    mct_log(m->base.log, MCT_LOG_DEBUG, "server '%s': %s", m->base.name, err->message);
    return &m->first_error;
}

static void handshake_failed(struct mcp *m, const struct mct_error *err)
{
    struct mct_error why = *err;
    if (mcp_try_without_verdict(m, &why) || mcp_try_next_variant(m, &why))
        return;
    mcp_abandon(m, mcp_telling_error(m, &why));
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
    struct mct_error why;
    if (!mcp_handshake_serves(m, &why)) {
        mcp_abandon(m, &why);
        return;
    }
    mct_log(m->base.log, MCT_LOG_DEBUG, "server '%s' speaks %s over %s", m->base.name,
            mct_rev_text(m->base.info.rev), m->base.transport);
    note_verdict(m);
    struct mct_str meta = mcp_is_stateless(m) ? mct_str_of(m->stateless_meta) : MCT_STR_NONE;
    m->lists.checks_headers = mcp_is_stateless(m) && m->transport->ops->http;
    mct_lists_start(&m->lists, &m->session, meta, remaining_ms(m), m->opts.start_timeout_ms);
}

void mcp_start_handshake(struct mcp *m)
{
    struct mct_error err;
    bool old_only = m->opts.handshake_variants & 1u << m->variant;
    bool http = m->transport->ops->http; /* a slow answer says nothing of the server there */
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
