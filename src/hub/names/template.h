/* Matching URIs against URI templates (RFC 6570 as MCP servers use it). */
#ifndef MCT_HUB_NAMES_TEMPLATE_H
#define MCT_HUB_NAMES_TEMPLATE_H

#include "base/str.h"

/* Returns true if the URI can be an expansion of the template: literals must be equal; a simple expression {x} matches
 * bytes other than '/', '?' and '#'; an expression with an operator or '*' matches any bytes. */
bool mcti_template_matches(struct mcti_str template, struct mcti_str uri);

#endif
