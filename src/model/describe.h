/* The description of a tool in an array for a model provider: the server's text, with its line breaks. */
#ifndef MCT_MODEL_DESCRIBE_H
#define MCT_MODEL_DESCRIBE_H

#include "base/buf.h"

/*
 * Appends the text of a JSON string. Characters that no person sees (controls, bidirectional controls, tags; not line
 * ends and tabs) are left out, because only the model would read them. A text longer than `max` UTF-16 code units (0:
 * no limit but that of this program, 64 Ki) is cut between two words. A note in brackets at the end tells either
 * change. Returns false, with nothing appended, for another value and for a text of white space only.
 */
bool mcti_describe_put(struct mcti_buf *to, struct mcti_str value, size_t max);

#endif
