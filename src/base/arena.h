/*
 * Memory that is handed out piece by piece and freed all at once. It has a ceiling; once that or the machine's
 * memory is met the arena has failed, hands out nothing any more, and says so in mcti_arena_ok().
 */
#ifndef MCT_BASE_ARENA_H
#define MCT_BASE_ARENA_H

#include "base/str.h"

struct mcti_arena_block;

struct mcti_arena {
    struct mcti_arena_block *blocks;
    size_t left; /* of the newest block */
    size_t used, max;
    bool failed;
};

void mcti_arena_init(struct mcti_arena *a, size_t max); /* no allocation */
void mcti_arena_done(struct mcti_arena *a);

/* n zeroed bytes, aligned for anything; NULL when the arena has failed. */
void *mcti_arena_get(struct mcti_arena *a, size_t n);

/* A copy that ends in NUL; NULL of what is absent, too. */
char *mcti_arena_dup(struct mcti_arena *a, struct mcti_str s);

static inline bool mcti_arena_ok(const struct mcti_arena *a)
{
    return !a->failed;
}

#endif
