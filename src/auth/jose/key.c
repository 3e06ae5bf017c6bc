#include "auth/jose/impl.h"

#include "base/base64.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/pem.h>

static const struct mcti_jose_kind key_kinds[] = {
    { MCT_JOSE_EC, "EC", "prime256v1", "EC", "P-256", 32 },
    { MCT_JOSE_EC, "EC", "secp384r1", "EC", "P-384", 48 },
    { MCT_JOSE_EC, "EC", "secp521r1", "EC", "P-521", MCT_JOSE_EC_BYTES },
    { MCT_JOSE_OKP, "ED25519", NULL, "OKP", "Ed25519", 32 },
    { MCT_JOSE_RSA, "RSA", NULL, "RSA", NULL, 0 },
};
enum { N_KINDS = sizeof key_kinds / sizeof *key_kinds };

const struct mcti_jose_kind *mcti_jose_kind_find(struct mcti_str kty, struct mcti_str crv)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (mcti_str_is(kty, key_kinds[i].kty) && mcti_str_eq(crv, mcti_str_of(key_kinds[i].crv)))
            return &key_kinds[i];
    return NULL;
}

/* ---- checks ---- */

static const struct mcti_jose_kind *key_kind_of(const EVP_PKEY *pkey)
{
    char group[64] = "";
    EVP_PKEY_get_group_name(pkey, group, sizeof group, NULL);
    for (size_t i = 0; i < N_KINDS; i++)
        if (EVP_PKEY_is_a(pkey, key_kinds[i].type) && (!key_kinds[i].group || !strcmp(group, key_kinds[i].group)))
            return &key_kinds[i];
    return NULL;
}

static int key_check_rsa(const EVP_PKEY *pkey, struct mct_error *err)
{
    BIGNUM *n = NULL, *e = NULL;
    int bits = EVP_PKEY_get_bits(pkey), r = 0;
    if (bits < MCT_JOSE_RSA_BITS_MIN || bits > MCT_JOSE_RSA_BITS_MAX)
        return mcti_fail(err, MCT_ERR_CONFIG, "the RSA key has %d bits; it must have %d to %d", bits,
                         MCT_JOSE_RSA_BITS_MIN, MCT_JOSE_RSA_BITS_MAX);
    bool ok = EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_N, &n) &&
              EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_E, &e) && BN_is_odd(n) && BN_is_odd(e) && !BN_is_one(e) &&
              BN_num_bits(e) <= 64;
    if (!ok)
        r = mcti_fail(err, MCT_ERR_CONFIG, "the modulus or exponent of the RSA key is invalid");
    BN_free(n);
    BN_free(e);
    return r;
}

static int key_check_public(const EVP_PKEY *pkey, struct mct_error *err)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, (EVP_PKEY *)(uintptr_t)pkey, NULL);
    bool ok = ctx && EVP_PKEY_public_check(ctx) > 0;
    EVP_PKEY_CTX_free(ctx);
    return ok ? 0 : mcti_fail(err, MCT_ERR_CONFIG, "the public part of the key is invalid");
}

/* Signs a text and verifies the signature: this tells for each kind of key that its parts belong together. */
static int key_check_private(const struct mcti_key *k, struct mct_error *err)
{
    const struct mcti_jose_alg *alg = mcti_jose_alg_usual(k->kind);
    struct mcti_buf signature;
    mcti_buf_init(&signature, MCT_JOSE_RSA_BYTES);
    bool ok = !mcti_jose_sign(&signature, k, alg, MCT_STR("mcptools")) &&
              mcti_jose_verifies(k, alg, MCT_STR("mcptools"), mcti_buf_str(&signature));
    mcti_buf_done(&signature);
    return ok ? 0 : mcti_fail(err, MCT_ERR_CONFIG, "the private part of the key does not fit its public part");
}

int mcti_jose_key_check(struct mcti_key *k, bool is_private, struct mct_error *err)
{
    k->kind = key_kind_of(k->pkey);
    if (!k->kind)
        return mcti_fail(err, MCT_ERR_CONFIG, "unsupported kind of key; known: RSA, EC P-256, P-384, P-521, Ed25519");
    /* the check of OpenSSL for RSA searches for factors, which takes seconds for a hostile modulus */
    int r = k->kind->family == MCT_JOSE_RSA ? key_check_rsa(k->pkey, err) : key_check_public(k->pkey, err);
    return r || !is_private ? r : key_check_private(k, err);
}

