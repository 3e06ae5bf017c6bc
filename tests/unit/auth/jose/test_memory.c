/* Each allocation of OpenSSL fails once: the functions fail with an error, or succeed all the same. OpenSSL does not
 * always tell that memory was the reason. */
#include "unit.h"

#include "auth/jose/jwt.h"
#include "vectors.h"

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

static void *memory_malloc(size_t n, const char *file, int line)
{
    (void)file, (void)line;
    return memory_fails() ? NULL : malloc(n);
}

static void *memory_realloc(void *p, size_t n, const char *file, int line)
{
    (void)file, (void)line;
    return memory_fails() ? NULL : realloc(p, n);
}

static void memory_free(void *p, const char *file, int line)
{
    (void)file, (void)line;
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
    struct mcti_buf pem;
    if (!k)
        return false;
    mcti_buf_init_secret(&pem, 65536);
    mcti_key_put_private(&pem, k);
    mcti_key_put_public(&pem, k);
    mcti_key_put_thumbprint(&pem, k);
    bool ok = mcti_buf_ok(&pem);
    mcti_buf_done(&pem);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_are_told),
    };
    if (!CRYPTO_set_mem_functions(memory_malloc, memory_realloc, memory_free))
        return 1;
    return cmocka_run_group_tests_name("jose memory", tests, NULL, NULL);
}
