/*
 * A hash index of the positions in an array, for arrays too long for a node of struct mcti_map in each element. The
 * array and the keys belong to the caller, who compares keys: a lookup passes through the positions whose keys have the
 * same hash.
 *
 * Positions are put upwards from 0 or, after mcti_index_reserve(), downwards from the last one; of equal keys that were
 * put downwards, the lowest position is found first.
 */
#ifndef MCT_BASE_TABLE_INDEX_H
#define MCT_BASE_TABLE_INDEX_H

#include "base/hash.h"

struct mcti_index {
    uint32_t *heads; /* of each bucket: a position + 1; 0: the bucket is empty */
    struct mcti_index_entry {
        uint32_t hash, next; /* next: a position + 1 */
    } * entries;             /* by position */
    uint32_t n_heads, room;  /* n_heads: a power of two; room: of entries */
};

enum { MCT_INDEX_END = UINT32_MAX };

void mcti_index_done(struct mcti_index *x); /* accepts a zeroed index, and leaves one */

/* Makes room for `n` positions in an empty index. Returns -1 when out of memory. */
int mcti_index_reserve(struct mcti_index *x, size_t n);

/* Adds the position `at` under `key`. Returns -1 when out of memory. */
int mcti_index_put(struct mcti_index *x, struct mcti_str key, size_t at);

/* Return the first position under the hash of `key`, and the one that follows `at`; MCT_INDEX_END at the end. */
uint32_t mcti_index_first(const struct mcti_index *x, struct mcti_str key);
uint32_t mcti_index_next(const struct mcti_index *x, uint32_t at);

#endif
