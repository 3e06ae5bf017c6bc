/* Random bytes from the kernel, and the one digest that names are made with. */
#ifndef MCT_BASE_RAND_H
#define MCT_BASE_RAND_H

#include "base/str.h"

/* Fills n bytes from the kernel's generator: getrandom(), or /dev/urandom where a sandbox forbids that call. Ends the
 * program with a message when neither works, since nothing that asks for random bytes is safe without them. */
void mcti_random(void *to, size_t n);

/* 2*n_bytes lower-case hex digits and a NUL. */
void mcti_hex(const unsigned char *bytes, size_t n_bytes, char *to);

/* 128 random bits as 32 hex digits and a NUL: session ids. */
void mcti_random_id(char to[33]);

/* SHA-256 of the two parts with a NUL byte between them. Returns -1 when the library fails. */
int mcti_sha256_pair(struct mcti_str a, struct mcti_str b, unsigned char ret_digest[32]);

#endif
