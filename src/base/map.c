#include "base/map.h"

#include <stdlib.h>

void mct_map_init(struct mct_map *m)
{
    *m = (struct mct_map){ 0 };
}

void mct_map_done(struct mct_map *m)
{
    free(m->buckets);
    *m = (struct mct_map){ 0 };
}

static struct mct_map_node **bucket(const struct mct_map *m, uint64_t hash)
{
    return &m->buckets[hash & (m->n_buckets - 1)];
}

struct mct_map_node *mct_map_get(const struct mct_map *m, struct mct_str key)
{
    if (!m->n)
        return NULL;
    uint64_t hash = mct_hash(0, key);
    for (struct mct_map_node *n = *bucket(m, hash); n; n = n->next)
        if (n->hash == hash && mct_str_eq(n->key, key))
            return n;
    return NULL;
}

static int grow(struct mct_map *m)
{
    size_t old_n = m->n_buckets;
    struct mct_map_node **old = m->buckets;
    struct mct_map_node **fresh = calloc(old_n ? old_n * 2 : 16, sizeof *fresh);
    if (!fresh)
        return -1;
    m->buckets = fresh;
    m->n_buckets = old_n ? old_n * 2 : 16;
    for (size_t i = 0; i < old_n; i++) {
        for (struct mct_map_node *n = old[i], *next; n; n = next) {
            next = n->next;
            struct mct_map_node **b = bucket(m, n->hash);
            n->next = *b;
            *b = n;
        }
    }
    free(old);
    return 0;
}

int mct_map_put(struct mct_map *m, struct mct_map_node *node, struct mct_str key)
{
    if (m->n >= m->n_buckets && grow(m) < 0)
        return -1;
    node->key = key;
    node->hash = mct_hash(0, key);
    struct mct_map_node **b = bucket(m, node->hash);
    node->next = *b;
    *b = node;
    m->n++;
    return 0;
}

void mct_map_remove(struct mct_map *m, struct mct_map_node *node)
{
    if (!m->n)
        return;
    for (struct mct_map_node **at = bucket(m, node->hash); *at; at = &(*at)->next) {
        if (*at == node) {
            *at = node->next;
            m->n--;
            return;
        }
    }
}

struct mct_map_node *mct_map_any(const struct mct_map *m)
{
    for (size_t i = 0; m->n && i < m->n_buckets; i++)
        if (m->buckets[i])
            return m->buckets[i];
    return NULL;
}
