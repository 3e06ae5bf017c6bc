/* Signatures of JWS (RFC 7518 section 3, RFC 8037): raw r and s for ECDSA, where OpenSSL has DER. */
#include "auth/jose/impl.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rsa.h>

/* The first row of a kind is its usual algorithm. */
static const struct mcti_jose_alg jose_algs[] = {
    { "ES256", "EC", "P-256", "SHA256", false },  { "ES384", "EC", "P-384", "SHA384", false },
    { "ES512", "EC", "P-521", "SHA512", false },  { "EdDSA", "OKP", "Ed25519", NULL, false },
    { "Ed25519", "OKP", "Ed25519", NULL, false }, /* RFC 9864 */
    { "RS256", "RSA", NULL, "SHA256", false },    { "PS256", "RSA", NULL, "SHA256", true },
    { "RS384", "RSA", NULL, "SHA384", false },    { "PS384", "RSA", NULL, "SHA384", true },
    { "RS512", "RSA", NULL, "SHA512", false },    { "PS512", "RSA", NULL, "SHA512", true },
};
enum { N_ALGS = sizeof jose_algs / sizeof *jose_algs };

static bool alg_fits(const struct mcti_jose_alg *alg, const struct mcti_jose_kind *kind)
{
    return !strcmp(alg->kty, kind->kty) && mcti_str_eq(mcti_str_of(alg->crv), mcti_str_of(kind->crv));
}

const struct mcti_jose_alg *mcti_jose_alg_find(const struct mcti_jose_kind *kind, struct mcti_str name)
{
    for (size_t i = 0; i < N_ALGS; i++)
        if (mcti_str_is(name, jose_algs[i].name) && alg_fits(&jose_algs[i], kind))
            return &jose_algs[i];
    return NULL;
}

const struct mcti_jose_alg *mcti_jose_alg_usual(const struct mcti_jose_kind *kind)
{
    size_t i = 0;
    while (i < N_ALGS && !alg_fits(&jose_algs[i], kind))
        i++;
    return i < N_ALGS ? &jose_algs[i] : NULL;
}

/* ---- errors of OpenSSL ---- */

void mcti_jose_begin(void)
{
    ERR_clear_error();
}

void mcti_jose_end(bool succeeded, struct mct_error *err)
{
    bool no_memory = false;
    for (unsigned long e; (e = ERR_get_error());)
        no_memory |= ERR_GET_REASON(e) == ERR_R_MALLOC_FAILURE;
    if (no_memory && !succeeded)
        mcti_no_memory(err);
}

/* ---- raw and DER forms of ECDSA ---- */

/* Writes the DER signature as r and s of `bytes` bytes each. */
static bool signature_to_raw(const unsigned char *der, size_t der_len, size_t bytes, unsigned char *ret)
{
    ECDSA_SIG *sig = d2i_ECDSA_SIG(NULL, &der, (long)der_len);
    bool ok = sig && BN_bn2binpad(ECDSA_SIG_get0_r(sig), ret, (int)bytes) >= 0 &&
              BN_bn2binpad(ECDSA_SIG_get0_s(sig), ret + bytes, (int)bytes) >= 0;
    ECDSA_SIG_free(sig);
    return ok;
}

/* Returns the length of the DER form, which is written to *ret, for OPENSSL_free(); 0 on failure. */
static size_t signature_to_der(struct mcti_str raw, unsigned char **ret)
{
    const unsigned char *p = (const unsigned char *)raw.p;
    int half = (int)(raw.len / 2), len = -1;
    ECDSA_SIG *sig = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(p, half, NULL), *s = BN_bin2bn(p + half, half, NULL);
    if (sig && r && s && ECDSA_SIG_set0(sig, r, s))
        len = i2d_ECDSA_SIG(sig, ret);
    else {
        BN_free(r);
        BN_free(s);
    }
    ECDSA_SIG_free(sig);
    return len > 0 ? (size_t)len : 0;
}

/* ---- signing and verifying ---- */

static bool signature_set_padding(EVP_PKEY_CTX *ctx, const struct mcti_jose_alg *alg)
{
    return !alg->pss || (EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) > 0 &&
                         EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, RSA_PSS_SALTLEN_DIGEST) > 0);
}

int mcti_jose_sign(struct mcti_buf *to, const struct mcti_key *k, const struct mcti_jose_alg *alg,
                   struct mcti_str input)
{
    unsigned char made[MCT_JOSE_RSA_BYTES], raw[2 * MCT_JOSE_EC_BYTES];
    size_t len = sizeof made, bytes = k->kind->bytes;
    bool ec = k->kind->family == MCT_JOSE_EC;
    EVP_PKEY_CTX *ctx;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool ok = md && EVP_DigestSignInit_ex(md, &ctx, alg->digest, NULL, NULL, k->pkey, NULL) > 0 &&
              signature_set_padding(ctx, alg) &&
              EVP_DigestSign(md, made, &len, (const unsigned char *)input.p, input.len) > 0 &&
              (!ec || signature_to_raw(made, len, bytes, raw));
    EVP_MD_CTX_free(md);
    if (!ok)
        return -1;
    mcti_buf_add(to, ec ? (struct mcti_str){ (char *)raw, 2 * bytes } : (struct mcti_str){ (char *)made, len });
    return mcti_buf_ok(to) ? 0 : -1;
}

static bool signature_matches(const struct mcti_key *k, const struct mcti_jose_alg *alg, struct mcti_str input,
                              struct mcti_str signature)
{
    EVP_PKEY_CTX *ctx;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool ok = md && EVP_DigestVerifyInit_ex(md, &ctx, alg->digest, NULL, NULL, k->pkey, NULL) > 0 &&
              signature_set_padding(ctx, alg) &&
              EVP_DigestVerify(md, (const unsigned char *)signature.p, signature.len, (const unsigned char *)input.p,
                               input.len) == 1;
    EVP_MD_CTX_free(md);
    return ok;
}

bool mcti_jose_verifies(const struct mcti_key *k, const struct mcti_jose_alg *alg, struct mcti_str input,
                        struct mcti_str signature)
{
    bool rsa = k->kind->family == MCT_JOSE_RSA, ok = false;
    unsigned char *der = NULL;
    if (signature.len != (rsa ? (size_t)EVP_PKEY_get_size(k->pkey) : 2 * k->kind->bytes))
        return false;
    if (k->kind->family == MCT_JOSE_EC) {
        size_t len = signature_to_der(signature, &der);
        ok = len && signature_matches(k, alg, input, (struct mcti_str){ (char *)der, len });
        OPENSSL_free(der);
    } else {
        ok = signature_matches(k, alg, input, signature);
    }
    return ok;
}
