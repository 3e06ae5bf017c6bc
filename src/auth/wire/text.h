/* Alphabets of OAuth texts. */
#ifndef MCT_AUTH_WIRE_TEXT_H
#define MCT_AUTH_WIRE_TEXT_H

#include "base/buf.h"

/* Returns true if all bytes are visible ASCII, U+0021 to U+007E, and none is one of `without`. */
bool mcti_text_is_visible(struct mcti_str text, const char *without);

/* Writes at most size - 1 bytes of foreign text for people: without control characters, and cut between characters. */
void mcti_text_show(char *to, size_t size, struct mcti_str text);

#endif
