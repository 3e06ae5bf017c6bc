/* The store of results that are over their budgets, and resources/read of them. */
#include "gateway/kept.h"

#include "gateway/answer.h"

#include "base/limits.h"
#include "hub/call/start.h"

#include <stdlib.h>

void mcti_gw_results_open(struct mcti_gateway *g, const struct mcti_results_opts *opts)
{
    struct mcti_results_opts own = *opts;
    if (!opts->rules)
        return;
    own.account = &g->memory.whole;
    g->results = calloc(1, sizeof *g->results);
    if (g->results)
        mcti_results_init(g->results, g->sched, &own);
    g->dialect.results = g->results;
    g->registry->result_rules = mcti_results_on(g->results) ? opts->rules : NULL;
}

void mcti_gw_results_update(struct mcti_gateway *g, const struct mcti_results_opts *opts)
{
    if (!g->results || !opts->rules)
        return;
    mcti_results_set(g->results, opts);
    g->registry->result_rules = mcti_results_on(g->results) ? opts->rules : NULL;
    MCT_LIST_EACH(it, &g->peers)
        mcti_gw_results_offer(MCT_CONTAINER(it, struct mcti_peer, node));
}

void mcti_gw_results_offer(struct mcti_peer *p)
{
    static const struct mcti_offer nothing_else;
    struct mcti_gateway *g = p->gateway;
    if (!mcti_results_on(g->results))
        return;
    for (int of = 0; of < MCT_VIEW_N; of++) {
        struct mcti_view *v = of ? p->endpoint->others[of] : p->endpoint;
        if (v && !v->own && mcti_gw_attach(g, v, &nothing_else) < 0)
            mcti_log(g->log, MCT_LOG_ERROR, MCT_RESULT_TOOL ": " MCT_NO_MEMORY_TEXT);
    }
}

void mcti_gw_results_close(struct mcti_gateway *g)
{
    if (!g->results)
        return;
    mcti_results_done(g->results);
    free(g->results);
    g->results = g->dialect.results = NULL;
    g->registry->result_rules = NULL;
}

void mcti_gw_read_result(struct mcti_gw_request *r, struct mcti_str uri)
{
    struct mcti_outcome o = { .rev = MCT_REV_LATEST_HANDSHAKE };
    struct mcti_buf b;
    struct mct_error err;
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * r->peer->gateway->message_bytes);
    const uint64_t *authority = r->peer->is_command ? NULL : &r->principal->authority;
    const struct mcti_kept *kept = mcti_results_read(r->peer->gateway->results, uri, authority, &b, &err);
    if (kept) {
        struct mcti_call as = { .authority = r->principal->authority,
                                .session = mcti_rev_is_stateless(r->rev) ? 0 : r->peer->number };
        mcti_external_kept(&as, r->peer->gateway->registry->outside, kept->from);
        o.result = mcti_buf_str(&b);
        mcti_gw_answer_result(r, &o);
    } else {
        if (err.kind == MCT_ERR_NOT_FOUND)
            err.code = mcti_rev_is_stateless(r->rev) ? MCT_RPC_INVALID_PARAMS : MCT_RPC_RESOURCE_NOT_FOUND;
        mcti_gw_fail(r, &err);
    }
    mcti_buf_done(&b);
}
