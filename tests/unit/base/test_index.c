/* The index of positions in an array. */
#include "unit.h"

#include "base/table/index.h"

enum { N_KEYS = 3000 };

static struct mcti_str key_of(size_t i, char to[16])
{
    snprintf(to, 16, "key %zu", i);
    return mcti_str_of(to);
}

/* Returns whether the position is among those under the key. */
static bool has(const struct mcti_index *x, struct mcti_str key, size_t at)
{
    uint32_t found = mcti_index_first(x, key);
    while (found != MCT_INDEX_END && found != at)
        found = mcti_index_next(x, found);
    return found == at;
}

static void finds_what_was_put(void **state)
{
    struct mcti_index x = { 0 };
    char text[16];
    (void)state;
    assert_int_equal(mcti_index_first(&x, MCT_STR("key 0")), MCT_INDEX_END);
    for (size_t i = 0; i < N_KEYS; i++) {
        assert_false(has(&x, key_of(i, text), i));
        assert_int_equal(mcti_index_put(&x, key_of(i, text), i), 0);
    }
    for (size_t i = 0; i < N_KEYS; i++)
        assert_true(has(&x, key_of(i, text), i));
    mcti_index_done(&x);
    assert_int_equal(mcti_index_first(&x, MCT_STR("key 0")), MCT_INDEX_END);
}

/* Keys that were put downwards are found upwards, without those in between. */
static void equal_keys_are_found_in_order(void **state)
{
    struct mcti_index x = { 0 };
    uint32_t at = 1;
    (void)state;
    assert_int_equal(mcti_index_reserve(&x, N_KEYS), 0);
    for (size_t i = N_KEYS; i-- > 0;)
        assert_int_equal(mcti_index_put(&x, i % 3 == 1 ? MCT_STR("one") : MCT_STR("other"), i), 0);
    for (uint32_t found = mcti_index_first(&x, MCT_STR("one")); found != MCT_INDEX_END;
         found = mcti_index_next(&x, found), at += 3)
        assert_int_equal(found, at);
    assert_int_equal(at, N_KEYS + 1);
    mcti_index_done(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_put),
        cmocka_unit_test(equal_keys_are_found_in_order),
    };
    return cmocka_run_group_tests_name("index", tests, NULL, NULL);
}
