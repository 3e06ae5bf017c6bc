#include "unit.h"

#include "json/tree.h"

static void test_tree(void **state)
{
    struct mct_json_tree t;
    struct mct_json_node *root, *object;
    struct mct_buf b;
    (void)state;
    mct_json_tree_init(&t, 1u << 20);
    assert_int_equal(mct_json_tree_read(&t, MCT_STR(" { \"b\" : 1.0 , \"a\":[ {} , [ ] ,\"\\u0041\\/\"],\"b\":2e5, \"\":null } "),
                                        (struct mct_json_limits){ 4, 8 }, &root, NULL), 0);
    mct_buf_init(&b, 1024);
    mct_json_tree_write(&b, root);
    assert_buf(&b, "{\"b\":2e5,\"a\":[{},[],\"A/\"],\"\":null}");
    object = mct_json_tree_new(&t, '{');
    for (int i = 0; i < 100; i++) {
        char key[8];
        snprintf(key, sizeof key, "%d", i % 50);
        struct mct_json_node *k = mct_json_tree_copy_text(&t, mct_str_of(key));
        mct_json_tree_put(&t, object, k->text, k);
    }
    assert_int_equal(object->n, 50);
    mct_json_tree_remove(&t, object, MCT_STR("7"));
    assert_null(mct_json_tree_get(&t, object, MCT_STR("7")));
    for (int i = 0; i < 50; i++) {
        char key[8];
        snprintf(key, sizeof key, "%d", i);
        struct mct_json_node *k = mct_json_tree_get(&t, object, mct_str_of(key));
        assert_true(i == 7 ? !k : k && mct_str_is(k->text, key));
    }
    assert_true(mct_json_tree_ok(&t));
    mct_buf_done(&b);
    mct_json_tree_done(&t);
}

/* Without memory there is no crash and no result. */
static void test_tree_without_memory(void **state)
{
    size_t n_read = 0;
    (void)state;
    for (size_t max = 0; max < 6000; max += 16) {
        struct mct_json_tree t;
        struct mct_json_node *root;
        mct_json_tree_init(&t, max);
        struct mct_str text = MCT_STR("{\"a\":[1,2,3,4,5,6,7,8,9],\"b\":{\"c\":{\"d\":{\"e\":\"f\"}}},\"g\":[{},{},{},{},{},{}]}");
        int r = mct_json_tree_read(&t, text, (struct mct_json_limits){ 8, 100 }, &root, NULL);
        n_read += r == 0;
        assert_true(r < 0 || mct_json_tree_ok(&t));
        assert_true(t.arena.used <= max);
        mct_json_tree_done(&t);
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
