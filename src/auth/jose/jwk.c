/* Keys as JSON (RFC 7517, RFC 7518 section 6, RFC 8037), and their thumbprints (RFC 7638). */
#include "auth/jose/impl.h"

#include "auth/jose/jwt.h"
#include "base/base64.h"
#include "json/write.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>

/* ---- reading ---- */

enum { JWK_N, JWK_E, JWK_D, JWK_P, JWK_Q, JWK_DP, JWK_DQ, JWK_QI, JWK_X, JWK_Y, JWK_MEMBERS };

/* The members with bytes; `param`: the name of the same number of an RSA key. */
static const struct jwk_member {
    const char *name, *param;
} jwk_members[JWK_MEMBERS] = {
    [JWK_N] = { "n", OSSL_PKEY_PARAM_RSA_N },
    [JWK_E] = { "e", OSSL_PKEY_PARAM_RSA_E },
    [JWK_D] = { "d", OSSL_PKEY_PARAM_RSA_D },
    [JWK_P] = { "p", OSSL_PKEY_PARAM_RSA_FACTOR1 },
    [JWK_Q] = { "q", OSSL_PKEY_PARAM_RSA_FACTOR2 },
    [JWK_DP] = { "dp", OSSL_PKEY_PARAM_RSA_EXPONENT1 },
    [JWK_DQ] = { "dq", OSSL_PKEY_PARAM_RSA_EXPONENT2 },
    [JWK_QI] = { "qi", OSSL_PKEY_PARAM_RSA_COEFFICIENT1 },
    [JWK_X] = { "x", NULL },
    [JWK_Y] = { "y", NULL },
};

struct jwk {
    const struct mcti_jose_kind *kind;
    struct mcti_buf v[JWK_MEMBERS]; /* empty: the member is missing */
    bool is_private;
};

static int jwk_invalid(const char *name, struct mct_error *err)
{
    return mcti_fail(err, MCT_ERR_CONFIG, "member \"%s\" of the JWK is missing or invalid", name);
}

/* Decodes the members that are there. */
static int jwk_decode(struct jwk *j, struct mcti_str text, struct mct_error *err)
{
    for (size_t i = 0; i < JWK_MEMBERS; i++) {
        struct mcti_str value = mcti_json_get(text, jwk_members[i].name), digits;
        mcti_buf_init_secret(&j->v[i], MCT_JOSE_RSA_BYTES);
        if (value.p && (!mcti_json_plain(value, &digits) || !digits.len || mcti_base64url_get(&j->v[i], digits) < 0))
            return jwk_invalid(jwk_members[i].name, err);
    }
    return 0;
}

/* Checks that the members of the set `needed` are there, with `bytes` bytes each. Numbers of an RSA key (bytes: 0) have
 * no leading zero (RFC 7518 section 2). */
static int jwk_check(const struct jwk *j, unsigned needed, size_t bytes, struct mct_error *err)
{
    for (size_t i = 0; i < JWK_MEMBERS; i++) {
        const struct mcti_buf *v = &j->v[i];
        if (needed & 1u << i && (bytes ? v->len != bytes : !v->len || !v->p[0]))
            return jwk_invalid(jwk_members[i].name, err);
    }
    return 0;
}

static BIGNUM *jwk_number(const struct mcti_buf *bytes)
{
    BIGNUM *n = BN_secure_new();
    if (n && !BN_bin2bn((const unsigned char *)bytes->p, (int)bytes->len, n)) {
        BN_free(n);
        return NULL;
    }
    return n;
}

static EVP_PKEY *jwk_build(const struct jwk *j, OSSL_PARAM_BLD *b)
{
    EVP_PKEY *pkey = NULL;
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(b);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, j->kind->type, NULL);
    bool ok = params && ctx && EVP_PKEY_fromdata_init(ctx) > 0 &&
              EVP_PKEY_fromdata(ctx, &pkey, j->is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params) > 0;
    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_free(params);
    return ok ? pkey : NULL;
}

