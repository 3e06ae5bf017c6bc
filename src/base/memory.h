/*
 * Counts failed allocations. Every file of src/ includes this header automatically (meson.build). Many functions
 * continue after a failed allocation and leave out a part of their work, so a program must check the count before it
 * reports success.
 */
#ifndef MCT_BASE_MEMORY_H
#define MCT_BASE_MEMORY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of allocations that have failed since the process began. May be called in any thread. */
unsigned long mcti_memory_failures(void);

/* Counts a failed allocation. */
void mcti_memory_note(void);

static inline void *mcti_memory_check(void *p)
{
    if (__builtin_expect(!p, 0))
        mcti_memory_note();
    return p;
}

static inline int mcti_memory_check_print(int n)
{
    if (n < 0)
        mcti_memory_note();
    return n;
}

#define malloc(n) mcti_memory_check(malloc(n))
#define calloc(n, size) mcti_memory_check(calloc(n, size))
#define realloc(p, n) mcti_memory_check(realloc(p, n))
#define asprintf(to, ...) mcti_memory_check_print(asprintf(to, __VA_ARGS__))
#define vasprintf(to, fmt, ap) mcti_memory_check_print(vasprintf(to, fmt, ap))
#ifdef strdup
#undef strdup
#endif
#define strdup(z) ((char *)mcti_memory_check(strdup(z)))

#endif
