#include "base/table/map.h"

#include <stdlib.h>

void mcti_map_init(struct mcti_map *m)
{
    *m = (struct mcti_map){ 0 };
}

void mcti_map_done(struct mcti_map *m)
{
    free(m->buckets);
    *m = (struct mcti_map){ 0 };
}

static struct mcti_map_node **map_bucket(const struct mcti_map *m, uint64_t hash)
{
    return &m->buckets[hash & (m->n_buckets - 1)];
}

struct mcti_map_node *mcti_map_get(const struct mcti_map *m, struct mcti_str key)
{
    if (!m->n)
        return NULL;
    uint64_t hash = mcti_hash(0, key);
    for (struct mcti_map_node *n = *map_bucket(m, hash); n; n = n->next)
        if (n->hash == hash && mcti_str_eq(n->key, key))
            return n;
    return NULL;
}

static int map_grow(struct mcti_map *m)
{
    size_t old_n = m->n_buckets;
    struct mcti_map_node **old = m->buckets;
    struct mcti_map_node **fresh = calloc(old_n ? old_n * 2 : 16, sizeof *fresh);
    if (!fresh)
        return -1;
    m->buckets = fresh;
    m->n_buckets = old_n ? old_n * 2 : 16;
    for (size_t i = 0; i < old_n; i++) {
        for (struct mcti_map_node *n = old[i], *next; n; n = next) {
            next = n->next;
            struct mcti_map_node **b = map_bucket(m, n->hash);
            n->next = *b;
            *b = n;
        }
    }
    free(old);
    return 0;
}

int mcti_map_put(struct mcti_map *m, struct mcti_map_node *node, struct mcti_str key)
{
    if (m->n >= m->n_buckets && map_grow(m) < 0)
        return -1;
    node->key = key;
    node->hash = mcti_hash(0, key);
    struct mcti_map_node **b = map_bucket(m, node->hash);
    node->next = *b;
    *b = node;
    m->n++;
    return 0;
}

void mcti_map_remove(struct mcti_map *m, struct mcti_map_node *node)
{
    if (!m->n)
        return;
    for (struct mcti_map_node **at = map_bucket(m, node->hash); *at; at = &(*at)->next) {
        if (*at == node) {
            *at = node->next;
            m->n--;
            return;
        }
    }
}

struct mcti_map_node *mcti_map_any(const struct mcti_map *m)
{
    for (size_t i = 0; m->n && i < m->n_buckets; i++)
        if (m->buckets[i])
            return m->buckets[i];
    return NULL;
}
