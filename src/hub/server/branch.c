/* Further connections to the same server, and what they show of the eras it speaks. */
#include "hub/server/impl.h"

#include "base/limits.h"
#include "mcp/http_refusal.h"

#include <stdlib.h>

/* The transports are made by whom the origin was given, which outlives its branches. One in the handshake era is made
 * over the transport that the origin has found, as the others would only be tried in vain. */
struct mcti_provider *mcti_server_branch(struct mcti_provider *p, const struct mcti_answerer *can, bool handshake)
{
    const struct mcti_server *origin = mcti_server_of(p);
    struct mcti_mcp_opts opts = origin->opts;
    opts.free_data = NULL;
    opts.known = origin->verdict;
    if (handshake) {
        opts.era = MCT_ERA_HANDSHAKE;
        opts.rev = MCT_REV_NONE;
        opts.n_variants = 1;
    }
    struct mcti_provider *branch = mcti_provider_mcp_new(p->name, &opts, p->log);
    struct mcti_server *m = branch ? mcti_server_of(branch) : NULL;
    if (m)
        m->tries_handshake = handshake;
    if (m && origin->level)
        m->level = strdup(origin->level);
    if (m && can) {
        m->can = *can;
        m->can.roots = opts.answerer ? opts.answerer->roots : NULL;
        m->opts.answerer = branch->answerer = &m->can;
        mcti_server_make_texts(m);
    }
    return branch;
}

void mcti_server_take_both(struct mcti_server *m, enum mcti_both both)
{
    m->base.both = both;
    m->base.both_until_ms = mcti_sched_now(m->opts.sched) + MCT_BOTH_MS;
}

/* `lasts`: it is remembered in later runs, too. */
static void note_both(struct mcti_server *m, enum mcti_both both, bool lasts)
{
    struct mcti_server *origin = mcti_server_of(m->base.origin);
    bool new = origin->base.both != both;
    mcti_server_take_both(origin, both);
    origin->verdict.both = both;
    if (new &&lasts && origin->verdict.era == MCT_ERA_STATELESS && origin->opts.found)
        origin->opts.found(origin->opts.data, &origin->verdict);
}

bool mcti_server_handshake_serves(struct mcti_server *m, struct mct_error *err)
{
    struct mcti_transport_facts facts = { 0 };
    if (!m->tries_handshake)
        return true;
    if (m->transport->ops->describe)
        m->transport->ops->describe(m->transport, &facts);
    if (facts.no_session) {
        mcti_fail(err, MCT_ERR_UNSUPPORTED, "it keeps no session after initialize, so it could ask nothing");
        return false;
    }
    note_both(m, MCT_BOTH_YES, true);
    return true;
}

/* Whether that is a word of the server about initialize, not about load, credentials or the way to it. */
static bool is_refusal(const struct mct_error *err)
{
    return mcti_http_is_unsupported(err->http_status) || err->kind == MCT_ERR_SERVER ||
           err->kind == MCT_ERR_UNSUPPORTED || err->kind == MCT_ERR_PROTOCOL;
}

/* A program that has never been up in this era is not started for it again and again. */
void mcti_server_note_failure(struct mcti_server *m, const struct mct_error *err, bool known)
{
    bool refused = is_refusal(err), gives_up = refused || (m->base.by_process && !m->base.info.rev);
    if (gives_up) {
        note_both(m, MCT_BOTH_NO, refused);
        m->opts.restart = false;
    }
    enum mct_log_level level = known ? MCT_LOG_DEBUG : refused ? MCT_LOG_INFO : MCT_LOG_WARN;
    mcti_log(m->base.log, level,
             "server '%s' does not serve initialize (%s); clients of older revisions use its "
             "2026-07-28 connection",
             m->base.name, err->message);
}
