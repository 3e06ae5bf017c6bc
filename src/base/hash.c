/* SipHash (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012). One round per word and three at the end,
 * as in the hash tables of Rust and Python, suffice where an attacker sees no hash values. */
#include "base/hash.h"

#include "base/rand.h"

#include <endian.h>
#include <pthread.h>

static inline uint64_t hash_rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void sip_rounds(uint64_t v[4], int n)
{
    while (n-- > 0) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = hash_rotate(v[1], 13) ^ v[0];
        v[3] = hash_rotate(v[3], 16) ^ v[2];
        v[0] = hash_rotate(v[0], 32) + v[3];
        v[2] += v[1];
        v[1] = hash_rotate(v[1], 17) ^ v[2];
        v[3] = hash_rotate(v[3], 21) ^ v[0];
        v[2] = hash_rotate(v[2], 32);
    }
}

static inline void sip_word(uint64_t v[4], int rounds, uint64_t word)
{
    v[3] ^= word;
    sip_rounds(v, rounds);
    v[0] ^= word;
}

static inline uint64_t load_64(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return le64toh(word);
}

static inline uint64_t load_32(const char *p)
{
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return le32toh(word);
}

/* Returns the last n < 8 bytes. Loads may overlap; bytes loaded twice end up in the same bits. */
static inline uint64_t load_rest(const char *p, size_t n)
{
    if (n >= 4)
        return load_32(p) | load_32(p + n - 4) << 8 * (n - 4);
    if (!n)
        return 0;
    const unsigned char *u = (const unsigned char *)p;
    return u[0] | (uint64_t)u[n / 2] << 8 * (n / 2) | (uint64_t)u[n - 1] << 8 * (n - 1);
}

static inline uint64_t hash_sip(const uint64_t key[2], int c_rounds, int d_rounds, struct mcti_str s)
{
    uint64_t v[4] = { key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du, key[0] ^ 0x6c7967656e657261u,
                      key[1] ^ 0x7465646279746573u };
    const char *p = s.p;
    size_t left = s.len;
    for (; left >= 8; p += 8, left -= 8)
        sip_word(v, c_rounds, load_64(p));
    sip_word(v, c_rounds, (uint64_t)s.len << 56 | load_rest(p, left));
    v[2] ^= 0xff;
    sip_rounds(v, d_rounds);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t mcti_siphash(const uint64_t key[2], int c_rounds, int d_rounds, struct mcti_str s)
{
    return hash_sip(key, c_rounds, d_rounds, s);
}

static uint64_t hash_key[2];
static pthread_once_t hash_key_drawn = PTHREAD_ONCE_INIT;

static void draw_hash_key(void)
{
    mcti_random(hash_key, sizeof hash_key);
}

uint64_t mcti_hash(uint64_t seed, struct mcti_str s)
{
    pthread_once(&hash_key_drawn, draw_hash_key);
    const uint64_t key[2] = { hash_key[0] ^ seed, hash_key[1] };
    return hash_sip(key, 1, 3, s);
}
