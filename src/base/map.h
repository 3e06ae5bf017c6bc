/*
 * An intrusive hash map from bytes to the struct that embeds the node. Owns its bucket array only:
 * nodes and key bytes belong to the caller and must stay put while they are in the map.
 */
#ifndef MCT_BASE_MAP_H
#define MCT_BASE_MAP_H

#include "base/hash.h"
#include "base/list.h"
#include "base/str.h"

struct mct_map_node {
    struct mct_map_node *next;
    uint64_t hash;
    struct mct_str key;
};

struct mct_map {
    struct mct_map_node **buckets;
    size_t n_buckets, n;
};

void mct_map_init(struct mct_map *m); /* no allocation */
void mct_map_done(struct mct_map *m); /* nodes are left alone */

struct mct_map_node *mct_map_get(const struct mct_map *m, struct mct_str key);

/* Adds the node under `key`; equal keys may stand beside each other, the newest is found first.
 * Returns -1 when out of memory. */
int mct_map_put(struct mct_map *m, struct mct_map_node *node, struct mct_str key);

/* Takes the node out; a node that is not in the map is ignored. */
void mct_map_remove(struct mct_map *m, struct mct_map_node *node);

/* Any node, or NULL when empty: for emptying a map. */
struct mct_map_node *mct_map_any(const struct mct_map *m);

#endif
