/* Stage "hooks": runs the hooks of the tool before and after its call, and has the flow policy hold it. */
#include "hub/call/stages.h"
#include "hub/hooks/run.h"

bool mcti_call_is_hooked(struct mcti_call *call, struct mcti_call_start *s)
{
    if (s->is_hooked || !s->hooks || !s->found || !mcti_call_is_of_tool(call))
        return s->is_hooked;
    s->is_hooked = mcti_hook_target(s->hooks, s->view, s->found, s->target);
    if (call->verb == MCT_VERB_TOOLS_CALL)
        s->is_hooked = mcti_hook_guard(s->hooks, call, s->view, s->found, s->is_hooked, s->target);
    s->hooks = NULL;
    if (s->is_hooked) {
        s->target->approver = s->approver;
        s->target->session = s->session;
    }
    return s->is_hooked;
}

enum mcti_pass mcti_hooks_enter(struct mcti_call *call, struct mcti_call_start *s, struct mct_error *err)
{
    if (!mcti_call_is_hooked(call, s))
        return MCT_PASS;
    bool is_over = call->verb == MCT_VERB_TASKS_GET; /* the hooks before the call have run */
    struct mcti_stage *stage =
        is_over ? mcti_hooked_new_after(call, s->target, err) : mcti_hooked_new(call, s->target, err);
    if (!stage)
        return MCT_ANSWER;
    mcti_stage_put(call, stage);
    return is_over ? MCT_PASS : MCT_HOLD;
}
