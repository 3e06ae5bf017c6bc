/*
 * Hashes of bytes for tables in memory. A peer chooses the names and values that are hashed, so the hash is keyed with
 * random bits of this process: nobody outside can make keys that collide. Values differ from process to process and
 * must never be stored or sent.
 */
#ifndef MCT_BASE_HASH_H
#define MCT_BASE_HASH_H

#include "base/str.h"

#include <stdint.h>

/* SipHash with `c_rounds` rounds for each 8 bytes and `d_rounds` at the end. */
uint64_t mcti_siphash(const uint64_t key[2], int c_rounds, int d_rounds, struct mcti_str s);

/* SipHash-1-3 under the key of the process. Different seeds give independent hashes: a hash as the seed of the next one
 * hashes several parts in a row. */
uint64_t mcti_hash(uint64_t seed, struct mcti_str s);

#endif
