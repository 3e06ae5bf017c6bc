/*
 * The values of the agent block: JSON in which keys that are identifiers have no quotes, with one blank after `:` and
 * between pairs and containers, and none between scalars of an array. One streaming reader accepts this form and JSON,
 * and writes either: it builds no tree, keeps the order of members and loses nothing.
 *
 * Both styles are canonical. Strings hold literal UTF-8 and only the escapes that are needed (an unpaired surrogate
 * keeps its own). Numbers have no exponent, unless they would need more than 400 zeros. The block also escapes
 * characters that may end a line or control a terminal: U+007F–9F, U+2028 and U+2029.
 */
#ifndef MCT_RESOURCES_LINES_VALUE_H
#define MCT_RESOURCES_LINES_VALUE_H

#include "base/buf.h"

struct mcti_value_copy {
    const char *p, *end; /* the next byte to read; after a failure the byte that is wrong */
    struct mcti_buf *to; /* output; the copy fails when it is full */
    bool lines;          /* write in the block's style; otherwise as compact JSON */
    bool bare_agent;     /* the value of the outermost `agent` is a word without quotes where possible */
    int depth;
    const char *why; /* reason of a failure, static text */
};

/* Copies one object, array, string, number or word, without surrounding white space. On failure returns false and sets
 * c->why. */
bool mcti_value_copy(struct mcti_value_copy *c);

void mcti_value_skip_space(struct mcti_value_copy *c);

/* Reads an identifier (ASCII letters, digits and `_`, not beginning with a digit) and returns it; returns an empty
 * string if there is none. */
struct mcti_str mcti_value_word(struct mcti_value_copy *c);

/* Sets c->why and returns false. */
bool mcti_value_fail(struct mcti_value_copy *c, const char *why);

/* Appends one character of a text; one that could end the line or control a terminal is escaped. */
void mcti_value_put_char(struct mcti_buf *to, unsigned code_point);

#endif
