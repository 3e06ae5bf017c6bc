/*
 * An intrusive hash map from bytes to the struct that embeds the node. Owns its bucket array only; nodes and keys
 * belong to the caller and must not move while they are in the map.
 */
#ifndef MCT_BASE_TABLE_MAP_H
#define MCT_BASE_TABLE_MAP_H

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

void mcti_map_init(struct mcti_map *m); /* allocates nothing */
void mcti_map_done(struct mcti_map *m); /* does not touch the nodes */

struct mcti_map_node *mcti_map_get(const struct mcti_map *m, struct mcti_str key);

/* Adds `node` under `key`. Equal keys may coexist; the newest is found first. Returns -1 if memory is exhausted. */
int mcti_map_put(struct mcti_map *m, struct mcti_map_node *node, struct mcti_str key);

/* Removes `node`; does nothing if it is not in the map. */
void mcti_map_remove(struct mcti_map *m, struct mcti_map_node *node);

/* Returns an arbitrary node, or NULL if the map is empty. For loops that remove all nodes. */
struct mcti_map_node *mcti_map_any(const struct mcti_map *m);

#endif
