/* Stage "results": cuts results that are over the budget of their tool, and keeps the whole. */
#include "hub/call/stages.h"
#include "hub/results/results.h"

#include <stdlib.h>

struct results_stage {
    struct mcti_stage stage;
    struct mcti_results *results;
    size_t budget;
};

static struct results_stage *results_stage_of(struct mcti_stage *s)
{
    return MCT_CONTAINER(s, struct results_stage, stage);
}

enum mcti_pass mcti_results_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err)
{
    if (!start || !mcti_results_on(start->results) || !start->found || !mcti_call_is_of_tool(call) ||
        (start->view && mcti_view_is_own(start->view, start->found)))
        return MCT_PASS;
    const struct mcti_exposure *x = start->found;
    size_t budget = mcti_result_budget(start->results->opts.rules, x->provider->name, x->item->id);
    if (!budget)
        return MCT_PASS;
    struct results_stage *s = malloc(sizeof *s);
    if (!s) {
        mcti_no_memory(err);
        return MCT_ANSWER;
    }
    *s = (struct results_stage){ .results = start->results, .budget = budget };
    mcti_stage_put(call, &s->stage);
    return MCT_PASS;
}

void mcti_results_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed)
{
    (void)call;
    if (failed)
        free(results_stage_of(s));
}

void mcti_results_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason)
{
    (void)call;
    (void)reason;
    free(results_stage_of(s));
}

/* Passes the beginning of the result on. */
static void results_pass_cut(struct mcti_call *call, const struct mcti_outcome *o, struct mcti_results *r,
                             size_t budget)
{
    struct mcti_outcome cut = *o;
    struct mcti_buf b;
    struct mct_error err;
    struct mcti_kept *kept = mcti_results_keep(r, o->result, call->authority);
    if (kept && mcti_external_from(call))
        kept->from = mcti_text_ref(mcti_external_from(call));
    mcti_buf_init(&b, 16 * budget + 65536);
    mcti_result_cut(&b, o->result, budget, r, kept);
    r->n_cut++;
    cut.chunk = NULL;
    if (!mcti_rev_is_stateless(o->rev))
        cut.rev = MCT_REV_LATEST_HANDSHAKE; /* the link is a block of that revision */
    if (mcti_buf_ok(&b)) {
        cut.result = mcti_buf_str(&b);
    } else {
        mcti_no_memory(&err);
        cut = (struct mcti_outcome){ .failed = &err, .rev = o->rev };
    }
    mcti_call_leave(call, &cut);
    mcti_buf_done(&b);
}

void mcti_results_leave(struct mcti_stage *stage, struct mcti_call *call, const struct mcti_outcome *o)
{
    struct results_stage s = *results_stage_of(stage);
    mcti_stage_take(call, stage);
    free(results_stage_of(stage));
    if (o->result.p && o->result.len > s.budget && !o->blocked && !mcti_outcome_is_pending(o))
        results_pass_cut(call, o, s.results, s.budget);
    else
        mcti_call_leave(call, o);
}
