#include "hub/policy/rules.h"

enum { NAME_BYTES = 512 }; /* of a name that stands for another */

/* ---- words ---- */

static struct mct_str normal(struct mct_str name)
{
    static const struct {
        struct mct_str from, to;
    } aliases[] = { { { "bash", 4 }, { "exec", 4 } }, { { "apply-patch", 11 }, { "apply_patch", 11 } } };
    name = mct_str_trim_white(name);
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (mct_str_eq_nocase(name, aliases[i].from))
            return aliases[i].to;
    return name;
}

static bool has_star(struct mct_str s)
{
    return s.len && memchr(s.p, '*', s.len);
}

void mct_rule_tool_add(struct mct_rule_tool *tool, struct mct_str name, bool is_sure)
{
    if (!name.p || tool->n_names == MCT_RULE_NAMES)
        return;
    tool->sure |= is_sure ? 1u << tool->n_names : 0;
    tool->names[tool->n_names++] = normal(name);
}

/* ---- one entry ---- */

/* What the list is for. */
enum purpose {
    ALLOWS,
    ASKS,    /* for what is optional: as ALLOWS, without `*` */
    FORBIDS, /* any name counts */
};

static bool is_named(struct mct_str entry, const struct mct_rule_tool *tool, enum purpose purpose)
{
    for (size_t i = 0; i < tool->n_names; i++)
        if ((purpose == FORBIDS || tool->sure & 1u << i) && mct_str_glob_nocase(entry, tool->names[i]))
            return true;
    return false;
}

static bool is_of_plugin(const struct mct_rule_tool *tool, enum purpose purpose)
{
    return tool->plugin.p && (purpose == FORBIDS || tool->plugin_is_sure);
}

static bool has_id(struct mct_str id, const struct mct_rule_tool *tool, enum purpose purpose)
{
    return (tool->server.p && mct_str_eq_nocase(id, tool->server)) ||
           (is_of_plugin(tool, purpose) && mct_str_eq_nocase(id, mct_str_trim_white(tool->plugin)));
}

static bool matches_plainly(const char *text, const struct mct_rule_tool *tool, enum purpose purpose)
{
    struct mct_str entry = normal(mct_str_of(text));
    if (!entry.len || (purpose == ASKS && has_star(entry)))
        return false;
    return mct_str_is(entry, "*") || is_named(entry, tool, purpose) ||
           (!has_star(entry) && has_id(entry, tool, purpose));
}

struct mct_str mct_rule_group_name(struct mct_str entry)
{
    static const struct mct_str head = { "group:", 6 };
    entry = mct_str_trim_white(entry);
    if (entry.len < head.len || !mct_str_eq_nocase((struct mct_str){ entry.p, head.len }, head))
        return MCT_STR_NONE;
    return mct_str_trim_white((struct mct_str){ entry.p + head.len, entry.len - head.len });
}

static bool holds(const struct mct_rule_group *group, const struct mct_rule_tool *tool, enum purpose purpose)
{
    bool is = false;
    for (size_t i = 0; !is && i < group->members.n; i++)
        is = matches_plainly(group->members.v[i], tool, purpose);
    return is;
}

/* The group of the section, or else what has that id. */
static bool matches_group(const struct mct_rules *r, unsigned section, struct mct_str name, const struct mct_rule_tool *tool,
                          enum purpose purpose)
{
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct mct_rule_group *group = &r->groups[i];
        if (group->section == section && mct_str_eq_nocase(mct_str_trim_white(mct_str_of(group->name)), name))
            return holds(group, tool, purpose);
    }
    return mct_str_eq_nocase(name, MCT_STR("plugins")) ? is_of_plugin(tool, purpose) : has_id(name, tool, purpose);
}

static bool matches(const struct mct_rules *r, unsigned section, const char *entry, const struct mct_rule_tool *tool,
                    enum purpose purpose)
{
    struct mct_str name = mct_rule_group_name(mct_str_of(entry));
    return name.p ? matches_group(r, section, name, tool, purpose) : matches_plainly(entry, tool, purpose);
}

static const char *find(const struct mct_rules *r, unsigned section, struct mct_rule_list list,
                        const struct mct_rule_tool *tool, enum purpose purpose)
{
    for (size_t i = 0; i < list.n; i++)
        if (matches(r, section, list.v[i], tool, purpose))
            return list.v[i];
    return NULL;
}

/* ---- one step ---- */

