/*
 * What resources/read has answered, kept for a short while (off unless the operator wants it). An answer is
 * good for the same URI, asked of the same connection on the same authority. It goes when its time is over, when others
 * are used more, and as soon as its server says that something has changed or is not the same any more. It watches the
 * registry itself for that; it belongs to whoever made it and to no server.
 */
#ifndef MCT_RESOURCES_CACHE_H
#define MCT_RESOURCES_CACHE_H

#include "hub/core/registry.h"

struct mct_cache;
struct mct_cache_place;

struct mct_cache_opts {
    bool enabled;
    unsigned ttl_ms, max_entries;
    unsigned max_bytes; /* of all answers together */
};

extern const struct mct_cache_opts mct_cache_defaults;

/* What is counted of each server; EVICTED made room for others. */
enum mct_cache_count {
    MCT_CACHE_HITS, MCT_CACHE_MISSES, MCT_CACHE_EVICTED, MCT_CACHE_ENTRIES, MCT_CACHE_BYTES, MCT_CACHE_N
};

struct mct_cache_key {
    const struct mct_provider *connection; /* that is asked: a server's own, or a branch */
    uint64_t authority;
    struct mct_str uri; /* text */
};

/* NULL when it is not enabled, or out of memory. */
struct mct_cache *mct_cache_new(struct mct_registry *r, const struct mct_cache_opts *opts);
void mct_cache_free(struct mct_cache *c); /* no place is open any more; NULL: nothing */

/* Whether nothing but the URI decides what these params are answered with: no other parameter, nothing in `_meta` that
 * would go through to the server beside what the protocol itself puts there. */
bool mct_cache_may(struct mct_str params);

/*
 * True: *ret is what was answered, borrowed until the cache is used again; a ttlMs in it says what is left of that time.
 * False: *ret_place keeps a place for the answer; NULL when out of memory.
 */
bool mct_cache_get(struct mct_cache *c, const struct mct_cache_key *key, struct mct_outcome *ret,
                   struct mct_cache_place **ret_place);

/* Keeps the answer, if it is one that may be kept: text in it, nothing was asked meanwhile, nothing has changed since. */
void mct_cache_put(struct mct_cache_place *take_place, const struct mct_call *call, const struct mct_outcome *o);
void mct_cache_leave(struct mct_cache_place *take_place); /* there is no answer; NULL: nothing */

uint64_t mct_cache_count(const struct mct_cache *c, const struct mct_provider *server, enum mct_cache_count what);

#endif
