#include "hub/core/entrance.h"
#include "hub/core/registry.h"

static const struct mcti_stage_ops no_stages[] = { { 0 } };

/* ---- to the provider ---- */

void mcti_stage_put(struct mcti_call *call, struct mcti_stage *s)
{
    *s = (struct mcti_stage){ call->next - 1, call->stage };
    call->stage = s;
}

void mcti_stage_take(struct mcti_call *call, struct mcti_stage *s)
{
    call->stage = s->outer;
}

/* Ends the count of a call at its entrance. */
static void call_left(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_entrance *e = call->entrance;
    call->entrance = NULL;
    if (e)
        e->ops->left(e, call, o);
}

int mcti_call_deliver(struct mcti_call *call, struct mct_error *err)
{
    struct mcti_provider *p = call->provider;
    call->is_sent = true;
    if (p->ops->call(p, call, err) == 0)
        return 0;
    call->is_sent = false;
    call_left(call, NULL);
    return mcti_error_wrap(err, "server '%s'", p->name);
}

int mcti_call_send(struct mcti_call *call, struct mct_error *err)
{
    struct mcti_provider *p = call->provider = mcti_registry_current(call->provider);
    enum mcti_pass pass = p->entrance ? p->entrance->ops->enter(p->entrance, call, err) : MCT_PASS;
    if (pass == MCT_PASS)
        return mcti_call_deliver(call, err);
    call->is_sent = pass == MCT_HOLD;
    return call->is_sent ? 0 : mcti_error_wrap(err, "server '%s'", p->name);
}

void mcti_call_pause(struct mcti_call *call, bool pauses)
{
    if (call->entrance)
        call->entrance->ops->pause(call->entrance, call, pauses);
}

static int stages_failed(struct mcti_call *call, struct mcti_stage *until, const struct mct_error *why)
{
    while (call->stage != until) {
        struct mcti_stage *s = call->stage;
        mcti_stage_take(call, s);
        s->ops->sent(s, call, why);
    }
    if (!until)
        call->provider = NULL;
    return -1;
}

/* Passes the call on from the stage `from`; NULL: from none. A call that is held may have been freed. */
static int call_pass_on(struct mcti_call *call, struct mcti_stage *from, struct mcti_call_start *start,
                        struct mct_error *err)
{
    for (const struct mcti_stage_ops *at = call->next; at->name; at++) {
        call->next = at + 1;
        enum mcti_pass pass = at->enter(call, start, err);
        if (pass != MCT_PASS)
            return pass == MCT_HOLD ? 0 : stages_failed(call, from, err);
    }
    (call->provider->origin ? call->provider->origin : call->provider)->n_calls++;
    if (mcti_call_send(call, err) < 0)
        return stages_failed(call, from, err);
    for (struct mcti_stage *s = call->stage; s != from; s = s->outer)
        s->ops->sent(s, call, NULL);
    return 0;
}

int mcti_call_enter(struct mcti_call *call, const struct mcti_stage_ops *stages, struct mcti_call_start *start,
                    struct mct_error *err)
{
    call->next = stages;
    call->stage = NULL;
    call->entrance = NULL;
    call->turn = NULL;
    call->is_sent = false;
    return call_pass_on(call, NULL, start, err);
}

int mcti_call_go_on(struct mcti_call *call, struct mct_error *err)
{
    return call_pass_on(call, call->stage, NULL, err);
}

int mcti_call_begin(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err)
{
    call->provider = p;
    call->is_own = true;
    return mcti_call_enter(call, no_stages, NULL, err);
}

void mcti_call_pass_over(struct mcti_call *call, const struct mct_error *why)
{
    for (; call->next->name; call->next++)
        if (call->next->missed)
            call->next->missed(call, why);
}

/* ---- back to the caller ---- */

void mcti_call_leave(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_stage *s = call->stage;
    if (s) {
        s->ops->leave(s, call, o);
        return;
    }
    call->provider = NULL;
    call->done(call, o);
}

void mcti_call_finish(struct mcti_call *call, const struct mcti_outcome *o)
{
    call->is_sent = false;
    call_left(call, o);
    mcti_call_leave(call, o);
}

void mcti_call_cancel(struct mcti_call *call, const char *reason)
{
    struct mcti_provider *p = call->provider;
    if (!p)
        return;
    while (call->stage) {
        struct mcti_stage *s = call->stage;
        mcti_stage_take(call, s);
        s->ops->cancel(s, call, reason);
    }
    bool is_sent = call->is_sent;
    call->provider = NULL;
    call->is_sent = false;
    if (call->turn) {
        call->entrance->ops->forget(call->entrance, call);
        return;
    }
    call_left(call, NULL);
    if (is_sent)
        p->ops->cancel(p, call, reason);
}
