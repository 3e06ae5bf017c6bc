/*
 * Each allocation of OpenSSL fails once: the functions fail with an error, or succeed all the same. OpenSSL does not
 * always tell that memory was the reason. And no block that is given back has a private key in
 * it, if the key is a JWK.
 */
#include "unit.h"

#include "auth/jose/jwt.h"
#include "base/base64.h"
#include "vectors.h"

#include <malloc.h>
#include <openssl/crypto.h>
#include <openssl/err.h>

static unsigned long count, fail_at; /* fail_at 0: none */
static bool has_failed;

static bool memory_fails(void)
{
    bool fails = ++count == fail_at;
    has_failed |= fails;
    return fails;
}

/* A number that must not be left over, as it is written and as it is calculated with. */
static unsigned char secret[2][32];
static bool is_searched, is_found;
static unsigned long n_searched;

__attribute__((no_sanitize("address"))) static void memory_search(void *p)
{
    size_t n = p && is_searched ? malloc_usable_size(p) : 0;
    n_searched += n > 0;
    for (int i = 0; i < 2; i++)
        is_found |= n && memmem(p, n, secret[i], sizeof secret[i]);
}

static void *memory_malloc(size_t n, const char *file, int line)
{
    (void)file, (void)line;
    return memory_fails() ? NULL : malloc(n);
}

static void *memory_realloc(void *p, size_t n, const char *file, int line)
{
    (void)file, (void)line;
    if (memory_fails())
        return NULL;
    void *moved = malloc(n);
    if (moved && p) {
        size_t had = malloc_usable_size(p);
        memcpy(moved, p, had < n ? had : n);
        memory_search(p);
        free(p);
    }
    return moved;
}

static void memory_free(void *p, const char *file, int line)
{
    (void)file, (void)line;
    memory_search(p);
    free(p);
}

/* ---- functions that allocate: each returns false if it has failed ---- */

static struct mct_error error;

static bool read_key(const char *text)
{
    struct mcti_key *k = mcti_key_read(mcti_str_of(text), &error);
    mcti_key_free(k);
    return k;
}

static bool read_jwk(void)
{
    return read_key(EC_PRIVATE_JWK) && read_key(ED_PRIVATE_JWK);
}

static bool generate(void)
{
    struct mcti_key *k = mcti_key_generate(&error);
    struct mcti_buf jwk;
    if (!k)
        return false;
    mcti_buf_init_secret(&jwk, 65536);
    mcti_key_put_private(&jwk, k);
    mcti_key_put_public(&jwk, k);
    mcti_key_put_thumbprint(&jwk, k);
    bool ok = mcti_buf_ok(&jwk);
    mcti_buf_done(&jwk);
    mcti_key_free(k);
    if (!ok)
        mcti_no_memory(&error); /* a buffer does not tell why it has failed */
    return ok;
}

static bool verify_ec(void)
{
    return !mcti_jwt_verify(MCT_STR(EC_JWT), MCT_STR(EC_JWK), &error);
}

static bool verify_rsa(void)
{
    return !mcti_jwt_verify(MCT_STR(RSA_JWT), MCT_STR(RSA_JWK), &error);
}

static void failures_are_told(void **state)
{
    static bool (*const runs[])(void) = { read_jwk, generate, verify_ec, verify_rsa };
    unsigned long n_failed = 0, n_told = 0;
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        fail_at = 0;
        assert_true(runs[i]()); /* OpenSSL initializes itself */
        has_failed = true;
        for (unsigned long at = 1; has_failed; at++) {
            error = (struct mct_error){ MCT_ERR_NONE };
            count = 0;
            has_failed = false;
            fail_at = at;
            bool ok = runs[i]();
            fail_at = 0;
            assert_int_equal(ERR_peek_error(), 0);
            if (ok == (error.kind != MCT_ERR_NONE))
                fail_msg("run %zu, allocation %lu: %s", i, at, error.message);
            n_failed += !ok;
            n_told += error.kind == MCT_ERR_NO_MEMORY;
        }
        assert_true(runs[i]());
    }
    assert_in_range(n_told, n_failed / 2, n_failed);
    assert_true(n_failed > 100);
}

/* ---- what is left over ---- */

static void set_secret(const char *digits)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 32);
    assert_int_equal(mcti_base64url_get(&b, mcti_str_of(digits)), 0);
    for (size_t i = 0; i < 32; i++)
        secret[0][i] = secret[1][31 - i] = (unsigned char)b.p[i];
    mcti_buf_done(&b);
}

/* Reads a key, signs, and writes it as for the store and back. */
static void use_key(const char *text, const char *alg)
{
    struct mcti_buf stored, jwt;
    struct mcti_key *k = mcti_key_read(mcti_str_of(text), NULL);
    assert_non_null(k);
    mcti_buf_init_secret(&stored, 65536);
    mcti_buf_init(&jwt, 65536);
    mcti_jwt_put(&jwt, k, alg, MCT_STR("{}"), MCT_STR("{}"));
    mcti_key_put_private(&stored, k);
    mcti_key_free(k);
    k = mcti_key_read(mcti_buf_str(&stored), NULL);
    assert_true(mcti_buf_ok(&jwt) && k);
    mcti_key_free(k);
    mcti_buf_done(&stored);
    mcti_buf_done(&jwt);
}

static void private_keys_are_wiped(void **state)
{
    static const char *const rows[][3] = { { ED_D, ED_PRIVATE_JWK, "EdDSA" }, { EC_D, EC_PRIVATE_JWK, "ES256" } };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        set_secret(rows[i][0]);
        is_searched = true;
        is_found = false;
        n_searched = 0;
        use_key(rows[i][1], rows[i][2]);
        is_searched = false;
        assert_true(n_searched > 50);
        if (is_found)
            fail_msg("%s is left over", rows[i][2]);
    }
}

/* Shows that the search can fail. */
static void the_search_finds(void **state)
{
    (void)state;
    set_secret(ED_D);
    is_found = false;
    is_searched = true;
    OPENSSL_free(OPENSSL_memdup(secret[0], 32));
    is_searched = false;
    assert_true(is_found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(private_keys_are_wiped),
        cmocka_unit_test(the_search_finds),
    };
    if (!CRYPTO_set_mem_functions(memory_malloc, memory_realloc, memory_free))
        return 1;
    return cmocka_run_group_tests_name("jose memory", tests, NULL, NULL);
}
