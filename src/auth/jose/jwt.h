/* Signed JSON Web Tokens: making them, and reading claims of those that others made. */
#ifndef MCT_AUTH_JOSE_JWT_H
#define MCT_AUTH_JOSE_JWT_H

#include "auth/jose/key.h"
#include "json/scan.h"

#include <stdint.h>

enum { MCT_ASSERTION_S = 120 };

/* Appends the SHA-256 digest of the text in base64url: thumbprints, `ath` of proofs, code challenges (RFC 7636). */
void mcti_jwt_put_digest(struct mcti_buf *to, struct mcti_str text);

/* Appends header.claims.signature; `header` and `claims` are JSON objects. */
void mcti_jwt_put(struct mcti_buf *to, const struct mcti_key *k, const char *alg, struct mcti_str header,
                  struct mcti_str claims);

/* A client assertion: claims iss, sub, aud, iat, exp (iat + MCT_ASSERTION_S), jti (RFC 7523 section 3). `now_s`:
 * seconds since 1970; `key_id` may be NULL. */
struct mcti_assertion {
    const char *client_id, *audience, *key_id, *alg;
    int64_t now_s;
};
void mcti_jwt_put_assertion(struct mcti_buf *to, const struct mcti_key *k, const struct mcti_assertion *a);

/* A DPoP proof (RFC 9449 section 4.2): a new jti each time. `url` is written without query and fragment; token and
 * nonce may be absent; with `body`, adds the claim content_digest (MCP requests only). */
struct mcti_proof {
    const char *method;
    struct mcti_str url, token, nonce;
    const struct mcti_pieces *body; /* NULL: none */
    int64_t now_s;
};
void mcti_jwt_put_proof(struct mcti_buf *to, const struct mcti_key *k, const struct mcti_proof *p);

/* Decodes a JWT without verifying it: its parts must be base64url JSON objects without duplicate members, and it has
 * at most 16 KiB. Writes the header and the claims as JSON. Returns -1 and sets *err (MCT_ERR_PROTOCOL). */
int mcti_jwt_decode(struct mcti_str token, struct mcti_buf *ret_header, struct mcti_buf *ret_claims,
                    struct mct_error *err);

/* Verifies the signature of a JWT with a public JWK object. Returns -1 and sets *err. HS* and none are refused. */
int mcti_jwt_verify(struct mcti_str token, struct mcti_str jwk, struct mct_error *err);

#endif
