/* Shared by the files of the reader of TOML 1.0: toml.c reads keys and tables, toml_value.c values, toml_text.c
 * strings, toml_word.c numbers, dates and truth values. */
#ifndef MCT_CONFIG_NOTATION_TOML_H
#define MCT_CONFIG_NOTATION_TOML_H

#include "config/notation/impl.h"

struct mcti_toml {
    struct mcti_doc_tree *tree;
    const char *p, *end; /* the rest of the text */
    const char *line_start;
    unsigned line;
    int depth; /* of the value being read */
};

int mcti_toml_fail(struct mcti_toml *t, const char *what); /* at t->p; returns -1 */

/* Skips blanks and tabs. */
void mcti_toml_blanks(struct mcti_toml *t);

/* Skips a comment, if there is one. Fails if it has control characters. */
int mcti_toml_comment(struct mcti_toml *t);

/* Skips one line break, if there is one; returns whether there was. */
bool mcti_toml_break(struct mcti_toml *t);

/* Returns the byte at t->p + n; 0 at the end. */
char mcti_toml_at(const struct mcti_toml *t, size_t n);

/* Reads a key with dots, and finds or makes the tables that it names in `table`: returns the last of them, with the
 * last part of the key in *ret_key. Returns NULL on failure. */
struct mcti_doc_node *mcti_toml_key(struct mcti_toml *t, struct mcti_doc_node *table, struct mcti_str *ret_key);

/* Reads `KEY = VALUE` into the table. */
int mcti_toml_pair(struct mcti_toml *t, struct mcti_doc_node *table);

/* Return NULL on failure. */
struct mcti_doc_node *mcti_toml_value(struct mcti_toml *t);
struct mcti_doc_node *mcti_toml_word(struct mcti_toml *t); /* number, date or truth value */

/* Appends the characters of the string at t->p. A key is not a string of several lines. */
int mcti_toml_string(struct mcti_toml *t, struct mcti_buf *to, bool is_key);

#endif
