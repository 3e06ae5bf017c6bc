#include "hub/policy/policy.h"

#include "base/clock.h"

/* ---- which tools only look ---- */

/* What is forbidden is so by any name that the tool has anywhere. */
static bool is_denied(const struct mct_policy *p, const struct mct_policy_tool *tool)
{
    const struct mct_tool_names *names = tool->names;
    const struct mct_str all[] = { names->dotted, mct_str_of(names->prefixed), tool->item->id, tool->name };
    bool is = false;
    for (size_t i = 0; !is && i < sizeof all / sizeof *all; i++)
        is = mct_str_glob_any(p->mutating_tools, p->n_mutating_tools, all[i]);
    for (size_t i = 0; !is && i < MCT_NAMES_ALONE; i++)
        is = mct_str_glob_any(p->mutating_tools, p->n_mutating_tools, mct_str_of(names->alone[i]));
    return is;
}

/* What is allowed is so by names that say whose tool it is, as the rest of the name is the server's own choice. */
static bool is_allowed(const struct mct_policy *p, const struct mct_tool_names *names)
{
    return (names->dotted_is_sure && mct_str_glob_any(p->read_only_tools, p->n_read_only_tools, names->dotted)) ||
           (names->prefixed_is_sure &&
            mct_str_glob_any(p->read_only_tools, p->n_read_only_tools, mct_str_of(names->prefixed)));
}

static bool claims_read_only(const struct mct_item *tool)
{
    return mct_json_true(mct_json_get(mct_json_get(tool->json, "annotations"), "readOnlyHint"));
}

bool mct_policy_is_read_only(const struct mct_policy *p, const struct mct_policy_tool *tool)
{
    bool believed = tool->provider->trusted && claims_read_only(tool->item);
    if (tool->provider->read_only || !(p->n_mutating_tools || p->n_read_only_tools))
        return tool->provider->read_only || believed;
    return tool->names && !is_denied(p, tool) && (believed || is_allowed(p, tool->names));
}

/* ---- what a model is told ---- */

static void put_refusal(struct mct_buf *to, const struct mct_refusal *r)
{
    mct_buf_addc(to, '{');
    mct_json_put_member(to, "tool_name", r->tool_name);
    mct_json_put_member(to, "tool_kind", MCT_STR("outbound"));
    mct_json_put_member(to, "hint", MCT_STR("Call ExitPlanMode { final_plan } when the plan is ready."));
    mct_json_put_key(to, "entered_at");
    mct_buf_addc(to, '"');
    mct_clock_put_s(to, (uint64_t)r->entered_at_s);
    mct_buf_addc(to, '"');
    mct_json_put_key(to, "entered_reason");
    mct_buf_addc(to, '{');
    mct_json_put_member(to, "kind", r->by_client ? MCT_STR("client") : MCT_STR("operator"));
    mct_buf_addz(to, "}}");
}

void mct_refusal_put_result(struct mct_buf *to, const struct mct_refusal *r)
{
    struct mct_buf refusal;
    mct_buf_init(&refusal, 6 * r->tool_name.len + 4096);
    put_refusal(&refusal, r);
    mct_buf_addz(to, "{\"content\":[{\"type\":\"text\",\"text\":");
    mct_json_put_string(to, mct_buf_str(&refusal));
    mct_buf_addz(to, "}],\"structuredContent\":");
    mct_buf_add(to, mct_buf_str(&refusal));
    mct_buf_addz(to, ",\"isError\":true}");
    mct_buf_done(&refusal);
}
