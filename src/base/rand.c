/* The plain SHA-256 functions: those of EVP load providers and configuration first, which costs a program
 * that hashes a few names 2 MB and a millisecond. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "base/rand.h"

#include <openssl/sha.h>
#include <sys/random.h>

void mct_random(void *to, size_t n)
{
    char *p = to;
    while (n) {
        ssize_t got = getrandom(p, n > 256 ? 256 : n, 0);
        if (got > 0) {
            p += got;
            n -= (size_t)got;
        }
    }
}

void mct_hex(const unsigned char *bytes, size_t n_bytes, char *to)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n_bytes; i++) {
        *to++ = digits[bytes[i] >> 4];
        *to++ = digits[bytes[i] & 15];
    }
    *to = '\0';
}

void mct_random_id(char to[33])
{
    unsigned char bytes[16];
    mct_random(bytes, sizeof bytes);
    mct_hex(bytes, sizeof bytes, to);
}

int mct_sha256_pair(struct mct_str a, struct mct_str b, unsigned char ret_digest[32])
{
    SHA256_CTX ctx;
    bool ok = SHA256_Init(&ctx) && SHA256_Update(&ctx, a.p, a.len) && SHA256_Update(&ctx, "", 1) &&
              SHA256_Update(&ctx, b.p, b.len) && SHA256_Final(ret_digest, &ctx);
    return ok ? 0 : -1;
}
