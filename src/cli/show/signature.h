/* Converts between the input schema of a tool and key=value words of the command line. */
#ifndef MCT_CLI_SHOW_SIGNATURE_H
#define MCT_CLI_SHOW_SIGNATURE_H

#include "base/buf.h"
#include "base/error.h"

/* Appends the arguments of a schema as words: " message=STRING level=debug|info files:=ARRAY [count=INTEGER]". */
void mcti_signature_put(struct mcti_buf *to, struct mcti_str input_schema);

/*
 * Appends the arguments object made from `n` words: key=value (an integer, number or boolean if the schema says so,
 * otherwise text), key:=JSON, key=@FILE (text of the file). Returns -1 with *err.
 */
int mcti_arguments_put(struct mcti_buf *to, const char *const *words, int n, struct mcti_str input_schema,
                       struct mct_error *err);

#endif
