/*
 * The policy pipeline: which tools a client is let see and call. Steps follow one another, and each only takes away.
 * What a list means is what OpenClaw's tool policy means by it (2026.2). Pure functions; everything is borrowed.
 *
 * An entry of a list is trimmed and compared without case. It is "*" (everything), a name, a name with `*` in it (any
 * run; nothing else is special), the id of a server or of a plugin (its tools), "group:NAME" (a group's members, or the
 * tools of the server or plugin NAME), or "group:plugins" (every plugin's tools). "bash" means "exec" and "apply-patch"
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
    struct mcti_rule_list members; /* no groups */
    unsigned section;              /* of the configuration: only its lists mean this group */
};

struct mcti_rule_owned {
    struct mcti_rule_list tools;
    unsigned section;
};

/* Denied is what `deny` names. Of the rest everything is let through if `allow` is empty, otherwise what `allow` or
 * `also` names; whoever may use "exec" may use "apply_patch", too. */
struct mcti_rule_step {
    const char *label;
    struct mcti_rule_list allow, also, deny;
    unsigned section;
    bool spares_core; /* an `allow` that names no core tool is left out, see mcti_rule_check_allow() */
};

enum { MCT_RULE_STEPS = 64 }; /* of which more are not counted as left out */

struct mcti_rules {
    const struct mcti_rule_step *steps;
    size_t n_steps;
    const struct mcti_rule_group *groups;
    size_t n_groups;
    const struct mcti_rule_owned *owner_only; /* what only the owner may use, beside what says so of itself */
    size_t n_owner_only;
};

enum { MCT_RULE_NAMES = 8 };

/* What the rules are told of a tool. */
struct mcti_rule_tool {
    struct mcti_str names[MCT_RULE_NAMES]; /* what is denied is so by any of them */
    size_t n_names;
    unsigned sure;          /* bits 1 << i: the names that allow it, because no stranger chose them */
    struct mcti_str server; /* its id; absent: it is no server's */
    struct mcti_str plugin; /* id of the plugin it is part of; absent: it is a core tool */
    bool plugin_is_sure;    /* as with names */
    bool owner_only;        /* it says so itself */
    bool optional;          /* it says so itself: it is there only if an `allow` asks for it */
};

/* Adds a name, with its alias replaced. What does not fit is left out. */
void mcti_rule_tool_add(struct mcti_rule_tool *tool, struct mcti_str name, bool is_sure);

enum mcti_rule_result { MCT_RULE_PASSES, MCT_RULE_DENIED, MCT_RULE_NOT_ALLOWED };

struct mcti_rule_reason {
    enum mcti_rule_result result;
    const char *entry; /* that decided, as it was written; NULL: none did */
};

struct mcti_rule_reason mcti_rule_judge(const struct mcti_rules *r, const struct mcti_rule_step *step, bool no_allow,
                                        const struct mcti_rule_tool *tool);

/* Whether the `allow` of any step asks for what is optional: by an entry that names it, its plugin or server, or a
 * group of these. `*` asks for nothing, and neither do further sections of the configuration (all but 0), which only
 * restrict. */
bool mcti_rules_ask_for(const struct mcti_rules *r, const struct mcti_rule_tool *tool);

/* All steps, and that it is asked for if it is optional. `left_out` has a bit for each whose `allow` does not count.
 * *ret_step (may be NULL, untouched if there is none): the first that takes the tool away. */
bool mcti_rules_admit(const struct mcti_rules *r, uint64_t left_out, const struct mcti_rule_tool *tool,
                      const struct mcti_rule_step **ret_step);

/* The entry that makes it the owner's alone, "" where the tool says so itself; NULL: it is not. */
const char *mcti_rules_owner_only(const struct mcti_rules *r, const struct mcti_rule_tool *tool);

/*
 * Looks at the `allow` of a step in the light of all tools there are. Appends what is to be warned of, if anything.
 * True: it does not count. With spares_core that is so if it names no core tool and is not empty: a list of plugin
 * tools only would make all others vanish, and was meant to add to them.
 */
bool mcti_rule_check_allow(const struct mcti_rules *r, const struct mcti_rule_step *step,
                           const struct mcti_rule_tool *tools, size_t n_tools, struct mcti_buf *warning);

/* The NAME of "group:NAME"; absent: the entry is none. */
struct mcti_str mcti_rule_group_name(struct mcti_str entry);

/* Which of the keys is meant by what is used: "provider/model" before "provider", without case. `n`: none is. */
size_t mcti_rule_provider_key(const char *const *keys, size_t n, struct mcti_str provider, struct mcti_str model);

#define MCT_OWNER_ONLY_TEXT "Tool restricted to owner senders."

#endif
