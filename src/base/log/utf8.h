/* UTF-8 as RFC 3629 allows it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef MCT_BASE_LOG_UTF8_H
#define MCT_BASE_LOG_UTF8_H

#include "base/buf.h"

/* Length (1–4) of the valid sequence at p, 0 if there is none before `end`. */
size_t mcti_utf8_len(const char *p, const char *end);

/* Whether every byte belongs to a valid sequence. */
bool mcti_utf8_valid(struct mcti_str s);

/* The code point of the valid sequence of n bytes at p. */
unsigned mcti_utf8_at(const char *p, size_t n);

/* The first n_max characters (Unicode scalar values; a byte of no valid sequence counts as one). */
struct mcti_str mcti_utf8_head(struct mcti_str s, size_t n_max, size_t *ret_n);

/* Appends the code point; surrogates and values above U+10FFFF are the caller's mistake. */
void mcti_utf8_put(struct mcti_buf *to, unsigned code_point);

#endif
