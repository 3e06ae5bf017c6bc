/*
 * One attempt to connect: finds the transport and the era that a server speaks, makes the handshake and fetches the
 * lists. After a failure it selects the next attempt.
 */
#include "hub/server/alive.h"
#include "hub/server/branch.h"
#include "hub/server/call.h"
#include "hub/server/connect.h"
#include "hub/server/hold.h"
#include "hub/server/lazy.h"
#include "hub/server/listen.h"
#include "hub/server/slow.h"

#include "base/limits.h"
#include "hub/core/entrance.h"
#include "hub/core/hosted.h"
#include "mcp/http_refusal.h"
#include "hub/vet/vetted.h"

#include <stdlib.h>

enum { VERDICT_MS = 24 * 3600 * 1000 }; /* after an update, a server may speak the stateless era */

/* A server that ends on server/discover is started once more, with initialize. */
bool mcti_server_try_handshake_era(struct mcti_server *m)
{
    bool era_is_open = m->era == MCT_ERA_AUTO || m->from_verdict;
    if (m->stopping || m->respawned || !era_is_open)
        return false;
    m->respawned = true;
    m->from_verdict = false;
    m->verdict = (struct mcti_verdict){ 0 };
    m->era = MCT_ERA_HANDSHAKE;
    mcti_server_begin(m);
    return true;
}

/* Connects at once over a new transport. */
static void connect_again(struct mcti_server *m)
{
    struct mct_error why;
    mcti_fail(&why, MCT_ERR_CONNECT, "trying another way to connect");
    mcti_server_take_down(m, &why);
    mcti_server_drop_transport(m);
    mcti_server_begin(m);
}

/* Connects without the verdict if the error shows that it is outdated. */
bool mcti_server_try_without_verdict(struct mcti_server *m, const struct mct_error *err)
{
    bool conclusive = mcti_http_is_unsupported(err->http_status) || err->kind == MCT_ERR_PROTOCOL ||
                      err->kind == MCT_ERR_SERVER || (err->kind == MCT_ERR_TIMEOUT && !err->unsent);
    if (m->stopping || !m->from_verdict || !conclusive)
        return false;
    m->verdict = (struct mcti_verdict){ 0 };
    mcti_server_take_down(m, err);
    mcti_server_drop_transport(m);
    mcti_server_start_attempt(m);
    return true;
}

/* A URL that refuses one transport may serve the next one (2025-03-26 "Transports", "Backwards Compatibility"). */
bool mcti_server_try_next_variant(struct mcti_server *m, const struct mct_error *err)
{
    struct mcti_transport_facts facts = { 0 };
    mcti_transport_describe(m->transport, &facts);
    int status = err->http_status ? err->http_status : facts.http_status;
    bool fits = m->opts.era != MCT_ERA_STATELESS || !(m->opts.handshake_variants & 2u << m->variant);
    if (m->stopping || m->variant + 1 >= m->opts.n_variants || !fits || !mcti_http_is_unsupported(status))
        return false;
    mcti_error_keep(&m->first_error, err);
    m->variant++;
    connect_again(m);
    return true;
}

static void note_verdict(struct mcti_server *m)
{
    struct mcti_verdict now = { mcti_rev_is_stateless(m->base.info.rev) ? MCT_ERA_STATELESS : MCT_ERA_HANDSHAKE,
                                m->variant, MCT_BOTH_UNKNOWN };
    if (m->opts.era != MCT_ERA_AUTO || m->from_verdict)
        return;
    m->verdict = now;
    mcti_server_set_both(m, now.both);
    m->verdict_ms = mcti_sched_now(m->opts.sched);
    if (m->opts.found)
        m->opts.found(m->opts.data, &now);
}

void mcti_server_start_attempt(struct mcti_server *m)
{
    bool old = mcti_sched_now(m->opts.sched) - m->verdict_ms >= VERDICT_MS;
    m->from_verdict =
        m->opts.era == MCT_ERA_AUTO && m->verdict.era != MCT_ERA_AUTO && (m->verdict.era == MCT_ERA_STATELESS || !old);
    m->era = m->from_verdict ? m->verdict.era : m->opts.era;
    m->variant = m->from_verdict ? m->verdict.variant : 0;
    m->respawned = false;
    mcti_error_keep(&m->first_error, NULL);
    mcti_server_begin(m);
}

/* ---- handshake and lists ---- */

void mcti_server_on_lists(void *data)
{
    struct mcti_server *m = data;
    if (!m->up) {
        m->up = m->was_up = true;
        m->up_since_ms = mcti_sched_now(m->opts.sched);
        mcti_server_slow_end(m);
        mcti_provider_set_state(&m->base, MCT_CONNECTED, NULL);
        mcti_server_listen_begin(m);
        mcti_server_log_hosted(m);
        mcti_server_idle_begin(m);
    }
    if (m->opts.listed && !m->base.origin && !m->lists.failed)
        m->opts.listed(m->opts.data, &m->base);
    mcti_server_calls_go_on(m);
    mcti_server_held_go(m);
    if (m->base.events.fetched)
        m->base.events.fetched(m->base.events.data, &m->base);
}

