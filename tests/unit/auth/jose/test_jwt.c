/* JSON Web Tokens: making, decoding, verifying. */
#include "unit.h"

#include "auth/jose/jwt.h"
#include "base/base64.h"
#include "json/write.h"
#include "vectors.h"

static int verify(const char *token, const char *jwk, struct mct_error *err)
{
    *err = (struct mct_error){ MCT_ERR_NONE };
    return mcti_jwt_verify(mcti_str_of(token), mcti_str_of(jwk), err);
}

static void check_refused(const char *token, const char *jwk, const char *why)
{
    struct mct_error err;
    assert_int_equal(verify(token, jwk, &err), -1);
    assert_true(err.kind == MCT_ERR_PROTOCOL || err.kind == MCT_ERR_CONFIG);
    if (!strstr(err.message, why))
        fail_msg("'%s' for %s", err.message, token);
}

static void tokens_of_the_rfcs_are_right(void **state)
{
    struct mct_error err;
    (void)state;
    assert_int_equal(verify(RSA_JWT, RSA_JWK, &err), 0);
    assert_int_equal(verify(EC_JWT, EC_JWK, &err), 0);
    assert_int_equal(verify(PROOF_JWT, PROOF_JWK, &err), 0);
    assert_int_equal(err.kind, MCT_ERR_NONE);
    check_refused(EC_JWT, PROOF_JWK, "signature");
    check_refused(EC_JWT, RSA_JWK, "algorithm");
    check_refused(RSA_JWT, EC_JWK, "algorithm");
}

/* Changes each character of a token to another one of the alphabet. */
static void tampered_tokens_are_refused(void **state)
{
    static const char *const rows[][2] = { { EC_JWT, EC_JWK }, { RSA_JWT, RSA_JWK } };
    struct mct_error err;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char *token = mcti_str_dup(mcti_str_of(rows[i][0]));
        for (char *p = token; *p; p++) {
            char was = *p;
            *p = was == 'A' ? 'B' : 'A';
            assert_int_equal(verify(token, rows[i][1], &err), -1);
            *p = was;
        }
        assert_int_equal(verify(token, rows[i][1], &err), 0);
        free(token);
    }
}

/* ---- tokens of our own making ---- */

/* Returns "HEADER.CLAIMS.SIGNATURE" of texts. */
static char *token_of(const char *header, const char *claims, const char *signature)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 65536);
    mcti_base64url_put(&b, mcti_str_of(header));
    mcti_buf_addc(&b, '.');
    mcti_base64url_put(&b, mcti_str_of(claims));
    mcti_buf_addc(&b, '.');
    mcti_buf_addz(&b, signature);
    return mcti_buf_take(&b);
}

