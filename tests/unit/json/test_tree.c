#include "unit.h"

#include "json/tree.h"

static void test_tree(void **state)
{
    struct mcti_json_tree t;
    struct mcti_json_node *root, *object;
    struct mcti_buf b;
    (void)state;
    mcti_json_tree_init(&t, 1u << 20);
    assert_int_equal(
        mcti_json_tree_read(&t, MCT_STR(" { \"b\" : 1.0 , \"a\":[ {} , [ ] ,\"\\u0041\\/\"],\"b\":2e5, \"\":null } "),
                            (struct mcti_json_limits){ 4, 8 }, &root, NULL),
        0);
    mcti_buf_init(&b, 1024);
    mcti_json_tree_write(&b, root);
    assert_buf(&b, "{\"b\":2e5,\"a\":[{},[],\"A/\"],\"\":null}");
    object = mcti_json_tree_new(&t, '{');
    for (int i = 0; i < 100; i++) {
        char key[8];
        snprintf(key, sizeof key, "%d", i % 50);
        struct mcti_json_node *k = mcti_json_tree_copy_text(&t, mcti_str_of(key));
        mcti_json_tree_put(&t, object, k->text, k);
    }
    assert_int_equal(object->n, 50);
    mcti_json_tree_remove(&t, object, MCT_STR("7"));
    assert_null(mcti_json_tree_get(&t, object, MCT_STR("7")));
    for (int i = 0; i < 50; i++) {
        char key[8];
        snprintf(key, sizeof key, "%d", i);
        struct mcti_json_node *k = mcti_json_tree_get(&t, object, mcti_str_of(key));
        assert_true(i == 7 ? !k : k && mcti_str_is(k->text, key));
    }
    assert_true(mcti_json_tree_ok(&t));
    mcti_buf_done(&b);
    mcti_json_tree_done(&t);
}

/* Without memory there is no crash and no result. */
static void test_tree_without_memory(void **state)
{
    size_t n_read = 0;
    (void)state;
    for (size_t max = 0; max < 6000; max += 16) {
        struct mcti_json_tree t;
        struct mcti_json_node *root;
        mcti_json_tree_init(&t, max);
        struct mcti_str text =
            MCT_STR("{\"a\":[1,2,3,4,5,6,7,8,9],\"b\":{\"c\":{\"d\":{\"e\":\"f\"}}},\"g\":[{},{},{},{},{},{}]}");
        int r = mcti_json_tree_read(&t, text, (struct mcti_json_limits){ 8, 100 }, &root, NULL);
        n_read += r == 0;
        assert_true(r < 0 || mcti_json_tree_ok(&t));
        assert_true(t.arena.used <= max);
        mcti_json_tree_done(&t);
    }
    assert_in_range(n_read, 1, 374);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_tree_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
