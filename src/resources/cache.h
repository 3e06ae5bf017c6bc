/*
 * Cache of resources/read results. A result is reused only for the same URI, connection and authority, unless its
 * server says that it is public (2026-07-28 "Caching").
 * It is dropped when it expires, when others are used more recently, and as soon as its server reports a change or
 * loses its connection. The cache watches the registry for that; its creator owns it. Lists are not cached here.
 */
#ifndef MCT_RESOURCES_CACHE_H
#define MCT_RESOURCES_CACHE_H

#include "hub/core/registry.h"

struct mcti_cache;
struct mcti_cache_place;

struct mcti_cache_opts {
    bool enabled; /* results are kept for ttl_ms */
    bool by_ttl;  /* results of 2026-07-28 servers are kept for their ttlMs, at most ttl_ms */
    unsigned ttl_ms, max_entries;
    unsigned max_bytes; /* limit of all results together */
};

extern const struct mcti_cache_opts mcti_cache_defaults;

/* Counters of each server. EVICTED counts entries dropped to make room for others. */
enum mcti_cache_count {
    MCT_CACHE_HITS,
    MCT_CACHE_MISSES,
    MCT_CACHE_EVICTED,
    MCT_CACHE_ENTRIES,
    MCT_CACHE_BYTES,
    MCT_CACHE_N
};

struct mcti_cache_key {
    const struct mcti_provider *connection; /* connection that the request uses: the provider's own, or a branch */
    uint64_t authority;
    struct mcti_str uri; /* decoded */
};

/* Creates a cache that watches `r`. Returns NULL if nothing is to be kept, or when out of memory. */
struct mcti_cache *mcti_cache_new(struct mcti_registry *r, const struct mcti_cache_opts *opts);
void mcti_cache_free(struct mcti_cache *c); /* every place has been ended; NULL is accepted */

/* Returns true if the URI alone determines the result of these params: they have no other parameter, and their `_meta`
 * has only members that the protocol itself defines. */
bool mcti_cache_accepts(struct mcti_str params);

/*
 * Looks the key up. On a hit returns true and sets *ret to the cached result, borrowed until the cache is used again; a
 * ttlMs in it is reduced to the time that is left. On a miss returns false and sets *ret_place to a place for the
 * result, or to NULL when out of memory.
 */
bool mcti_cache_get(struct mcti_cache *c, const struct mcti_cache_key *key, struct mcti_outcome *ret,
                    struct mcti_cache_place **ret_place);

/* Stores the result of the call and takes over the place. The result is dropped unless it has text, the server asked no
 * question during the call, and the server has reported no change since the lookup. */
void mcti_cache_put(struct mcti_cache_place *take_place, const struct mcti_call *call, const struct mcti_outcome *o);
void mcti_cache_place_free(struct mcti_cache_place *take_place); /* ends a place without a result; NULL is accepted */

uint64_t mcti_cache_count(const struct mcti_cache *c, const struct mcti_provider *server, enum mcti_cache_count what);

#endif
