/* The store: when it cannot be read, written or locked, and when others change it. */
#include "world.h"

/* The login was renewed or made, and the store has not taken it: it is used, and stored as soon as that works. */
static void a_renewed_login_that_cannot_be_stored(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    assert_said("save refresh:r0");
    world.save_fails = MCT_ERR_INTERNAL;
    world_answer_refresh(0);
    assert_true(a.go);
    assert_string_equal(asking_send(&a), "Authorization: Bearer a1");
    assert_non_null(strstr(world.logged, "the login cannot be stored and is kept in memory: save: broken"));
    assert_said("save!");
    world_run_ms(1000);
    assert_said("save!");
    world.save_fails = 0;
    world_run_ms(2000);
    assert_said("save");
    assert_non_null(strstr(world.text, "\"r1\""));
    assert_non_null(strstr(world.logged, "stored again"));
    world_run_ms(1000000);
    assert_said("");
    world_end();
}

/* The store is full or read-only before the refresh token is redeemed: while the token lasts, nothing is risked. */
static void renewals_wait_for_the_store(void **state)
{
    static const struct {
        enum mct_error_kind save_fails, lock_fails, load_fails;
        const char *said;
    } rows[] = {
        { MCT_ERR_INTERNAL, 0, 0, "save!" },
        { 0, MCT_ERR_INTERNAL, 0, "" },
        { 0, 0, MCT_ERR_INTERNAL, "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct asking a;
        world_begin();
        world_keep("a0", "r0", 600);
        world_login_as(0, true, NULL);
        world.save_fails = rows[i].save_fails;
        world.lock_fails = rows[i].lock_fails;
        world.load_fails = rows[i].load_fails;
        asking_begin(&a, world.l[0]);
        asking_accepted(&a);
        world_turn();
        assert_said(rows[i].said);
        assert_non_null(strstr(world.logged, "the token is not renewed as long as the login cannot be stored"));
        assert_state("ready");
        assert_true(asking_begin(&a, world.l[0]));
        assert_string_equal(asking_send(&a), "Authorization: Bearer a0");
        world_run_ms(500000);
        assert_null(strstr(world.said, "refresh"));
        world.said[0] = '\0';
        world_run_ms(160000); /* it has expired: the new one is kept in memory */
        assert_non_null(strstr(world.said, "refresh:r0"));
        world_answer_refresh(0);
        assert_state("ready");
        assert_string_equal(asking_send(&a), "Authorization: Bearer a1");
        world.save_fails = world.lock_fails = world.load_fails = 0;
        world_run_ms(60000);
        assert_non_null(strstr(world.text, "\"r1\""));
        world_end();
    }
}

/* It is stored at the end at the latest. */
static void an_unsaved_login_at_the_end(void **state)
{
    static const bool works[] = { true, false };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct asking a;
        world_begin();
        world_keep("a0", "r0", 3600);
        world_login();
        asking_begin(&a, world.l[0]);
        asking_refused(&a);
        world.save_fails = MCT_ERR_INTERNAL;
        world_answer_refresh(0);
        if (works[i])
            world.save_fails = 0;
        mcti_login_free(world.l[0]);
        world.l[0] = NULL;
        assert_int_equal(strstr(world.text, "\"r1\"") != NULL, works[i]);
        assert_int_equal(strstr(world.logged, "could not be stored and is lost") == NULL, works[i]);
        world_end();
    }
}

static void an_unsaved_login_and_a_newer_one(void **state)
{
    static const struct {
        const char *issuer;
        int64_t pass_s;
        const char *stored, *sent;
    } rows[] = {
        { ISSUER, 0, "\"r1\"", "Authorization: Bearer a1" },
        { ISSUER, 5, "\"r9\"", "Authorization: Bearer a9" },
        { OTHER, 5, "\"r1\"", "Authorization: Bearer a9" }, /* both are kept, and the newer one is used */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct asking a;
        world_begin();
        world_keep("a0", "r0", 3600);
        world_login();
        asking_begin(&a, world.l[0]);
        asking_refused(&a);
        world.save_fails = MCT_ERR_INTERNAL;
        world_answer_refresh(0);
        world.wall_s += rows[i].pass_s;
        world_keep_at(rows[i].issuer, "a9", "r9", 3600 - !rows[i].pass_s); /* by another process */
        world.save_fails = 0;
        world_run_ms(1000);
        assert_non_null(strstr(world.text, rows[i].stored));
        assert_string_equal(asking_send(&a), rows[i].sent);
        world_end();
    }
}

