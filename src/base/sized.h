/*
 * Structs filled by programs begin with their size as the program was compiled: smaller with older headers, larger with
 * newer ones.
 */
#ifndef MCT_BASE_SIZED_H
#define MCT_BASE_SIZED_H

#include "base/error.h"

/*
 * Copies the struct `given`, whose first member is a size_t with its size, into `ret` of `size` bytes. Missing members
 * become zero; NULL gives all zeros. `what` is the name of the struct for messages. Returns -1 and sets *err if the
 * size is not set, or if a member beyond `size` is not zero.
 */
int mcti_sized_copy(void *ret, size_t size, const void *given, const char *what, struct mct_error *err);

#endif
