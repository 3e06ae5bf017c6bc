#include "base/table/index.h"

#include <stdlib.h>

enum { FIRST_ROOM = 16, MAX_ROOM = 1 << 30 };

void mcti_index_done(struct mcti_index *x)
{
    free(x->heads);
    free(x->entries);
    *x = (struct mcti_index){ 0 };
}

static void index_link(struct mcti_index *x, uint32_t hash, uint32_t at)
{
    uint32_t *head = &x->heads[hash & (x->n_heads - 1)];
    x->entries[at] = (struct mcti_index_entry){ hash, *head };
    *head = at + 1;
}

/* Returns the number of buckets for `n` positions: at least one for two. */
static uint32_t index_n_heads(size_t n)
{
    uint32_t heads = FIRST_ROOM / 2;
    while (heads < n / 2)
        heads *= 2;
    return heads;
}

/* Makes room for `room` positions, and the buckets again for the first `n`. */
static int index_resize(struct mcti_index *x, size_t room, uint32_t n)
{
    uint32_t n_heads = room <= MAX_ROOM ? index_n_heads(room) : 0;
    uint32_t *heads = n_heads ? calloc(n_heads, sizeof *heads) : NULL;
    struct mcti_index_entry *entries = heads ? realloc(x->entries, room * sizeof *entries) : NULL;
    if (!entries) {
        free(heads);
        return -1;
    }
    free(x->heads);
    memset(entries + x->room, 0, (room - x->room) * sizeof *entries); /* a position may not have been put */
    *x = (struct mcti_index){ heads, entries, n_heads, (uint32_t)room };
    for (uint32_t at = n; at-- > 0;)
        index_link(x, entries[at].hash, at);
    return 0;
}

int mcti_index_reserve(struct mcti_index *x, size_t n)
{
    return n ? index_resize(x, n, 0) : 0;
}

int mcti_index_put(struct mcti_index *x, struct mcti_str key, size_t at)
{
    if (at >= x->room && index_resize(x, x->room ? 2 * (size_t)x->room : FIRST_ROOM, x->room) < 0)
        return -1;
    index_link(x, (uint32_t)mcti_hash(0, key), (uint32_t)at);
    return 0;
}

/* Returns the first position of the chain that has the hash. */
static uint32_t index_pass(const struct mcti_index *x, uint32_t hash, uint32_t next)
{
    while (next && x->entries[next - 1].hash != hash)
        next = x->entries[next - 1].next;
    return next ? next - 1 : MCT_INDEX_END;
}

uint32_t mcti_index_first(const struct mcti_index *x, struct mcti_str key)
{
    if (!x->room)
        return MCT_INDEX_END;
    uint32_t hash = (uint32_t)mcti_hash(0, key);
    return index_pass(x, hash, x->heads[hash & (x->n_heads - 1)]);
}

uint32_t mcti_index_next(const struct mcti_index *x, uint32_t at)
{
    return index_pass(x, x->entries[at].hash, x->entries[at].next);
}
