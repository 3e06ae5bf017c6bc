/* Step-up: 403 with insufficient_scope. */
#include "world.h"

#define NEEDS(scope)                                                                                                   \
    {                                                                                                                  \
        403, "Bearer error=\"insufficient_scope\", scope=\"" scope "\"", NULL, false                                   \
    }

/* Sends the request, which needs these scopes. Returns true if it waits. */
static bool asking_needs(struct asking *a, const struct mcti_fetch *f)
{
    asking_send(a);
    return asking_answered(a, f);
}

static void the_union_is_asked_for(void **state)
{
    static const struct mcti_fetch write = NEEDS("write");
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600); /* read */
    world_login_as(0, false, world_person());
    asking_begin(&a, world.l[0]);
    assert_true(asking_needs(&a, &write));
    assert_said("flow:read write");
    assert_true(world.only_wanted);
    world_grant_at(ISSUER, "a1", "r1", "read write");
    assert_true(a.go);
    assert_string_equal(asking_send(&a), "Authorization: Bearer a1");
    world_end();
}

/* What was asked for stays asked for, though the last authorization has granted less. */
static void earlier_scopes_are_kept(void **state)
{
    static const struct mcti_fetch write = NEEDS("write"), admin = NEEDS("admin");
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login_as(0, false, world_person());
    asking_begin(&a, world.l[0]);
    asking_needs(&a, &write);
    world_grant_at(ISSUER, "a1", "r1", "write");
    assert_true(asking_needs(&a, &admin));
    world_grant_at(ISSUER, "a2", "r2", "admin");
    assert_said("flow:read write save flow:read write admin save");
    world_end();
}

/* At most two step-ups for one request; two other ones for the next. */
static void step_ups_are_limited(void **state)
{
    static const struct mcti_fetch f[] = { NEEDS("s1"), NEEDS("s2"), NEEDS("s3") };
    static const char *const granted[] = { "read s1", "read s1 s2" };
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login_as(0, false, world_person());
    asking_begin(&a, world.l[0]);
    for (size_t i = 0; i < 2; i++) {
        assert_true(asking_needs(&a, &f[i]));
        assert_int_equal(*world.flow.n_authorizations, i);
        world_grant_at(ISSUER, i ? "a2" : "a1", NULL, granted[i]);
    }
    assert_false(asking_needs(&a, &f[2]));
    assert_string_equal(a.err.message, "'tools/call x' needs the scopes \"s3\", after others were granted for it");
    assert_int_equal(a.err.http_status, 403);
    assert_int_equal(world.n_flows, 2);
    world_end();
}

