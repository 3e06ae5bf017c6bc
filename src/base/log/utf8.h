/* UTF-8 as defined by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef MCT_BASE_LOG_UTF8_H
#define MCT_BASE_LOG_UTF8_H

#include "base/buf.h"

/* Returns the length (1–4) of the valid sequence at `p`, or 0 if there is none before `end`. */
size_t mcti_utf8_len(const char *p, const char *end);

/* Returns true if the whole span is valid UTF-8. */
bool mcti_utf8_valid(struct mcti_str s);

/* Returns the code point of the valid sequence of `n` bytes at `p`. */
unsigned mcti_utf8_at(const char *p, size_t n);

/* Returns the first `n_max` characters (Unicode scalar values; an invalid byte counts as one), and sets *ret_n to their
 * number. */
struct mcti_str mcti_utf8_head(struct mcti_str s, size_t n_max, size_t *ret_n);

/* Returns the span without the white space of Unicode (the property White_Space) at its ends. */
struct mcti_str mcti_utf8_trim(struct mcti_str s);

/* Appends a code point, which must be neither a surrogate nor above U+10FFFF. */
void mcti_utf8_put(struct mcti_buf *to, unsigned code_point);

#endif
