/* Expands ${VAR} and ${VAR:-default} in configured texts. */
#ifndef MCT_CONFIG_EXPAND_H
#define MCT_CONFIG_EXPAND_H

#include "base/buf.h"
#include "base/error.h"

/* "${!file:PATH}", which only import/variables.c writes, is the text of a file with a secret. */

/* Returns the expanded text, owned by the caller. Values are not expanded again. "$${" is a literal "${". Returns NULL
 * and sets *err if a variable without default is not set. */
char *mcti_expand(const char *text, struct mct_error *err);

/* Like mcti_expand(), and replaces a leading "~/" or a lone "~" by the home directory. */
char *mcti_expand_path(const char *text, struct mct_error *err);

/* Like mcti_expand_path(), for a path relative to the folder of the configuration file `file` (NULL: to the working
 * directory). */
char *mcti_expand_from(const char *text, const char *file, struct mct_error *err);

/* Appends valid JSON with the variables in its strings expanded. A value stays inside its string, whatever it contains.
 * On failure returns -1 and sets *err, which names the place in the JSON. */
int mcti_expand_json(struct mcti_buf *to, struct mcti_str value, struct mct_error *err);

#endif
