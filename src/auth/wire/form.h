/* application/x-www-form-urlencoded: token requests, and the query of the authorization response. */
#ifndef MCT_AUTH_WIRE_FORM_H
#define MCT_AUTH_WIRE_FORM_H

#include "base/buf.h"

/* Appends "name=value", preceded by '&' unless *to is empty or ends in '?' or '&'. An absent value adds nothing. */
void mcti_form_put(struct mcti_buf *to, const char *name, struct mcti_str value);

/* Decodes a value ('+' is a space). Returns -1 if an escape is malformed or decodes to NUL. */
int mcti_form_decode(struct mcti_buf *to, struct mcti_str text);

/* Finds the parameter `name`, which may be escaped, in a form and appends the decoded value of its first occurrence to
 * `to`. Returns the number of its occurrences; -1 if that value is malformed. */
int mcti_form_get(struct mcti_str form, const char *name, struct mcti_buf *to);

#endif
