/*
 * Makes an interactive call again with the answers when its result asks back (2026-07-28 "Input required", or the error
 * -32042 of 2025-11-25), until it has an outcome. The provider sees plain calls.
 */
#include "hub/call/stages.h"

#include "base/limits.h"
#include "mcp/mrtr.h"

#include <stdlib.h>

enum { PACE_MS = 250 };

struct rounds {
    struct mct_stage base;
    struct mct_call *call;
    struct mct_provider *provider;
    char *params;      /* as they are sent, without answers */
    size_t len;
    char *caller_text; /* the spans of call->caller, one behind the other */
    enum mct_rev rev;  /* of the server that asked */
    bool by_url;       /* this round is for -32042 */
    unsigned n;
    struct mct_round round;
    struct mct_timer pace;
};

static void rounds_free(struct rounds *r)
{
    mct_round_stop(&r->round);
    mct_timer_stop(r->provider->sched, &r->pace);
    free(r->params);
    free(r->caller_text);
    free(r);
}

static void rounds_finish(struct rounds *r, const struct mct_outcome *o)
{
    struct mct_call *call = r->call;
    call->asked |= r->n > 0;
    mct_stage_take(call, &r->base);
    rounds_free(r);
    mct_call_leave(call, o);
}

/* The questions of the server came to nothing. */
static void rounds_fail(struct rounds *r, const struct mct_error *err)
{
    struct mct_error why = *err;
    const struct mct_outcome o = { .failed = &why, .rev = r->rev, .unasked = true };
    mct_error_wrap(&why, "server '%s'", r->provider->name);
    rounds_finish(r, &o);
}

/* ---- the call once more ---- */

static void send_again(struct rounds *r, struct mct_str responses, struct mct_str state)
{
    struct mct_call *call = r->call;
    struct mct_error err;
    struct mct_buf b;
    const struct mct_json_set sets[] = { { "inputResponses", responses }, { "requestState", state } };
    mct_buf_init(&b, r->len + responses.len + state.len + 64);
    mct_json_put_object(&b, (struct mct_str){ r->params, r->len }, sets, 2);
    call->params = mct_buf_str(&b);
    call->meta = mct_json_get(call->params, "_meta");
    call->subject.value = MCT_STR_NONE;
    int result = mct_buf_ok(&b) ? mct_call_send(call, &err) : mct_no_memory(&err);
    const struct mct_outcome o = { .failed = &err, .rev = r->rev };
    mct_buf_done(&b);
    if (result < 0)
        rounds_finish(r, &o);
}

static void on_pace(void *data)
{
    struct rounds *r = data;
    send_again(r, MCT_STR_NONE, mct_str_of(r->round.state));
}

/* ---- the answers ---- */

/* Every answer must be an accept: the server was only waiting for a page to be visited. */
static bool all_accepted(struct mct_str responses)
{
    struct mct_json_member m;
    for (struct mct_json_iter it = mct_json_open(responses); mct_json_next_member(&it, &m);)
        if (!mct_json_is(mct_json_get(m.value, "action"), "accept"))
            return false;
    return true;
}

static void on_round(struct mct_round *round, struct mct_str responses, const struct mct_error *err)
{
    struct rounds *r = MCT_CONTAINER(round, struct rounds, round);
    struct mct_error why;
    if (err) {
        rounds_fail(r, err);
    } else if (r->by_url && !all_accepted(responses)) {
        mct_fail(&why, MCT_ERR_SERVER, "the page the server asks to visit was declined");
        rounds_fail(r, &why);
    } else if (r->by_url) {
        send_again(r, MCT_STR_NONE, MCT_STR_NONE);
    } else if (!responses.p) {
        mct_timer_set(r->provider->sched, &r->pace, PACE_MS);
    } else {
        send_again(r, responses, mct_str_of(round->state));
    }
}

static void rounds_ask(struct rounds *r, struct mct_str questions, struct mct_str state)
{
    struct mct_error err;
    if (++r->n > MCT_LIMIT_ROUNDS) {
        mct_fail(&err, MCT_ERR_LIMIT, "the server asked back %d times without an answer", MCT_LIMIT_ROUNDS);
        rounds_fail(r, &err);
        return;
    }
    mct_round_stop(&r->round);
    r->round = (struct mct_round){ .answerer = r->call->answerer ? r->call->answerer : r->provider->answerer,
                                   .server = r->provider->name, .about = r->call, .done = on_round };
    mct_round_start(&r->round, questions, state);
}

static struct rounds *rounds_of(struct mct_stage *s)
{
    return MCT_CONTAINER(s, struct rounds, base);
}

void mct_rounds_leave(struct mct_stage *s, struct mct_call *call, const struct mct_outcome *o)
{
    struct rounds *r = rounds_of(s);
    struct mct_buf urls;
    (void)call;
    r->rev = o->rev;
    if (o->result.p && mct_rev_is_stateless(o->rev) && mct_result_asks(o->result)) {
        rounds_ask(r, mct_json_get(o->result, "inputRequests"), mct_json_get(o->result, "requestState"));
        return;
    }
    mct_buf_init(&urls, o->error.len * 2 + 64);
    if (!r->by_url && mct_error_asks_for_urls(o->error, &urls)) {
        r->by_url = true;
        rounds_ask(r, mct_buf_str(&urls), MCT_STR_NONE);
    } else {
        rounds_finish(r, o);
    }
    mct_buf_done(&urls);
}

/* ---- beginning and end ---- */

/* What is borrowed from the caller while the first request is made is needed for the next, too. */
static int keep_all(struct rounds *r)
{
    struct mct_call *call = r->call;
    struct mct_caller *c = &call->caller;
    struct mct_buf b;
    char *at = malloc(c->client_info.len + c->capabilities.len + c->log_level.len + 1);
    mct_buf_init(&b, call->params.len + call->subject.value.len + 1024);
    mct_json_put_object(&b, call->params, &call->subject, call->subject.value.p ? 1 : 0);
    r->caller_text = at;
    r->len = b.len;
    r->params = mct_buf_take(&b);
    if (!at || !r->params)
        return -1;
    c->client_info = mct_str_keep(&at, c->client_info);
    c->capabilities = mct_str_keep(&at, c->capabilities);
    c->log_level = mct_str_keep(&at, c->log_level);
    return 0;
}

enum mct_pass mct_rounds_enter(struct mct_call *call, struct mct_call_start *start, struct mct_error *err)
{
    (void)start;
    if (!call->interactive)
        return MCT_PASS;
    struct rounds *r = calloc(1, sizeof *r);
    if (!r) {
        mct_no_memory(err);
        return MCT_ANSWER;
    }
    *r = (struct rounds){ .call = call, .provider = call->provider };
    mct_timer_init(&r->pace, on_pace, r);
    if (keep_all(r) < 0) {
        rounds_free(r);
        mct_no_memory(err);
        return MCT_ANSWER;
    }
    mct_stage_put(call, &r->base);
    return MCT_PASS;
}

void mct_rounds_sent(struct mct_stage *s, struct mct_call *call, const struct mct_error *failed)
{
    (void)call;
    if (failed)
        rounds_free(rounds_of(s));
}

void mct_rounds_cancel(struct mct_stage *s, struct mct_call *call, const char *reason)
{
    (void)call;
    (void)reason;
    rounds_free(rounds_of(s));
}
