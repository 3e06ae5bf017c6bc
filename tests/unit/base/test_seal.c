#include "unit.h"

#include "base/rand.h"
#include "base/seal.h"

/* ---- seals ---- */

static void hmac_is_that_of_the_rfc(void **state)
{
    char key[131], hex[65]; /* RFC 4231, cases 2 and 6 */
    unsigned char mac[32];
    (void)state;
    assert_int_equal(mcti_hmac_sha256(MCT_STR("Jefe"), MCT_STR("what do ya want for nothing?"), mac), 0);
    mcti_hex(mac, 32, hex);
    assert_string_equal(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof key);
    assert_int_equal(mcti_hmac_sha256((struct mcti_str){ key, sizeof key },
                                      MCT_STR("Test Using Larger Than Block-Size Key - Hash Key First"), mac),
                     0);
    mcti_hex(mac, 32, hex);
    assert_string_equal(hex, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

/* Returns true if `sealed` opens with `key` and contains `text`. */
static void check_unseal(struct mcti_str key, struct mcti_str sealed, const char *text)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1000);
    mcti_buf_addz(&b, "before");
    assert_int_equal(mcti_unseal(&b, key, sealed), text ? 0 : -1);
    assert_span(((struct mcti_str){ b.p + 6, b.len - 6 }), text ? text : "");
    mcti_buf_done(&b);
}

static void seals_hold(void **state)
{
    static const char *const texts[] = { "", "{\"round\":2}", "three bytes more" };
    struct mcti_str key = MCT_STR("0123456789abcdef0123456789abcdef"),
                    other = MCT_STR("0123456789abcdef0123456789abcdeg");
    static const char *const foreign[] = { "", ".", "e30", "e30.", "e30.e30", ".e30" };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 1000);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        mcti_buf_clear(&b);
        mcti_seal(&b, key, mcti_str_of(texts[i]));
        assert_true(mcti_buf_ok(&b));
        check_unseal(key, mcti_buf_str(&b), texts[i]);
        check_unseal(other, mcti_buf_str(&b), NULL);
        for (size_t at = 0; at < b.len; at++) {
            check_unseal(key, (struct mcti_str){ b.p, at }, NULL);
            b.p[at] ^= 1;
            check_unseal(key, mcti_buf_str(&b), NULL);
            b.p[at] ^= 1;
        }
        mcti_buf_addc(&b, 'A');
        check_unseal(key, mcti_buf_str(&b), NULL);
    }
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        check_unseal(key, mcti_str_of(foreign[i]), NULL);
    check_unseal(key, MCT_STR_NONE, NULL);
    mcti_buf_done(&b);
    mcti_buf_init(&b, 20);
    mcti_seal(&b, key, MCT_STR("too long"));
    assert_false(mcti_buf_ok(&b));
    mcti_buf_done(&b);
}

/* ---- error, log, random ---- */

static void digest_separates_its_parts(void **state)
{
    unsigned char a[32], b[32];
    char hex[65];
    (void)state;
    assert_int_equal(mcti_sha256_pair(MCT_STR("ab"), MCT_STR("c"), a), 0);
    assert_int_equal(mcti_sha256_pair(MCT_STR("a"), MCT_STR("bc"), b), 0);
    assert_memory_not_equal(a, b, 32);
    /* printf 'ab\0c' | sha256sum */
    mcti_hex(a, 32, hex);
    assert_string_equal(hex, "6c032e631d39a14d85aff7e319546af701e26c97b57ca95fbfe9c6ba855f67bf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hmac_is_that_of_the_rfc),
        cmocka_unit_test(seals_hold),
        cmocka_unit_test(digest_separates_its_parts),
    };
    return cmocka_run_group_tests_name("seal", tests, NULL, NULL);
}
