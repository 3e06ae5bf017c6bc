/*
 * Stage "rounds": if the result of an interactive call has questions (2026-07-28 "Input required", or the error -32042
 * of 2025-11-25), sends the call again with the answers, until it has an outcome. The provider sees plain calls.
 */
#include "hub/call/stages.h"

#include "base/limits.h"
#include "mcp/mrtr.h"

#include <stdlib.h>

enum { PACE_MS = 250 };

struct rounds {
    struct mcti_stage base;
    struct mcti_call *call;
    struct mcti_provider *provider;
    char *params; /* params of the first round, without answers */
    size_t len;
    char *caller_text; /* text of the spans of call->caller */
    enum mcti_rev rev; /* of the server */
    bool by_url;       /* this round is for -32042 */
    unsigned n;
    struct mcti_round round;
    struct mcti_timer pace;
};

static void rounds_free(struct rounds *r)
{
    mcti_round_stop(&r->round);
    mcti_timer_stop(r->provider->sched, &r->pace);
    free(r->params);
    free(r->caller_text);
    free(r);
}

static void rounds_finish(struct rounds *r, const struct mcti_outcome *o)
{
    struct mcti_call *call = r->call;
    call->asked |= r->n > 0;
    mcti_stage_take(call, &r->base);
    rounds_free(r);
    mcti_call_leave(call, o);
}

/* Ends the call because a question of the server was not answered. */
static void rounds_fail(struct rounds *r, const struct mct_error *err)
{
    struct mct_error why = *err;
    const struct mcti_outcome o = { .failed = &why, .rev = r->rev, .unasked = true };
    mcti_error_wrap(&why, "server '%s'", r->provider->name);
    rounds_finish(r, &o);
}

/* ---- the next round ---- */

static void send_again(struct rounds *r, struct mcti_str responses, struct mcti_str state)
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
    int result = mcti_buf_ok(&b) ? mcti_call_send(call, &err) : mcti_no_memory(&err);
    const struct mcti_outcome o = { .failed = &err, .rev = r->rev };
    mcti_buf_done(&b);
    if (result < 0)
        rounds_finish(r, &o);
}

static void on_pace(void *data)
{
    struct rounds *r = data;
    send_again(r, MCT_STR_NONE, mcti_str_of(r->round.state));
}

/* ---- the answers ---- */

/* Returns whether all answers are "accept". */
static bool all_accepted(struct mcti_str responses)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(responses); mcti_json_next_member(&it, &m);)
        if (!mcti_json_is(mcti_json_get(m.value, "action"), "accept"))
            return false;
    return true;
}

static void on_round(struct mcti_round *round, struct mcti_str responses, const struct mct_error *err)
{
    struct rounds *r = MCT_CONTAINER(round, struct rounds, round);
    struct mct_error why;
    if (err) {
        rounds_fail(r, err);
    } else if (r->by_url && !all_accepted(responses)) {
        mcti_fail(&why, MCT_ERR_SERVER, "the user declined to visit the page that the server requires");
        rounds_fail(r, &why);
    } else if (r->by_url) {
        send_again(r, MCT_STR_NONE, MCT_STR_NONE);
    } else if (!responses.p) {
        mcti_timer_set(r->provider->sched, &r->pace, PACE_MS);
    } else {
        send_again(r, responses, mcti_str_of(round->state));
    }
}

static void rounds_ask(struct rounds *r, struct mcti_str questions, struct mcti_str state)
{
    struct mct_error err;
    if (++r->n > MCT_LIMIT_ROUNDS) {
        mcti_fail(&err, MCT_ERR_LIMIT, "the server sent questions %d times without a result", MCT_LIMIT_ROUNDS);
        rounds_fail(r, &err);
        return;
    }
    mcti_round_stop(&r->round);
    r->round = (struct mcti_round){ .answerer = r->call->answerer ? r->call->answerer : r->provider->answerer,
                                    .server = r->provider->name,
                                    .about = r->call,
                                    .done = on_round };
    mcti_round_start(&r->round, questions, state);
}

static struct rounds *rounds_of(struct mcti_stage *s)
{
    return MCT_CONTAINER(s, struct rounds, base);
}

void mcti_rounds_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o)
{
    struct rounds *r = rounds_of(s);
    struct mcti_buf urls;
    (void)call;
    r->rev = o->rev;
    if (mcti_outcome_asks(o)) {
        rounds_ask(r, mcti_json_get(o->result, "inputRequests"), mcti_json_get(o->result, "requestState"));
        return;
    }
    mcti_buf_init(&urls, o->error.len * 2 + 64);
    if (!r->by_url && mcti_error_asks_for_urls(o->error, &urls)) {
        r->by_url = true;
        rounds_ask(r, mcti_buf_str(&urls), MCT_STR_NONE);
    } else {
        rounds_finish(r, o);
    }
    mcti_buf_done(&urls);
}

/* ---- beginning and end ---- */

/* Copies the texts that the call borrows from the caller at its start, because further rounds need them. Returns -1
 * when out of memory. */
static int keep_all(struct rounds *r)
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

enum mcti_pass mcti_rounds_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err)
{
    (void)start;
    if (!call->interactive)
        return MCT_PASS;
    struct rounds *r = calloc(1, sizeof *r);
    if (!r) {
        mcti_no_memory(err);
        return MCT_ANSWER;
    }
    *r = (struct rounds){ .call = call, .provider = call->provider };
    mcti_timer_init(&r->pace, on_pace, r);
    if (keep_all(r) < 0) {
        rounds_free(r);
        mcti_no_memory(err);
        return MCT_ANSWER;
    }
    mcti_stage_put(call, &r->base);
    return MCT_PASS;
}

void mcti_rounds_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed)
{
    (void)call;
    if (failed)
        rounds_free(rounds_of(s));
}

void mcti_rounds_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason)
{
    (void)call;
    (void)reason;
    rounds_free(rounds_of(s));
}
