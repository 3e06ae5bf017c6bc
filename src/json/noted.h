/* Members that the check of a long message has noted: a look at one of them passes over nothing. */
#ifndef MCT_JSON_NOTED_H
#define MCT_JSON_NOTED_H

#include "json/scan.h"

/* Looks up the first member with that name of `object`, which is a member of the message that `chunk` holds; *ret is
 * absent if there is none. Returns false if that is not known: `chunk` is NULL or was not checked, `object` is no
 * member of it, or there are more members than are noted. */
bool mcti_json_noted(const struct mcti_chunk *chunk, struct mcti_str object, const char *key, struct mcti_str *ret);

#endif
