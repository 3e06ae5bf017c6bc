/*
 * Text that servers wrote, on its way to where a model takes it for ours: a description, a system prompt. It stays what
 * it says, but on one line, without characters that nobody sees, and bounded.
 */
#ifndef MCT_HUB_CORE_UNTRUSTED_H
#define MCT_HUB_CORE_UNTRUSTED_H

#include "base/buf.h"

/* Appends the text, at most `max` bytes of it and whole characters only. White space becomes blanks, one for a run;
 * other control characters, line separators and tag characters are left out. False: some of it did not fit. */
bool mcti_untrusted_put(struct mcti_buf *to, struct mcti_str text, size_t max);

/* The same for a JSON string; anything else is nothing at all. */
bool mcti_untrusted_put_json(struct mcti_buf *to, struct mcti_str value, size_t max);

#endif
