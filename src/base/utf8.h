/* UTF-8 as RFC 3629 allows it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef MCT_BASE_UTF8_H
#define MCT_BASE_UTF8_H

#include "base/buf.h"

/* Length (1–4) of the valid sequence at p, 0 if there is none before `end`. */
size_t mct_utf8_len(const char *p, const char *end);

/* Whether every byte belongs to a valid sequence. */
bool mct_utf8_valid(struct mct_str s);

/* Appends the code point; surrogates and values above U+10FFFF are the caller's mistake. */
void mct_utf8_put(struct mct_buf *to, unsigned code_point);

#endif
