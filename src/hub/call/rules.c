/* Stage "rules": refuses tools that the policy pipeline removes. A view made with the rules does not show these tools,
 * so their names are unknown; rules that come with the call are applied here. */
#include "hub/call/stages.h"

/* Applies the rules to the tool. Every `allow` list counts, even one that would be ignored if all servers were
 * connected. */
static enum mcti_pass rules_judge(const struct mcti_call_start *s, struct mct_error *err)
{
    const struct mcti_exposure *x = s->found;
    const struct mcti_rule_step *step = NULL;
    struct mcti_rule_tool tool = { 0 };
    bool may_refuse = s->rules->n_steps || mcti_ruled_says_optional(x->provider, x->item);
    bool own = mcti_view_is_own(s->view, x);
    if (!may_refuse || (own && !mcti_rules_deny_own(s->rules, x->name)))
        return MCT_PASS;
    if (!own && mcti_ruled_tool(s->view->registry, &s->view->naming, x->provider, x->item, &tool) == 0 &&
        mcti_rules_admit(s->rules, 0, &tool, &step))
        return MCT_PASS;
    mcti_fail(err, MCT_ERR_POLICY, "%s in the configuration %s",
              step ? mcti_rule_label(s->rules, step, &tool) : "policy",
              !step && tool.optional ? "does not enable this optional tool"
              : step && mcti_rule_label(s->rules, step, &tool) == step->deny_label ? "forbids this tool"
                                                                                   : "does not allow this tool");
    return MCT_ANSWER;
}

enum mcti_pass mcti_rules_enter(struct mcti_call *call, struct mcti_call_start *s, struct mct_error *err)
{
    if (s->found)
        return s->rules && call->verb == MCT_VERB_TOOLS_CALL ? rules_judge(s, err) : MCT_PASS;
    if (!s->view)
        return MCT_PASS;
    return s->take && s->take(call, s) ? MCT_HOLD : MCT_ANSWER;
}
