/* Strict base64 without white space: the standard alphabet with padding, and the URL alphabet without padding (RFC 4648
 * sections 4 and 5). */
#ifndef MCT_BASE_BASE64_H
#define MCT_BASE_BASE64_H

#include "base/buf.h"

void mcti_base64_put(struct mcti_buf *to, struct mcti_str bytes);
void mcti_base64url_put(struct mcti_buf *to, struct mcti_str bytes);

/* Append the decoded bytes of base64 text. Return -1 if the text is invalid; *to may then hold part of the bytes. */
int mcti_base64_get(struct mcti_buf *to, struct mcti_str text);
int mcti_base64url_get(struct mcti_buf *to, struct mcti_str text);

#endif
