/* Logging out. */
#include "world.h"

static const struct mcti_fetch met = { .status = 401 };

static void logouts(void **state)
{
    static const struct {
        bool all, revocation_fails, save_fails;
        const char *said, *error;
    } rows[] = {
        { false, false, false, "knock revoke:s0 save", "" },
        { true, false, false, "knock revoke:r0 revoke:s0 save", "" },
        { false, true, false, "knock revoke:s0 save",
          "the login is forgotten, but could not be revoked: the endpoint: broken" },
        { false, false, true, "knock revoke:s0 save!", "the login could not be removed from the store: save: broken" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mct_error err;
        struct told told = { 0 };
        struct asking a;
        world_begin();
        mcti_fail(&err, MCT_ERR_CONNECT, "the endpoint: broken");
        world_keep_at(ISSUER, "a0", "r0", 3600);
        world_keep_at(OTHER, "b0", "s0", 3600);
        world_login();
        mcti_login_end(world.l[0], rows[i].all, told_done, &told);
        world_answer_knock(&met);
        assert_non_null(world.locked_by); /* nobody renews meanwhile */
        world.save_fails = rows[i].save_fails ? MCT_ERR_INTERNAL : 0;
        while (world.revoking)
            world_answer_revocation(rows[i].revocation_fails ? &err : NULL);
        world_turn();
        assert_said(rows[i].said);
        assert_true(told.done);
        assert_string_equal(told.err.message, rows[i].error);
        asking_begin(&a, world.l[0]);
        assert_string_equal(asking_send(&a), "");
        assert_state("none");
        world.save_fails = 0;
        world_run_ms(1000); /* what could not be removed is removed now */
        assert_int_equal(world.text == NULL, rows[i].all);
        if (world.text) {
            assert_null(strstr(world.text, "s0"));
            assert_non_null(strstr(world.text, "r0"));
            assert_non_null(strstr(world.text, OTHER)); /* the registration is kept */
        }
        world_end();
    }
}

static void nothing_to_log_out_of(void **state)
{
    struct told told = { 0 };
    (void)state;
    world_begin();
    world_login();
    mcti_login_end(world.l[0], true, told_done, &told);
    world_turn();
    assert_true(told.done);
    assert_int_equal(told.err.kind, 0);
    world_end();
}

/* A renewal in flight finishes first, so that the right refresh token is revoked. */
static void a_logout_during_a_renewal(void **state)
{
    struct told told = { 0 };
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    mcti_login_end(world.l[0], false, told_done, &told);
    world_answer_refresh(0);
    assert_said("save refresh:r0 save revoke:r1");
    world_answer_revocation(NULL);
    assert_true(told.done);
    assert_null(strstr(world.text, "r1"));
    world_end();
}

static void a_logout_during_a_login(void **state)
{
    struct told told = { 0 };
    struct asking a;
    (void)state;
    world_begin();
    world_login_as(0, false, world_person());
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    mcti_login_end(world.l[0], false, told_done, &told);
    world_turn();
    assert_false(a.go || a.waits);
    assert_true(told.done);
    assert_said("flow uncalled");
    world_end();
}

static void a_lock_that_others_keep(void **state)
{
    struct told told = { 0 };
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    world.locked_by = "somebody";
    mcti_login_end(world.l[0], false, told_done, &told);
    world_answer_knock(&met);
    world_run_ms(30300);
    world_answer_revocation(NULL);
    assert_true(told.done);
    assert_null(strstr(world.text, "r0"));
    world.locked_by = NULL;
    world_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logouts),
        cmocka_unit_test(nothing_to_log_out_of),
        cmocka_unit_test(a_logout_during_a_renewal),
        cmocka_unit_test(a_logout_during_a_login),
        cmocka_unit_test(a_lock_that_others_keep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
