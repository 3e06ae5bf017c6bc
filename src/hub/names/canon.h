/*
 * What a tool is called whichever view it is seen in: for what an operator writes about tools by name. Names depend on
 * all tools of all servers, and so are made for all of a registry at once, when the first is asked for after a change.
 */
#ifndef MCT_HUB_NAMES_CANON_H
#define MCT_HUB_NAMES_CANON_H

#include "hub/core/registry.h"
#include "hub/names/names.h"

enum { MCT_NAMES_ALONE = 4 };

struct mcti_tool_names {
    const struct mcti_item *item;
    struct mcti_str dotted;       /* SERVER.TOOL, the raw name; owned, absent until it is asked for */
    char *prefixed;               /* the exposed name when all servers are shown and every name carries its server */
    char *alone[MCT_NAMES_ALONE]; /* what some view may call it: with and without the server, with and without hash */
    bool dotted_is_sure, prefixed_is_sure; /* no other server's tools have names that begin so: a server chooses what
                                            * its own are called, and could pass one off as another server's */
};

/* NULL: no server of the registry has the tool, or memory is short. Good until the loop turns. */
const struct mcti_tool_names *mcti_canon_find(struct mcti_registry *r, const struct mcti_naming *naming,
                                              const struct mcti_provider *p, const struct mcti_item *tool);

#endif
