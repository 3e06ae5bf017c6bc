/*
 * Text that somebody else wrote, on its way to a terminal or log: without characters that steer a terminal, reverse the
 * direction of text or look like text of ours. This is the one place that knows such characters.
 */
#ifndef MCT_BASE_LOG_VISIBLE_H
#define MCT_BASE_LOG_VISIBLE_H

#include "base/buf.h"

/* Returns how many of the n bytes at p are one character that steers a terminal or hides text (C0, DEL, C1, the
 * bidirectional controls), 0 if they begin with another character. */
size_t mcti_control_len(const char *p, size_t n);

/* The same, and characters that a person does not see or takes for the end of a line: line and paragraph separators,
 * spaces and joiners without width, tag characters. Joiners mean something in some languages and in emoji: this is for
 * texts that a person decides upon, not for texts in general. */
size_t mcti_unseen_len(const char *p, size_t n);

enum mcti_visible_form {
    MCT_VISIBLE_LINE, /* each such character becomes '?' */
    MCT_VISIBLE_TEXT, /* the same, but line ends and tabs stay */
    MCT_VISIBLE_JSON, /* a JSON text stays the same value: \uXXXX in its strings; white space stays */
};

/* Appends the text in that form. Bytes that are no UTF-8 count as such characters: a terminal may take 0x9b for ESC [.
 */
void mcti_visible_put(struct mcti_buf *to, struct mcti_str text, enum mcti_visible_form form);

/* Brings the text into the form of a line, in place; it gets shorter at most. */
void mcti_visible(char *z);

#endif