static void unsound_tokens_are_refused(void **state)
{
    static const char *const rows[][4] = {
        { "{\"alg\":\"none\"}", "{}", "", "algorithm" },
        { "{\"alg\":\"HS256\"}", "{}", EC_SIGNATURE, "algorithm" },
        { "{\"alg\":\"ES384\"}", "{}", EC_SIGNATURE, "algorithm" },
        { "{\"alg\":\"es256\"}", "{}", EC_SIGNATURE, "algorithm" },
        { "{\"alg\":[\"ES256\"]}", "{}", EC_SIGNATURE, "no algorithm" },
        { "{}", "{}", EC_SIGNATURE, "no algorithm" },
        { "{\"alg\":\"ES256\",\"crit\":[\"b64\"],\"b64\":false}", "{}", EC_SIGNATURE, "crit" },
        { "{\"alg\":\"ES256\"}", "{}", "", "signature" },
        { "{\"alg\":\"ES256\"}", "{}", EC_SIGNATURE "=", "signature" },
        { "{\"alg\":\"ES256\"}", "{}", EC_SIGNATURE "AA", "signature" },
        { "{\"alg\":\"ES256\"}", "{}", "AAAA", "signature" },
        /* r and s are 0 */
        { "{\"alg\":\"ES256\"}", "{}",
          "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "signature" },
        { "{\"alg\":\"ES256\",\"alg\":\"ES256\"}", "{}", EC_SIGNATURE, "duplicate" },
        { "{\"alg\":\"ES256\"}", "{\"a\":1,\"\\u0061\":1}", EC_SIGNATURE, "duplicate" },
        { "{\"alg\":\"ES256\"}", "{\"cnf\":{\"jkt\":1,\"jkt\":2}}", EC_SIGNATURE, "duplicate" },
        { "{\"alg\":\"ES256\"}", "[{\"a\":1,\"a\":1}]", EC_SIGNATURE, "not a JSON object" },
        { "{\"alg\":\"ES256\"}", "\"text\"", EC_SIGNATURE, "not a JSON object" },
        { "{\"alg\":\"ES256\"}", "{", EC_SIGNATURE, "not valid JSON" },
        { "{\"alg\":\"ES256\"}", "", EC_SIGNATURE, "not valid JSON" },
        { "[]", "{}", EC_SIGNATURE, "not a JSON object" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *token = token_of(rows[i][0], rows[i][1], rows[i][2]);
        check_refused(token, EC_JWK, rows[i][3]);
        free(token);
    }
}

static void texts_that_are_no_tokens(void **state)
{
    static const char *const texts[] = {
        "", ".", "..", "...", "e30", "e30.e30", "e30.e30.e30.e30", "e30=.e30.", " e30.e30.", "e30.e30\n.", "e31.e30."
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_refused(texts[i], EC_JWK, "JWT");
    struct mcti_buf b;
    struct mct_error err = { MCT_ERR_NONE };
    mcti_buf_init(&b, 65536);
    for (int i = 0; i < 16385; i++)
        mcti_buf_addc(&b, 'A');
    assert_int_equal(mcti_jwt_verify(mcti_buf_str(&b), MCT_STR(EC_JWK), &err), -1);
    assert_non_null(strstr(err.message, "16384 bytes"));
    assert_int_equal(mcti_jwt_verify(MCT_STR_NONE, MCT_STR(EC_JWK), &err), -1);
    mcti_buf_done(&b);
}

static void keys_that_must_not_verify(void **state)
{
    static const char *const rows[][2] = {
        { EC_PRIVATE_JWK, "private member" },
        { "{" EC_PUBLIC ",\"use\":\"enc\"}", "algorithm" },
        { "{" EC_PUBLIC ",\"use\":1}", "algorithm" },
        { "{" EC_PUBLIC ",\"alg\":\"ES384\"}", "algorithm" },
        { "{" EC_PUBLIC ",\"key_ops\":[\"sign\"]}", "algorithm" },
        { "{" EC_PUBLIC ",\"key_ops\":\"verify\"}", "algorithm" },
        { "{" EC_PUBLIC ",\"x\":\"" EC_X "\"}", "duplicate" },
        { "", "JSON" },
        { "[]", "JSON object" },
        { "{\"kty\":\"oct\",\"k\":\"AAAA\"}", "unsupported" },
    };
    struct mct_error err;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_refused(EC_JWT, rows[i][0], rows[i][1]);
    assert_int_equal(verify(EC_JWT,
                            " {" EC_PUBLIC ",\"use\":\"sig\",\"alg\":\"ES256\",\"key_ops\":[\"x\",\"verify\"],\"kid\":"
                            "\"1\"}\n",
                            &err),
                     0);
}

/* ---- what we make ---- */

/* A token that was made, taken apart. */
struct made {
    struct mcti_key *key;
    struct mcti_buf token, header, claims, jwk;
};

static void made_open(struct made *m)
{
    m->key = mcti_key_generate(NULL);
    assert_non_null(m->key);
    mcti_buf_init(&m->token, 65536);
    mcti_buf_init(&m->header, 65536);
    mcti_buf_init(&m->claims, 65536);
    mcti_buf_init(&m->jwk, 65536);
    mcti_key_put_public(&m->jwk, m->key);
}

static void made_read(struct made *m)
{
    struct mct_error err = { MCT_ERR_NONE };
    assert_true(mcti_buf_ok(&m->token));
    assert_int_equal(mcti_jwt_verify(mcti_buf_str(&m->token), mcti_buf_str(&m->jwk), &err), 0);
    mcti_buf_clear(&m->header);
    mcti_buf_clear(&m->claims);
    assert_int_equal(mcti_jwt_decode(mcti_buf_str(&m->token), &m->header, &m->claims, &err), 0);
}

static void made_close(struct made *m)
{
    mcti_key_free(m->key);
    mcti_buf_done(&m->token);
    mcti_buf_done(&m->header);
    mcti_buf_done(&m->claims);
    mcti_buf_done(&m->jwk);
}

/* Replaces the value of "jti" by a blank, after checking that it has 128 bits, and copies it to `ret`. */
static void cut_jti(struct mcti_buf *claims, char ret[33])
{
    struct mcti_str jti = mcti_json_get(mcti_buf_str(claims), "jti");
    assert_int_equal(jti.len, 34);
    memcpy(ret, jti.p + 1, 32);
    ret[32] = '\0';
    char *at = claims->p + (jti.p - claims->p);
    memmove(at + 1, at + 33, claims->len - (size_t)(at + 33 - claims->p));
    claims->len -= 32;
}

static void assertions(void **state)
{
    struct mcti_assertion a = {
        .client_id = "my \"app\"", .audience = "https://as.example", .key_id = "k1", .alg = "ES256", .now_s = 1700000000
    };
    char first[33], second[33];
    struct made m;
    (void)state;
    made_open(&m);
    mcti_jwt_put_assertion(&m.token, m.key, &a);
    made_read(&m);
    cut_jti(&m.claims, first);
    assert_buf(&m.header, "{\"typ\":\"JWT\",\"alg\":\"ES256\",\"kid\":\"k1\"}");
    assert_buf(&m.claims,
               "{\"iss\":\"my \\\"app\\\"\",\"sub\":\"my \\\"app\\\"\",\"aud\":\"https://as.example\",\"iat\":"
               "1700000000,\"exp\":1700000120,\"jti\":\"\"}");
    mcti_buf_clear(&m.token);
    a.key_id = NULL;
    mcti_jwt_put_assertion(&m.token, m.key, &a);
    made_read(&m);
    cut_jti(&m.claims, second);
    assert_buf(&m.header, "{\"typ\":\"JWT\",\"alg\":\"ES256\"}");
    assert_string_not_equal(first, second);
    mcti_buf_clear(&m.token);
    a.alg = "RS256";
    mcti_jwt_put_assertion(&m.token, m.key, &a);
    assert_false(mcti_buf_ok(&m.token));
    made_close(&m);
}

static void check_proof(struct made *m, const struct mcti_proof *p, const char *claims)
{
    char jti[33], *header;
    mcti_buf_clear(&m->token);
    mcti_jwt_put_proof(&m->token, m->key, p);
    made_read(m);
    cut_jti(&m->claims, jti);
    assert_buf(&m->claims, claims);
    mcti_buf_addc(&m->jwk, '\0');
    assert_true(asprintf(&header, "{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":%s}", m->jwk.p) > 0);
    m->jwk.len--;
    assert_buf(&m->header, header);
    free(header);
}

static void proofs(void **state)
{
    struct mcti_proof p = { .method = "POST", .url = MCT_STR("https://rs.example/mcp?a=b#c"), .now_s = 1562262616 };
    struct made m;
    (void)state;
    made_open(&m);
    check_proof(&m, &p, "{\"jti\":\"\",\"htm\":\"POST\",\"htu\":\"https://rs.example/mcp\",\"iat\":1562262616}");
    p.url = (struct mcti_str){ "https://rs.example:1/x#?y", 22 };
    p.token = MCT_STR(PROOF_TOKEN);
    p.nonce = MCT_STR("n\"1");
    const struct mcti_pieces body = { .len = 19, .n = 2, .item = { MCT_STR("{\"hello\": "), MCT_STR("\"world\"}\n") } };
    p.body = &body;
    /* the digest of the body is that of RFC 9530 appendix D */
    check_proof(
        &m, &p,
        "{\"jti\":\"\",\"htm\":\"POST\",\"htu\":\"https://rs.example:1/x\",\"iat\":1562262616,\"ath\":\"" PROOF_ATH
        "\",\"nonce\":\"n\\\"1\",\"content_digest\":\"sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:\"}");
    made_close(&m);
}

static void failed_buffers_make_no_token(void **state)
{
    struct mcti_buf lost;
    struct made m;
    (void)state;
    made_open(&m);
    mcti_buf_init(&lost, 1);
    mcti_buf_addz(&lost, "too long");
    mcti_jwt_put(&m.token, m.key, "ES256", mcti_buf_str(&lost), MCT_STR("{}"));
    assert_false(mcti_buf_ok(&m.token));
    mcti_buf_clear(&m.token);
    mcti_jwt_put_digest(&m.token, mcti_buf_str(&lost));
    assert_false(mcti_buf_ok(&m.token));
    mcti_buf_clear(&m.token);
    mcti_jwt_put_digest(&m.token, MCT_STR("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")); /* RFC 7636 appendix B */
    assert_buf(&m.token, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    made_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_of_the_rfcs_are_right),
        cmocka_unit_test(tampered_tokens_are_refused),
        cmocka_unit_test(unsound_tokens_are_refused),
        cmocka_unit_test(texts_that_are_no_tokens),
        cmocka_unit_test(keys_that_must_not_verify),
        cmocka_unit_test(assertions),
        cmocka_unit_test(proofs),
        cmocka_unit_test(failed_buffers_make_no_token),
    };
    return cmocka_run_group_tests_name("jose jwt", tests, NULL, NULL);
}
