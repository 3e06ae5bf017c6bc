#include "hub/policy/rules.h"

enum { NAME_BYTES = 512 }; /* size of a name that implies another one */

/* ---- words ---- */

static struct mcti_str policy_rules_normal(struct mcti_str name)
{
    static const struct {
        struct mcti_str from, to;
    } aliases[] = { { { "bash", 4 }, { "exec", 4 } }, { { "apply-patch", 11 }, { "apply_patch", 11 } } };
    name = mcti_str_trim_white(name);
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (mcti_str_eq_nocase(name, aliases[i].from))
            return aliases[i].to;
    return name;
}

static bool has_star(struct mcti_str s)
{
    return s.len && memchr(s.p, '*', s.len);
}

void mcti_rule_tool_add(struct mcti_rule_tool *tool, struct mcti_str name, bool is_sure)
{
    if (!name.p || tool->n_names == MCT_RULE_NAMES)
        return;
    tool->sure |= is_sure ? 1u << tool->n_names : 0;
    tool->names[tool->n_names++] = policy_rules_normal(name);
}

/* ---- one entry ---- */

/* Purpose of a list. */
enum purpose {
    ALLOWS,
    ASKS,    /* enables optional tools: as ALLOWS, without `*` */
    FORBIDS, /* any name counts */
};

static bool policy_rules_is_named(struct mcti_str entry, const struct mcti_rule_tool *tool, enum purpose purpose)
{
    for (size_t i = 0; i < tool->n_names; i++)
        if ((purpose == FORBIDS || tool->sure & 1u << i) && mcti_str_glob_nocase(entry, tool->names[i]))
            return true;
    return false;
}

static bool is_of_plugin(const struct mcti_rule_tool *tool, enum purpose purpose)
{
    return tool->plugin.p && (purpose == FORBIDS || tool->plugin_is_sure);
}

static bool has_id(struct mcti_str id, const struct mcti_rule_tool *tool, enum purpose purpose)
{
    return (tool->server.p && mcti_str_eq_nocase(id, tool->server)) ||
           (is_of_plugin(tool, purpose) && mcti_str_eq_nocase(id, mcti_str_trim_white(tool->plugin)));
}

static bool matches_plainly(const char *text, const struct mcti_rule_tool *tool, enum purpose purpose)
{
    struct mcti_str entry = policy_rules_normal(mcti_str_of(text));
    if (!entry.len || (purpose == ASKS && has_star(entry)))
        return false;
    return mcti_str_is(entry, "*") || policy_rules_is_named(entry, tool, purpose) ||
           (!has_star(entry) && has_id(entry, tool, purpose));
}

struct mcti_str mcti_rule_group_name(struct mcti_str entry)
{
    static const struct mcti_str head = { "group:", 6 };
    entry = mcti_str_trim_white(entry);
    if (entry.len < head.len || !mcti_str_eq_nocase((struct mcti_str){ entry.p, head.len }, head))
        return MCT_STR_NONE;
    return mcti_str_trim_white((struct mcti_str){ entry.p + head.len, entry.len - head.len });
}

static bool policy_rules_holds(const struct mcti_rule_group *group, const struct mcti_rule_tool *tool,
                               enum purpose purpose)
{
    bool is = false;
    for (size_t i = 0; !is && i < group->members.n; i++)
        is = matches_plainly(group->members.v[i], tool, purpose);
    return is;
}

/* Returns whether the group of the section with this name, or without such a group the server or plugin with this id,
 * has the tool. */
static bool matches_group(const struct mcti_rules *r, unsigned section, struct mcti_str name,
                          const struct mcti_rule_tool *tool, enum purpose purpose)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct mcti_rule_group *group = &r->groups[i];
        if (group->section == section && mcti_str_eq_nocase(mcti_str_trim_white(mcti_str_of(group->name)), name))
            return policy_rules_holds(group, tool, purpose);
    }
    return mcti_str_eq_nocase(name, MCT_STR("plugins")) ? is_of_plugin(tool, purpose) : has_id(name, tool, purpose);
}

static bool policy_rules_matches(const struct mcti_rules *r, unsigned section, const char *entry,
                                 const struct mcti_rule_tool *tool, enum purpose purpose)
{
    struct mcti_str name = mcti_rule_group_name(mcti_str_of(entry));
    return name.p ? matches_group(r, section, name, tool, purpose) : matches_plainly(entry, tool, purpose);
}

static const char *policy_rules_find(const struct mcti_rules *r, unsigned section, struct mcti_rule_list list,
                                     const struct mcti_rule_tool *tool, enum purpose purpose)
{
    for (size_t i = 0; i < list.n; i++)
        if (policy_rules_matches(r, section, list.v[i], tool, purpose))
            return list.v[i];
    return NULL;
}

/* ---- one step ---- */

/* Writes the name that the tool "exec" of the same server would have; returns its length, 0 if `name` is not one of
 * "apply_patch". */
static size_t exec_beside(struct mcti_str name, char *to)
{
    static const struct mcti_str patch = { "apply_patch", 11 };
    if (name.len < patch.len || name.len > NAME_BYTES ||
        !mcti_str_eq_nocase((struct mcti_str){ name.p + name.len - patch.len, patch.len }, patch))
        return 0;
    size_t head = name.len - patch.len;
    if (head && name.p[head - 1] != '.' && name.p[head - 1] != '_')
        return 0;
    memcpy(to, name.p, head);
    memcpy(to + head, "exec", 4);
    return head + 4;
}

