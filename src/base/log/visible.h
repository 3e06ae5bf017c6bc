/*
 * Makes foreign text safe for terminals and logs: removes characters that control a terminal, reverse the direction of
 * text, or imitate our own output. This is the only place that knows these characters.
 */
#ifndef MCT_BASE_LOG_VISIBLE_H
#define MCT_BASE_LOG_VISIBLE_H

#include "base/buf.h"

/* Returns the length of the character at `p` if it controls a terminal or hides text (C0, DEL, C1, bidirectional
 * controls), 0 otherwise. `n` is the number of bytes at `p`. */
size_t mcti_control_len(const char *p, size_t n);

/* Like mcti_control_len(), but also for characters that a person cannot see or mistakes for the end of a line: line and
 * paragraph separators, zero-width spaces and joiners, tag characters. Joiners have a meaning in some languages and in
 * emoji, so use this only for text on which a person decides. */
size_t mcti_unseen_len(const char *p, size_t n);

enum mcti_visible_form {
    MCT_VISIBLE_LINE, /* each such character becomes '?' */
    MCT_VISIBLE_TEXT, /* the same, but line ends and tabs are kept */
    MCT_VISIBLE_JSON, /* keeps the value of a JSON text: \uXXXX in strings, white space is kept */
};

/* Appends `text` in that form. Invalid UTF-8 is treated like control characters, because a terminal may interpret 0x9b
 * as ESC [. */
void mcti_visible_put(struct mcti_buf *to, struct mcti_str text, enum mcti_visible_form form);

/* Converts a string in place into the form MCT_VISIBLE_LINE; it never grows. */
void mcti_visible(char *z);

#endif
