/* The width of terminals, and text that is broken between words to fit it. */
#ifndef MCT_CLI_TERMINAL_WRAP_H
#define MCT_CLI_TERMINAL_WRAP_H

#include "base/buf.h"

/* Returns the number of columns of the terminal `fd`: $COLUMNS, what the terminal says, or 80. */
unsigned mcti_terminal_columns(int fd);

/* Returns the number of columns that `text` takes on a terminal. Wide characters (CJK, emoji) take two. */
unsigned mcti_text_columns(struct mcti_str text);

/* Returns the beginning of `text` that takes at most `columns`. */
struct mcti_str mcti_text_cut(struct mcti_str text, unsigned columns);

struct mcti_wrap {
    unsigned at;      /* column in which the text begins */
    unsigned indent;  /* of the lines behind the first one */
    unsigned columns; /* 0: lines are not broken further */
    bool keeps_words; /* a word that is longer than a line is not broken, so that it can be copied */
};

/* Appends `text`, broken between words. A word that is longer than a line is broken where the line ends, unless words
 * are kept. A line break in the text stays one. The end of the text gets no line break. */
void mcti_wrap_put(struct mcti_buf *to, struct mcti_str text, const struct mcti_wrap *w);

#endif
