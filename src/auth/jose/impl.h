/* What the files of this room share: kinds of keys, algorithms, and the calls of OpenSSL. TLS connections use the same
 * error queue of OpenSSL, so every public function of this room leaves it empty. */
#ifndef MCT_AUTH_JOSE_IMPL_H
#define MCT_AUTH_JOSE_IMPL_H

#include "auth/jose/key.h"

#include <openssl/evp.h>

enum {
    MCT_JOSE_EC_BYTES = 66, /* of a coordinate of P-521 */
    MCT_JOSE_RSA_BITS_MIN = 2048,
    MCT_JOSE_RSA_BITS_MAX = 8192, /* bounds the time of a verification */
    MCT_JOSE_RSA_BYTES = MCT_JOSE_RSA_BITS_MAX / 8,
    MCT_JOSE_TOKEN_BYTES = 16384,
    MCT_JOSE_DEPTH = 32, /* of a header, claims or key */
};

enum mcti_jose_family { MCT_JOSE_RSA, MCT_JOSE_EC, MCT_JOSE_OKP };

/* A kind of key: a row for each curve. */
struct mcti_jose_kind {
    enum mcti_jose_family family;
    const char *type, *group; /* names of OpenSSL; group NULL: has none */
    const char *kty, *crv;    /* members of the JWK */
    size_t bytes;             /* of a coordinate, and of r and s; RSA: 0 */
};

struct mcti_jose_alg {
    const char *name;
    const char *kty, *crv; /* of the keys that can do it; crv NULL: RSA */
    const char *digest;    /* NULL: a part of the algorithm */
    bool pss;
};

/* A private key, or within this room also a public one. */
struct mcti_key {
    EVP_PKEY *pkey;
    const struct mcti_jose_kind *kind;
};

/* Returns the kind with these members of a JWK; crv absent: RSA. NULL: unknown. */
const struct mcti_jose_kind *mcti_jose_kind_find(struct mcti_str kty, struct mcti_str crv);

/* Returns the algorithm, if keys of that kind can do it; otherwise NULL. `none` and HS* are never found. */
const struct mcti_jose_alg *mcti_jose_alg_find(const struct mcti_jose_kind *kind, struct mcti_str name);

/* Returns the usual algorithm of the kind. */
const struct mcti_jose_alg *mcti_jose_alg_usual(const struct mcti_jose_kind *kind);

/* Enclose the calls of OpenSSL of a public function. The end empties the error queue; if the function has not succeeded
 * and memory was exhausted, it sets *err to that. */
void mcti_jose_begin(void);
void mcti_jose_end(bool succeeded, struct mct_error *err);

/* Appends the raw signature. Returns -1 on failure. */
int mcti_jose_sign(struct mcti_buf *to, const struct mcti_key *k, const struct mcti_jose_alg *alg,
                   struct mcti_str input);

/* Returns true if the raw signature is right. */
bool mcti_jose_verifies(const struct mcti_key *k, const struct mcti_jose_alg *alg, struct mcti_str input,
                        struct mcti_str signature);

/* Sets the kind of k->pkey and checks the key: its size, its curve, and with `is_private` that it signs for its public
 * key. Returns -1 and sets *err (MCT_ERR_CONFIG). */
int mcti_jose_key_check(struct mcti_key *k, bool is_private, struct mct_error *err);

/* Reads an object of mcti_jose_object() into ret->pkey: a private key, if `is_private`, otherwise one without private
 * members. The key has not been checked. Returns -1 and sets *err (MCT_ERR_CONFIG). */
int mcti_jwk_read(struct mcti_key *ret, struct mcti_str jwk, bool is_private, struct mct_error *err);

/* Validates JSON as one object, nowhere with duplicate members, and sets *ret to it. Returns -1 and sets *err (`kind`),
 * naming `what`. */
int mcti_jose_object(struct mcti_str json, const char *what, enum mct_error_kind kind, struct mcti_str *ret,
                     struct mct_error *err);

#endif
