/* Stages "follow" and "hold": attach what hub/tasks does to calls that may concern a task. */
#include "hub/call/stages.h"

enum mcti_pass mcti_follow_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err)
{
    (void)start;
    if (call->verb != MCT_VERB_TASKS_GET || !call->completed)
        return MCT_PASS;
    struct mcti_stage *s = mcti_follow_new(err);
    if (!s)
        return MCT_ANSWER;
    mcti_stage_put(call, s);
    return MCT_PASS;
}

enum mcti_pass mcti_hold_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err)
{
    if (call->tasks == MCT_TASKS_FOLLOWED && call->provider->info.rev == MCT_REV_2025_11_25)
        call->tasks = MCT_TASKS_HELD; /* a task of that revision cannot be followed otherwise */
    if (call->tasks != MCT_TASKS_HELD)
        return MCT_PASS;
    const struct mcti_item *tool =
        start && start->found && call->verb == MCT_VERB_TOOLS_CALL ? start->found->item : NULL;
    bool is_2025 = tool && mcti_provider_takes_task(call->provider, tool) && (tool->needs_task || call->is_task);
    bool may_be = call->verb == MCT_VERB_TOOLS_CALL || call->verb == MCT_VERB_TASKS_GET;
    if (!may_be || !(is_2025 || mcti_provider_makes_tasks(call->provider))) {
        call->tasks = MCT_TASKS_NONE;
        return MCT_PASS;
    }
    struct mcti_stage *s = mcti_hold_new(call, is_2025, err);
    if (!s)
        return MCT_ANSWER;
    mcti_stage_put(call, s);
    return MCT_PASS;
}
