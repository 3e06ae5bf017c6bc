/* Runs the hooks that are for a tool around its call. */
#include "hub/call/stages.h"
#include "hub/hooks/run.h"

bool mct_call_is_hooked(const struct mct_call *call, struct mct_call_start *s)
{
    if (s->is_hooked || !s->hooks || !s->found || call->verb != MCT_VERB_TOOLS_CALL)
        return s->is_hooked;
    s->is_hooked = mct_hook_target(s->hooks, s->view, s->found, s->target);
    s->hooks = NULL;
    if (s->is_hooked) {
        s->target->approver = s->approver;
        s->target->session = s->session;
    }
    return s->is_hooked;
}

enum mct_pass mct_hooks_enter(struct mct_call *call, struct mct_call_start *s, struct mct_error *err)
{
    if (!mct_call_is_hooked(call, s))
        return MCT_PASS;
    struct mct_stage *stage = mct_hooked_new(call, s->target, err);
    if (!stage)
        return MCT_ANSWER;
    mct_stage_put(call, stage);
    return MCT_HOLD;
}
