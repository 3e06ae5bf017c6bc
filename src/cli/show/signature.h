/* Converts between the input schema of a tool and key=value words of the command line. */
#ifndef MCT_CLI_SHOW_SIGNATURE_H
#define MCT_CLI_SHOW_SIGNATURE_H

#include "base/buf.h"
#include "base/error.h"
#include "json/scan.h"

/* Returns the type of a schema: its "type", or the first other than "null" if that is a list. */
struct mcti_str mcti_signature_type(struct mcti_str schema);

/* Iterates over the arguments of a schema: those that it requires, then the others. */
struct mcti_signature {
    struct mcti_str schema;
    struct mcti_json_iter left;
    bool is_required;         /* the current argument, as the rest of this pass */
    struct mcti_str key;      /* its name as a string value, as written */
    struct mcti_buf name;     /* its name without escapes */
    struct mcti_str property; /* its schema */
};

void mcti_signature_open(struct mcti_signature *s, struct mcti_str input_schema);
bool mcti_signature_next(struct mcti_signature *s);
void mcti_signature_done(struct mcti_signature *s);

/* Appends the current argument as a word: "message=STRING", "files:=ARRAY" or "[count=INTEGER]". */
void mcti_signature_put_one(struct mcti_buf *to, const struct mcti_signature *s);

/* Appends all arguments as words, each behind a blank: " message=STRING level=debug|info [count=INTEGER]". */
void mcti_signature_put(struct mcti_buf *to, struct mcti_str input_schema);

/*
 * Appends the arguments object made from `n` words: key=value (an integer, number or boolean if the schema says so,
 * otherwise text), key:=JSON, key=@FILE (text of the file). Returns -1 with *err.
 */
int mcti_arguments_put(struct mcti_buf *to, const char *const *words, int n, struct mcti_str input_schema,
                       struct mct_error *err);

/* Fails if the names of the arguments, made from words, cannot be those that the schema means: an unknown one that is
 * forbidden, or near to a known one, or there while a required one is missing; or a missing one. The error names the
 * right ones. */
int mcti_arguments_check(struct mcti_str arguments, struct mcti_str input_schema, const char *tool,
                         struct mct_error *err);

#endif