/* The name of the tool with which "exec" would be called beside this one; 0: it is no "apply_patch". */
static size_t exec_beside(struct mct_str name, char *to)
{
    static const struct mct_str patch = { "apply_patch", 11 };
    if (name.len < patch.len || name.len > NAME_BYTES ||
        !mct_str_eq_nocase((struct mct_str){ name.p + name.len - patch.len, patch.len }, patch))
        return 0;
    size_t head = name.len - patch.len;
    if (head && name.p[head - 1] != '.' && name.p[head - 1] != '_')
        return 0;
    memcpy(to, name.p, head);
    memcpy(to + head, "exec", 4);
    return head + 4;
}

static const char *find_by_exec(const struct mct_rules *r, unsigned section, struct mct_rule_list list,
                                const struct mct_rule_tool *tool)
{
    char name[NAME_BYTES];
    const char *entry = NULL;
    bool is_patch = false;
    for (size_t i = 0; i < tool->n_names; i++)
        is_patch |= mct_str_eq_nocase(tool->names[i], MCT_STR("apply_patch"));
    for (size_t i = 0; is_patch && !entry && i < tool->n_names; i++) {
        size_t n = tool->sure & 1u << i ? exec_beside(tool->names[i], name) : 0;
        const struct mct_rule_tool exec = { .names = { { name, n } }, .n_names = 1, .sure = 1 };
        if (n)
            entry = find(r, section, list, &exec, ALLOWS);
    }
    return entry;
}

static struct mct_rule_reason allowed_by(const struct mct_rules *r, const struct mct_rule_step *step,
                                         const struct mct_rule_tool *tool)
{
    const char *entry = find(r, step->section, step->allow, tool, ALLOWS);
    if (!entry)
        entry = find(r, step->section, step->also, tool, ALLOWS);
    if (!entry)
        entry = find_by_exec(r, step->section, step->allow, tool);
    if (!entry)
        entry = find_by_exec(r, step->section, step->also, tool);
    return (struct mct_rule_reason){ entry ? MCT_RULE_PASSES : MCT_RULE_NOT_ALLOWED, entry };
}

struct mct_rule_reason mct_rule_judge(const struct mct_rules *r, const struct mct_rule_step *step, bool no_allow,
                                      const struct mct_rule_tool *tool)
{
    const char *entry = find(r, step->section, step->deny, tool, FORBIDS);
    if (entry)
        return (struct mct_rule_reason){ MCT_RULE_DENIED, entry };
    if (no_allow || !step->allow.n)
        return (struct mct_rule_reason){ MCT_RULE_PASSES, NULL };
    return allowed_by(r, step, tool);
}

/* ---- all of them ---- */

bool mct_rules_ask_for(const struct mct_rules *r, const struct mct_rule_tool *tool)
{
    const char *entry = NULL;
    for (size_t i = 0; !entry && i < r->n_steps; i++) {
        const struct mct_rule_step *step = &r->steps[i];
        entry = step->section ? NULL : find(r, 0, step->allow, tool, ASKS);
        if (!entry && !step->section)
            entry = find(r, 0, step->also, tool, ASKS);
    }
    return entry;
}

bool mct_rules_admit(const struct mct_rules *r, uint64_t left_out, const struct mct_rule_tool *tool,
                     const struct mct_rule_step **ret_step)
{
    for (size_t i = 0; i < r->n_steps; i++) {
        bool no_allow = i < MCT_RULE_STEPS && left_out >> i & 1;
        if (mct_rule_judge(r, &r->steps[i], no_allow, tool).result == MCT_RULE_PASSES)
            continue;
        if (ret_step)
            *ret_step = &r->steps[i];
        return false;
    }
    return !tool->optional || mct_rules_ask_for(r, tool);
}

const char *mct_rules_owner_only(const struct mct_rules *r, const struct mct_rule_tool *tool)
{
    const char *entry = tool->owner_only ? "" : NULL;
    for (size_t i = 0; !entry && i < r->n_owner_only; i++)
        entry = find(r, r->owner_only[i].section, r->owner_only[i].tools, tool, FORBIDS);
    return entry;
}

size_t mct_rule_provider_key(const char *const *keys, size_t n, struct mct_str provider, struct mct_str model)
{
    size_t alone = n;
    for (size_t i = 0; i < n; i++) {
        struct mct_str key = mct_str_trim_white(mct_str_of(keys[i]));
        const char *slash = key.len ? memchr(key.p, '/', key.len) : NULL;
        if (alone == n && mct_str_eq_nocase(key, provider))
            alone = i;
        if (slash && model.len && mct_str_eq_nocase(mct_str_range(key.p, slash), provider) &&
            mct_str_eq_nocase(mct_str_range(slash + 1, key.p + key.len), model))
            return i;
    }
    return alone;
}
