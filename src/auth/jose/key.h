/* Private keys that sign: client assertions (RFC 7523) and DPoP proofs (RFC 9449). OpenSSL 3 does the work. */
#ifndef MCT_AUTH_JOSE_KEY_H
#define MCT_AUTH_JOSE_KEY_H

#include "base/buf.h"
#include "base/error.h"
#include "base/strings.h"

struct mcti_key; /* a private key */

/* Generates a P-256 key. Returns NULL and sets *err on failure. */
struct mcti_key *mcti_key_generate(struct mct_error *err);

/* Reads a private key: PEM (PKCS#8, SEC 1, PKCS#1) or a JWK. RSA keys have at least 2048 bits; EC keys are P-256, P-384
 * or P-521; Ed25519 keys are taken. Returns NULL and sets *err (MCT_ERR_CONFIG); the text is in no message. */
struct mcti_key *mcti_key_read(struct mcti_str text, struct mct_error *err);
void mcti_key_free(struct mcti_key *k);

/* Appends the key as a private JWK, for the store. The buffer should be secret; it fails if memory is exhausted. */
void mcti_key_put_private(struct mcti_buf *to, const struct mcti_key *k);

/* Appends the public key as a JWK object with its required members only, in lexical order (RFC 7638). */
void mcti_key_put_public(struct mcti_buf *to, const struct mcti_key *k);

/* Appends the SHA-256 thumbprint of the key in base64url (RFC 7638). */
void mcti_key_put_thumbprint(struct mcti_buf *to, const struct mcti_key *k);

/* Returns the algorithm for the key: `wanted` if it is given, otherwise the first of `listed` that the key can do (no
 * list: the key's usual one). NULL: the key can do none of these. */
const char *mcti_key_alg(const struct mcti_key *k, const char *wanted, const struct mcti_strings *listed);

/* Appends the JWS signature of `input` with `alg` in base64url; ES* as r and s of fixed length. The buffer fails on
 * failure. */
void mcti_key_put_signature(struct mcti_buf *to, const struct mcti_key *k, const char *alg, struct mcti_str input);

#endif
