/* Matching URIs against URI templates (RFC 6570 as MCP servers use it). */
#ifndef MCT_HUB_NAMES_TEMPLATE_H
#define MCT_HUB_NAMES_TEMPLATE_H

#include "json/write.h"

/* Returns true if the braces are in pairs and each pair has a name. */
bool mcti_template_valid(struct mcti_str template);

/* Returns true if the URI can be an expansion of the template: literals must be equal; a simple expression {x} matches
 * bytes other than '/', '?' and '#'; an expression with an operator or '*' matches any bytes. */
bool mcti_template_matches(struct mcti_str template, struct mcti_str uri);

/* Writes an object with the variables of a template that the URI matches, percent-decoded: {"name":"text"}. An
 * expression of several variables ({?a,b}, {a,b}) is split at its separators. Without a match the object is empty. */
void mcti_template_put_variables(struct mcti_buf *to, struct mcti_str template, struct mcti_str uri);

#endif
