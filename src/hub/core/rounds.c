#include "hub/core/rounds.h"

#include "base/limits.h"
#include "mcp/mrtr.h"

#include <stdlib.h>

enum { PACE_MS = 250 };

struct mct_rounds {
    struct mct_call *call;
    struct mct_provider *provider;
    void (*done)(struct mct_call *call, const struct mct_outcome *outcome); /* the caller's */
    char *params;      /* as they are sent, without answers */
    size_t len;
    char *caller_text; /* the spans of call->caller, one behind the other */
    enum mct_rev rev;  /* of the server that asked */
    bool by_url;       /* this round is for -32042 */
    unsigned n;
    struct mct_round round;
    struct mct_timer pace;
};

static void rounds_free(struct mct_rounds *r)
{
    mct_round_stop(&r->round);
    mct_timer_stop(r->provider->sched, &r->pace);
    r->call->rounds = NULL;
    r->call->done = r->done;
    free(r->params);
    free(r->caller_text);
    free(r);
}

static void finish(struct mct_rounds *r, const struct mct_outcome *o)
{
    struct mct_call *call = r->call;
    call->asked |= r->n > 0;
    rounds_free(r);
    call->provider = NULL;
    call->done(call, o);
}

static void fail(struct mct_rounds *r, const struct mct_error *err, bool unasked)
{
    struct mct_error why = *err;
    struct mct_outcome o = { .failed = &why, .rev = r->rev, .unasked = unasked };
    mct_error_wrap(&why, "server '%s'", r->provider->name);
    finish(r, &o);
}

/* ---- the call once more ---- */

static void send_again(struct mct_rounds *r, struct mct_str responses, struct mct_str state)
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
    call->provider = r->provider;
    int result = mct_buf_ok(&b) ? r->provider->ops->call(r->provider, call, &err)
                                : mct_no_memory(&err);
    mct_buf_done(&b);
    if (result < 0)
        fail(r, &err, false);
}

static void on_pace(void *data)
{
    struct mct_rounds *r = data;
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
    struct mct_rounds *r = MCT_CONTAINER(round, struct mct_rounds, round);
    struct mct_error why;
    if (err) {
        fail(r, err, true);
    } else if (r->by_url && !all_accepted(responses)) {
        mct_fail(&why, MCT_ERR_SERVER, "the page the server asks to visit was declined");
        fail(r, &why, true);
    } else if (r->by_url) {
        send_again(r, MCT_STR_NONE, MCT_STR_NONE);
    } else if (!responses.p) {
        mct_timer_set(r->provider->sched, &r->pace, PACE_MS);
    } else {
        send_again(r, responses, mct_str_of(round->state));
    }
}

static void begin(struct mct_rounds *r, struct mct_str questions, struct mct_str state)
{
    struct mct_error err;
    if (++r->n > MCT_LIMIT_ROUNDS) {
        mct_fail(&err, MCT_ERR_LIMIT, "the server asked back %d times without an answer", MCT_LIMIT_ROUNDS);
        fail(r, &err, true);
        return;
    }
    mct_round_stop(&r->round);
    r->round = (struct mct_round){ .answerer = r->call->answerer ? r->call->answerer : r->provider->answerer,
                                   .server = r->provider->name, .about = r->call, .done = on_round };
    mct_round_start(&r->round, questions, state);
}

static void on_done(struct mct_call *call, const struct mct_outcome *o)
{
    struct mct_rounds *r = call->rounds;
    struct mct_buf urls;
    r->rev = o->rev;
    call->provider = r->provider; /* so that it can be cancelled while answers are gathered */
    if (o->result.p && mct_rev_is_stateless(o->rev) && mct_result_asks(o->result)) {
        begin(r, mct_json_get(o->result, "inputRequests"), mct_json_get(o->result, "requestState"));
        return;
    }
    mct_buf_init(&urls, o->error.len * 2 + 64);
    if (!r->by_url && mct_error_asks_for_urls(o->error, &urls)) {
        r->by_url = true;
        begin(r, mct_buf_str(&urls), MCT_STR_NONE);
    } else {
        finish(r, o);
    }
    mct_buf_done(&urls);
}

/* ---- beginning and end ---- */

/* What is borrowed from the caller while the first request is made is needed for the next, too. */
static int keep_all(struct mct_rounds *r)
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

int mct_rounds_start(struct mct_provider *p, struct mct_call *call, struct mct_error *err)
{
    struct mct_rounds *r = calloc(1, sizeof *r);
    if (!r)
        return mct_no_memory(err);
    *r = (struct mct_rounds){ .call = call, .provider = p, .done = call->done };
    mct_timer_init(&r->pace, on_pace, r);
    call->rounds = r;
    call->done = on_done;
    int result = keep_all(r) == 0 ? p->ops->call(p, call, err) : mct_no_memory(err);
    if (result < 0)
        rounds_free(r);
    return result;
}

void mct_rounds_cancel(struct mct_call *call, const char *reason)
{
    struct mct_rounds *r = call->rounds;
    bool asking = r->round.n_open || r->pace.set;
    if (!asking)
        r->provider->ops->cancel(r->provider, call, reason);
    rounds_free(r);
}
