/* Private keys: reading, writing, signing. */
#include "unit.h"

#include "auth/jose/impl.h"
#include "auth/jose/jwt.h"
#include "base/base64.h"
#include "vectors.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

static struct mcti_key *read_key(const char *text)
{
    struct mct_error err = { MCT_ERR_NONE };
    struct mcti_key *k = mcti_key_read(mcti_str_of(text), &err);
    assert_string_equal(err.message, "");
    assert_non_null(k);
    assert_int_equal(ERR_peek_error(), 0);
    return k;
}

static void check_public(const struct mcti_key *k, const char *jwk)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 4096);
    mcti_key_put_public(&b, k);
    assert_true(mcti_buf_ok(&b));
    assert_buf(&b, jwk);
    mcti_buf_done(&b);
}

static void check_thumbprint(const struct mcti_key *k, const char *digest)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 4096);
    mcti_key_put_thumbprint(&b, k);
    assert_true(mcti_buf_ok(&b));
    assert_buf(&b, digest);
    mcti_buf_done(&b);
}

/* Verifies a raw signature in base64url with the key itself, as given and with each byte changed. */
static void check_signature(const struct mcti_key *k, const char *alg, const char *input, const char *signature)
{
    const struct mcti_jose_alg *found = mcti_jose_alg_find(k->kind, mcti_str_of(alg));
    struct mcti_buf raw;
    mcti_buf_init(&raw, 4096);
    assert_non_null(found);
    assert_int_equal(mcti_base64url_get(&raw, mcti_str_of(signature)), 0);
    assert_true(mcti_jose_verifies(k, found, mcti_str_of(input), mcti_buf_str(&raw)));
    assert_false(mcti_jose_verifies(k, found, mcti_str_of(input + 1), mcti_buf_str(&raw)));
    for (size_t i = 0; i < raw.len; i += 7) {
        raw.p[i] ^= 1;
        assert_false(mcti_jose_verifies(k, found, mcti_str_of(input), mcti_buf_str(&raw)));
        raw.p[i] ^= 1;
    }
    mcti_buf_addc(&raw, '\0');
    assert_false(mcti_jose_verifies(k, found, mcti_str_of(input), mcti_buf_str(&raw)));
    raw.len -= 2;
    assert_false(mcti_jose_verifies(k, found, mcti_str_of(input), mcti_buf_str(&raw)));
    mcti_buf_done(&raw);
}

static void sign(const struct mcti_key *k, const char *alg, const char *input, struct mcti_buf *ret)
{
    mcti_buf_init(ret, 4096);
    mcti_key_put_signature(ret, k, alg, mcti_str_of(input));
    assert_true(mcti_buf_ok(ret));
    assert_int_equal(ERR_peek_error(), 0);
    mcti_buf_addc(ret, '\0');
}

static void keys_are_those_of_the_rfcs(void **state)
{
    (void)state;
    struct mcti_buf b;
    struct mcti_key *k = read_key(EC_PRIVATE_JWK);
    check_public(k, "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"" EC_X "\",\"y\":\"" EC_Y "\"}");
    check_signature(k, "ES256", "eyJhbGciOiJFUzI1NiJ9." JOE_CLAIMS, EC_SIGNATURE);
    mcti_key_free(k);
    k = read_key(EC521_PRIVATE_JWK);
    check_signature(k, "ES512", EC521_INPUT, EC521_SIGNATURE);
    mcti_key_free(k);
    k = read_key(" \n" ED_PRIVATE_JWK "\r\n");
    check_public(k, "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"" ED_X "\"}");
    check_thumbprint(k, ED_THUMBPRINT);
    check_signature(k, "EdDSA", ED_INPUT, ED_SIGNATURE);
    sign(k, "EdDSA", ED_INPUT, &b); /* deterministic */
    assert_string_equal(b.p, ED_SIGNATURE);
    mcti_buf_done(&b);
    mcti_key_free(k);
}

static void thumbprints_are_those_of_the_rfcs(void **state)
{
    static const char *const rows[][2] = { { THUMB_JWK, THUMBPRINT }, { PROOF_JWK, PROOF_THUMBPRINT } };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct mcti_key k;
        assert_int_equal(mcti_jwk_read(&k, mcti_str_of(rows[i][0]), false, NULL), 0);
        assert_int_equal(mcti_jose_key_check(&k, false, NULL), 0);
        check_thumbprint(&k, rows[i][1]);
        EVP_PKEY_free(k.pkey);
    }
}

