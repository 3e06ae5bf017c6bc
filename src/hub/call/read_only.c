/* Stage "read-only": refuses tools that may change something, in read-only mode, and answers to their tasks. Tasks that
 * run may be read and cancelled. */
#include "hub/call/stages.h"

/* `is_answer`: the request answers questions of a task. */
static enum mcti_pass read_only_judge(struct mcti_call_start *s, bool is_answer, struct mct_error *err)
{
    bool by_client = !s->policy->read_only && s->prefs->read_only_by_client;
    const struct mcti_refusal refusal = { .tool_name = s->name,
                                          .by_client = by_client,
                                          .entered_at_s = by_client ? s->prefs->since_s : s->policy->since_s };
    if (mcti_view_is_read_only(s->view, s->policy, s->found))
        return MCT_PASS;
    if (is_answer) { /* its result has no place for a reason */
        mcti_refusal_of_answer(err);
        return MCT_ANSWER;
    }
    mcti_buf_init(&s->texts->answer, 32 * s->name.len + 8192);
    mcti_refusal_put_result(&s->texts->answer, &refusal);
    return mcti_stage_answer(s, err);
}

enum mcti_pass mcti_read_only_enter(struct mcti_call *call, struct mcti_call_start *s, struct mct_error *err)
{
    bool is_on = s->policy && (s->policy->read_only || (s->prefs && s->prefs->read_only));
    bool is_answer = call->verb == MCT_VERB_TASKS_UPDATE;
    return is_on && s->found && (is_answer || call->verb == MCT_VERB_TOOLS_CALL) ? read_only_judge(s, is_answer, err)
                                                                                 : MCT_PASS;
}
