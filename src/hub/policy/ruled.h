/*
 * Applies the policy pipeline (rules.h) to the tools of a registry, by names that do not depend on a view. Every name
 * of a tool can deny it, but only names that no other server can choose can allow it: SERVER.TOOL and the prefixed
 * name, if no tool of another server can have a name with the same beginning; the raw name, if the server is trusted or
 * the only one.
 */
#ifndef MCT_HUB_POLICY_RULED_H
#define MCT_HUB_POLICY_RULED_H

#include "hub/core/registry.h"
#include "hub/names/names.h"
#include "hub/policy/rules.h"

/* The rules for one group of clients. */
struct mcti_ruled {
    const struct mcti_rules *rules; /* borrowed; NULL: none */
    bool stranger;                  /* the client is not the owner */
};

/* Sets *ret to the tool as the rules see it; valid until the next turn of the loop. Returns -1 when out of memory or if
 * the tool belongs to no server of the registry. */
int mcti_ruled_tool(struct mcti_registry *r, const struct mcti_naming *naming, const struct mcti_provider *p,
                    const struct mcti_item *item, struct mcti_rule_tool *ret);

/* Returns whether the tool declares itself restricted to the owner. */
bool mcti_ruled_says_owner_only(const struct mcti_item *item);

/* Returns whether a plugin of the program's own plugin host declares the tool optional. */
bool mcti_ruled_says_optional(const struct mcti_provider *p, const struct mcti_item *item);

/* Returns the steps whose `allow` is ignored with the current tools, as bits (mcti_rules_admit()); none before every
 * server has settled. The first call after a change logs the warnings. */
uint64_t mcti_ruled_left_out(struct mcti_registry *r, const struct mcti_naming *naming, const struct mcti_rules *rules);

/* MCT_FOR_APPS: found by its name, but listed only for clients with apps. MCT_UNLISTED: found by its name, but not
 * listed. MCT_QUARANTINED: it has a name, so that no other item gets it. */
enum mcti_standing { MCT_ADMITTED, MCT_FOR_APPS, MCT_UNLISTED, MCT_RESTRICTED, MCT_QUARANTINED, MCT_REMOVED };

/* Returns MCT_RESTRICTED for a tool that is restricted to the owner and would be admitted otherwise. */
enum mcti_standing mcti_ruled_standing(const struct mcti_ruled *who, uint64_t left_out,
                                       const struct mcti_rule_tool *tool);

#endif