/* ---- PEM ---- */

static const char *const sample_types[] = { "P-256", "P-384", "P-521", "ED25519", "RSA" };
enum { N_SAMPLES = sizeof sample_types / sizeof *sample_types };

static EVP_PKEY *sample(const char *type)
{
    EVP_PKEY *pkey = type[0] == 'P'   ? EVP_EC_gen(type)
                     : type[0] == 'R' ? EVP_RSA_gen(2048)
                                      : EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    assert_non_null(pkey);
    return pkey;
}

enum form { PKCS8, TRADITIONAL, ENCRYPTED };

static char *sample_pem(EVP_PKEY *pkey, enum form form)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *p;
    if (form == TRADITIONAL)
        assert_int_equal(PEM_write_bio_PrivateKey_traditional(bio, pkey, NULL, NULL, 0, NULL, NULL), 1);
    else
        assert_int_equal(PEM_write_bio_PKCS8PrivateKey(bio, pkey, form == ENCRYPTED ? EVP_aes_128_cbc() : NULL, "pass",
                                                       4, NULL, NULL),
                         1);
    long len = BIO_get_mem_data(bio, &p);
    char *pem = mcti_str_dup((struct mcti_str){ p, (size_t)len });
    BIO_free(bio);
    return pem;
}

static void check_algs(const struct mcti_key *k)
{
    static const char *const names[] = { "ES256", "ES384", "ES512", "EdDSA", "Ed25519", "RS256",
                                         "PS256", "RS384", "PS384", "RS512", "PS512" };
    struct mcti_buf b;
    int n = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mcti_key_alg(k, names[i], NULL)) {
            sign(k, names[i], "some input", &b);
            check_signature(k, names[i], "some input", b.p);
            mcti_buf_done(&b);
            n++;
        }
    assert_in_range(n, 1, 6);
}

static void every_kind_survives_the_store(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        EVP_PKEY *pkey = sample(sample_types[i]);
        struct mcti_buf stored, same;
        char *pem = sample_pem(pkey, PKCS8);
        struct mcti_key *k = read_key(pem);
        mcti_buf_init(&stored, 8192);
        mcti_key_put_private(&stored, k);
        assert_true(mcti_buf_ok(&stored));
        mcti_key_free(k);
        mcti_buf_addc(&stored, '\0');
        k = read_key(stored.p);
        assert_int_equal(EVP_PKEY_eq(k->pkey, pkey), 1);
        check_algs(k);
        mcti_buf_init(&same, 16);
        mcti_key_put_private(&same, k);
        assert_false(mcti_buf_ok(&same));
        mcti_buf_done(&same);
        mcti_key_free(k);
        mcti_buf_done(&stored);
        free(pem);
        EVP_PKEY_free(pkey);
    }
}

static void private_keys_are_written(void **state)
{
    static const char *const rows[][2] = {
        { EC_PRIVATE_JWK,
          "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"" EC_X "\",\"y\":\"" EC_Y "\",\"d\":\"" EC_D "\"}" },
        { ED_PRIVATE_JWK, "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"" ED_X "\",\"d\":\"" ED_D "\"}" },
    };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct mcti_key *k = read_key(rows[i][0]);
        struct mcti_buf b;
        mcti_buf_init_secret(&b, 1000);
        mcti_key_put_private(&b, k);
        assert_buf(&b, rows[i][1]);
        mcti_buf_done(&b);
        mcti_key_free(k);
    }
}

static void traditional_forms_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        if (!strcmp(sample_types[i], "ED25519"))
            continue;
        EVP_PKEY *pkey = sample(sample_types[i]);
        char *pem = sample_pem(pkey, TRADITIONAL), *with_parameters;
        struct mcti_key *k = read_key(pem);
        assert_int_equal(EVP_PKEY_eq(k->pkey, pkey), 1);
        mcti_key_free(k);
        /* what `openssl ecparam -genkey` writes */
        assert_true(asprintf(&with_parameters,
                             "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n%s",
                             pem) > 0);
        k = read_key(with_parameters);
        mcti_key_free(k);
        free(with_parameters);
        free(pem);
        EVP_PKEY_free(pkey);
    }
}

