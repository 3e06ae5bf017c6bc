/* Tools as a person calls them: `SERVER.TOOL key=value`, made from the input schema. */
#ifndef MCT_CLI_SIGNATURE_H
#define MCT_CLI_SIGNATURE_H

#include "base/buf.h"
#include "base/error.h"

/* " message=STRING [count=INTEGER] level=debug|info files:=ARRAY": the arguments of a schema. */
void mcti_signature_put(struct mcti_buf *to, struct mcti_str input_schema);

/*
 * Writes the arguments object from words: key=value (typed by the schema where it says integer,
 * number or boolean, otherwise text), key:=JSON, key=@FILE (text of the file). -1 with *err.
 */
int mcti_arguments_put(struct mcti_buf *to, const char *const *words, int n, struct mcti_str input_schema,
                       struct mct_error *err);

#endif
