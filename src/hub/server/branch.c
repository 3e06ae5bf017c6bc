/* Further connections to the same server, and their results about the eras that it speaks. */
#include "hub/server/branch.h"

#include "base/limits.h"
#include "mcp/http_refusal.h"

#include <stdlib.h>

/* The branch borrows opts.data of the origin, which outlives it. A branch in the handshake era uses only the transport
 * variant that the origin has found. */
struct mcti_provider *mcti_server_branch(struct mcti_provider *p, const struct mcti_answerer *can, bool handshake)
{
    const struct mcti_server *origin = mcti_server_of(p);
    struct mcti_mcp_opts opts = origin->opts;
    opts.free_data = NULL;
    opts.lazy = false; /* it is made when it is needed, and ends when it is not */
    opts.idle_ms = 0;
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
    if (m)
        branch->entrance = p->entrance;
    if (m && origin->level)
        m->level = strdup(origin->level);
    if (m && can) {
        m->can = *can;
        m->can.roots = opts.answerer ? opts.answerer->roots : NULL;
        m->can.own = opts.answerer ? opts.answerer->own : NULL;
        m->opts.answerer = branch->answerer = &m->can;
        mcti_server_make_texts(m);
        m->can.open = MCT_STR_NONE; /* of the client */
    }
    return branch;
}

void mcti_server_set_both(struct mcti_server *m, enum mcti_both both)
{
    m->base.both = both;
    m->base.both_until_ms = mcti_sched_now(m->opts.sched) + MCT_BOTH_MS;
}

/* Stores whether the server speaks both eras; `lasts`: also for later runs. */
static void note_both(struct mcti_server *m, enum mcti_both both, bool lasts)
{
    struct mcti_server *origin = mcti_server_of(m->base.origin);
    bool new = origin->base.both != both;
    mcti_server_set_both(origin, both);
    origin->verdict.both = both;
    if (new &&lasts && origin->verdict.era == MCT_ERA_STATELESS && origin->opts.found)
        origin->opts.found(origin->opts.data, &origin->verdict);
}

bool mcti_server_handshake_serves(struct mcti_server *m, struct mct_error *err)
{
    struct mcti_transport_facts facts = { 0 };
    if (!m->tries_handshake)
        return true;
    mcti_transport_describe(m->transport, &facts);
    if (facts.no_session) {
        mcti_fail(err, MCT_ERR_UNSUPPORTED,
                  "the server keeps no session after initialize, so it could not ask questions");
        return false;
    }
    note_both(m, MCT_BOTH_YES, true);
    return true;
}

/* Returns true if the error is the server's refusal of initialize, not one of load, credentials or the network. */
static bool is_refusal(const struct mct_error *err)
{
    return mcti_http_is_unsupported(err->http_status) || err->kind == MCT_ERR_SERVER ||
           err->kind == MCT_ERR_UNSUPPORTED || err->kind == MCT_ERR_PROTOCOL;
}

/* A program that never came up in this era is not restarted for it. */
void mcti_server_note_failure(struct mcti_server *m, const struct mct_error *err, bool known)
{
    bool refused = is_refusal(err), give_up = refused || (m->base.by_process && !m->base.info.rev);
    if (give_up) {
        note_both(m, MCT_BOTH_NO, refused);
        m->opts.restart = false;
    }
    enum mct_log_level level = known ? MCT_LOG_DEBUG : refused ? MCT_LOG_INFO : MCT_LOG_WARN;
    mcti_log(m->base.log, level,
             "server '%s' does not serve initialize (%s); clients of older revisions use its "
             "2026-07-28 connection",
             m->base.name, err->message);
}
