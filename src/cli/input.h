/* Text a person names on the command line. */
#ifndef MCT_CLI_INPUT_H
#define MCT_CLI_INPUT_H

#include "base/buf.h"
#include "base/error.h"

/* Appends a whole file, or stdin where it is called "-". -1 with *err: it cannot be read, or is larger than `to` may
 * be. */
int mcti_input_read(struct mcti_buf *to, const char *path, struct mct_error *err);

#endif
