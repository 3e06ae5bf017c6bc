/*
 * Files in other notations than JSON: configuration, and the frontmatter of skills. A document is the text of such a
 * file written as JSON, so that one reader (config/fields.c) reads them all, with the line of the file for each key and
 * value.
 *
 * Limits: a file has at most MCT_LIMIT_NOTATION_BYTES, values are nested at most MCT_LIMIT_NOTATION_DEPTH deep, and the
 * aliases of YAML expand to at most MCT_LIMIT_NOTATION_VALUES values.
 */
#ifndef MCT_CONFIG_NOTATION_DOCUMENT_H
#define MCT_CONFIG_NOTATION_DOCUMENT_H

#include "base/str.h"

enum mcti_notation {
    MCT_NOTATION_JSON,
    MCT_NOTATION_JSON5,
    MCT_NOTATION_YAML,
    MCT_NOTATION_TOML,
    MCT_NOTATION_YAML_CORE, /* YAML with all numbers of the core schema, as in the frontmatter of skills */
};

/* What is wrong with a text. Line and column count from 1; line 0: the text as a whole. */
struct mcti_notation_fault {
    unsigned line, column;
    char why[192];
};

/* The JSON from `offset` on, up to the next note, comes from this line. */
struct mcti_line_note {
    unsigned offset, line;
};

struct mcti_document {
    char *json; /* owned */
    size_t len;
    struct mcti_line_note *notes; /* in ascending order of offsets */
    size_t n_notes;
};

/* Returns the notation that the ending of a file's name tells: .yaml, .yml, .toml, .json5; JSON for any other. */
enum mcti_notation mcti_notation_of(const char *file);

/* Reads a text in any notation but MCT_NOTATION_JSON. On failure returns -1 and sets *ret_fault; `ret` is then
 * empty. */
int mcti_document_read(enum mcti_notation notation, struct mcti_str text, struct mcti_document *ret,
                       struct mcti_notation_fault *ret_fault);
void mcti_document_done(struct mcti_document *d);

/* Returns the line of the position `offset` of d->json. */
unsigned mcti_document_line(const struct mcti_document *d, size_t offset);

#endif
