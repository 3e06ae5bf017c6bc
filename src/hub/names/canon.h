/*
 * Canonical names of tools, independent of a view: for rules and lists in which an operator names tools. Names depend
 * on all tools of all servers, so they are computed for a whole registry at once, at the first use after a change.
 */
#ifndef MCT_HUB_NAMES_CANON_H
#define MCT_HUB_NAMES_CANON_H

#include "hub/core/registry.h"
#include "hub/names/names.h"

enum { MCT_NAMES_ALONE = 4 };

struct mcti_tool_names {
    const struct mcti_item *item;
    struct mcti_str dotted;       /* SERVER.TOOL with the raw name; owned; absent until the first use */
    char *prefixed;               /* exposed name in a view of all servers with the prefix "always" */
    char *alone[MCT_NAMES_ALONE]; /* names it may have in some view: with and without prefix, with and without hash */
    bool dotted_is_sure, prefixed_is_sure; /* the name cannot be that of another server's tool; otherwise a server could
                                            * choose raw names that imitate tools of another server */
};

/* Returns the names of a tool of `p`, valid until the next turn of the loop. Returns NULL if no server of the registry
 * has the tool, or when out of memory. */
const struct mcti_tool_names *mcti_canon_find(struct mcti_registry *r, const struct mcti_naming *naming,
                                              const struct mcti_provider *p, const struct mcti_item *tool);

#endif