static void a_new_login_that_cannot_be_stored(void **state)
{
    const struct mcti_login_wish wish = { .person = world_person() };
    static const struct mcti_fetch open = { .status = 200 };
    struct told told = { 0 };
    (void)state;
    world_begin();
    world_login();
    mcti_login_begin(world.l[0], &wish, told_done, &told);
    world_answer_knock(&open);
    world.save_fails = MCT_ERR_INTERNAL;
    world_grant("a1", "r1");
    assert_string_equal(told.err.message, "the login is valid, but could not be stored: save: broken");
    assert_state("ready");
    world.save_fails = 0;
    world_run_ms(1000);
    assert_non_null(strstr(world.text, "\"r1\""));
    world_end();
}

/* A person has signed in while another process keeps the lock: nothing is lost. */
static void a_new_login_without_the_lock(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_login_as(0, false, world_person());
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world.locked_by = "somebody";
    world_grant("a1", "r1");
    assert_state("running");
    world_run_ms(30300);
    assert_true(a.go);
    assert_non_null(strstr(world.text, "\"r1\""));
    world.locked_by = NULL;
    world_end();
}

/* The same, and the process ends: it is stored at once. */
static void a_new_login_at_the_end(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_login_as(0, false, world_person());
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world.locked_by = "somebody";
    world_grant("a1", "r1");
    mcti_login_free(world.l[0]);
    world.l[0] = NULL;
    assert_non_null(strstr(world.text, "\"r1\""));
    world.locked_by = NULL;
    world_end();
}

/* ---- reading ---- */

static void damaged_logins(void **state)
{
    static const char *const texts[] = { "", "{", "[]", "{\"logins\":1}", "null" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct asking a;
        world_begin();
        world.text = strdup(texts[i]);
        world_login_as(0, false, world_person());
        assert_state("none");
        assert_int_equal(strstr(world.logged, "the stored login is damaged") != NULL, *texts[i] != '\0');
        asking_begin(&a, world.l[0]);
        assert_string_equal(asking_send(&a), "");
        asking_refused(&a);
        world_grant("a1", "r1");
        assert_non_null(strstr(world.text, "\"r1\""));
        world_end();
    }
}

/* The login of another server, in a file that was copied. */
static void moved_logins(void **state)
{
    struct asking a;
    char *at;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    at = strstr(world.text, "mcp.example");
    memcpy(at, "xyz", 3);
    world_login();
    asking_begin(&a, world.l[0]);
    assert_string_equal(asking_send(&a), "");
    world_end();
}

static void a_store_that_cannot_be_read(void **state)
{
    static const struct {
        enum mct_error_kind kind;
        bool flows;
    } rows[] = { { MCT_ERR_INTERNAL, false }, { MCT_ERR_CONFIG, true } };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct mcti_login_wish wish = { .person = world_person() };
        struct mcti_login_facts facts;
        struct told told = { 0 };
        world_begin();
        world.load_fails = rows[i].kind;
        world_login();
        mcti_login_describe(world.l[0], &facts);
        assert_string_equal(facts.why->message, "load: broken");
        mcti_login_begin(world.l[0], &wish, told_done, &told);
        world_turn();
        assert_int_equal(world.knocking, rows[i].flows);
        assert_int_equal(told.done, !rows[i].flows);
        world_end();
    }
}

/* What could not be read is not overwritten by what is made meanwhile. */
static void a_login_beside_unread_ones(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep_at(OTHER, "b0", "s0", 3600);
    world.load_fails = MCT_ERR_INTERNAL;
    world_login_as(0, false, world_person());
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world_grant("a1", "r1");
    assert_true(a.go);
    assert_null(strstr(world.text, "r1"));
    world.load_fails = 0;
    world_run_ms(1000);
    assert_non_null(strstr(world.text, "\"r1\""));
    assert_non_null(strstr(world.text, "\"s0\""));
    assert_string_equal(asking_send(&a), "Authorization: Bearer a1");
    world_end();
}

/* What is in memory is not given up because the file cannot be read any more. */
static void a_store_that_becomes_unreadable(void **state)
{
    static const enum mct_error_kind kinds[] = { MCT_ERR_INTERNAL, MCT_ERR_CONFIG };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct asking a;
        world_begin();
        world_keep("a0", "r0", 3600);
        world_login();
        world.load_fails = kinds[i];
        mcti_login_reload(world.l[0]);
        asking_begin(&a, world.l[0]);
        assert_string_equal(asking_send(&a), "Authorization: Bearer a0");
        assert_non_null(strstr(world.text, "\"r0\""));
        world_end();
    }
}

