/*
 * The tools of a registry as the policy pipeline (rules.h) sees them: by names that no view changes. Names that anybody
 * could choose forbid, but do not allow: SERVER.TOOL and the name under a prefix allow where no other server's tools
 * have names that begin so; the server's own name for the tool does if the server is trusted, or is the only one.
 */
#ifndef MCT_HUB_POLICY_RULED_H
#define MCT_HUB_POLICY_RULED_H

#include "hub/core/registry.h"
#include "hub/names/names.h"
#include "hub/policy/rules.h"

/* What rules are there for whom. */
struct mcti_ruled {
    const struct mcti_rules *rules; /* borrowed; NULL: none */
    bool stranger;                  /* not the owner */
};

/* -1 when memory is short, or the tool is no server's of the registry. Good until the loop turns. */
int mcti_ruled_tool(struct mcti_registry *r, const struct mcti_naming *naming, struct mcti_provider *p,
                    const struct mcti_item *item, struct mcti_rule_tool *ret);

/* Whether the tool says of itself that it is the owner's alone. */
bool mcti_ruled_says_owner_only(const struct mcti_item *item);

/* Whether a plugin of ours says that the tool is optional. */
bool mcti_ruled_says_optional(const struct mcti_provider *p, const struct mcti_item *item);

/* The steps whose `allow` does not count with the tools there are now (mcti_rules_admit()): none before every server
 * has settled. Whoever asks first after a change has the warnings told. */
uint64_t mcti_ruled_left_out(struct mcti_registry *r, const struct mcti_naming *naming, const struct mcti_rules *rules);

enum mcti_standing { MCT_ADMITTED, MCT_RESTRICTED, MCT_REMOVED };

/* Restricted: it is the owner's alone, and would be admitted otherwise. */
enum mcti_standing mcti_ruled_standing(const struct mcti_ruled *who, uint64_t left_out,
                                       const struct mcti_rule_tool *tool);

#endif
