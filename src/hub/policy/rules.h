/*
 * The policy pipeline decides which tools a client may see and call. It is a sequence of steps; each step can only
 * remove tools. Lists have the meaning of OpenClaw's tool policy (2026.2). Pure functions; everything is borrowed.
 *
 * An entry of a list is trimmed and compared without case. It is "*" (everything), a name, a glob whose only special
 * character is `*`, the id of a server or plugin (all its tools), "group:NAME" (the members of a group, or the tools of
 * the server or plugin NAME), or "group:plugins" (the tools of all plugins). "bash" means "exec" and "apply-patch"
 * means "apply_patch".
 */
#ifndef MCT_HUB_POLICY_RULES_H
#define MCT_HUB_POLICY_RULES_H

#include "base/buf.h"

#include <stdint.h>

struct mcti_rule_list {
    const char *const *v;
    size_t n;
};

struct mcti_rule_group {
    const char *name;              /* without "group:" */
    struct mcti_rule_list members; /* must not be groups */
    unsigned section;              /* section of the configuration whose lists can use the group */
};

struct mcti_rule_owned {
    struct mcti_rule_list tools;
    unsigned section;
};

/* A step of the pipeline. It removes the tools that `deny` names. If `allow` is not empty, it removes all tools that
 * neither `allow` nor `also` names; an entry that allows "exec" allows "apply_patch" as well. */
struct mcti_rule_step {
    const char *label;
    const char *deny_label; /* name of its `deny`; NULL: `label` names both lists */
    struct mcti_rule_list allow, also, deny;
    unsigned section;
    bool spares_core; /* an `allow` that names no core tool is ignored, see mcti_rule_check_allow() */
};

enum { MCT_RULE_STEPS = 64 }; /* number of steps whose `allow` can be ignored */

struct mcti_rules {
    const struct mcti_rule_step *steps;
    size_t n_steps;
    const struct mcti_rule_group *groups;
    size_t n_groups;
    const struct mcti_rule_owned *owner_only; /* owner-only tools, in addition to tools that declare this themselves */
    size_t n_owner_only;
};

enum { MCT_RULE_NAMES = 8 };

/* A tool as the rules see it. */
struct mcti_rule_tool {
    struct mcti_str names[MCT_RULE_NAMES]; /* each can deny the tool */
    size_t n_names;
    unsigned sure;          /* names that can allow the tool, as bits 1 << i: no untrusted server chose them */
    struct mcti_str server; /* id of its server; absent: none */
    struct mcti_str plugin; /* id of its plugin; absent: a core tool */
    bool plugin_is_sure;    /* `plugin` can allow the tool */
    bool owner_only;        /* declares itself restricted to the owner */
    bool optional;          /* declares itself optional: an `allow` must name it */
};

/* Adds a name, with its alias replaced. A name beyond MCT_RULE_NAMES is left out. */
void mcti_rule_tool_add(struct mcti_rule_tool *tool, struct mcti_str name, bool is_sure);

enum mcti_rule_result { MCT_RULE_PASSES, MCT_RULE_DENIED, MCT_RULE_NOT_ALLOWED };

struct mcti_rule_reason {
    enum mcti_rule_result result;
    const char *entry; /* entry that decided, as written; NULL: none */
};

/* Returns the name of the list of the step that decides about the tool. */
const char *mcti_rule_label(const struct mcti_rules *r, const struct mcti_rule_step *step,
                            const struct mcti_rule_tool *tool);

/* Applies one step to a tool; `no_allow`: without its `allow`. */
struct mcti_rule_reason mcti_rule_judge(const struct mcti_rules *r, const struct mcti_rule_step *step, bool no_allow,
                                        const struct mcti_rule_tool *tool);

/* Returns whether the `allow` of any step enables the optional tool: with an entry that names it, its plugin or server,
 * or a group of these. `*` does not, and neither do further sections of the configuration (all but 0), which can only
 * restrict. */
bool mcti_rules_ask_for(const struct mcti_rules *r, const struct mcti_rule_tool *tool);

/* Returns whether all steps admit the tool and, if it is optional, one enables it. `left_out` has a bit for each step
 * whose `allow` is ignored. Sets *ret_step, if not NULL, to the first step that removes the tool, if any. */
bool mcti_rules_admit(const struct mcti_rules *r, uint64_t left_out, const struct mcti_rule_tool *tool,
                      const struct mcti_rule_step **ret_step);

/* Returns whether a `deny` removes a tool of the endpoint itself, which belongs to no server: by its name or a glob. A
 * lone `*` means the tools of servers only. */
bool mcti_rules_deny_own(const struct mcti_rules *r, struct mcti_str name);

/* Returns the entry that restricts the tool to the owner, "" if the tool declares it, NULL if it is not restricted. */
const char *mcti_rules_owner_only(const struct mcti_rules *r, const struct mcti_rule_tool *tool);

/*
 * Checks the `allow` of a step against all tools, and appends a warning about unknown entries. Returns whether the list
 * is ignored: with spares_core, a list that names only plugin tools is, because it would remove all core tools and was
 * meant to add to them.
 */
bool mcti_rule_check_allow(const struct mcti_rules *r, const struct mcti_rule_step *step,
                           const struct mcti_rule_tool *tools, size_t n_tools, struct mcti_buf *warning);

/* Returns the NAME of "group:NAME"; absent if the entry is no group. */
struct mcti_str mcti_rule_group_name(struct mcti_str entry);

/* Returns the index of the key that matches the provider and model in use, without case: "provider/model" takes
 * precedence over "provider". Returns `n` if none does. */
size_t mcti_rule_provider_key(const char *const *keys, size_t n, struct mcti_str provider, struct mcti_str model);

#define MCT_OWNER_ONLY_TEXT "Tool restricted to owner senders."

#endif