/* ---- refused ---- */

static void check_refused(const char *text, const char *why)
{
    struct mct_error err = { MCT_ERR_NONE };
    struct mcti_key *k = mcti_key_read(mcti_str_of(text), &err);
    assert_null(k);
    assert_int_equal(err.kind, MCT_ERR_CONFIG);
    assert_non_null(strstr(err.message, why));
    assert_int_equal(ERR_peek_error(), 0);
}

static void texts_that_are_no_keys(void **state)
{
    static const char *const rows[][2] = {
        { "", "not a private key in PEM or JWK" },
        { "secret-text", "not a private key in PEM or JWK" },
        { "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "not a private key" },
        { "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC "
          "KEY-----\n",
          "not a private key" },
        { "{", "is not valid JSON" },
        { "{}", "\"kty\"" },
        { "{\"kty\":7}", "\"kty\"" },
        { "{\"kty\":\"oct\",\"k\":\"AAAA\"}", "unsupported \"kty\"" },
        { "{\"kty\":\"EC\",\"crv\":\"secp256k1\"}", "unsupported \"kty\"" },
        { "{\"kty\":\"EC\",\"crv\":\"Ed25519\"}", "unsupported \"kty\"" },
        { "{\"kty\":\"OKP\",\"crv\":\"X25519\"}", "unsupported \"kty\"" },
        { "{\"kty\":\"EC\"}", "unsupported \"kty\"" },
        { EC_JWK, "\"d\"" },
        { "{" EC_PUBLIC ",\"d\":\"" EC_D "=\"}", "\"d\"" },       /* padding */
        { "{" EC_PUBLIC ",\"d\":\"" EC_D "\\u0041\"}", "\"d\"" }, /* escape */
        { "{" EC_PUBLIC ",\"d\":\"" EC_D "A\"}", "\"d\"" },
        { "{" EC_PUBLIC ",\"d\":\"" EC_D "AA\"}", "\"d\"" },
        { "{" EC_PUBLIC ",\"d\":\"\"}", "\"d\"" },
        { "{" EC_PUBLIC ",\"d\":[]}", "\"d\"" },
        { "{" EC_PUBLIC ",\"d\":\"" EC_D "\",\"d\":\"" EC_D "\"}", "duplicate" },
        { "{" EC_PUBLIC ",\"d\":\"" EC_D "\",\"\\u0064\":\"" EC_D "\"}", "duplicate" },
        { "{" EC_PUBLIC ",\"d\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}", "" }, /* 0 */
        { "{" EC_PUBLIC ",\"d\":\"_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE\"}", "" }, /* the order of the group */
        { "{" EC_PUBLIC ",\"d\":\"" ED_D "\"}", "does not fit" },                        /* of another key */
        /* not on the curve */
        { "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"" EC_Y "\",\"y\":\"" EC_X "\",\"d\":\"" EC_D "\"}",
          "those of a key" },
        /* the coordinates are too short for the curve */
        { "{\"kty\":\"EC\",\"crv\":\"P-384\",\"x\":\"" EC_X "\",\"y\":\"" EC_Y "\",\"d\":\"" EC_D "\"}", "\"d\"" },
        { "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" ED_D "\",\"d\":\"" ED_D "\"}", "" },
        { "{\"kty\":\"RSA\",\"n\":\"" RSA_N "\",\"e\":\"AQAB\",\"d\":\"AQAB\"}", "does not fit" },
        { "{\"kty\":\"RSA\",\"n\":\"" RSA_N "\",\"e\":\"AQAB\",\"d\":\"AQAB\",\"p\":\"AQAB\"}", "\"q\"" },
        { "{\"kty\":\"RSA\",\"n\":\"" RSA_N "\",\"e\":\"AQAB\",\"d\":\"AQAB\",\"oth\":[]}", "two primes" },
        { "{\"kty\":\"RSA\",\"n\":\"AAAB\",\"e\":\"AQAB\",\"d\":\"AQAB\"}", "\"n\"" }, /* leading zero */
        { "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\",\"d\":\"AQAB\"}", "bits" },
        { "{\"kty\":\"RSA\",\"n\":\"" RSA_N "\",\"e\":\"AQ\",\"d\":\"AQAB\"}", "invalid" },
        { "{\"kty\":\"RSA\",\"n\":\"" RSA_N "\",\"e\":\"AQAA\",\"d\":\"AQAB\"}", "invalid" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_refused(rows[i][0], rows[i][1]);
}

static void keys_that_are_too_weak_or_unknown(void **state)
{
    static const struct {
        const char *type;
        unsigned bits;
        const char *why;
    } rows[] = { { "RSA", 1024, "1024 bits" },
                 { "secp256k1", 0, "unsupported kind" },
                 { "P-224", 0, "unsupported" },
                 { "X25519", 0, "unsupported kind" } };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        EVP_PKEY *pkey = rows[i].bits             ? EVP_RSA_gen(rows[i].bits)
                         : rows[i].type[0] == 'X' ? EVP_PKEY_Q_keygen(NULL, NULL, rows[i].type)
                                                  : EVP_EC_gen(rows[i].type);
        char *pem = sample_pem(pkey, PKCS8);
        check_refused(pem, rows[i].why);
        free(pem);
        EVP_PKEY_free(pkey);
    }
}

static void encrypted_keys_ask_nobody(void **state)
{
    (void)state;
    EVP_PKEY *pkey = sample("P-256");
    char *pem = sample_pem(pkey, ENCRYPTED);
    check_refused(pem, "passphrase");
    free(pem);
    EVP_PKEY_free(pkey);
}

/* ---- algorithms ---- */

static void algorithms_are_chosen(void **state)
{
    char *names[] = { "HS256", "none", "RS256", "ES384", "ES256" };
    struct mcti_strings listed = { names, 5 }, symmetric = { names, 2 }, nothing = { NULL, 0 };
    struct mcti_buf b;
    (void)state;
    struct mcti_key *k = mcti_key_generate(NULL);
    assert_string_equal(mcti_key_alg(k, NULL, NULL), "ES256");
    assert_string_equal(mcti_key_alg(k, NULL, &nothing), "ES256");
    assert_string_equal(mcti_key_alg(k, NULL, &listed), "ES256");
    assert_string_equal(mcti_key_alg(k, "ES256", &symmetric), "ES256");
    assert_null(mcti_key_alg(k, NULL, &symmetric));
    assert_null(mcti_key_alg(k, "RS256", &listed));
    assert_null(mcti_key_alg(k, "HS256", NULL));
    assert_null(mcti_key_alg(k, "none", NULL));
    mcti_buf_init(&b, 1000);
    mcti_key_put_signature(&b, k, "RS256", MCT_STR("x"));
    assert_false(mcti_buf_ok(&b));
    mcti_buf_done(&b);
    mcti_key_free(k);
    mcti_key_free(NULL);
}

static void generated_keys_differ(void **state)
{
    struct mcti_buf a, b;
    (void)state;
    struct mcti_key *k = mcti_key_generate(NULL), *other = mcti_key_generate(NULL);
    mcti_buf_init(&a, 1000);
    mcti_buf_init(&b, 1000);
    mcti_key_put_thumbprint(&a, k);
    mcti_key_put_thumbprint(&b, other);
    assert_int_equal(a.len, 43);
    assert_int_equal(b.len, 43);
    assert_memory_not_equal(a.p, b.p, 43);
    mcti_buf_done(&a);
    mcti_buf_done(&b);
    mcti_key_free(k);
    mcti_key_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_those_of_the_rfcs),
        cmocka_unit_test(thumbprints_are_those_of_the_rfcs),
        cmocka_unit_test(every_kind_survives_the_store),
        cmocka_unit_test(traditional_forms_are_read),
        cmocka_unit_test(private_keys_are_written),
        cmocka_unit_test(texts_that_are_no_keys),
        cmocka_unit_test(keys_that_are_too_weak_or_unknown),
        cmocka_unit_test(encrypted_keys_ask_nobody),
        cmocka_unit_test(algorithms_are_chosen),
        cmocka_unit_test(generated_keys_differ),
    };
    return cmocka_run_group_tests_name("jose key", tests, NULL, NULL);
}
