#include "auth/jose/jwt.h"

#include "auth/jose/impl.h"
#include "auth/wire/url.h"
#include "base/base64.h"
#include "base/rand.h"
#include "json/write.h"

/* ---- making ---- */

/* Computes the SHA-256 digest. */
static bool jwt_digest(struct mcti_str text, unsigned char ret[32])
{
    mcti_jose_begin();
    bool ok = EVP_Q_digest(NULL, "SHA256", NULL, text.p, text.len, ret, NULL) > 0;
    mcti_jose_end(ok, NULL);
    return ok;
}

void mcti_jwt_put_digest(struct mcti_buf *to, struct mcti_str text)
{
    unsigned char digest[32];
    mcti_buf_mind(to, text);
    if (jwt_digest(text, digest))
        mcti_base64url_put(to, (struct mcti_str){ (char *)digest, sizeof digest });
    else
        to->failed = true;
}

void mcti_jwt_put(struct mcti_buf *to, const struct mcti_key *k, const char *alg, struct mcti_str header,
                  struct mcti_str claims)
{
    size_t start = to->len;
    mcti_base64url_put(to, header);
    mcti_buf_addc(to, '.');
    mcti_base64url_put(to, claims);
    mcti_buf_mind(to, header);
    mcti_buf_mind(to, claims);
    struct mcti_str input = mcti_buf_str(to);
    if (!mcti_buf_ok(to))
        return;
    struct mcti_buf signature;
    mcti_buf_init(&signature, 2 * MCT_JOSE_RSA_BYTES);
    mcti_key_put_signature(&signature, k, alg, (struct mcti_str){ input.p + start, input.len - start });
    mcti_buf_addc(to, '.');
    mcti_buf_add(to, mcti_buf_str(&signature));
    mcti_buf_done(&signature);
}

/* A header and claims while they are written. */
struct jwt_draft {
    struct mcti_buf header, claims;
};

static void draft_open(struct jwt_draft *d, const char *type, const char *alg)
{
    mcti_buf_init(&d->header, MCT_JOSE_TOKEN_BYTES);
    mcti_buf_init(&d->claims, MCT_JOSE_TOKEN_BYTES);
    mcti_buf_addc(&d->header, '{');
    mcti_buf_addc(&d->claims, '{');
    mcti_json_put_member(&d->header, "typ", mcti_str_of(type));
    mcti_json_put_member(&d->header, "alg", mcti_str_of(alg));
}

static void draft_put(struct jwt_draft *d, const char *claim, struct mcti_str value)
{
    if (value.p)
        mcti_json_put_member(&d->claims, claim, value);
}

static void draft_put_time(struct jwt_draft *d, const char *claim, int64_t seconds)
{
    mcti_json_put_key(&d->claims, claim);
    mcti_buf_printf(&d->claims, "%lld", (long long)seconds);
}

static void draft_put_jti(struct jwt_draft *d)
{
    char id[33];
    mcti_random_id(id);
    draft_put(d, "jti", mcti_str_of(id));
}

/* Signs the draft and frees it. */
static void draft_close(struct jwt_draft *d, struct mcti_buf *to, const struct mcti_key *k, const char *alg)
{
    mcti_buf_addc(&d->header, '}');
    mcti_buf_addc(&d->claims, '}');
    mcti_jwt_put(to, k, alg, mcti_buf_str(&d->header), mcti_buf_str(&d->claims));
    mcti_buf_done(&d->header);
    mcti_buf_done(&d->claims);
}

void mcti_jwt_put_assertion(struct mcti_buf *to, const struct mcti_key *k, const struct mcti_assertion *a)
{
    struct jwt_draft d;
    draft_open(&d, "JWT", a->alg);
    if (a->key_id)
        mcti_json_put_member(&d.header, "kid", mcti_str_of(a->key_id));
    draft_put(&d, "iss", mcti_str_of(a->client_id));
    draft_put(&d, "sub", mcti_str_of(a->client_id));
    draft_put(&d, "aud", mcti_str_of(a->audience));
    draft_put_time(&d, "iat", a->now_s);
    draft_put_time(&d, "exp", a->now_s + MCT_ASSERTION_S);
    draft_put_jti(&d);
    draft_close(&d, to, k, a->alg);
}

