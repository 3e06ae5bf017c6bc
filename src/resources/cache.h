/*
 * What resources/read has answered, kept for a short while (off unless the operator wants it). An answer is
 * good for the same URI, asked of the same connection on the same authority. It goes when its time is over, when others
 * are used more, and as soon as its server says that something has changed or is not the same any more. It watches the
 * registry itself for that; it belongs to whoever made it and to no server.
 */
#ifndef MCT_RESOURCES_CACHE_H
#define MCT_RESOURCES_CACHE_H

#include "hub/core/registry.h"

struct mcti_cache;
struct mcti_cache_place;

struct mcti_cache_opts {
    bool enabled;
    unsigned ttl_ms, max_entries;
    unsigned max_bytes; /* of all answers together */
};

extern const struct mcti_cache_opts mcti_cache_defaults;

/* What is counted of each server; EVICTED made room for others. */
enum mcti_cache_count {
    MCT_CACHE_HITS,
    MCT_CACHE_MISSES,
    MCT_CACHE_EVICTED,
    MCT_CACHE_ENTRIES,
    MCT_CACHE_BYTES,
    MCT_CACHE_N
};

struct mcti_cache_key {
    const struct mcti_provider *connection; /* that is asked: a server's own, or a branch */
    uint64_t authority;
    struct mcti_str uri; /* text */
};

/* NULL when it is not enabled, or out of memory. */
struct mcti_cache *mcti_cache_new(struct mcti_registry *r, const struct mcti_cache_opts *opts);
void mcti_cache_free(struct mcti_cache *c); /* no place is open any more; NULL: nothing */

/* Whether nothing but the URI decides what these params are answered with: no other parameter, nothing in `_meta` that
 * would go through to the server beside what the protocol itself puts there. */
bool mcti_cache_may(struct mcti_str params);

/*
 * True: *ret is what was answered, borrowed until the cache is used again; a ttlMs in it says what is left of that
 * time. False: *ret_place keeps a place for the answer; NULL when out of memory.
 */
bool mcti_cache_get(struct mcti_cache *c, const struct mcti_cache_key *key, struct mcti_outcome *ret,
                    struct mcti_cache_place **ret_place);

/* Keeps the answer, if it is one that may be kept: text in it, nothing was asked meanwhile, nothing has changed since.
 */
void mcti_cache_put(struct mcti_cache_place *take_place, const struct mcti_call *call, const struct mcti_outcome *o);
void mcti_cache_leave(struct mcti_cache_place *take_place); /* there is no answer; NULL: nothing */

uint64_t mcti_cache_count(const struct mcti_cache *c, const struct mcti_provider *server, enum mcti_cache_count what);

#endif
