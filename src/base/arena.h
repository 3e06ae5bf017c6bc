/*
 * Memory that is handed out piece by piece and freed all at once. It has a ceiling; once that or the machine's
 * memory is met the arena has failed, hands out nothing any more, and says so in mct_arena_ok().
 */
#ifndef MCT_BASE_ARENA_H
#define MCT_BASE_ARENA_H

#include "base/str.h"

struct mct_arena_block;

struct mct_arena {
    struct mct_arena_block *blocks;
    size_t left; /* of the newest block */
    size_t used, max;
    bool failed;
};

void mct_arena_init(struct mct_arena *a, size_t max); /* no allocation */
void mct_arena_done(struct mct_arena *a);

/* n zeroed bytes, aligned for anything; NULL when the arena has failed. */
void *mct_arena_get(struct mct_arena *a, size_t n);

/* A copy that ends in NUL; NULL of what is absent, too. */
char *mct_arena_dup(struct mct_arena *a, struct mct_str s);

static inline bool mct_arena_ok(const struct mct_arena *a)
{
    return !a->failed;
}

#endif