/* Writes the digest of a body as in the header Content-Digest (RFC 9530). */
static void draft_put_content(struct jwt_draft *d, const struct mcti_pieces *body)
{
    unsigned char digest[32];
    if (mcti_sha256_pieces(body->item, body->n, digest) < 0)
        d->claims.failed = true;
    mcti_json_put_key(&d->claims, "content_digest");
    mcti_buf_addz(&d->claims, "\"sha-256=:");
    mcti_base64_put(&d->claims, (struct mcti_str){ (char *)digest, sizeof digest });
    mcti_buf_addz(&d->claims, ":\"");
}

void mcti_jwt_put_proof(struct mcti_buf *to, const struct mcti_key *k, const struct mcti_proof *p)
{
    const char *alg = mcti_key_alg(k, NULL, NULL);
    struct jwt_draft d;
    draft_open(&d, "dpop+jwt", alg);
    mcti_json_put_key(&d.header, "jwk");
    mcti_key_put_public(&d.header, k);
    draft_put_jti(&d);
    draft_put(&d, "htm", mcti_str_of(p->method));
    draft_put(&d, "htu", mcti_auth_url_shown(p->url));
    draft_put_time(&d, "iat", p->now_s);
    if (p->token.p) {
        mcti_json_put_key(&d.claims, "ath");
        mcti_buf_addc(&d.claims, '"');
        mcti_jwt_put_digest(&d.claims, p->token);
        mcti_buf_addc(&d.claims, '"');
    }
    draft_put(&d, "nonce", p->nonce);
    if (p->body)
        draft_put_content(&d, p->body);
    draft_close(&d, to, k, alg);
}

/* ---- reading ---- */

int mcti_jose_object(struct mcti_str json, const char *what, enum mct_error_kind kind, struct mcti_str *ret,
                     struct mct_error *err)
{
    struct mcti_json_fault fault;
    struct mcti_json_top top;
    if (!mcti_json_valid(json, MCT_JOSE_DEPTH, &top, &fault))
        return mcti_fail(err, kind, "%s is not valid JSON: %s at byte %zu", what, fault.why, fault.offset);
    if (mcti_json_type(top.value) != '{')
        return mcti_fail(err, kind, "%s is not a JSON object", what);
    int unique = mcti_json_unique(top.value);
    if (unique < 0)
        return mcti_no_memory(err);
    *ret = top.value;
    return unique ? 0 : mcti_fail(err, kind, "%s has duplicate members", what);
}

enum { JWT_HEADER, JWT_CLAIMS, JWT_SIGNATURE, JWT_PARTS };

static int jwt_split(struct mcti_str token, struct mcti_str ret[JWT_PARTS], struct mct_error *err)
{
    size_t n = 0;
    if (token.len > MCT_JOSE_TOKEN_BYTES)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the JWT has more than %d bytes", MCT_JOSE_TOKEN_BYTES);
    while (n < JWT_PARTS && mcti_str_split(&token, '.', &ret[n]))
        n++;
    return n == JWT_PARTS && !token.p ? 0 : mcti_fail(err, MCT_ERR_PROTOCOL, "the JWT does not have three parts");
}

/* Appends the JSON object of a part. */
static int jwt_decode_part(struct mcti_str part, const char *what, struct mcti_buf *ret, struct mct_error *err)
{
    struct mcti_buf json;
    struct mcti_str object;
    mcti_buf_init(&json, MCT_JOSE_TOKEN_BYTES);
    int r = mcti_base64url_get(&json, part);
    if (json.failed)
        r = mcti_no_memory(err);
    else if (r < 0)
        mcti_fail(err, MCT_ERR_PROTOCOL, "%s is not base64url", what);
    else
        r = mcti_jose_object(mcti_buf_str(&json), what, MCT_ERR_PROTOCOL, &object, err);
    if (!r)
        mcti_buf_add(ret, object);
    mcti_buf_done(&json);
    return r || mcti_buf_ok(ret) ? r : mcti_no_memory(err);
}

int mcti_jwt_decode(struct mcti_str token, struct mcti_buf *ret_header, struct mcti_buf *ret_claims,
                    struct mct_error *err)
{
    struct mcti_str parts[JWT_PARTS];
    int r = jwt_split(token, parts, err);
    r = r < 0 ? r : jwt_decode_part(parts[JWT_HEADER], "the header of the JWT", ret_header, err);
    return r < 0 ? r : jwt_decode_part(parts[JWT_CLAIMS], "the claims of the JWT", ret_claims, err);
}

