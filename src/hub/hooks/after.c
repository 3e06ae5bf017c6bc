/* The hooks after a call: after_tool_call observes it, tool_result_persist may change its result. */
#include "hub/hooks/run_impl.h"

#include <stdlib.h>

#define WITHHELD "The result is withheld because tool_result_persist hook failed; the tool has run"

/* ---- after_tool_call ---- */

static void after_on_observed(void *data, struct mcti_str decision, const struct mct_error *failed)
{
    struct mcti_hook *hook = data;
    (void)decision;
    if (failed)
        mcti_hooked_log_failure(hook, failed);
}

/* Starts the observing hooks; the call does not wait for them. */
static void tell_observers(struct mcti_hooked *c, struct mcti_str result, struct mcti_str error)
{
    struct mct_error err;
    struct mcti_hook_facts f = mcti_hooked_facts(c, MCT_HOOK_AFTER);
    f.result = result;
    f.error = error;
    for (struct mcti_hook *hook = NULL; (hook = mcti_hooks_next(&c->target, c->provider, hook));)
        if (hook->kind == MCT_HOOK_AFTER &&
            !mcti_hook_event_start(hook, mcti_hook_facts_json(&f), after_on_observed, hook, &err))
            mcti_hooked_log_failure(hook, &err);
}

static void tell_outcome(struct mcti_hooked *c, const struct mcti_outcome *o)
{
    struct mct_error refused;
    if (o->error.p)
        mcti_msg_read_error(o->error, &refused);
    const struct mct_error *err = o->error.p ? &refused : o->failed;
    tell_observers(c, o->result, err ? mcti_str_of(err->message) : MCT_STR_NONE);
}

void mcti_hooked_tell_given_up(struct mcti_hooked *c, const char *reason)
{
    c->duration_ms = mcti_sched_now(c->hooks->sched) - c->started_ms;
    tell_observers(c, MCT_STR_NONE, mcti_str_of(reason ? reason : "the caller abandoned the call"));
}

/* ---- tool_result_persist ---- */

static void persist_next(struct mcti_hooked *c);

/* Takes the result of a hook; its resultType stays "complete". */
static int take_result(struct mcti_hooked *c, struct mcti_str result)
{
    struct mcti_buf b;
    const struct mcti_json_set type = { "resultType",
                                        mcti_rev_is_stateless(c->rev) ? MCT_STR("\"complete\"") : MCT_STR_NONE };
    mcti_buf_init(&b, result.len + 64);
    mcti_json_put_object(&b, result, &type, 1);
    free(c->result);
    c->result = mcti_buf_take(&b);
    return c->result ? 0 : -1;
}

static void persist_failed(struct mcti_hooked *c)
{
    if (c->hooks->compat_2026_2 && c->result)
        persist_next(c);
    else
        mcti_hooked_finish_saying(c, MCT_STR(WITHHELD), false);
}

static void after_on_persisted(void *data, struct mcti_str text, const struct mct_error *failed)
{
    struct mcti_hooked *c = data;
    struct mcti_hook_decision d;
    if (mcti_hooked_read(c, text, failed, &d) < 0 || (d.result.p && take_result(c, d.result) < 0))
        persist_failed(c);
    else
        persist_next(c);
}

static void persist_next(struct mcti_hooked *c)
{
    struct mcti_hook_facts f = mcti_hooked_facts(c, MCT_HOOK_PERSIST);
    f.result = mcti_str_of(c->result);
    int r = mcti_hooked_next(c, &f, after_on_persisted);
    const struct mcti_outcome o = { .result = f.result, .rev = c->rev };
    if (r < 0)
        persist_failed(c);
    else if (r == 0)
        mcti_hooked_finish(c, &o);
}

void mcti_hooked_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_hooked *c = hooked_of(s);
    (void)call;
    c->is_called = false;
    c->duration_ms = mcti_sched_now(c->hooks->sched) - c->started_ms;
    if (mcti_outcome_is_pending(o) || (c->reads && !o->result.p)) {
        mcti_hooked_finish(c, o);
        return;
    }
    tell_outcome(c, o);
    if (mcti_hooked_collect(c, MCT_HOOK_PERSIST) < 0) {
        mcti_hooked_finish_saying(c, MCT_STR(WITHHELD), false);
    } else if (!o->result.p || !c->n) {
        mcti_hooked_finish(c, o);
    } else {
        c->rev = o->rev;
        c->result = mcti_str_dup(o->result);
        if (c->result)
            persist_next(c);
        else
            persist_failed(c);
    }
}