/* Nothing to gain: the reason, and no flow. */
static void refusals_without_a_step(void **state)
{
    static const struct {
        struct mcti_fetch f;
        bool person;
        const char *error, *missing;
    } rows[] = {
        { NEEDS("read"), true, "'tools/call x' needs the scopes \"read\", which the token has", NULL },
        { { 403, "Bearer error=\"insufficient_scope\"", NULL, false },
          true,
          "'tools/call x' needs more scopes, which the server does not name",
          NULL },
        { NEEDS("a\\\\b"), true, "'tools/call x' needs more scopes, which the server does not name", NULL },
        { NEEDS("write"), false, "'tools/call x' needs more scopes: run 'mcptools login git --scope \"read write\"'",
          "read write" },
        { NEEDS("$(reboot)"), false, "'tools/call x' needs the scopes \"read $(reboot)\": log in again with these",
          "read $(reboot)" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_login_facts facts;
        struct asking a;
        world_begin();
        world_keep("a0", "r0", 3600);
        world_login_as(0, false, rows[i].person ? world_person() : NULL);
        asking_begin(&a, world.l[0]);
        assert_false(asking_needs(&a, &rows[i].f));
        assert_int_equal(a.err.kind, MCT_ERR_AUTH);
        assert_string_equal(a.err.message, rows[i].error);
        assert_said("");
        assert_state("ready");
        mcti_login_describe(world.l[0], &facts);
        assert_int_equal(facts.missing_scope != NULL, rows[i].missing != NULL);
        if (rows[i].missing)
            assert_string_equal(facts.missing_scope, rows[i].missing);
        world_end();
    }
}

/* An authorization that did not bring the scope is not repeated for ten minutes. */
static void steps_without_success_are_remembered(void **state)
{
    static const struct mcti_fetch write = NEEDS("write");
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login_as(0, false, world_person());
    asking_begin(&a, world.l[0]);
    asking_needs(&a, &write);
    world_grant_at(ISSUER, "a1", NULL, "read");
    assert_false(asking_needs(&a, &write));
    assert_string_equal(a.err.message,
                        "'tools/call x' needs the scopes \"write\", which the authorization server does not grant");
    world_run_ms(599999);
    asking_begin(&a, world.l[0]);
    assert_false(asking_needs(&a, &write));
    asking_begin(&a, world.l[0]);
    a.operation = "tools/call y"; /* another operation */
    assert_true(asking_needs(&a, &write));
    world_grant_at(ISSUER, "a2", NULL, "read");
    world_run_ms(1);
    asking_begin(&a, world.l[0]);
    assert_true(asking_needs(&a, &write));
    assert_int_equal(world.n_flows, 3);
    world_end();
}

/* After a login with the missing scopes nothing is missing any more. */
static void missing_scopes_come_with_a_login(void **state)
{
    static const struct mcti_fetch write = NEEDS("write");
    const struct mcti_login_wish wish = { .scope = "read write", .person = world_person() };
    struct mcti_login_facts facts;
    struct told told = { 0 };
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    asking_begin(&a, world.l[0]);
    asking_needs(&a, &write);
    mcti_login_begin(world.l[0], &wish, told_done, &told);
    assert_said("flow:read write");
    world_grant_at(ISSUER, "a1", "r1", "read write");
    mcti_login_describe(world.l[0], &facts);
    assert_null(facts.missing_scope);
    assert_true(told.done);
    world_end();
}

static void a_request_with_an_older_token(void **state)
{
    static const struct mcti_fetch write = NEEDS("write");
    struct asking a, b;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login_as(0, false, world_person());
    asking_begin(&a, world.l[0]);
    asking_begin(&b, world.l[0]);
    asking_send(&b);
    asking_needs(&a, &write);
    world_grant_at(ISSUER, "a1", NULL, "read write");
    assert_true(asking_answered(&b, &write));
    world_turn();
    assert_true(b.go);
    assert_int_equal(world.n_flows, 1);
    world_end();
}

/* Requests go on with the token that there is while a person decides about more scopes; one that needs more waits. */
static void other_requests_during_a_step(void **state)
{
    static const struct mcti_fetch write = NEEDS("write");
    struct asking a, b, c;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login_as(0, false, world_person());
    asking_begin(&a, world.l[0]);
    asking_needs(&a, &write);
    assert_true(asking_begin(&b, world.l[0]));
    assert_string_equal(asking_send(&b), "Authorization: Bearer a0");
    asking_begin(&c, world.l[0]);
    assert_true(asking_needs(&c, &write));
    world_deny(MCT_ERR_AUTH, "access_denied");
    assert_string_equal(a.err.message, "access_denied");
    assert_string_equal(c.err.message, "access_denied");
    assert_state("ready"); /* the token is as good as before */
    world_end();
}

/* A machine asks once, and keeps the wider scope for its next tokens. */
static void machines_step_up_once(void **state)
{
    static const struct mcti_fetch write = NEEDS("write"), admin = NEEDS("admin");
    struct asking a;
    (void)state;
    world_begin();
    world.grant.word = "client_credentials";
    world.grant.person = false;
    world.settings.grant = "client_credentials";
    world_keep("m0", NULL, 3600);
    world_login();
    asking_begin(&a, world.l[0]);
    assert_true(asking_needs(&a, &write));
    world_grant_at(ISSUER, "m1", NULL, "read write");
    assert_true(a.go);
    assert_false(asking_needs(&a, &admin));
    assert_said("flow:read write save");
    world_run_ms(3600000);
    asking_begin(&a, world.l[0]);
    assert_said("flow:read write");
    world_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_union_is_asked_for),
        cmocka_unit_test(earlier_scopes_are_kept),
        cmocka_unit_test(step_ups_are_limited),
        cmocka_unit_test(refusals_without_a_step),
        cmocka_unit_test(steps_without_success_are_remembered),
        cmocka_unit_test(missing_scopes_come_with_a_login),
        cmocka_unit_test(a_request_with_an_older_token),
        cmocka_unit_test(other_requests_during_a_step),
        cmocka_unit_test(machines_step_up_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
