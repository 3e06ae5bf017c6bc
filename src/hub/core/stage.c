#include "hub/core/stage.h"

#include "hub/core/provider.h"

static const struct mct_stage_ops no_stages[] = { { 0 } };

/* ---- the way there ---- */

void mct_stage_put(struct mct_call *call, struct mct_stage *s)
{
    *s = (struct mct_stage){ call->next - 1, call->stage };
    call->stage = s;
}

void mct_stage_take(struct mct_call *call, struct mct_stage *s)
{
    call->stage = s->outer;
}

int mct_call_send(struct mct_call *call, struct mct_error *err)
{
    struct mct_provider *p = call->provider;
    call->is_sent = true;
    if (p->ops->call(p, call, err) == 0)
        return 0;
    call->is_sent = false;
    return mct_error_wrap(err, "server '%s'", p->name);
}

static int stages_failed(struct mct_call *call, struct mct_stage *until, const struct mct_error *why)
{
    while (call->stage != until) {
        struct mct_stage *s = call->stage;
        mct_stage_take(call, s);
        s->ops->sent(s, call, why);
    }
    if (!until)
        call->provider = NULL;
    return -1;
}

/* The call is in the stage `from`, NULL: none. Once it is held, only whoever holds it knows whether it still exists. */
static int go_on(struct mct_call *call, struct mct_stage *from, struct mct_call_start *start, struct mct_error *err)
{
    for (const struct mct_stage_ops *at = call->next; at->name; at++) {
        call->next = at + 1;
        enum mct_pass pass = at->enter(call, start, err);
        if (pass != MCT_PASS)
            return pass == MCT_HOLD ? 0 : stages_failed(call, from, err);
    }
    (call->provider->origin ? call->provider->origin : call->provider)->n_calls++;
    if (mct_call_send(call, err) < 0)
        return stages_failed(call, from, err);
    for (struct mct_stage *s = call->stage; s != from; s = s->outer)
        s->ops->sent(s, call, NULL);
    return 0;
}

int mct_call_enter(struct mct_call *call, const struct mct_stage_ops *stages, struct mct_call_start *start,
                   struct mct_error *err)
{
    call->next = stages;
    call->stage = NULL;
    call->is_sent = false;
    return go_on(call, NULL, start, err);
}

int mct_call_go_on(struct mct_call *call, struct mct_error *err)
{
    return go_on(call, call->stage, NULL, err);
}

int mct_call_begin(struct mct_provider *p, struct mct_call *call, struct mct_error *err)
{
    call->provider = p;
    return mct_call_enter(call, no_stages, NULL, err);
}

void mct_call_pass_over(struct mct_call *call, const struct mct_error *why)
{
    for (; call->next->name; call->next++)
        if (call->next->missed)
            call->next->missed(call, why);
}

/* ---- the way back ---- */

void mct_call_leave(struct mct_call *call, const struct mct_outcome *o)
{
    struct mct_stage *s = call->stage;
    if (s) {
        s->ops->leave(s, call, o);
        return;
    }
    call->provider = NULL;
    call->done(call, o);
}

void mct_call_finish(struct mct_call *call, const struct mct_outcome *o)
{
    call->is_sent = false;
    mct_call_leave(call, o);
}

void mct_call_cancel(struct mct_call *call, const char *reason)
{
    struct mct_provider *p = call->provider;
    if (!p)
        return;
    while (call->stage) {
        struct mct_stage *s = call->stage;
        mct_stage_take(call, s);
        s->ops->cancel(s, call, reason);
    }
    bool is_sent = call->is_sent;
    call->provider = NULL;
    call->is_sent = false;
    if (is_sent)
        p->ops->cancel(p, call, reason);
}
