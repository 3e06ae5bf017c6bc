/*
 * The values of the agent block: JSON with the keys bare where they are identifiers, one blank
 * behind `:` and between pairs and containers, none between scalars of an array. One reader takes this
 * and JSON, and writes down either as it goes: no tree, members in their order, nothing lost.
 *
 * Canonical, in both styles: strings hold literal UTF-8 and no escape that is not needed (an unpaired
 * surrogate keeps its own); numbers have no exponent, unless they would need more than 400 zeros. The block
 * moreover escapes what ends a line somewhere or moves a terminal: U+007F–9F, U+2028 and U+2029.
 */
#ifndef MCT_RESOURCES_LINES_VALUE_H
#define MCT_RESOURCES_LINES_VALUE_H

#include "base/buf.h"

struct mcti_value_copy {
    const char *p, *end; /* what is read next; after a failure the byte that is wrong */
    struct mcti_buf *to; /* when it meets its ceiling the copy fails */
    bool lines;          /* written in the block's style; otherwise as compact JSON */
    bool bare_agent;     /* the outermost `agent` may be a word without quotes, and is where it can */
    int depth;
    const char *why; /* of a failure, static text */
};

/* Copies one object or array, string, number or word, without the white space around it. */
bool mcti_value_copy(struct mcti_value_copy *c);

void mcti_value_skip_space(struct mcti_value_copy *c);

/* Takes an identifier: ASCII letters, digits and `_`, no digit in front; empty when there is none. */
struct mcti_str mcti_value_word(struct mcti_value_copy *c);

/* Sets why; returns false. */
bool mcti_value_fail(struct mcti_value_copy *c, const char *why);

/* One character of text that stays in its line. */
void mcti_value_put_char(struct mcti_buf *to, unsigned code_point);

#endif
