/* Matching URIs against URI templates (RFC 6570 as MCP servers use it). */
#ifndef MCT_HUB_NAMES_TEMPLATE_H
#define MCT_HUB_NAMES_TEMPLATE_H

#include "base/str.h"

/* Whether the URI can have come from the template: literals must match, a simple expression {x}
 * stands for a run of bytes without '/', '?' and '#', one with an operator or '*' for any run. */
bool mct_template_matches(struct mct_str template, struct mct_str uri);

#endif
