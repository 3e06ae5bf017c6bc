/* Stage "results": cuts results that are over the budget of their tool, and keeps the whole. */
#include "hub/call/stages.h"
#include "hub/results/results.h"

#include <stdlib.h>

struct results_stage {
    struct mcti_stage stage;
    struct mcti_results *results;
    size_t budget;
    /* while a long result is being shortened: */
    struct mcti_result_job *job; /* NULL: it is not */
    struct mcti_call *call;
    struct mcti_outcome outcome; /* its chunk is held */
};

static struct results_stage *results_stage_of(struct mcti_stage *s)
{
    return MCT_CONTAINER(s, struct results_stage, stage);
}

static void results_stage_free(struct results_stage *s)
{
    mcti_result_job_free(s->job);
    mcti_chunk_unref(s->outcome.chunk);
    free(s);
}

enum mcti_pass mcti_results_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err)
{
    if (!start || !mcti_results_on(start->results) || !start->found || !mcti_call_is_of_tool(call) ||
        (start->view && mcti_view_is_own(start->view, start->found)))
        return MCT_PASS;
    const struct mcti_exposure *x = start->found;
    size_t budget = mcti_result_budget(start->results->opts.rules, x->provider->name, mcti_item_id(x->item));
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
        results_stage_free(results_stage_of(s));
}

void mcti_results_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason)
{
    (void)call;
    (void)reason;
    results_stage_free(results_stage_of(s));
}

/* Passes the shortened result on, and ends the stage. */
static void results_on_shortened(void *data)
{
    struct results_stage *s = data;
    struct mcti_call *call = s->call;
    struct mcti_outcome cut = s->outcome;
    struct mct_error err;
    struct mcti_kept *kept = mcti_result_job_kept(s->job);
    if (kept && mcti_external_from(call))
        kept->from = mcti_text_ref(mcti_external_from(call));
    cut.chunk = NULL;
    if (!mcti_rev_is_stateless(cut.rev))
        cut.rev = MCT_REV_LATEST_HANDSHAKE; /* the link is a block of that revision */
    cut.result = mcti_result_job_text(s->job);
    if (!cut.result.len) {
        mcti_no_memory(&err);
        cut = (struct mcti_outcome){ .failed = &err, .rev = s->outcome.rev };
    }
    mcti_stage_take(call, &s->stage);
    mcti_call_leave(call, &cut);
    results_stage_free(s);
}

/* Shortens the result: a long one, whose bytes can be held, from turn to turn. */
static void results_shorten(struct results_stage *s, struct mcti_call *call, const struct mcti_outcome *o)
{
    s->call = call;
    s->outcome = *o;
    if (o->chunk && mcti_result_job_start(s->job, o->chunk->len, results_on_shortened, s)) {
        mcti_chunk_ref(o->chunk);
        return;
    }
    s->outcome.chunk = NULL;
    mcti_result_job_run(s->job);
    results_on_shortened(s);
}

/* Ends the stage and passes the outcome on. */
static void results_pass_on(struct results_stage *s, struct mcti_call *call, const struct mcti_outcome *o)
{
    mcti_stage_take(call, &s->stage);
    results_stage_free(s);
    mcti_call_leave(call, o);
}

void mcti_results_leave(struct mcti_stage *stage, struct mcti_call *call, const struct mcti_outcome *o)
{
    struct results_stage *s = results_stage_of(stage);
    struct mct_error err;
    if (!o->result.p || o->result.len <= s->budget || o->blocked || mcti_outcome_is_pending(o)) {
        results_pass_on(s, call, o);
        return;
    }
    s->job = mcti_result_job_new(s->results, o->result, s->budget, call->authority);
    if (s->job) {
        results_shorten(s, call, o);
        return;
    }
    mcti_no_memory(&err);
    results_pass_on(s, call, &(struct mcti_outcome){ .failed = &err, .rev = o->rev });
}
