/*
 * An intrusive hash map from bytes to the struct that embeds the node. Owns its bucket array only:
 * nodes and key bytes belong to the caller and must stay put while they are in the map.
 */
#ifndef MCT_BASE_MAP_H
#define MCT_BASE_MAP_H

#include "base/hash.h"
#include "base/list.h"
#include "base/str.h"

struct mcti_map_node {
    struct mcti_map_node *next;
    uint64_t hash;
    struct mcti_str key;
};

struct mcti_map {
    struct mcti_map_node **buckets;
    size_t n_buckets, n;
};

void mcti_map_init(struct mcti_map *m); /* no allocation */
void mcti_map_done(struct mcti_map *m); /* nodes are left alone */

struct mcti_map_node *mcti_map_get(const struct mcti_map *m, struct mcti_str key);

/* Adds the node under `key`; equal keys may stand beside each other, the newest is found first.
 * Returns -1 when out of memory. */
int mcti_map_put(struct mcti_map *m, struct mcti_map_node *node, struct mcti_str key);

/* Takes the node out; a node that is not in the map is ignored. */
void mcti_map_remove(struct mcti_map *m, struct mcti_map_node *node);

/* Any node, or NULL when empty: for emptying a map. */
struct mcti_map_node *mcti_map_any(const struct mcti_map *m);

#endif
