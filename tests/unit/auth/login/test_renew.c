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

/* A renewal that a 401 causes ends in this way. */
static void renewals_end(void **state)
{
    static const struct {
        const char *refusal; /* of the token endpoint; "": no answer */
        bool go;             /* the request is sent again */
        const char *said, *state, *error;
        bool keeps_refresh_token;
    } rows[] = {
        { NULL, true, "save", "ready", "", true },
        { "", false, "", "expired", "the token could not be renewed: the token endpoint: broken", true },
        { "server_error", false, "", "expired", "the token could not be renewed: the token endpoint: server_error",
          true },
        { "invalid_scope", false, "", "expired", "the token could not be renewed: the token endpoint: invalid_scope",
          true },
        { "invalid_grant", false, "save discover:https://mcp.example/prm", "needed",
          "needs a login: run 'mcptools login git'", false },
        { "invalid_client", false, "save discover:https://mcp.example/prm", "needed",
          "needs a login: run 'mcptools login git'", false },
        { "unauthorized_client", false, "save discover:https://mcp.example/prm", "needed",
          "needs a login: run 'mcptools login git'", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct asking a;
        world_begin();
        world_keep("a0", "r0", 3600);
        world_login();
        asking_begin(&a, world.l[0]);
        assert_true(asking_refused(&a));
        assert_said("save refresh:r0");
        world.fails = rows[i].refusal && !*rows[i].refusal;
        world.refusal = rows[i].refusal && *rows[i].refusal ? rows[i].refusal : NULL;
        world_answer_refresh(0);
        assert_said(rows[i].said);
        if (world.discovering)
            world_discovered(ISSUER);
        assert_false(a.waits);
        assert_int_equal(a.go, rows[i].go);
        assert_string_equal(a.err.message, rows[i].error);
        if (!rows[i].go) {
            assert_int_equal(a.err.kind, MCT_ERR_AUTH);
            assert_int_equal(a.err.http_status, 401);
        }
        assert_state(rows[i].state);
        assert_int_equal(strstr(world.text ? world.text : "", rows[i].go ? "r1" : "r0") != NULL,
                         rows[i].keeps_refresh_token);
        assert_null(strstr(world.logged, "r0"));
        world_end();
    }
}

static void a_failure_is_a_pause(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    world.fails = true;
    asking_begin(&a, world.l[0]);
    assert_true(asking_refused(&a));
    world_answer_refresh(0);
    assert_said("save refresh:r0");
    asking_begin(&a, world.l[0]);
    assert_false(asking_refused(&a)); /* at once */
    assert_non_null(strstr(a.err.message, "could not be renewed"));
    assert_said("");
    world_run_ms(1000);
    world.fails = false;
    asking_begin(&a, world.l[0]);
    assert_true(asking_refused(&a));
    world_answer_refresh(0);
    assert_true(a.go);
    assert_said("save refresh:r0 save");
    world_end();
}

/* A token that the server accepts again is a good one. */
static void a_refused_token_recovers(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    world.fails = true;
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world_answer_refresh(0);
    assert_state("expired");
    asking_begin(&a, world.l[0]);
    asking_accepted(&a);
    assert_string_equal(a.sent, "Authorization: Bearer a0");
    assert_state("ready");
    world_end();
}

/* An expired token is renewed before the request, which waits. Whether the token endpoint may have a private address is
 * asked first, if no answer has shown that. */
static void expired_tokens_are_renewed_first(void **state)
{
    static const struct {
        int64_t left_s;
        bool met, waits;
    } rows[] = {
        { 3600, true, false }, { 31, true, false },   { 30, true, true },
        { 0, true, true },     { -5000, true, true }, { 0, false, true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const struct mcti_fetch refusal = { .status = 401, .is_private = true };
        struct asking a;
        world_begin();
        world_keep("a0", "r0", rows[i].left_s);
        world_login();
        if (rows[i].met)
            world_meet(world.l[0]);
        assert_int_equal(!asking_begin(&a, world.l[0]), rows[i].waits);
        if (rows[i].waits) {
            if (!rows[i].met) {
                assert_said("knock");
                world_answer_knock(&refusal);
            }
            assert_said(rows[i].met ? "save refresh:r0" : "save refresh:r0(private)");
            world_answer_refresh(0);
            assert_true(a.go);
            assert_string_equal(asking_send(&a), "Authorization: Bearer a1");
        }
        world_end();
    }
}

/* The request goes out all the same if the renewal fails: the server knows best whether the token has expired. */
static void requests_go_out_after_a_failed_renewal(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 0);
    world_login();
    world_meet(world.l[0]);
    world.refusal = "invalid_grant";
    assert_false(asking_begin(&a, world.l[0]));
    world_answer_refresh(0);
    assert_true(a.go);
    assert_string_equal(asking_send(&a), "Authorization: Bearer a0");
    assert_state("needed");
    world_end();
}

/* In the background: at 80 % of the life, at least 30 s before its end, and again after failures. */
static void tokens_are_renewed_in_the_background(void **state)
{
    static const struct {
        int64_t left_s, at_s; /* when the renewal begins */
    } rows[] = { { 3600, 2880 }, { 720, 0 }, { 1000, 280 }, { 721, 1 }, { -5, 0 } };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        world_begin();
        world_keep("a0", "r0", rows[i].left_s);
        world_login_as(0, true, NULL);
        world_run_ms(1000);
        assert_said(""); /* nothing before the server has been met */
        world.wall_s -= 1;
        world.loop.sched.now_ms -= 1000;
        world_meet(world.l[0]);
        if (rows[i].at_s)
            world_run_ms((uint64_t)rows[i].at_s * 1000 - 1);
        if (rows[i].at_s)
            assert_said("");
        world_run_ms(1);
        assert_said("save refresh:r0");
        world_answer_refresh(0);
        assert_state("ready");
        world_run_ms(2879999);
        assert_said("save");
        world_run_ms(1);
        assert_said("save refresh:r1");
        world_end();
    }
}

