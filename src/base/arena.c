#include "base/arena.h"

#include <stdlib.h>

enum { ALIGN = 16, FIRST_BYTES = 4096, MOST_BYTES = 1 << 20 };

struct mcti_arena_block {
    struct mcti_arena_block *next;
    size_t size;
    _Alignas(ALIGN) char bytes[];
};

void mcti_arena_init(struct mcti_arena *a, size_t max)
{
    *a = (struct mcti_arena){ .max = max };
}

void mcti_arena_done(struct mcti_arena *a)
{
    for (struct mcti_arena_block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    mcti_arena_init(a, a->max);
}

/* Adds a block. Sizes double, so that small arenas stay small and large ones have few blocks. */
static bool arena_grow(struct mcti_arena *a, size_t n)
{
    size_t size = a->used < FIRST_BYTES ? FIRST_BYTES : a->used > MOST_BYTES ? MOST_BYTES : a->used;
    if (size < n)
        size = n;
    struct mcti_arena_block *b = calloc(1, sizeof *b + size);
    if (!b)
        return false;
    b->size = size;
    b->next = a->blocks;
    a->blocks = b;
    a->left = size;
    return true;
}

void *mcti_arena_get(struct mcti_arena *a, size_t n)
{
    size_t whole = n > a->max ? n : (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    a->failed = a->failed || whole > a->max - a->used || (whole > a->left && !arena_grow(a, whole));
    if (a->failed)
        return NULL;
    char *p = a->blocks->bytes + a->blocks->size - a->left;
    a->left -= whole;
    a->used += whole;
    return p;
}

char *mcti_arena_dup(struct mcti_arena *a, struct mcti_str s)
{
    char *copy = s.p ? mcti_arena_get(a, s.len + 1) : NULL;
    return copy ? memcpy(copy, s.p, s.len) : NULL;
}