static EVP_PKEY *jwk_make_rsa(const struct jwk *j, OSSL_PARAM_BLD *b, struct mct_error *err)
{
    enum { PUBLIC = 1 << JWK_N | 1 << JWK_E, D = 1 << JWK_D };
    enum { FACTORS = 1 << JWK_P | 1 << JWK_Q | 1 << JWK_DP | 1 << JWK_DQ | 1 << JWK_QI };
    BIGNUM *n[JWK_X] = { NULL };
    bool ok = true;
    /* all of the factors may be missing, not some of them */
    unsigned needed = PUBLIC | (j->is_private ? D : 0) | (j->is_private && j->v[JWK_P].len ? FACTORS : 0);
    if (jwk_check(j, needed, 0, err) < 0)
        return NULL;
    for (size_t i = 0; i < JWK_X && ok; i++)
        if (needed & 1u << i) {
            n[i] = jwk_number(&j->v[i]);
            ok = n[i] && OSSL_PARAM_BLD_push_BN(b, jwk_members[i].param, n[i]);
        }
    EVP_PKEY *pkey = ok ? jwk_build(j, b) : NULL;
    for (size_t i = 0; i < JWK_X; i++)
        BN_clear_free(n[i]);
    return pkey;
}

static EVP_PKEY *jwk_make_ec(const struct jwk *j, OSSL_PARAM_BLD *b, struct mct_error *err)
{
    unsigned char point[1 + 2 * MCT_JOSE_EC_BYTES] = { POINT_CONVERSION_UNCOMPRESSED };
    size_t bytes = j->kind->bytes;
    if (jwk_check(j, 1 << JWK_X | 1 << JWK_Y | (j->is_private ? 1 << JWK_D : 0), bytes, err) < 0)
        return NULL;
    memcpy(point + 1, j->v[JWK_X].p, bytes);
    memcpy(point + 1 + bytes, j->v[JWK_Y].p, bytes);
    BIGNUM *d = j->is_private ? jwk_number(&j->v[JWK_D]) : NULL;
    bool ok = OSSL_PARAM_BLD_push_utf8_string(b, OSSL_PKEY_PARAM_GROUP_NAME, j->kind->group, 0) &&
              OSSL_PARAM_BLD_push_octet_string(b, OSSL_PKEY_PARAM_PUB_KEY, point, 1 + 2 * bytes) &&
              (!j->is_private || (d && OSSL_PARAM_BLD_push_BN_pad(b, OSSL_PKEY_PARAM_PRIV_KEY, d, bytes)));
    EVP_PKEY *pkey = ok ? jwk_build(j, b) : NULL;
    BN_clear_free(d);
    return pkey;
}

/* Makes a private key from `d` alone, without a copy of it in parameters, which OpenSSL would not wipe. */
static EVP_PKEY *jwk_make_okp_private(const struct jwk *j)
{
    unsigned char x[MCT_JOSE_EC_BYTES];
    size_t bytes = j->kind->bytes, len = sizeof x;
    EVP_PKEY *pkey =
        EVP_PKEY_new_raw_private_key_ex(NULL, j->kind->type, NULL, (const unsigned char *)j->v[JWK_D].p, bytes);
    if (pkey && EVP_PKEY_get_raw_public_key(pkey, x, &len) > 0 && len == bytes && !memcmp(x, j->v[JWK_X].p, len))
        return pkey;
    EVP_PKEY_free(pkey);
    return NULL;
}

static EVP_PKEY *jwk_make_okp(const struct jwk *j, OSSL_PARAM_BLD *b, struct mct_error *err)
{
    size_t bytes = j->kind->bytes;
    (void)b;
    if (jwk_check(j, 1 << JWK_X | (j->is_private ? 1 << JWK_D : 0), bytes, err) < 0)
        return NULL;
    return j->is_private
               ? jwk_make_okp_private(j)
               : EVP_PKEY_new_raw_public_key_ex(NULL, j->kind->type, NULL, (const unsigned char *)j->v[JWK_X].p, bytes);
}

