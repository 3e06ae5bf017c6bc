#include "hub/core/rounds.h"

#include "base/limits.h"
#include "mcp/mrtr.h"

#include <stdlib.h>

enum { PACE_MS = 250 };

struct mcti_rounds {
    struct mcti_call *call;
    struct mcti_provider *provider;
    void (*done)(struct mcti_call *call, const struct mcti_outcome *outcome); /* the caller's */
    char *params;                                                             /* as they are sent, without answers */
    size_t len;
    char *caller_text; /* the spans of call->caller, one behind the other */
    enum mcti_rev rev; /* of the server that asked */
    bool by_url;       /* this round is for -32042 */
    unsigned n;
    struct mcti_round round;
    struct mcti_timer pace;
};

static void rounds_free(struct mcti_rounds *r)
{
    mcti_round_stop(&r->round);
    mcti_timer_stop(r->provider->sched, &r->pace);
    r->call->rounds = NULL;
    r->call->done = r->done;
    free(r->params);
    free(r->caller_text);
    free(r);
}

static void rounds_finish(struct mcti_rounds *r, const struct mcti_outcome *o)
{
    struct mcti_call *call = r->call;
    call->asked |= r->n > 0;
    rounds_free(r);
    call->provider = NULL;
    call->done(call, o);
}

static void rounds_fail(struct mcti_rounds *r, const struct mct_error *err, bool unasked)
{
    struct mct_error why = *err;
    struct mcti_outcome o = { .failed = &why, .rev = r->rev, .unasked = unasked };
    mcti_error_wrap(&why, "server '%s'", r->provider->name);
    rounds_finish(r, &o);
}

/* ---- the call once more ---- */

static void rounds_send_again(struct mcti_rounds *r, struct mcti_str responses, struct mcti_str state)
{
    struct mcti_call *call = r->call;
    struct mct_error err;
    struct mcti_buf b;
    const struct mcti_json_set sets[] = { { "inputResponses", responses }, { "requestState", state } };
    mcti_buf_init(&b, r->len + responses.len + state.len + 64);
    mcti_json_put_object(&b, (struct mcti_str){ r->params, r->len }, sets, 2);
    call->params = mcti_buf_str(&b);
    call->meta = mcti_json_get(call->params, "_meta");
    call->subject.value = MCT_STR_NONE;
    call->provider = r->provider;
    int result = mcti_buf_ok(&b) ? r->provider->ops->call(r->provider, call, &err) : mcti_no_memory(&err);
    mcti_buf_done(&b);
    if (result < 0)
        rounds_fail(r, &err, false);
}

static void rounds_on_pace(void *data)
{
    struct mcti_rounds *r = data;
    rounds_send_again(r, MCT_STR_NONE, mcti_str_of(r->round.state));
}

/* ---- the answers ---- */

/* Every answer must be an accept: the server was only waiting for a page to be visited. */
static bool all_accepted(struct mcti_str responses)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(responses); mcti_json_next_member(&it, &m);)
        if (!mcti_json_is(mcti_json_get(m.value, "action"), "accept"))
            return false;
    return true;
}

static void rounds_on_round(struct mcti_round *round, struct mcti_str responses, const struct mct_error *err)
{
    struct mcti_rounds *r = MCT_CONTAINER(round, struct mcti_rounds, round);
    struct mct_error why;
    if (err) {
        rounds_fail(r, err, true);
    } else if (r->by_url && !all_accepted(responses)) {
        mcti_fail(&why, MCT_ERR_SERVER, "the page the server asks to visit was declined");
        rounds_fail(r, &why, true);
    } else if (r->by_url) {
        rounds_send_again(r, MCT_STR_NONE, MCT_STR_NONE);
    } else if (!responses.p) {
        mcti_timer_set(r->provider->sched, &r->pace, PACE_MS);
    } else {
        rounds_send_again(r, responses, mcti_str_of(round->state));
    }
}

static void rounds_begin(struct mcti_rounds *r, struct mcti_str questions, struct mcti_str state)
{
    struct mct_error err;
    if (++r->n > MCT_LIMIT_ROUNDS) {
        mcti_fail(&err, MCT_ERR_LIMIT, "the server asked back %d times without an answer", MCT_LIMIT_ROUNDS);
        rounds_fail(r, &err, true);
        return;
    }
    mcti_round_stop(&r->round);
    r->round = (struct mcti_round){ .answerer = r->call->answerer ? r->call->answerer : r->provider->answerer,
                                    .server = r->provider->name,
                                    .about = r->call,
                                    .done = rounds_on_round };
    mcti_round_start(&r->round, questions, state);
}

static void rounds_on_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_rounds *r = call->rounds;
    struct mcti_buf urls;
    r->rev = o->rev;
    call->provider = r->provider; /* so that it can be cancelled while answers are gathered */
    if (o->result.p && mcti_rev_is_stateless(o->rev) && mcti_result_asks(o->result)) {
        rounds_begin(r, mcti_json_get(o->result, "inputRequests"), mcti_json_get(o->result, "requestState"));
        return;
    }
    mcti_buf_init(&urls, o->error.len * 2 + 64);
    if (!r->by_url && mcti_error_asks_for_urls(o->error, &urls)) {
        r->by_url = true;
        rounds_begin(r, mcti_buf_str(&urls), MCT_STR_NONE);
    } else {
        rounds_finish(r, o);
    }
    mcti_buf_done(&urls);
}

/* ---- beginning and end ---- */

/* What is borrowed from the caller while the first request is made is needed for the next, too. */
static int rounds_keep_all(struct mcti_rounds *r)
{
    struct mcti_call *call = r->call;
    struct mcti_caller *c = &call->caller;
    struct mcti_buf b;
    char *at = malloc(c->client_info.len + c->capabilities.len + c->log_level.len + 1);
    mcti_buf_init(&b, call->params.len + call->subject.value.len + 1024);
    mcti_json_put_object(&b, call->params, &call->subject, call->subject.value.p ? 1 : 0);
    r->caller_text = at;
    r->len = b.len;
    r->params = mcti_buf_take(&b);
    if (!at || !r->params)
        return -1;
    c->client_info = mcti_str_keep(&at, c->client_info);
    c->capabilities = mcti_str_keep(&at, c->capabilities);
    c->log_level = mcti_str_keep(&at, c->log_level);
    return 0;
}

int mcti_rounds_start(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err)
{
    struct mcti_rounds *r = calloc(1, sizeof *r);
    if (!r)
        return mcti_no_memory(err);
    *r = (struct mcti_rounds){ .call = call, .provider = p, .done = call->done };
    mcti_timer_init(&r->pace, rounds_on_pace, r);
    call->rounds = r;
    call->done = rounds_on_done;
    int result = rounds_keep_all(r) == 0 ? p->ops->call(p, call, err) : mcti_no_memory(err);
    if (result < 0)
        rounds_free(r);
    return result;
}

void mcti_rounds_cancel(struct mcti_call *call, const char *reason)
{
    struct mcti_rounds *r = call->rounds;
    bool asking = r->round.n_open || r->pace.set;
    if (!asking)
        r->provider->ops->cancel(r->provider, call, reason);
    rounds_free(r);
}
