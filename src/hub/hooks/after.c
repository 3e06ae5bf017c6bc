/* From the call back to the caller: who observes it, and who may change its result. */
#include "hub/hooks/run_impl.h"

#include "mcp/mrtr.h"

#include <stdlib.h>

#define WITHHELD "The result is withheld because tool_result_persist hook failed; the tool has run"

/* ---- who observes ---- */

static void on_observed(void *data, struct mct_str decision, const struct mct_error *failed)
{
    struct mct_hook *hook = data;
    (void)decision;
    if (failed)
        hooked_log_failure(hook, failed);
}

/* They hear of calls that a server has been given, and nobody waits for them. */
static void tell_observers(struct mct_hooked *c, struct mct_str result, struct mct_str error)
{
    struct mct_error err;
    struct hook_facts f = hooked_facts(c, MCT_HOOK_AFTER);
    f.result = result;
    f.error = error;
    for (struct mct_hook *hook = NULL; (hook = mct_hooks_next(&c->target, c->provider, hook));)
        if (hook->kind == MCT_HOOK_AFTER && !hook_event_start(hook, hook_facts_json(&f), on_observed, hook, &err))
            hooked_log_failure(hook, &err);
}

static void tell_outcome(struct mct_hooked *c, const struct mct_outcome *o)
{
    struct mct_error refused;
    if (o->error.p)
        mct_msg_read_error(o->error, &refused);
    const struct mct_error *err = o->error.p ? &refused : o->failed;
    tell_observers(c, o->result, err ? mct_str_of(err->message) : MCT_STR_NONE);
}

void hooked_tell_given_up(struct mct_hooked *c, const char *reason)
{
    c->duration_ms = mct_sched_now(c->hooks->sched) - c->started_ms;
    tell_observers(c, MCT_STR_NONE, mct_str_of(reason ? reason : "nobody waits for it any more"));
}

/* ---- who changes it ---- */

static void persist_next(struct mct_hooked *c);

/* A hook may change what a result says, not that it is one. */
static int take_result(struct mct_hooked *c, struct mct_str result)
{
    struct mct_buf b;
    const struct mct_json_set type = { "resultType", mct_rev_is_stateless(c->rev) ? MCT_STR("\"complete\"") : MCT_STR_NONE };
    mct_buf_init(&b, result.len + 64);
    mct_json_put_object(&b, result, &type, 1);
    free(c->result);
    c->result = mct_buf_take(&b);
    return c->result ? 0 : -1;
}

static void persist_failed(struct mct_hooked *c)
{
    if (c->hooks->compat_2026_2 && c->result)
        persist_next(c);
    else
        hooked_finish_saying(c, MCT_STR(WITHHELD), false);
}

static void on_persisted(void *data, struct mct_str text, const struct mct_error *failed)
{
    struct mct_hooked *c = data;
    struct hook_decision d;
    if (hooked_read(c, text, failed, &d) < 0 || (d.result.p && take_result(c, d.result) < 0))
        persist_failed(c);
    else
        persist_next(c);
}

static void persist_next(struct mct_hooked *c)
{
    struct hook_facts f = hooked_facts(c, MCT_HOOK_PERSIST);
    f.result = mct_str_of(c->result);
    int r = hooked_next(c, &f, on_persisted);
    const struct mct_outcome o = { .result = f.result, .rev = c->rev };
    if (r < 0)
        persist_failed(c);
    else if (r == 0)
        hooked_finish(c, &o);
}

void mct_hooked_leave(struct mct_stage *s, struct mct_call *call, const struct mct_outcome *o)
{
    struct mct_hooked *c = hooked_of(s);
    (void)call;
    c->is_called = false;
    c->duration_ms = mct_sched_now(c->hooks->sched) - c->started_ms;
    if (o->result.p && mct_rev_is_stateless(o->rev) && mct_result_asks(o->result)) { /* it will be made again */
        hooked_finish(c, o);
        return;
    }
    tell_outcome(c, o);
    if (hooked_collect(c, MCT_HOOK_PERSIST) < 0) {
        hooked_finish_saying(c, MCT_STR(WITHHELD), false);
    } else if (!o->result.p || !c->n) {
        hooked_finish(c, o);
    } else {
        c->rev = o->rev;
        c->result = mct_str_dup(o->result);
        if (c->result)
            persist_next(c);
        else
            persist_failed(c);
    }
}

