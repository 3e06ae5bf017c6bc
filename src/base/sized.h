/*
 * Structs that programs fill begin with their size as the program knows it: smaller where it was built with older
 * headers, larger with newer ones.
 */
#ifndef MCT_BASE_SIZED_H
#define MCT_BASE_SIZED_H

#include "base/error.h"

/*
 * Copies a given struct, which begins with a size_t that is its size, into one of `size` bytes; what it lacks is zero,
 * and NULL lacks everything. -1 with *err: the size was not set, or it says something (not zero) that is not known
 * here.
 */
int mcti_sized_copy(void *ret, size_t size, const void *given, const char *what, struct mct_error *err);

#endif
