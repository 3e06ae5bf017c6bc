/* The store of results that are over their budgets, and resources/read of them. */
#include "gateway/kept.h"

#include "gateway/answer.h"

#include "base/limits.h"

#include <stdlib.h>

void mcti_gw_results_open(struct mcti_gateway *g, const struct mcti_results_opts *opts)
{
    struct mcti_results_opts own = *opts;
    if (!opts->rules || !mcti_result_rules_any(opts->rules))
        return;
    own.account = &g->memory.whole;
    g->results = calloc(1, sizeof *g->results);
    if (g->results)
        mcti_results_init(g->results, g->sched, &own);
    g->dialect.results = g->results;
    g->registry->result_rules = g->results ? opts->rules : NULL;
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

/* Writes the result of resources/read. Returns -1 with *err. */
static int results_read(struct mcti_gw_request *r, struct mcti_str uri, struct mcti_buf *to, struct mct_error *err)
{
    struct mcti_result_query q;
    const struct mcti_kept *kept;
    mcti_result_query_init(&q);
    int result = mcti_result_query_read(&q, uri, err);
    if (result == 0) {
        kept = mcti_results_find(r->peer->gateway->results, mcti_buf_str(&q.id), r->principal->authority);
        result = kept ? mcti_result_put_read(to, kept, &q, uri, err) : mcti_fail_no_result(err);
    }
    mcti_result_query_done(&q);
    return result;
}

void mcti_gw_read_result(struct mcti_gw_request *r, struct mcti_str uri)
{
    struct mcti_outcome o = { .rev = MCT_REV_LATEST_HANDSHAKE };
    struct mcti_buf b;
    struct mct_error err;
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * r->peer->gateway->message_bytes);
    if (results_read(r, uri, &b, &err) == 0) {
        o.result = mcti_buf_str(&b);
        mcti_gw_answer_result(r, &o);
    } else {
        if (err.kind == MCT_ERR_NOT_FOUND)
            err.code = mcti_rev_is_stateless(r->rev) ? MCT_RPC_INVALID_PARAMS : MCT_RPC_RESOURCE_NOT_FOUND;
        mcti_gw_fail(r, &err);
    }
    mcti_buf_done(&b);
}