/* The life is too short for 30 s: in the middle. */
static void short_lives_are_renewed_in_the_middle(void **state)
{
    (void)state;
    world_begin();
    world.life_s = 40;
    world_keep("a0", "r0", 0);
    world_login_as(0, true, NULL);
    world_meet(world.l[0]);
    world_turn();
    world_answer_refresh(0);
    assert_said("save refresh:r0 save");
    world_run_ms(19999);
    assert_said("");
    world_run_ms(1);
    assert_said("save refresh:r1");
    world_end();
}

static void the_background_tries_again(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 600);
    world_login_as(0, true, NULL);
    asking_begin(&a, world.l[0]);
    asking_accepted(&a);
    world_turn();
    world.fails = true;
    for (unsigned i = 0, wait_ms = 1000; i < 10; i++) {
        assert_said("save refresh:r0");
        world_answer_refresh(0);
        world_run_ms(wait_ms - 1);
        assert_said("");
        world_run_ms(1);
        wait_ms = 2 * wait_ms < 60000 ? 2 * wait_ms : 60000;
    }
    world.fails = false;
    world_answer_refresh(0);
    assert_state("ready");
    world_end();
}

/* A token with a very short life does not keep the authorization server busy. */
static void short_lives_are_not_renewed_all_the_time(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world.life_s = 0;
    world_keep("a0", "r0", 0);
    world_login_as(0, true, NULL);
    world_meet(world.l[0]);
    world_turn();
    assert_said("save refresh:r0");
    world_answer_refresh(0);
    assert_said("save");
    for (int i = 0; i < 9; i++) {
        world_run_ms(1000);
        assert_true(asking_begin(&a, world.l[0]));
        assert_said("");
    }
    world_run_ms(1000);
    assert_said("save refresh:r1");
    world_end();
}

