#include "unit.h"

#include "auth/wire/nonce.h"

static void newest_counts_for_each_origin(void **state)
{
    struct mcti_nonces n = { 0 };
    (void)state;
    assert_null(mcti_nonces_get(&n, MCT_STR("https://a/x")).p);
    assert_true(mcti_nonces_set(&n, MCT_STR("https://a/x"), MCT_STR("one")));
    assert_false(mcti_nonces_set(&n, MCT_STR("https://A:443/y"), MCT_STR("one")));
    assert_true(mcti_nonces_set(&n, MCT_STR("https://b"), MCT_STR("two")));
    assert_true(mcti_nonces_set(&n, MCT_STR("https://A:443/y"), MCT_STR("three")));
    assert_int_equal(n.n, 2);
    assert_span(mcti_nonces_get(&n, MCT_STR("https://a")), "three");
    assert_span(mcti_nonces_get(&n, MCT_STR("https://b/z?q")), "two");
    assert_null(mcti_nonces_get(&n, MCT_STR("http://a")).p);
    assert_null(mcti_nonces_get(&n, MCT_STR("https://a:1")).p);
    mcti_nonces_clear(&n);
    assert_null(mcti_nonces_get(&n, MCT_STR("https://a")).p);
}

static void unusable_nonces_change_nothing(void **state)
{
    char longest[MCT_LIMIT_NONCE_BYTES + 1];
    struct mcti_nonces n = { 0 };
    (void)state;
    memset(longest, 'n', sizeof longest);
    assert_true(mcti_nonces_set(&n, MCT_STR("https://a"), (struct mcti_str){ longest, sizeof longest - 1 }));
    const struct mcti_str bad[] = {
        MCT_STR_NONE,    MCT_STR(""),     MCT_STR("a b"),      MCT_STR("a\r\nX: y"),
        MCT_STR("a\0b"), MCT_STR("\x7f"), MCT_STR("\xc3\xbc"), { longest, sizeof longest }
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(mcti_nonces_set(&n, MCT_STR("https://a"), bad[i]));
    assert_false(mcti_nonces_set(&n, MCT_STR("no URL"), MCT_STR("x")));
    assert_int_equal(n.n, 1);
    assert_int_equal(mcti_nonces_get(&n, MCT_STR("https://a")).len, MCT_LIMIT_NONCE_BYTES);
    mcti_nonces_clear(&n);
}

static void full_table_forgets_the_first(void **state)
{
    struct mcti_nonces n = { 0 };
    char url[32];
    (void)state;
    for (int i = 0; i < MCT_LIMIT_NONCES + 2; i++) {
        snprintf(url, sizeof url, "https://h%d", i);
        assert_true(mcti_nonces_set(&n, mcti_str_of(url), mcti_str_of(url + 8)));
    }
    assert_int_equal(n.n, MCT_LIMIT_NONCES);
    assert_null(mcti_nonces_get(&n, MCT_STR("https://h0")).p);
    assert_null(mcti_nonces_get(&n, MCT_STR("https://h1")).p);
    for (int i = 2; i < MCT_LIMIT_NONCES + 2; i++) {
        snprintf(url, sizeof url, "https://h%d", i);
        assert_span(mcti_nonces_get(&n, mcti_str_of(url)), url + 8);
    }
    mcti_nonces_clear(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newest_counts_for_each_origin),
        cmocka_unit_test(unusable_nonces_change_nothing),
        cmocka_unit_test(full_table_forgets_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
