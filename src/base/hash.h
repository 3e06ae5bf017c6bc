/*
 * Hashes for tables in memory. Peers choose the names and values that are hashed, so the hash uses a random key of this
 * process and collisions cannot be constructed. Hash values differ between processes and must never be stored or sent.
 */
#ifndef MCT_BASE_HASH_H
#define MCT_BASE_HASH_H

#include "base/str.h"

#include <stdint.h>

/* Returns SipHash with `c_rounds` rounds per 8 bytes and `d_rounds` final rounds. */
uint64_t mcti_siphash(const uint64_t key[2], int c_rounds, int d_rounds, struct mcti_str s);

/* Returns SipHash-1-3 under the key of this process. Different seeds give independent hashes; the hash of one part can
 * be the seed for the next. */
uint64_t mcti_hash(uint64_t seed, struct mcti_str s);

#endif