/* Clocks jump: the wall clock may be set, and the monotonic one stands still while a computer is suspended. */
static void clocks_jump(void **state)
{
    static const struct {
        int64_t jump_s;   /* of the wall clock */
        uint64_t pass_ms; /* on both, afterwards */
        bool expired;
    } rows[] = {
        { 0, 3000000, false },     { 0, 3600000, true },     { 4000, 0, true },
        { -4000, 3000000, false }, { -4000, 3600000, true }, { -900000, 3600000, true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_login_facts facts;
        world_begin();
        world_keep("a0", "r0", 3600);
        world_login();
        world.wall_s += rows[i].jump_s;
        world_run_ms(rows[i].pass_ms);
        mcti_login_describe(world.l[0], &facts);
        assert_int_equal(facts.expired, rows[i].expired);
        world_end();
    }
}

/* The clock was ahead when the token was stored: it lives no longer than it was issued for. */
static void a_token_of_the_future_expires(void **state)
{
    struct mcti_login_facts facts;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world.wall_s -= 100000;
    world_login();
    world_run_ms(3599000);
    mcti_login_describe(world.l[0], &facts);
    assert_false(facts.expired);
    world_run_ms(1000);
    mcti_login_describe(world.l[0], &facts);
    assert_true(facts.expired);
    world_end();
}

/* ---- two processes ---- */

static void the_other_process_has_renewed(void **state)
{
    struct asking a, b;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login_as(0, false, NULL);
    world_login_as(1, false, NULL);
    asking_begin(&a, world.l[0]);
    asking_begin(&b, world.l[1]);
    assert_true(asking_refused(&a));
    assert_true(asking_refused(&b));
    world_run_ms(2000);
    assert_said("save refresh:r0"); /* one of them */
    world_answer_refresh(0);
    assert_true(a.go);
    world_run_ms(300);
    assert_true(b.go);
    assert_said("save");
    assert_string_equal(asking_send(&a), "Authorization: Bearer a1");
    assert_string_equal(asking_send(&b), "Authorization: Bearer a1");
    world_end();
}

/* The same, with a message about the change, which arrives before the lock. */
static void a_message_arrives_before_the_lock(void **state)
{
    struct asking a, b;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login_as(0, false, NULL);
    world_login_as(1, false, NULL);
    asking_begin(&a, world.l[0]);
    asking_begin(&b, world.l[1]);
    asking_refused(&a);
    asking_refused(&b);
    world_answer_refresh(0);
    mcti_login_reload(world.l[1]);
    world_turn();
    assert_true(b.go);
    world_run_ms(1000);
    assert_said("save refresh:r0 save");
    world_end();
}

/* A process that has not seen the renewal asks the store before the authorization server. */
static void the_store_is_read_before_renewing(void **state)
{
    struct asking a, b;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login_as(0, false, NULL);
    world_login_as(1, false, NULL);
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world_answer_refresh(0);
    assert_said("save refresh:r0 save");
    asking_begin(&b, world.l[1]);
    assert_string_equal(asking_send(&b), "Authorization: Bearer a0");
    assert_true(asking_refused(&b));
    world_turn();
    assert_true(b.go);
    assert_said("");
    assert_string_equal(asking_send(&b), "Authorization: Bearer a1");
    world_end();
}

/* While the token is renewed, another process has logged in somewhere else, without the lock: that login stays. */
static void the_current_login_stays_the_current_one(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world_keep_at(OTHER, "b0", NULL, 3600);
    mcti_login_reload(world.l[0]);
    world_answer_refresh(0);
    assert_string_equal(asking_send(&a), "Authorization: Bearer b0");
    assert_non_null(strstr(world.text, "\"r1\"")); /* and the renewed one is kept */
    mcti_login_free(world.l[0]);
    world_login();
    assert_string_equal(asking_begin(&a, world.l[0]) ? asking_send(&a) : "", "Authorization: Bearer b0");
    world_end();
}

/* The login in use is not the newest one, because the settings name its issuer. */
static void a_login_of_the_settings_is_renewed(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world.settings.issuer = ISSUER;
    world_keep_at(ISSUER, "a0", "r0", 3600);
    world_keep_at(OTHER, "b0", NULL, 3600);
    world_login();
    asking_begin(&a, world.l[0]);
    assert_true(asking_refused(&a));
    world_answer_refresh(0);
    assert_true(a.go);
    assert_string_equal(asking_send(&a), "Authorization: Bearer a1");
    world_end();
}

/* A token that is found in the store by chance is renewed in the background like any other. */
static void found_tokens_are_planned(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_login_as(0, true, NULL);
    asking_begin(&a, world.l[0]);
    asking_send(&a);
    world_keep("a0", "r0", 3600);
    assert_true(asking_refused(&a));
    world_run_ms(2880000);
    assert_said("save refresh:r0");
    world_end();
}

static void a_lock_that_is_not_released(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    world.locked_by = "somebody";
    asking_begin(&a, world.l[0]);
    assert_true(asking_refused(&a));
    world_run_ms(29900);
    assert_true(a.waits);
    world_run_ms(400);
    assert_false(a.waits);
    assert_false(a.go);
    assert_string_equal(a.err.message, "the token could not be renewed: another process has kept the stored login "
                                       "locked for 30 seconds");
    assert_said("");
    assert_non_null(strstr(world.text, "r0"));
    world.locked_by = NULL;
    world_end();
}

/* The refresh token is dead, but only because another process, which does not lock, has rotated it. */
static void invalid_grant_is_compared_with_the_store(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    assert_said("save refresh:r0");
    world_keep("a7", "r7", 3600);
    world_answer_refresh(0);
    assert_said("");
    assert_true(a.go);
    assert_non_null(strstr(world.text, "r7"));
    assert_string_equal(asking_send(&a), "Authorization: Bearer a7");
    world_end();
}

static void a_logout_elsewhere_is_respected(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    free(world.text);
    world.text = NULL;
    asking_begin(&a, world.l[0]);
    assert_true(asking_refused(&a));
    assert_said("discover:https://mcp.example/prm");
    world_discovered(ISSUER);
    assert_string_equal(a.err.message, "needs a login: run 'mcptools login git'");
    assert_null(world.text);
    world_end();
}

/* Some authorization servers issue the same token with a new expiry. */
static void the_same_token_again(void **state)
{
    struct mcti_login_facts facts;
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a1", "r0", 0);
    world_login();
    world_meet(world.l[0]);
    assert_false(asking_begin(&a, world.l[0]));
    world_answer_refresh(0); /* a1 */
    assert_true(a.go);
    mcti_login_describe(world.l[0], &facts);
    assert_false(facts.expired);
    assert_state("ready");
    world_end();
}

/* ---- wishes ---- */

static void renewal_on_demand(void **state)
{
    static const struct {
        const char *refresh, *refusal, *error;
    } rows[] = {
        { "r0", NULL, "" },
        { "r0", "invalid_grant", "needs a login: run 'mcptools login git'" },
        { "r0", "server_error", "the token could not be renewed: the token endpoint: server_error" },
        { NULL, NULL, "the login has no refresh token: run 'mcptools login git'" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const struct mcti_fetch met = { .status = 401, .is_private = true };
        struct mcti_buf token;
        struct told told = { 0 };
        world_begin();
        world.refusal = rows[i].refusal;
        world_keep("a0", rows[i].refresh, 3600);
        world_login();
        mcti_login_refresh(world.l[0], told_done, &told);
        assert_false(told.done); /* never from inside */
        world_turn();
        if (rows[i].refresh) {
            assert_said("knock");
            world_answer_knock(&met);
            assert_said("save refresh:r0(private)");
            world_answer_refresh(0);
        }
        assert_true(told.done);
        assert_string_equal(told.err.message, rows[i].error);
        mcti_buf_init(&token, 100);
        assert_int_equal(mcti_login_put_token(world.l[0], &token, NULL), 0);
        assert_buf(&token, *rows[i].error ? "a0" : "a1");
        mcti_buf_done(&token);
        world_end();
    }
}

/* The process ends while the authorization server redeems the refresh token: the answer is still stored. */
static void closing_waits_for_a_renewal(void **state)
{
    struct asking a;
    struct told told = { 0 };
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world_redeem(&world.refreshing[0]);
    mcti_login_close(world.l[0], told_closed, &told);
    world_turn();
    assert_false(told.done);
    snprintf(world.refreshing[0].token, sizeof world.refreshing[0].token, "%s", world.valid);
    world_answer_refresh(0);
    assert_true(told.done);
    assert_true(a.waits); /* dropped, not called */
    assert_non_null(strstr(world.text, "r2"));
    world.l[0] = NULL;
    world_end();
}

static void closing_without_a_renewal(void **state)
{
    struct told told = { 0 };
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    mcti_login_close(world.l[0], told_closed, &told);
    assert_false(told.done);
    world_turn();
    assert_true(told.done);
    world.l[0] = NULL;
    world_end();
}

/* Whoever is called may free the login. */
static void asking_frees(struct mcti_credential_wait *w, const struct mct_error *err)
{
    struct asking *a = MCT_CONTAINER(w, struct asking, wait);
    (void)err;
    a->waits = false;
    mcti_login_free(world.l[0]);
    world.l[0] = NULL;
}

static void a_callback_may_free_the_login(void **state)
{
    struct asking a[3];
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    for (size_t i = 0; i < 3; i++) {
        asking_begin(&a[i], world.l[0]);
        asking_refused(&a[i]);
        a[i].wait.done = asking_frees;
    }
    world_answer_refresh(0);
    assert_false(a[0].waits);
    assert_true(a[1].waits);
    world_end();
}

/* A request that is cancelled leaves the list. */
static void a_request_may_leave(void **state)
{
    struct asking a, b;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    asking_begin(&a, world.l[0]);
    asking_begin(&b, world.l[0]);
    asking_refused(&a);
    asking_refused(&b);
    mcti_list_remove(&a.wait.node);
    world_answer_refresh(0);
    assert_true(a.waits);
    assert_true(b.go);
    world_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stored_token_is_used),
        cmocka_unit_test(many_requests_cause_one_renewal),
        cmocka_unit_test(renewals_end),
        cmocka_unit_test(a_failure_is_a_pause),
        cmocka_unit_test(a_refused_token_recovers),
        cmocka_unit_test(expired_tokens_are_renewed_first),
        cmocka_unit_test(requests_go_out_after_a_failed_renewal),
        cmocka_unit_test(tokens_are_renewed_in_the_background),
        cmocka_unit_test(short_lives_are_renewed_in_the_middle),
        cmocka_unit_test(the_background_tries_again),
        cmocka_unit_test(short_lives_are_not_renewed_all_the_time),
        cmocka_unit_test(clocks_jump),
        cmocka_unit_test(a_token_of_the_future_expires),
        cmocka_unit_test(the_other_process_has_renewed),
        cmocka_unit_test(a_message_arrives_before_the_lock),
        cmocka_unit_test(the_same_token_again),
        cmocka_unit_test(the_store_is_read_before_renewing),
        cmocka_unit_test(the_current_login_stays_the_current_one),
        cmocka_unit_test(a_login_of_the_settings_is_renewed),
        cmocka_unit_test(found_tokens_are_planned),
        cmocka_unit_test(a_lock_that_is_not_released),
        cmocka_unit_test(invalid_grant_is_compared_with_the_store),
        cmocka_unit_test(a_logout_elsewhere_is_respected),
        cmocka_unit_test(renewal_on_demand),
        cmocka_unit_test(closing_waits_for_a_renewal),
        cmocka_unit_test(closing_without_a_renewal),
        cmocka_unit_test(a_callback_may_free_the_login),
        cmocka_unit_test(a_request_may_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
