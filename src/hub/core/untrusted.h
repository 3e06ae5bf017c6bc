/*
 * Cleans text of servers for places where a model takes it for the gateway's own: descriptions, system prompts. The
 * result is one bounded line without invisible characters.
 */
#ifndef MCT_HUB_CORE_UNTRUSTED_H
#define MCT_HUB_CORE_UNTRUSTED_H

#include "base/buf.h"

/* Appends the text, at most `max` bytes and whole characters only. Each run of white space becomes one blank; other
 * control characters, line separators and tag characters are left out. Returns false if some text did not fit. */
bool mcti_untrusted_put(struct mcti_buf *to, struct mcti_str text, size_t max);

/* Appends the text of a JSON string in the same way; appends nothing for another value. */
bool mcti_untrusted_put_json(struct mcti_buf *to, struct mcti_str value, size_t max);

#endif
