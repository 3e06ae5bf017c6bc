/* ${VAR} and ${VAR:-default} in configured texts. */
#ifndef MCT_CONFIG_EXPAND_H
#define MCT_CONFIG_EXPAND_H

#include "base/error.h"

/* The expanded text, owned; what a default or a variable holds is not expanded again. "$${" is a
 * literal "${". NULL with *err naming an unset variable without default. */
char *mct_expand(const char *text, struct mct_error *err);

/* The same with a leading "~/" or lone "~" made the home directory. */
char *mct_expand_path(const char *text, struct mct_error *err);

#endif