/* ---- making keys ---- */

/* Returns a checked key that takes over `take_pkey`; otherwise NULL. */
static struct mcti_key *key_new(EVP_PKEY *take_pkey, struct mct_error *err)
{
    struct mcti_key *k = calloc(1, sizeof *k);
    if (!k)
        mcti_no_memory(err);
    else
        k->pkey = take_pkey;
    if (k && !mcti_jose_key_check(k, true, err))
        return k;
    free(k);
    EVP_PKEY_free(take_pkey);
    return NULL;
}

struct mcti_key *mcti_key_generate(struct mct_error *err)
{
    mcti_jose_begin();
    EVP_PKEY *pkey = EVP_EC_gen("P-256");
    struct mcti_key *k = pkey ? key_new(pkey, err) : NULL;
    if (!pkey)
        mcti_fail(err, MCT_ERR_INTERNAL, "OpenSSL cannot generate a P-256 key");
    mcti_jose_end(k != NULL, err);
    return k;
}

/* OpenSSL asks on the terminal unless there is a function for passphrases. */
static int key_on_passphrase(char *to, int size, int writes, void *data)
{
    (void)to, (void)size, (void)writes;
    *(bool *)data = true;
    return -1;
}

/* OpenSSL 3.0 frees the decoded text without wiping it. Keys of the store are JWKs, which leave nothing behind. */
static EVP_PKEY *key_read_pem(struct mcti_str text, struct mct_error *err)
{
    bool encrypted = false;
    BIO *bio = text.len <= INT_MAX ? BIO_new_mem_buf(text.p, (int)text.len) : NULL;
    EVP_PKEY *pkey = bio ? PEM_read_bio_PrivateKey(bio, NULL, key_on_passphrase, &encrypted) : NULL;
    BIO_free(bio);
    if (!pkey && encrypted)
        mcti_fail(err, MCT_ERR_CONFIG, "the private key is protected by a passphrase; store it without one");
    else if (!pkey)
        mcti_fail(err, MCT_ERR_CONFIG, "the text is not a private key in PEM or JWK format");
    return pkey;
}

static EVP_PKEY *key_read_jwk(struct mcti_str text, struct mct_error *err)
{
    struct mcti_key read = { NULL };
    struct mcti_str object;
    if (mcti_jose_object(text, "the JWK", MCT_ERR_CONFIG, &object, err) < 0)
        return NULL;
    return mcti_jwk_read(&read, object, true, err) < 0 ? NULL : read.pkey;
}

struct mcti_key *mcti_key_read(struct mcti_str text, struct mct_error *err)
{
    text = mcti_str_trim_white(text);
    mcti_jose_begin();
    EVP_PKEY *pkey = text.len && *text.p == '{' ? key_read_jwk(text, err) : key_read_pem(text, err);
    struct mcti_key *k = pkey ? key_new(pkey, err) : NULL;
    mcti_jose_end(k != NULL, err);
    return k;
}

void mcti_key_free(struct mcti_key *k)
{
    if (k)
        EVP_PKEY_free(k->pkey);
    free(k);
}

/* ---- algorithms ---- */

const char *mcti_key_alg(const struct mcti_key *k, const char *wanted, const struct mcti_strings *listed)
{
    const struct mcti_jose_alg *alg = NULL;
    if (wanted)
        alg = mcti_jose_alg_find(k->kind, mcti_str_of(wanted));
    else if (!listed || !listed->n)
        alg = mcti_jose_alg_usual(k->kind);
    for (size_t i = 0; !wanted && listed && i < listed->n && !alg; i++)
        alg = mcti_jose_alg_find(k->kind, mcti_str_of(listed->v[i]));
    return alg ? alg->name : NULL;
}

void mcti_key_put_signature(struct mcti_buf *to, const struct mcti_key *k, const char *alg, struct mcti_str input)
{
    const struct mcti_jose_alg *found = mcti_jose_alg_find(k->kind, mcti_str_of(alg));
    struct mcti_buf raw;
    mcti_buf_init(&raw, MCT_JOSE_RSA_BYTES);
    mcti_jose_begin();
    if (!found || mcti_jose_sign(&raw, k, found, input) < 0)
        to->failed = true;
    mcti_jose_end(mcti_buf_ok(to), NULL);
    mcti_base64url_put(to, mcti_buf_str(&raw));
    mcti_buf_done(&raw);
}
