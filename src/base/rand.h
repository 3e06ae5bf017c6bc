/* Random bytes from the kernel, and the SHA-256 digest used for names. */
#ifndef MCT_BASE_RAND_H
#define MCT_BASE_RAND_H

#include "base/str.h"

/* Fills `to` with `n` random bytes from getrandom(), or from /dev/urandom where a sandbox forbids that call. Ends the
 * program with a message if both fail, because no caller is safe without random bytes. */
void mcti_random(void *to, size_t n);

/* Writes 2*n_bytes lower-case hex digits and a NUL. */
void mcti_hex(const unsigned char *bytes, size_t n_bytes, char *to);

/* Writes 128 random bits as 32 hex digits and a NUL: a session id. */
void mcti_random_id(char to[33]);

/* Computes SHA-256 of the text. Returns -1 if the library fails. */
int mcti_sha256(struct mcti_str text, unsigned char ret_digest[32]);
int mcti_sha256_pieces(const struct mcti_str *items, size_t n, unsigned char ret_digest[32]); /* of a text in pieces */

/* Computes SHA-256 of the two parts with a NUL byte between them. Returns -1 if the library fails. */
int mcti_sha256_pair(struct mcti_str a, struct mcti_str b, unsigned char ret_digest[32]);

#endif
