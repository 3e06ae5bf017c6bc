/* Checks `allow` lists against the existing tools. */
#include "hub/policy/rules.h"

enum found { UNKNOWN, OF_PLUGIN, OF_CORE };

static bool is_everything(const char *entry)
{
    return mcti_str_is(mcti_str_trim_white(mcti_str_of(entry)), "*");
}

/* Returns the kind of thing that the entry names: OF_CORE if it names any core tool. */
static enum found look_up(const struct mcti_rules *r, unsigned section, const char *entry,
                          const struct mcti_rule_tool *tools, size_t n)
{
    const struct mcti_rule_step alone = { .allow = { &entry, 1 }, .section = section };
    enum found best = UNKNOWN;
    for (size_t i = 0; best != OF_CORE && i < n; i++)
        if (mcti_rule_judge(r, &alone, false, &tools[i]).entry)
            best = tools[i].plugin.p && tools[i].plugin_is_sure ? OF_PLUGIN : OF_CORE;
    return best;
}

static bool is_plugins(const char *entry)
{
    return mcti_str_eq_nocase(mcti_rule_group_name(mcti_str_of(entry)), MCT_STR("plugins"));
}

static void rules_allow_warn(struct mcti_buf *to, const char *label, const struct mcti_buf *unknown, bool left_out)
{
    mcti_buf_printf(to, "tools: %s allowlist contains unknown entries (", label);
    mcti_buf_add(to, mcti_buf_str(unknown));
    mcti_buf_addz(to, left_out
                          ? "). Ignoring allowlist so core tools remain available. Use tools.alsoAllow for "
                            "additive plugin tool enablement."
                          : "). They match no tool. Write a tool as SERVER.TOOL: a bare name counts for plugins and "
                            "trusted servers only. Servers that are down and plugins that are not loaded have no "
                            "tools.");
}

bool mcti_rule_check_allow(const struct mcti_rules *r, const struct mcti_rule_step *step,
                           const struct mcti_rule_tool *tools, size_t n_tools, struct mcti_buf *warning)
{
    struct mcti_buf unknown;
    bool has_core = false;
    mcti_buf_init(&unknown, 65536);
    for (size_t i = 0; step->allow.n && i < step->allow.n + step->also.n; i++) {
        const char *entry = i < step->allow.n ? step->allow.v[i] : step->also.v[i - step->allow.n];
        enum found found = is_everything(entry) ? OF_CORE : look_up(r, step->section, entry, tools, n_tools);
        has_core |= found == OF_CORE;
        if (found == UNKNOWN && !is_plugins(entry))
            mcti_buf_printf(&unknown, "%s%s", unknown.len ? ", " : "", entry);
    }
    bool left_out = step->spares_core && step->allow.n && !has_core;
    if (unknown.len)
        rules_allow_warn(warning, step->label, &unknown, left_out);
    mcti_buf_done(&unknown);
    return left_out;
}