static EVP_PKEY *(*const jwk_makers[])(const struct jwk *j, OSSL_PARAM_BLD *b, struct mct_error *err) = {
    [MCT_JOSE_RSA] = jwk_make_rsa,
    [MCT_JOSE_EC] = jwk_make_ec,
    [MCT_JOSE_OKP] = jwk_make_okp,
};

/* Makes the key of the decoded members. */
static EVP_PKEY *jwk_make(const struct jwk *j, struct mct_error *err)
{
    struct mct_error why = { MCT_ERR_NONE };
    OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
    EVP_PKEY *pkey = b ? jwk_makers[j->kind->family](j, b, &why) : NULL;
    OSSL_PARAM_BLD_free(b);
    if (!pkey)
        mcti_fail(err, MCT_ERR_CONFIG, "%s", why.kind ? why.message : "the members of the JWK are not those of a key");
    return pkey;
}

static int jwk_read_object(struct jwk *j, struct mcti_str text, struct mct_error *err)
{
    struct mcti_str kty, crv = MCT_STR_NONE, crv_value = mcti_json_get(text, "crv");
    if (!mcti_json_plain(mcti_json_get(text, "kty"), &kty))
        return jwk_invalid("kty", err);
    if (crv_value.p && !mcti_json_plain(crv_value, &crv))
        return jwk_invalid("crv", err);
    j->kind = mcti_jose_kind_find(kty, mcti_str_is(kty, "RSA") ? MCT_STR_NONE : crv);
    if (!j->kind)
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "unsupported \"kty\" or \"crv\" of the JWK; known: RSA, EC with P-256, P-384 or P-521, OKP "
                         "with Ed25519");
    if (mcti_json_get(text, "oth").p)
        return mcti_fail(err, MCT_ERR_CONFIG, "RSA keys of more than two primes are not supported");
    if (!j->is_private && mcti_json_get(text, "d").p)
        return mcti_fail(err, MCT_ERR_CONFIG, "the JWK has the private member \"d\"; a public key is needed");
    return jwk_decode(j, text, err);
}

int mcti_jwk_read(struct mcti_key *ret, struct mcti_str text, bool is_private, struct mct_error *err)
{
    struct jwk j = { .is_private = is_private };
    *ret = (struct mcti_key){ NULL };
    if (!jwk_read_object(&j, text, err))
        ret->pkey = jwk_make(&j, err);
    for (size_t i = 0; i < JWK_MEMBERS; i++)
        mcti_buf_done(&j.v[i]);
    return ret->pkey ? 0 : -1;
}

/* ---- writing ---- */

static void jwk_put_bytes(struct mcti_buf *to, const char *name, const unsigned char *bytes, size_t len)
{
    mcti_json_put_key(to, name);
    mcti_buf_addc(to, '"');
    mcti_base64url_put(to, (struct mcti_str){ (const char *)bytes, len });
    mcti_buf_addc(to, '"');
}

/* Writes a number of the key with `len` bytes, 0: as many as it needs. Returns false on failure. */
static bool jwk_put_number(struct mcti_buf *to, const struct mcti_key *k, const struct jwk_member *m, size_t len)
{
    unsigned char bytes[MCT_JOSE_RSA_BYTES];
    BIGNUM *n = BN_secure_new();
    bool ok = n && EVP_PKEY_get_bn_param(k->pkey, m->param, &n);
    if (ok && !len)
        len = (size_t)BN_num_bytes(n);
    ok = ok && len <= sizeof bytes && BN_bn2binpad(n, bytes, (int)len) >= 0;
    BN_clear_free(n);
    if (ok)
        jwk_put_bytes(to, m->name, bytes, len);
    OPENSSL_cleanse(bytes, sizeof bytes);
    return ok;
}

/* Writes the members that follow "kty" in lexical order. */
static bool jwk_put_rsa(struct mcti_buf *to, const struct mcti_key *k)
{
    return jwk_put_number(to, k, &jwk_members[JWK_N], 0);
}

