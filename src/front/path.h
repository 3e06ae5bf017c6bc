/* Paths of endpoints. Names in them may be percent-encoded, which clients do for different characters; one slash may
 * follow the whole. */
#ifndef MCT_FRONT_PATH_H
#define MCT_FRONT_PATH_H

#include "base/str.h"

/* Returns whether the path is that of the folder or, with a name, that of what has this name in it. */
bool mcti_path_is(struct mcti_str path, struct mcti_str folder, const char *name);

/* Returns whether the path is "/NAME" and the tail. */
bool mcti_path_ends(struct mcti_str path, const char *name, struct mcti_str tail);

#endif
