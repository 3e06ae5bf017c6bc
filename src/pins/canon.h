/*
 * The canonical form of what a server says, so that equal values have equal hashes: members sorted by their keys, each
 * string in its shortest form, numbers as an integer or in the shortest form of a double, no white space. Members of
 * the same name stay beside each other in their order, because clients differ in which of them they use.
 */
#ifndef MCT_PINS_CANON_H
#define MCT_PINS_CANON_H

#include "json/write.h"

enum { MCT_PINS_HASH_CHARS = 64 };

/* Appends the canonical form of validated JSON, in time that grows with its length. Returns -1 when out of memory; 1 if
 * it has more than MCT_LIMIT_PIN_VALUES values: then its members and numbers are as they came. */
int mcti_pins_canon(struct mcti_buf *to, struct mcti_str json);

/* Writes the SHA-256 of a canonical form in hex digits. Returns -1 if the library fails. */
int mcti_pins_hash(struct mcti_str canonical, char ret[MCT_PINS_HASH_CHARS + 1]);

#endif
