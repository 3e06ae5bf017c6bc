/*
 * An arena hands out memory piece by piece and frees it all at once. It has a size limit. When the limit is reached or
 * memory is exhausted, the arena has failed: it hands out nothing more, and mcti_arena_ok() returns false.
 */
#ifndef MCT_BASE_ARENA_H
#define MCT_BASE_ARENA_H

#include "base/str.h"

struct mcti_arena_block;

struct mcti_arena {
    struct mcti_arena_block *blocks;
    size_t left; /* free bytes in the newest block */
    size_t used, max;
    bool failed;
};

void mcti_arena_init(struct mcti_arena *a, size_t max); /* allocates nothing */
void mcti_arena_done(struct mcti_arena *a);

/* Returns `n` zeroed bytes, aligned for any type, or NULL if the arena has failed. */
void *mcti_arena_get(struct mcti_arena *a, size_t n);

/* Returns a NUL-terminated copy of `s`; NULL if `s` is absent or the arena has failed. */
char *mcti_arena_dup(struct mcti_arena *a, struct mcti_str s);

static inline bool mcti_arena_ok(const struct mcti_arena *a)
{
    return !a->failed;
}

#endif
