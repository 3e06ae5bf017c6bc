/* Uses the plain SHA-256 functions: the EVP ones first load providers and configuration, which costs a program that
 * hashes a few names 2 MB and 1 ms. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "base/rand.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

/* A source returns the number of bytes written, or -1 with errno, like read(). */
static ssize_t from_kernel(int fd, void *to, size_t n)
{
    (void)fd;
    return getrandom(to, n > 256 ? 256 : n, 0);
}

static bool rand_fill(ssize_t (*source)(int, void *, size_t), int fd, char **to, size_t *left)
{
    while (*left) {
        ssize_t got = source(fd, *to, *left);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        *to += got > 0 ? got : 0;
        *left -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool fill_from_device(char **to, size_t *left)
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    bool filled = fd >= 0 && rand_fill(read, fd, to, left);
    if (fd >= 0)
        close(fd);
    return filled;
}

void mcti_random(void *to, size_t n)
{
    char *p = to;
    if (rand_fill(from_kernel, -1, &p, &n) || fill_from_device(&p, &n))
        return;
    fprintf(stderr,
            "mcptools: no random numbers: getrandom() and /dev/urandom both fail (%s); stopping, because keys "
            "and session ids would be predictable\n",
            strerror(errno));
    abort();
}

void mcti_hex(const unsigned char *bytes, size_t n_bytes, char *to)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n_bytes; i++) {
        *to++ = digits[bytes[i] >> 4];
        *to++ = digits[bytes[i] & 15];
    }
    *to = '\0';
}

void mcti_random_id(char to[33])
{
    unsigned char bytes[16];
    mcti_random(bytes, sizeof bytes);
    mcti_hex(bytes, sizeof bytes, to);
}

int mcti_sha256_pieces(const struct mcti_str *items, size_t n, unsigned char ret_digest[32])
{
    SHA256_CTX ctx;
    bool ok = SHA256_Init(&ctx);
    for (size_t i = 0; ok && i < n; i++)
        ok = SHA256_Update(&ctx, items[i].p, items[i].len);
    return ok && SHA256_Final(ret_digest, &ctx) ? 0 : -1;
}

int mcti_sha256(struct mcti_str text, unsigned char ret_digest[32])
{
    return mcti_sha256_pieces(&text, 1, ret_digest);
}

int mcti_sha256_pair(struct mcti_str a, struct mcti_str b, unsigned char ret_digest[32])
{
    return mcti_sha256_pieces((struct mcti_str[]){ a, { "", 1 }, b }, 3, ret_digest);
}