/* ---- verifying ---- */

/* Returns true if the JWK says nothing against verifying with `alg` (RFC 7517 sections 4.2 to 4.4). */
static bool jwk_may_verify(struct mcti_str jwk, struct mcti_str alg)
{
    struct mcti_str use = mcti_json_get(jwk, "use"), for_alg = mcti_json_get(jwk, "alg"), text, op;
    struct mcti_str ops = mcti_json_get(jwk, "key_ops");
    bool verify = !ops.p;
    if (mcti_json_type(ops) == '[')
        for (struct mcti_json_iter it = mcti_json_open(ops); mcti_json_next_item(&it, &op);)
            verify |= mcti_json_is(op, "verify");
    return verify && (!use.p || mcti_json_is(use, "sig")) &&
           (!for_alg.p || (mcti_json_plain(for_alg, &text) && mcti_str_eq(text, alg)));
}

/* Finds the algorithm of the header for the key. */
static const struct mcti_jose_alg *jwt_choose_alg(struct mcti_str header, struct mcti_str jwk, const struct mcti_key *k,
                                                  struct mct_error *err)
{
    struct mcti_str name;
    const struct mcti_jose_alg *alg = NULL;
    if (mcti_json_get(header, "crit").p)
        mcti_fail(err, MCT_ERR_PROTOCOL, "the JWT has critical extensions (\"crit\"), which are not supported");
    else if (!mcti_json_plain(mcti_json_get(header, "alg"), &name))
        mcti_fail(err, MCT_ERR_PROTOCOL, "the header of the JWT names no algorithm");
    else if (!jwk_may_verify(jwk, name) || !(alg = mcti_jose_alg_find(k->kind, name)))
        mcti_fail(err, MCT_ERR_PROTOCOL, "the algorithm of the JWT is not one of the key");
    return alg;
}

/* Verifies the signature of the three parts. */
static int jwt_check(struct mcti_str token, const struct mcti_key *k, const struct mcti_jose_alg *alg,
                     struct mct_error *err)
{
    struct mcti_str parts[JWT_PARTS];
    struct mcti_buf signature;
    if (jwt_split(token, parts, err) < 0)
        return -1;
    mcti_buf_init(&signature, MCT_JOSE_TOKEN_BYTES);
    struct mcti_str input = mcti_str_range(token.p, parts[JWT_SIGNATURE].p - 1);
    bool ok = !mcti_base64url_get(&signature, parts[JWT_SIGNATURE]) &&
              mcti_jose_verifies(k, alg, input, mcti_buf_str(&signature));
    bool lost = signature.failed;
    mcti_buf_done(&signature);
    if (lost)
        return mcti_no_memory(err);
    return ok ? 0 : mcti_fail(err, MCT_ERR_PROTOCOL, "the signature of the JWT is wrong");
}

static int jwt_verify_header(struct mcti_str token, struct mcti_str header, struct mcti_str jwk, struct mct_error *err)
{
    struct mcti_key k;
    struct mcti_str object;
    if (mcti_jose_object(jwk, "the JWK", MCT_ERR_CONFIG, &object, err) < 0 || mcti_jwk_read(&k, object, false, err) < 0)
        return -1;
    int r = mcti_jose_key_check(&k, false, err);
    const struct mcti_jose_alg *alg = r < 0 ? NULL : jwt_choose_alg(header, object, &k, err);
    r = alg ? jwt_check(token, &k, alg, err) : -1;
    EVP_PKEY_free(k.pkey);
    return r;
}

int mcti_jwt_verify(struct mcti_str token, struct mcti_str jwk, struct mct_error *err)
{
    struct mcti_buf header, claims;
    mcti_buf_init(&header, MCT_JOSE_TOKEN_BYTES);
    mcti_buf_init(&claims, MCT_JOSE_TOKEN_BYTES);
    int r = mcti_jwt_decode(token, &header, &claims, err);
    if (!r) {
        mcti_jose_begin();
        r = jwt_verify_header(token, mcti_buf_str(&header), jwk, err);
        mcti_jose_end(r == 0, err);
    }
    mcti_buf_done(&header);
    mcti_buf_done(&claims);
    return r;
}