/* What is in memory repairs the text that cannot be used any more. */
static void a_damaged_text_is_repaired(void **state)
{
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    free(world.text);
    world.text = strdup("damaged");
    world.load_fails = MCT_ERR_CONFIG;
    mcti_login_reload(world.l[0]);
    assert_said("");
    mcti_login_free(world.l[0]);
    world.l[0] = NULL;
    assert_non_null(strstr(world.text, "\"r0\""));
    world_end();
}

/* ---- others change it ---- */

static void a_login_elsewhere_ends_waiting(void **state)
{
    struct asking a, b;
    (void)state;
    world_begin();
    world_login_as(0, false, world_person());
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    asking_begin(&b, world.l[0]);
    assert_state("running");
    world_keep("a1", "r1", 3600);
    mcti_login_reload(world.l[0]);
    world_turn();
    assert_said("flow uncalled");
    assert_true(a.go && b.go);
    assert_string_equal(asking_send(&a), "Authorization: Bearer a1");
    assert_state("ready");
    world_end();
}

static void a_login_elsewhere_ends_a_pause(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_login();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world_discovered(ISSUER);
    assert_state("needed");
    world_keep("a1", "r1", 3600);
    mcti_login_reload(world.l[0]);
    assert_state("ready");
    asking_begin(&a, world.l[0]);
    asking_accepted(&a);
    assert_string_equal(a.sent, "Authorization: Bearer a1");
    world_end();
}

/* Without a message about it, a refused request looks into the store. */
static void a_login_elsewhere_is_found(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_login();
    asking_begin(&a, world.l[0]);
    asking_send(&a);
    world_keep("a1", "r1", 3600);
    assert_true(asking_refused(&a));
    world_turn();
    assert_true(a.go);
    assert_string_equal(asking_send(&a), "Authorization: Bearer a1");
    world_end();
}

static void a_logout_elsewhere(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    free(world.text);
    world.text = NULL;
    mcti_login_reload(world.l[0]);
    asking_begin(&a, world.l[0]);
    assert_string_equal(asking_send(&a), "");
    assert_state("none");
    world_end();
}

static void our_own_writing_changes_nothing(void **state)
{
    struct asking a;
    uint64_t stamp;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    asking_begin(&a, world.l[0]);
    asking_send(&a);
    stamp = a.stamp;
    mcti_login_reload(world.l[0]);
    asking_send(&a);
    assert_int_equal(a.stamp, stamp);
    world_end();
}

static void what_is_known_after_the_start(void **state)
{
    struct mcti_login_facts facts;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 100);
    world_login();
    mcti_login_describe(world.l[0], &facts);
    assert_string_equal(facts.issuer, ISSUER);
    assert_string_equal(facts.client_id, "client");
    assert_string_equal(facts.scope, "read");
    assert_string_equal(facts.resource, SERVER);
    assert_string_equal(facts.grant, "authorization_code");
    assert_int_equal(facts.client_kind, MCT_CLIENT_REGISTERED);
    assert_int_equal(facts.expires_at, 1000100);
    assert_true(facts.can_refresh && facts.can_revoke);
    assert_false(facts.expired || facts.bound);
    assert_null(facts.why);
    world_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_renewed_login_that_cannot_be_stored),
        cmocka_unit_test(renewals_wait_for_the_store),
        cmocka_unit_test(an_unsaved_login_at_the_end),
        cmocka_unit_test(an_unsaved_login_and_a_newer_one),
        cmocka_unit_test(a_new_login_that_cannot_be_stored),
        cmocka_unit_test(a_new_login_without_the_lock),
        cmocka_unit_test(a_new_login_at_the_end),
        cmocka_unit_test(damaged_logins),
        cmocka_unit_test(moved_logins),
        cmocka_unit_test(a_store_that_cannot_be_read),
        cmocka_unit_test(a_login_beside_unread_ones),
        cmocka_unit_test(a_store_that_becomes_unreadable),
        cmocka_unit_test(a_damaged_text_is_repaired),
        cmocka_unit_test(a_login_elsewhere_ends_waiting),
        cmocka_unit_test(a_login_elsewhere_ends_a_pause),
        cmocka_unit_test(a_login_elsewhere_is_found),
        cmocka_unit_test(a_logout_elsewhere),
        cmocka_unit_test(our_own_writing_changes_nothing),
        cmocka_unit_test(what_is_known_after_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
