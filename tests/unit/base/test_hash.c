/* Hashes for which a peer cannot construct collisions. */
#include "unit.h"

#include "aimed_names.h"
#include "base/table/map.h"
#include "schema/value.h"

#include <endian.h>
#include <openssl/evp.h>
#include <openssl/params.h>

/* Appendix A of the paper on SipHash: SipHash-2-4, the key 00 01 … 0f and the message 00 01 … 0e. */
static void siphash_is_that_of_the_paper(void **state)
{
    static const uint64_t key[2] = { 0x0706050403020100u, 0x0f0e0d0c0b0a0908u };
    char message[15];
    (void)state;
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (char)i;
    assert_true(mcti_siphash(key, 2, 4, (struct mcti_str){ message, sizeof message }) == 0xa129ca6149be45e5u);
}

static uint64_t openssl_siphash(const unsigned char key[16], unsigned c_rounds, unsigned d_rounds, struct mcti_str s)
{
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "SIPHASH", NULL);
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(mac);
    size_t size = 8, len;
    unsigned char out[8];
    uint64_t h;
    const OSSL_PARAM params[] = { OSSL_PARAM_construct_uint("c-rounds", &c_rounds),
                                  OSSL_PARAM_construct_uint("d-rounds", &d_rounds),
                                  OSSL_PARAM_construct_size_t("size", &size), OSSL_PARAM_construct_end() };
    assert_true(EVP_MAC_init(ctx, key, 16, params));
    assert_true(EVP_MAC_update(ctx, (const unsigned char *)s.p, s.len));
    assert_true(EVP_MAC_final(ctx, out, &len, sizeof out));
    assert_int_equal(len, 8);
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
    memcpy(&h, out, 8);
    return le64toh(h);
}

/* All lengths of the last word; the expected values come from another implementation. */
static void siphash_is_that_of_openssl(void **state)
{
    unsigned char key_bytes[16];
    uint64_t key[2];
    char message[300];
    (void)state;
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (char)(i * 167 + 89);
    for (size_t i = 0; i < 16; i++)
        key_bytes[i] = (unsigned char)(251 - 13 * i);
    memcpy(key, key_bytes, sizeof key);
    key[0] = le64toh(key[0]);
    key[1] = le64toh(key[1]);
    for (size_t len = 0; len <= sizeof message; len++) {
        struct mcti_str s = { message + sizeof message - len, len };
        assert_true(mcti_siphash(key, 1, 3, s) == openssl_siphash(key_bytes, 1, 3, s));
        assert_true(mcti_siphash(key, 2, 4, s) == openssl_siphash(key_bytes, 2, 4, s));
    }
}

static void seeds_and_bytes_count(void **state)
{
    (void)state;
    assert_true(mcti_hash(1, MCT_STR("a")) == mcti_hash(1, MCT_STR("a")));
    assert_true(mcti_hash(1, MCT_STR("a")) != mcti_hash(2, MCT_STR("a")));
    assert_true(mcti_hash(1, MCT_STR("a")) != mcti_hash(1, MCT_STR("b")));
    assert_true(mcti_hash(0, MCT_STR("")) != mcti_hash(0, (struct mcti_str){ "\0", 1 }));
}

/* ---- maps ---- */

enum { WORDS = 8, ROWS = 256, PER_ROW = 1 << WORDS, NAMES = ROWS * PER_ROW, BYTES = WORDS * 24 };

struct named {
    struct mcti_map_node node;
    char name[BYTES + 1];
};

static size_t longest_chain(const struct mcti_map *m)
{
    size_t longest = 0;
    for (size_t i = 0; i < m->n_buckets; i++) {
        size_t n = 0;
        for (const struct mcti_map_node *at = m->buckets[i]; at; at = at->next)
            n++;
        longest = n > longest ? n : longest;
    }
    return longest;
}

/* 65,536 names, 256 of which share one FNV-1a hash whatever it starts with. A bucket of a map holds one name on
 * average; with random hashes one with 24 of them is less likely than 1 in 10^18. */
static void crafted_names_do_not_share_a_bucket(void **state)
{
    struct named *v = calloc(NAMES, sizeof *v);
    struct mcti_map m;
    (void)state;
    assert_non_null(v);
    mcti_map_init(&m);
    for (size_t i = 0; i < NAMES; i++) {
        for (int k = 0; k < WORDS; k++)
            memcpy(v[i].name + 24 * k, aimed_words[i / PER_ROW][i >> k & 1], 24);
        assert_int_equal(mcti_map_put(&m, &v[i].node, mcti_str_of(v[i].name)), 0);
    }
    assert_in_range(longest_chain(&m), 1, 23);
    mcti_map_done(&m);
    free(v);
}

/* ---- values of schemas ---- */

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The hash of an object is a sum over its members: equal sums must not follow from similar numbers. */
static void objects_of_similar_numbers_differ(void **state)
{
    enum { N = 64 };
    static uint64_t hashes[N * N];
    struct mcti_schema_run run;
    char text[64];
    (void)state;
    mcti_schema_run_init(&run, NULL);
    run.work = SIZE_MAX;
    for (int a = 0; a < N; a++) {
        for (int b = 0; b < N; b++) {
            snprintf(text, sizeof text, "{\"a\":%d,\"b\":%d}", a, b);
            hashes[a * N + b] = mcti_schema_hash(&run, mcti_str_of(text));
        }
    }
    assert_false(run.stopped);
    mcti_schema_run_done(&run);
    qsort(hashes, N * N, sizeof *hashes, by_value);
    for (int i = 1; i < N * N; i++)
        assert_true(hashes[i] != hashes[i - 1]);
}

/* Equal values are written in many ways; digits are hashed in parts. */
static void equal_numbers_have_equal_hashes(void **state)
{
    char plain[202], point[203];
    struct mcti_schema_run run;
    (void)state;
    memset(plain, '7', 200);
    memset(point, '7', 201);
    memcpy(plain + 200, "0", 2);
    memcpy(point + 199, "7e1", 4);
    mcti_schema_run_init(&run, NULL);
    run.work = SIZE_MAX;
    assert_true(mcti_schema_hash(&run, mcti_str_of(plain)) == mcti_schema_hash(&run, mcti_str_of(point)));
    assert_true(mcti_schema_hash(&run, MCT_STR("-0.0")) == mcti_schema_hash(&run, MCT_STR("0")));
    assert_true(mcti_schema_hash(&run, MCT_STR("100")) == mcti_schema_hash(&run, MCT_STR("1.00e2")));
    assert_true(mcti_schema_hash(&run, MCT_STR("100")) != mcti_schema_hash(&run, MCT_STR("10")));
    assert_true(mcti_schema_hash(&run, MCT_STR("-1")) != mcti_schema_hash(&run, MCT_STR("1")));
    mcti_schema_run_done(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siphash_is_that_of_the_paper),
        cmocka_unit_test(siphash_is_that_of_openssl),
        cmocka_unit_test(seeds_and_bytes_count),
        cmocka_unit_test(crafted_names_do_not_share_a_bucket),
        cmocka_unit_test(objects_of_similar_numbers_differ),
        cmocka_unit_test(equal_numbers_have_equal_hashes),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
