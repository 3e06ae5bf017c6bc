#include "hub/policy/policy.h"

#include "base/clock.h"

/* ---- read-only tools ---- */

/* Returns whether mutating_tools names the tool, by any of its names. */
static bool is_denied(const struct mcti_policy *p, const struct mcti_policy_tool *tool)
{
    const struct mcti_tool_names *names = tool->names;
    const struct mcti_str all[] = { names->dotted, mcti_str_of(names->prefixed), mcti_item_id(tool->item), tool->name };
    bool is = false;
    for (size_t i = 0; !is && i < sizeof all / sizeof *all; i++)
        is = mcti_str_glob_any(p->mutating_tools, p->n_mutating_tools, all[i]);
    for (size_t i = 0; !is && i < MCT_NAMES_ALONE; i++)
        is = mcti_str_glob_any(p->mutating_tools, p->n_mutating_tools, mcti_str_of(names->alone[i]));
    return is;
}

/* Returns whether read_only_tools names the tool, by a name that identifies its server: a server chooses the rest. */
static bool is_allowed(const struct mcti_policy *p, const struct mcti_tool_names *names)
{
    return (names->dotted_is_sure && mcti_str_glob_any(p->read_only_tools, p->n_read_only_tools, names->dotted)) ||
           (names->prefixed_is_sure &&
            mcti_str_glob_any(p->read_only_tools, p->n_read_only_tools, mcti_str_of(names->prefixed)));
}

static bool claims_read_only(const struct mcti_item *tool)
{
    return mcti_json_true(mcti_json_get(mcti_json_get(mcti_item_json(tool), "annotations"), "readOnlyHint"));
}

bool mcti_policy_is_read_only(const struct mcti_policy *p, const struct mcti_policy_tool *tool)
{
    bool believed = tool->provider->trusted && claims_read_only(tool->item);
    if (tool->provider->read_only || !(p->n_mutating_tools || p->n_read_only_tools))
        return tool->provider->read_only || believed;
    return tool->names && !is_denied(p, tool) && (believed || is_allowed(p, tool->names));
}

/* ---- the refusal ---- */

static void policy_put_refusal(struct mcti_buf *to, const struct mcti_refusal *r)
{
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "tool_name", r->tool_name);
    mcti_json_put_member(to, "tool_kind", MCT_STR("outbound"));
    mcti_json_put_member(to, "hint", MCT_STR("Call ExitPlanMode { final_plan } when the plan is ready."));
    mcti_json_put_key(to, "entered_at");
    mcti_buf_addc(to, '"');
    mcti_clock_put_s(to, (uint64_t)r->entered_at_s);
    mcti_buf_addc(to, '"');
    mcti_json_put_key(to, "entered_reason");
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "kind", r->by_client ? MCT_STR("client") : MCT_STR("operator"));
    mcti_buf_addz(to, "}}");
}

void mcti_refusal_of_answer(struct mct_error *err)
{
    mcti_fail(err, MCT_ERR_POLICY, "read-only mode: the task of a tool that may change something gets no answers");
}

void mcti_refusal_put_result(struct mcti_buf *to, const struct mcti_refusal *r)
{
    struct mcti_buf refusal;
    mcti_buf_init(&refusal, 6 * r->tool_name.len + 4096);
    policy_put_refusal(&refusal, r);
    mcti_buf_addz(to, "{\"content\":[{\"type\":\"text\",\"text\":");
    mcti_json_put_string(to, mcti_buf_str(&refusal));
    mcti_buf_addz(to, "}],\"structuredContent\":");
    mcti_buf_add(to, mcti_buf_str(&refusal));
    mcti_buf_addz(to, ",\"isError\":true}");
    mcti_buf_done(&refusal);
}
