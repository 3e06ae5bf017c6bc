/* Standard base64 (RFC 4648 section 4), strict: padded, no white space. */
#ifndef MCT_BASE_BASE64_H
#define MCT_BASE_BASE64_H

#include "base/buf.h"

void mct_base64_put(struct mct_buf *to, struct mct_str bytes);

/* Appends the decoded bytes; -1 when the text is not strict base64 (then *to holds a part). */
int mct_base64_get(struct mct_buf *to, struct mct_str text);

#endif
