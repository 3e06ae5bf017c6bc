/* ${VAR} and ${VAR:-default} in configured texts. */
#ifndef MCT_CONFIG_EXPAND_H
#define MCT_CONFIG_EXPAND_H

#include "base/buf.h"
#include "base/error.h"

/* The expanded text, owned; what a default or a variable holds is not expanded again. "$${" is a
 * literal "${". NULL with *err naming an unset variable without default. */
char *mcti_expand(const char *text, struct mct_error *err);

/* The same with a leading "~/" or lone "~" made the home directory. */
char *mcti_expand_path(const char *text, struct mct_error *err);

/* The same for a path that counts from the folder of this configuration file (NULL: from the working directory). */
char *mcti_expand_from(const char *text, const char *file, struct mct_error *err);

/* Appends valid JSON with the variables in its strings expanded: they stand for texts in texts, what they hold cannot
 * become anything else. -1 with *err that names the place in it. */
int mcti_expand_json(struct mcti_buf *to, struct mcti_str value, struct mct_error *err);

#endif
