#include "base/map.h"

#include "base/rand.h"

#include <stdlib.h>

/* FNV-1a with a random start and a final mix: short keys, and a peer must not be able to aim. */
uint64_t mct_hash(uint64_t seed, struct mct_str s)
{
    uint64_t h = 0xcbf29ce484222325u ^ seed;
    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

void mct_map_init(struct mct_map *m)
{
    *m = (struct mct_map){ 0 };
    mct_random(&m->seed, sizeof m->seed);
}

void mct_map_done(struct mct_map *m)
{
    free(m->buckets);
    *m = (struct mct_map){ .seed = m->seed };
}

static struct mct_map_node **bucket(const struct mct_map *m, uint64_t hash)
{
    return &m->buckets[hash & (m->n_buckets - 1)];
}

struct mct_map_node *mct_map_get(const struct mct_map *m, struct mct_str key)
{
    if (!m->n)
        return NULL;
    uint64_t hash = mct_hash(m->seed, key);
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
    node->hash = mct_hash(m->seed, key);
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
