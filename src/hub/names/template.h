/* Matching URIs against URI templates (RFC 6570 as MCP servers use it). */
#ifndef MCT_HUB_NAMES_TEMPLATE_H
#define MCT_HUB_NAMES_TEMPLATE_H

#include "base/str.h"

/* Whether the URI can have come from the template: literals must match, a simple expression {x}
 * stands for a run of bytes without '/', '?' and '#', one with an operator or '*' for any run. */
bool mcti_template_matches(struct mcti_str template, struct mcti_str uri);

#endif
