/* Converts between the input schema of a tool and key=value words of the command line. */
#ifndef MCT_CLI_SHOW_SIGNATURE_H
#define MCT_CLI_SHOW_SIGNATURE_H

#include "base/buf.h"
#include "base/error.h"

/* Returns the type of a schema: its "type", or the first other than "null" if that is a list. */
struct mcti_str mcti_signature_type(struct mcti_str schema);

/* Returns true if the schema requires the property, whose key is as written. */
bool mcti_signature_requires(struct mcti_str schema, struct mcti_str raw_key);

/* Appends the arguments of a schema as words: " message=STRING level=debug|info files:=ARRAY [count=INTEGER]". */
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
