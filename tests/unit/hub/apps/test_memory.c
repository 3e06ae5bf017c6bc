#include "unit.h"

#include "hub/apps/memory.h"

static void a_server_is_remembered_for_a_while(void **state)
{
    struct mcti_app_memory m = { .n = 0 };
    (void)state;
    mcti_app_memory_note(&m, MCT_STR("a"), 1000);
    assert_true(mcti_app_memory_has(&m, MCT_STR("a"), 1500, 500));
    assert_false(mcti_app_memory_has(&m, MCT_STR("a"), 1501, 500));
    assert_true(mcti_app_memory_has(&m, MCT_STR("a"), 999999, 0));
    assert_false(mcti_app_memory_has(&m, MCT_STR("b"), 1000, 0));
    mcti_app_memory_note(&m, MCT_STR("a"), 2000);
    assert_true(mcti_app_memory_has(&m, MCT_STR("a"), 2500, 500));
    assert_int_equal(m.n, 1);
}

/* The memory says so when it has had to forget a server that counts. */
static void it_knows_that_it_has_forgotten(void **state)
{
    struct mcti_app_memory m = { .n = 0 };
    char name[] = "a";
    (void)state;
    for (unsigned i = 0; i < MCT_APPS_REMEMBERED; i++) {
        name[0] = (char)('a' + i);
        mcti_app_memory_note(&m, mcti_str_of(name), 1000 + i);
    }
    assert_true(mcti_app_memory_is_whole(&m, 1100, 0));
    mcti_app_memory_note(&m, MCT_STR("new"), 1100);
    assert_false(mcti_app_memory_has(&m, MCT_STR("a"), 1100, 0));
    assert_true(mcti_app_memory_has(&m, MCT_STR("b"), 1100, 0));
    assert_true(mcti_app_memory_has(&m, MCT_STR("new"), 1100, 0));
    assert_false(mcti_app_memory_is_whole(&m, 1100, 0));
    assert_false(mcti_app_memory_is_whole(&m, 1500, 500));
    assert_true(mcti_app_memory_is_whole(&m, 1501, 500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_is_remembered_for_a_while),
        cmocka_unit_test(it_knows_that_it_has_forgotten),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
