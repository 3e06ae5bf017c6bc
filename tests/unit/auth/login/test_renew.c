/* Renewing tokens: once for all requests and processes, and never so that a login is lost. */
#include "world.h"

static void a_stored_token_is_used(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    assert_state("ready");
    assert_true(asking_begin(&a, world.l[0]));
    assert_string_equal(asking_send(&a), "Authorization: Bearer a0");
    assert_said("");
    world_end();
}

static void many_requests_cause_one_renewal(void **state)
{
    struct asking a[20];
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    for (size_t i = 0; i < 20; i++) {
        assert_true(asking_begin(&a[i], world.l[0]));
        assert_true(asking_refused(&a[i]));
    }
    assert_said("save refresh:r0");
    world_answer_refresh(0);
    assert_said("save");
    for (size_t i = 0; i < 20; i++) {
        assert_true(a[i].go);
        assert_string_equal(asking_send(&a[i]), "Authorization: Bearer a1");
    }
    world_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stored_token_is_used),
        cmocka_unit_test(many_requests_cause_one_renewal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