static bool jwk_put_ec(struct mcti_buf *to, const struct mcti_key *k)
{
    static const struct jwk_member x = { "x", OSSL_PKEY_PARAM_EC_PUB_X }, y = { "y", OSSL_PKEY_PARAM_EC_PUB_Y };
    return jwk_put_number(to, k, &x, k->kind->bytes) && jwk_put_number(to, k, &y, k->kind->bytes);
}

static bool jwk_put_okp(struct mcti_buf *to, const struct mcti_key *k)
{
    unsigned char bytes[MCT_JOSE_EC_BYTES];
    size_t len = sizeof bytes;
    bool ok = EVP_PKEY_get_raw_public_key(k->pkey, bytes, &len) > 0;
    if (ok)
        jwk_put_bytes(to, "x", bytes, len);
    return ok;
}

static bool jwk_put_rsa_private(struct mcti_buf *to, const struct mcti_key *k)
{
    bool ok = jwk_put_number(to, k, &jwk_members[JWK_D], 0);
    size_t n = to->len;
    for (size_t i = JWK_P; ok && i <= JWK_QI; i++)
        if (!jwk_put_number(to, k, &jwk_members[i], 0)) {
            to->len = n; /* it has no factors */
            break;
        }
    return ok;
}

static bool jwk_put_ec_private(struct mcti_buf *to, const struct mcti_key *k)
{
    static const struct jwk_member d = { "d", OSSL_PKEY_PARAM_PRIV_KEY };
    return jwk_put_number(to, k, &d, k->kind->bytes);
}

static bool jwk_put_okp_private(struct mcti_buf *to, const struct mcti_key *k)
{
    unsigned char bytes[MCT_JOSE_EC_BYTES];
    size_t len = sizeof bytes;
    /* EVP_PKEY_get_raw_private_key() makes a copy and does not wipe it */
    bool ok = EVP_PKEY_get_octet_string_param(k->pkey, OSSL_PKEY_PARAM_PRIV_KEY, bytes, len, &len) > 0;
    if (ok)
        jwk_put_bytes(to, "d", bytes, len);
    OPENSSL_cleanse(bytes, sizeof bytes);
    return ok;
}

static const struct jwk_form {
    bool (*put_public)(struct mcti_buf *to, const struct mcti_key *k);
    bool (*put_private)(struct mcti_buf *to, const struct mcti_key *k);
} jwk_forms[] = {
    [MCT_JOSE_RSA] = { jwk_put_rsa, jwk_put_rsa_private },
    [MCT_JOSE_EC] = { jwk_put_ec, jwk_put_ec_private },
    [MCT_JOSE_OKP] = { jwk_put_okp, jwk_put_okp_private },
};

/* Writes the key; its private members stand behind the others. */
static void jwk_put(struct mcti_buf *to, const struct mcti_key *k, bool is_private)
{
    const struct jwk_form *form = &jwk_forms[k->kind->family];
    bool ok = true;
    mcti_jose_begin();
    mcti_buf_addc(to, '{');
    if (k->kind->crv)
        mcti_json_put_member(to, "crv", mcti_str_of(k->kind->crv));
    else
        ok = jwk_put_number(to, k, &jwk_members[JWK_E], 0);
    mcti_json_put_member(to, "kty", mcti_str_of(k->kind->kty));
    ok = ok && form->put_public(to, k) && (!is_private || form->put_private(to, k));
    mcti_buf_addc(to, '}');
    to->failed |= !ok;
    mcti_jose_end(ok, NULL);
}

void mcti_key_put_public(struct mcti_buf *to, const struct mcti_key *k)
{
    jwk_put(to, k, false);
}

void mcti_key_put_private(struct mcti_buf *to, const struct mcti_key *k)
{
    jwk_put(to, k, true);
}

void mcti_key_put_thumbprint(struct mcti_buf *to, const struct mcti_key *k)
{
    struct mcti_buf jwk;
    mcti_buf_init(&jwk, MCT_JOSE_TOKEN_BYTES);
    mcti_key_put_public(&jwk, k);
    mcti_jwt_put_digest(to, mcti_buf_str(&jwk));
    mcti_buf_done(&jwk);
}
