/* Files and stdin as input of commands. */
#ifndef MCT_CLI_INPUT_H
#define MCT_CLI_INPUT_H

#include "base/buf.h"
#include "base/error.h"

/* Appends the file `path`, or stdin for "-". Returns -1 with *err if it cannot be read or exceeds the limit of `to`. */
int mcti_input_read(struct mcti_buf *to, const char *path, struct mct_error *err);

#endif