static unsigned page_ms(const struct mcti_server *m)
{
    return m->opts.page_timeout_ms ? m->opts.page_timeout_ms : m->opts.start_timeout_ms;
}

/* Returns the time left for the lists: the rest of the start timeout, but at least a quarter of the limit of a page. */
static unsigned remaining_ms(const struct mcti_server *m)
{
    uint64_t now = mcti_sched_now(m->opts.sched), min = page_ms(m) / 4;
    uint64_t left = m->start_deadline_ms > now ? m->start_deadline_ms - now : 0;
    if (left > page_ms(m))
        left = page_ms(m);
    return (unsigned)(left > min ? left : min ? min : 1);
}

const struct mct_error *mcti_server_best_error(const struct mcti_server *m, const struct mct_error *err)
{
    if (!m->first_error->kind || !mcti_http_is_unsupported(err->http_status))
        return err;
    mcti_log(m->base.log, MCT_LOG_DEBUG, "server '%s': %s", m->base.name, err->message);
    return m->first_error;
}

static void connect_handshake_failed(struct mcti_server *m, const struct mct_error *err)
{
    struct mct_error why = *err;
    if (mcti_server_try_without_verdict(m, &why) || mcti_server_try_next_variant(m, &why))
        return;
    mcti_server_abandon(m, mcti_server_best_error(m, &why));
}

static void server_connect_on_handshake(struct mcti_handshake *h, const struct mct_error *err)
{
    struct mcti_server *m = h->data;
    if (err) {
        connect_handshake_failed(m, err);
        return;
    }
    mcti_server_info_clear(&m->base.info);
    m->base.info = h->info;
    h->info = (struct mcti_server_info){ 0 };
    mcti_hosted_take(&m->base, mcti_str_of(m->base.info.meta));
    free(m->base.info.meta);
    m->base.info.meta = NULL;
    mcti_vetted_identity(&m->base);
    m->session.rev = m->base.info.rev;
    struct mct_error why;
    if (!mcti_server_handshake_serves(m, &why)) {
        mcti_server_abandon(m, &why);
        return;
    }
    mcti_log(m->base.log, MCT_LOG_DEBUG, "server '%s' speaks %s over %s", m->base.name, mcti_rev_text(m->base.info.rev),
             m->base.transport);
    note_verdict(m);
    struct mcti_str meta = mcti_server_is_stateless(m) ? mcti_str_of(m->stateless_meta) : MCT_STR_NONE;
    m->lists.checks_headers = mcti_server_is_stateless(m) && m->transport->ops->http;
    m->base.has_greeted = true;
    mcti_lists_start(&m->lists, &m->session, meta, remaining_ms(m), page_ms(m));
}

void mcti_server_start_handshake(struct mcti_server *m)
{
    struct mct_error err;
    bool old_only = m->opts.handshake_variants & 1u << m->variant;
    bool http = m->transport->ops->http; /* over HTTP a slow answer does not indicate a handshake server */
    unsigned probe = m->opts.probe_timeout_ms ? m->opts.probe_timeout_ms : MCT_PROBE_TIMEOUT_MS;
    if (probe > m->opts.start_timeout_ms / 2)
        probe = m->opts.start_timeout_ms / 2 + 1;
    if (http)
        probe = m->opts.start_timeout_ms;
    m->handshake = (struct mcti_handshake){
        .session = &m->session,
        .transport = m->transport,
        .era = old_only ? MCT_ERA_HANDSHAKE : m->era,
        .rev = m->opts.rev,
        .capabilities = m->capabilities,
        .silence_is_handshake = !http,
        .probe_ms = probe,
        .timeout_ms = m->opts.start_timeout_ms,
        .done = server_connect_on_handshake,
        .data = m,
    };
    if (mcti_handshake_start(&m->handshake, &err) < 0)
        m->transport->ops->close(m->transport); /* on_closed reports the error */
}

/* ---- restart ---- */

void mcti_server_restart(struct mcti_provider *p)
{
    struct mcti_server *m = mcti_server_of(p);
    struct mct_error why;
    if (m->stopping)
        return;
    mcti_fail(&why, MCT_ERR_CONNECT, "it was restarted");
    mcti_error_keep(&p->error, &why); /* a known error is not logged as a warning */
    m->backoff_ms = MCT_BACKOFF_FIRST_MS;
    p->entrance->ops->reset(p->entrance);
    if (m->transport && m->open)
        mcti_server_abandon(m, &why);
    m->again = m->transport != NULL;
    p->settled = false;
    mcti_timer_set(m->opts.sched, &m->restart, m->again ? MCT_BACKOFF_FIRST_MS : 0);
}