static const char *find_by_exec(const struct mcti_rules *r, unsigned section, struct mcti_rule_list list,
                                const struct mcti_rule_tool *tool)
{
    char name[NAME_BYTES];
    const char *entry = NULL;
    bool is_patch = false;
    for (size_t i = 0; i < tool->n_names; i++)
        is_patch |= mcti_str_eq_nocase(tool->names[i], MCT_STR("apply_patch"));
    for (size_t i = 0; is_patch && !entry && i < tool->n_names; i++) {
        size_t n = tool->sure & 1u << i ? exec_beside(tool->names[i], name) : 0;
        const struct mcti_rule_tool exec = { .names = { { name, n } }, .n_names = 1, .sure = 1 };
        if (n)
            entry = policy_rules_find(r, section, list, &exec, ALLOWS);
    }
    return entry;
}

static struct mcti_rule_reason allowed_by(const struct mcti_rules *r, const struct mcti_rule_step *step,
                                          const struct mcti_rule_tool *tool)
{
    const char *entry = policy_rules_find(r, step->section, step->allow, tool, ALLOWS);
    if (!entry)
        entry = policy_rules_find(r, step->section, step->also, tool, ALLOWS);
    if (!entry)
        entry = find_by_exec(r, step->section, step->allow, tool);
    if (!entry)
        entry = find_by_exec(r, step->section, step->also, tool);
    return (struct mcti_rule_reason){ entry ? MCT_RULE_PASSES : MCT_RULE_NOT_ALLOWED, entry };
}

struct mcti_rule_reason mcti_rule_judge(const struct mcti_rules *r, const struct mcti_rule_step *step, bool no_allow,
                                        const struct mcti_rule_tool *tool)
{
    const char *entry = policy_rules_find(r, step->section, step->deny, tool, FORBIDS);
    if (entry)
        return (struct mcti_rule_reason){ MCT_RULE_DENIED, entry };
    if (no_allow || !step->allow.n)
        return (struct mcti_rule_reason){ MCT_RULE_PASSES, NULL };
    return allowed_by(r, step, tool);
}

const char *mcti_rule_label(const struct mcti_rules *r, const struct mcti_rule_step *step,
                            const struct mcti_rule_tool *tool)
{
    bool by_deny = !step->allow.n || policy_rules_find(r, step->section, step->deny, tool, FORBIDS);
    return step->deny_label && by_deny ? step->deny_label : step->label;
}

/* ---- all of them ---- */

bool mcti_rules_ask_for(const struct mcti_rules *r, const struct mcti_rule_tool *tool)
{
    const char *entry = NULL;
    for (size_t i = 0; !entry && i < r->n_steps; i++) {
        const struct mcti_rule_step *step = &r->steps[i];
        entry = step->section ? NULL : policy_rules_find(r, 0, step->allow, tool, ASKS);
        if (!entry && !step->section)
            entry = policy_rules_find(r, 0, step->also, tool, ASKS);
    }
    return entry;
}

bool mcti_rules_deny_own(const struct mcti_rules *r, struct mcti_str name)
{
    const struct mcti_rule_tool tool = { .names = { name }, .n_names = 1 };
    for (size_t i = 0; i < r->n_steps; i++) {
        const struct mcti_rule_list *deny = &r->steps[i].deny;
        for (size_t k = 0; k < deny->n; k++)
            if (!mcti_str_is(mcti_str_trim_white(mcti_str_of(deny->v[k])), "*") &&
                policy_rules_matches(r, r->steps[i].section, deny->v[k], &tool, FORBIDS))
                return true;
    }
    return false;
}

bool mcti_rules_admit(const struct mcti_rules *r, uint64_t left_out, const struct mcti_rule_tool *tool,
                      const struct mcti_rule_step **ret_step)
{
    for (size_t i = 0; i < r->n_steps; i++) {
        bool no_allow = i < MCT_RULE_STEPS && left_out >> i & 1;
        if (mcti_rule_judge(r, &r->steps[i], no_allow, tool).result == MCT_RULE_PASSES)
            continue;
        if (ret_step)
            *ret_step = &r->steps[i];
        return false;
    }
    return !tool->optional || mcti_rules_ask_for(r, tool);
}

const char *mcti_rules_owner_only(const struct mcti_rules *r, const struct mcti_rule_tool *tool)
{
    const char *entry = tool->owner_only ? "" : NULL;
    for (size_t i = 0; !entry && i < r->n_owner_only; i++)
        entry = policy_rules_find(r, r->owner_only[i].section, r->owner_only[i].tools, tool, FORBIDS);
    return entry;
}

size_t mcti_rule_provider_key(const char *const *keys, size_t n, struct mcti_str provider, struct mcti_str model)
{
    size_t alone = n;
    for (size_t i = 0; i < n; i++) {
        struct mcti_str key = mcti_str_trim_white(mcti_str_of(keys[i]));
        const char *slash = key.len ? memchr(key.p, '/', key.len) : NULL;
        if (alone == n && mcti_str_eq_nocase(key, provider))
            alone = i;
        if (slash && model.len && mcti_str_eq_nocase(mcti_str_range(key.p, slash), provider) &&
            mcti_str_eq_nocase(mcti_str_range(slash + 1, key.p + key.len), model))
            return i;
    }
    return alone;
}
