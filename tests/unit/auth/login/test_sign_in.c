/* Authorizing because of a refused request, or because somebody wishes it. */
#include "world.h"

#include "auth/jose/key.h"

#define PRM "discover:https://mcp.example/prm"
#define NEEDS_LOGIN "needs a login: run 'mcptools login git'"

static struct mcti_login *login_of_person(void)
{
    return world_login_as(0, false, world_person());
}

/* ---- a refused request ---- */

static void the_first_request_has_no_token(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_login();
    assert_state("none");
    assert_true(asking_begin(&a, world.l[0]));
    assert_string_equal(asking_send(&a), "");
    assert_int_equal(a.stamp, 0);
    assert_said("");
    world_end();
}

/* Nobody can be asked: what the metadata says decides about the error. */
static void nobody_is_there(void **state)
{
    static const struct {
        const char *issuer;
        enum mct_error_kind fails;
        const char *error, *state;
    } rows[] = {
        { ISSUER, 0, NEEDS_LOGIN, "needed" },
        { NULL, 0, "HTTP 401: the server requires credentials: set \"auth\" or \"headers\"", "none" },
        { NULL, MCT_ERR_NOT_FOUND, "HTTP 401: the server requires credentials: set \"auth\" or \"headers\"", "none" },
        { NULL, MCT_ERR_PROTOCOL, "signing in failed: metadata: broken", "needed" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct asking a;
        world_begin();
        world_login();
        asking_begin(&a, world.l[0]);
        assert_true(asking_refused(&a));
        assert_said(PRM);
        if (rows[i].fails)
            world_not_discovered(rows[i].fails);
        else
            world_discovered(rows[i].issuer);
        assert_false(a.waits || a.go);
        assert_string_equal(a.err.message, rows[i].error);
        assert_int_equal(a.err.kind, MCT_ERR_AUTH);
        assert_int_equal(a.err.http_status, 401);
        assert_state(rows[i].state);
        asking_begin(&a, world.l[0]); /* the next one does not look again */
        assert_false(asking_refused(&a));
        if (strcmp(rows[i].state, "none") == 0)
            assert_int_equal(a.err.kind, MCT_ERR_NONE); /* the transport tells */
        else
            assert_string_equal(a.err.message, rows[i].error);
        assert_said("");
        world_run_ms(60000); /* but later */
        asking_begin(&a, world.l[0]);
        assert_true(asking_refused(&a));
        assert_said(PRM);
        world_end();
    }
}

static void many_requests_cause_one_flow(void **state)
{
    struct asking a[20], late;
    (void)state;
    world_begin();
    login_of_person();
    for (size_t i = 0; i < 20; i++) {
        asking_begin(&a[i], world.l[0]);
        asking_send(&a[i]);
    }
    for (size_t i = 0; i < 20; i++)
        assert_true(asking_refused(&a[i]));
    assert_state("running");
    world_turn();
    assert_false(asking_begin(&late, world.l[0])); /* waits before it is sent */
    world_grant("a1", "r1");
    assert_said("flow save");
    assert_state("ready");
    for (size_t i = 0; i < 20; i++) {
        assert_true(a[i].go);
        assert_string_equal(asking_send(&a[i]), "Authorization: Bearer a1");
    }
    assert_true(late.go);
    assert_non_null(strstr(world.text, "\"a1\""));
    assert_int_equal(world.n_changed, 2);
    world_end();
}

static void a_denied_login_is_not_asked_for_again(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    login_of_person();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world_deny(MCT_ERR_AUTH, "access_denied");
    assert_false(a.go);
    assert_string_equal(a.err.message, "access_denied");
    assert_state("needed");
    world_run_ms(59999);
    asking_begin(&a, world.l[0]);
    assert_false(asking_refused(&a));
    assert_string_equal(a.err.message, "access_denied");
    assert_said("flow");
    world_run_ms(1);
    asking_begin(&a, world.l[0]);
    assert_true(asking_refused(&a));
    assert_said("flow");
    world_end();
}

static void a_private_server_may_have_private_neighbours(void **state)
{
    static const struct {
        bool is_private, setting;
        const char *said;
    } rows[] = { { false, false, "flow" }, { true, false, "flow(private)" }, { false, true, "flow(private)" } };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct mcti_fetch refusal = { .status = 401, .is_private = rows[i].is_private };
        struct asking a;
        world_begin();
        world.settings.allow_private = rows[i].setting;
        login_of_person();
        asking_begin(&a, world.l[0]);
        asking_send(&a);
        assert_true(asking_answered(&a, &refusal));
        assert_said(rows[i].said);
        world_end();
    }
}

/* ---- a token that is refused ---- */

/* A fresh token is refused: one more look at the metadata, and another flow only if they name another issuer. */
static void fresh_tokens_that_are_refused(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    login_of_person();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world_grant("a1", "r1");
    assert_said("flow save");
    assert_true(asking_refused(&a));
    assert_said(PRM);
    world_discovered(ISSUER);
    assert_false(a.go);
    assert_string_equal(a.err.message, "the server refuses a token that '" ISSUER "' has just issued for it");
    asking_begin(&a, world.l[0]); /* nothing begins anew with the next request */
    assert_false(asking_refused(&a));
    assert_said("");
    world_end();
}

static void the_authorization_server_moves(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", NULL, 3600);
    login_of_person();
    asking_begin(&a, world.l[0]);
    asking_accepted(&a);
    asking_begin(&a, world.l[0]);
    assert_true(asking_refused(&a)); /* fresh metadata, no refresh token */
    assert_said("flow");
    assert_int_equal(world.flow.known->n, 1);
    world_grant_at(OTHER, "b1", "s1", NULL);
    assert_true(a.go);
    assert_string_equal(asking_send(&a), "Authorization: Bearer b1");
    assert_non_null(strstr(world.text, ISSUER)); /* the old login is kept under its issuer */
    assert_non_null(strstr(world.text, OTHER));
    world_end();
}

static void a_fresh_token_after_a_move(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    login_of_person();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world_grant("a1", "r1");
    assert_true(asking_refused(&a));
    world_discovered(OTHER);
    assert_said("flow save " PRM " flow");
    assert_int_equal(*world.flow.n_authorizations, 1); /* counted over the whole operation */
    world_grant_at(OTHER, "b1", NULL, NULL);
    assert_true(a.go);
    assert_false(asking_refused(&a)); /* once */
    assert_string_equal(a.err.message, "the server refuses a token that was issued for it just now");
    world_end();
}

/* A renewed token that is refused leads to a new authorization, once. */
static void renewed_tokens_that_are_refused(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    login_of_person();
    asking_begin(&a, world.l[0]);
    assert_true(asking_refused(&a));
    world_answer_refresh(0);
    assert_true(asking_refused(&a));
    assert_said("save refresh:r0 save flow");
    world_grant("a5", "r5");
    assert_true(asking_refused(&a));
    world_discovered(ISSUER);
    assert_false(a.go || a.waits);
    assert_said("save " PRM);
    world_end();
}

/* A server that refuses everything costs one renewal, not one for each request. */
static void refusals_do_not_cause_storms(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world_answer_refresh(0);
    asking_refused(&a);
    world_discovered(ISSUER);
    assert_string_equal(a.err.message, NEEDS_LOGIN);
    assert_said("save refresh:r0 save " PRM);
    for (int i = 0; i < 100; i++) {
        asking_begin(&a, world.l[0]);
        assert_false(asking_refused(&a));
    }
    assert_said("");
    assert_state("needed");
    world_end();
}

/* Success counts: what the server accepted and then refuses is renewed, but not all the time. */
static void accepted_tokens_are_renewed(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    login_of_person();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world_grant("a0", "r0");
    assert_said("flow save");
    for (int i = 0; i < 3; i++) {
        asking_accepted(&a);
        asking_begin(&a, world.l[0]);
        assert_true(asking_refused(&a));
        assert_non_null(strstr(world.said, "refresh:"));
        world_answer_refresh(0);
        world.said[0] = '\0';
    }
    asking_accepted(&a);
    world_run_ms(9999);
    asking_begin(&a, world.l[0]);
    assert_true(asking_refused(&a));
    assert_said("flow");
    world_deny(MCT_ERR_AUTH, "access_denied");
    world_run_ms(1);
    asking_begin(&a, world.l[0]);
    assert_true(asking_refused(&a));
    assert_said("save refresh:r3");
    world_end();
}

static void a_revoked_login_is_made_again(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    login_of_person();
    world.refusal = "invalid_client";
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world_answer_refresh(0);
    assert_said("save refresh:r0 save flow(forget)");
    world_grant("a1", NULL);
    assert_true(a.go);
    world_end();
}

static void an_older_token_is_replaced_at_once(void **state)
{
    struct asking a, b;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_login();
    asking_begin(&a, world.l[0]);
    asking_begin(&b, world.l[0]);
    asking_send(&b);
    asking_refused(&a);
    world_answer_refresh(0);
    assert_said("save refresh:r0 save");
    static const struct mcti_fetch refusal = { .status = 401 };
    assert_true(asking_answered(&b, &refusal)); /* was sent with a0 */
    assert_false(b.go);
    world_turn();
    assert_true(b.go);
    assert_said("");
    world_end();
}

static void refusals_of_one_request_end(void **state)
{
    struct asking a;
    int n = 0;
    (void)state;
    world_begin();
    login_of_person();
    for (asking_begin(&a, world.l[0]); asking_refused(&a) && n < 100; n++) {
        if (world.flowing)
            world_grant_at(n % 2 ? OTHER : ISSUER, n % 2 ? "b" : "a", NULL, NULL);
        else if (world.discovering)
            world_discovered(n % 2 ? OTHER : ISSUER);
        if (world.flowing)
            world_grant_at(n % 2 ? OTHER : ISSUER, n % 2 ? "b" : "a", NULL, NULL);
        if (!a.go)
            break;
    }
    assert_true(n < 5);
    assert_true(world.n_flows <= MCT_AUTH_REQUESTS);
    world_end();
}

/* ---- other refusals ---- */

static void ordinary_refusals(void **state)
{
    static const struct {
        struct mcti_fetch f;
        const char *url;
    } rows[] = {
        { { 403, NULL, NULL, false }, SERVER },
        { { 403, "Bearer error=\"invalid_token\"", NULL, false }, SERVER },
        { { 401, NULL, NULL, false }, "https://elsewhere.example/mcp" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct asking a;
        struct mct_error err;
        world_begin();
        world_keep("a0", "r0", 3600);
        struct mcti_credentials *c = mcti_login_credentials(world_login());
        asking_begin(&a, world.l[0]);
        const struct mcti_credential_refusal r = { &rows[i].f, rows[i].url, MCT_STR("x"), 1, &a.n_tries };
        assert_false(c->ops->refused(c, &r, &a.wait, &err));
        assert_int_equal(err.kind, MCT_ERR_NONE);
        assert_said("");
        world_end();
    }
}

static void the_token_goes_to_its_origin_only(void **state)
{
    static const char *const urls[] = { "https://other.example/mcp", "http://mcp.example/mcp",
                                        "https://mcp.example:8443/mcp" };
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    struct mcti_credentials *c = mcti_login_credentials(world_login());
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct mcti_headers h;
        const struct mcti_credential_request r = { "POST", urls[i], NULL };
        mcti_headers_init(&h);
        assert_int_equal(c->ops->put(c, &r, &h), 0);
        assert_int_equal(h.text.len, 0);
        mcti_headers_done(&h);
    }
    world_end();
}

/* A login for other settings is not used. */
static void settings_choose_logins(void **state)
{
    static const struct {
        struct mcti_auth_settings settings;
        const char *sent;
    } rows[] = {
        { { 0 }, "Authorization: Bearer b0" },       { { .issuer = ISSUER }, "Authorization: Bearer a0" },
        { { .issuer = "https://as.example/" }, "" }, { { .client_id = "client" }, "Authorization: Bearer b0" },
        { { .client_id = "another" }, "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct asking a;
        world_begin();
        world.settings = rows[i].settings;
        world_keep_at(ISSUER, "a0", "r0", 3600);
        world_keep_at(OTHER, "b0", "s0", 3600);
        world_login();
        asking_begin(&a, world.l[0]);
        assert_string_equal(asking_send(&a), rows[i].sent);
        world_end();
    }
}

/* ---- DPoP ---- */

static void world_bind(void)
{
    struct mcti_buf pem;
    char *quoted;
    struct mcti_auth_records all;
    struct mcti_key *key = mcti_key_generate(NULL);
    mcti_buf_init(&pem, 10000);
    mcti_key_put_private(&pem, key);
    mcti_key_free(key);
    assert_int_equal(mcti_auth_records_read(&all, mcti_str_of(world.text), NULL), 0);
    quoted = mcti_buf_take(&pem);
    all.v[0].dpop_key = quoted;
    free(all.v[0].token_type);
    all.v[0].token_type = strdup("dpop");
    mcti_buf_init(&pem, MCT_LIMIT_AUTH_BYTES);
    mcti_auth_records_put(&pem, &all);
    free(world.text);
    world.text = mcti_buf_take(&pem);
    mcti_auth_records_clear(&all);
}

static void put_headers(struct mcti_login *l, struct mcti_headers *h)
{
    struct mcti_credentials *c = mcti_login_credentials(l);
    const struct mcti_pieces body = mcti_pieces_one(MCT_STR("{}"));
    const struct mcti_credential_request r = { "POST", SERVER, &body };
    mcti_headers_init(h);
    assert_int_not_equal(c->ops->put(c, &r, h), 0);
}

static void each_request_has_its_own_proof(void **state)
{
    struct mcti_headers a, b;
    (void)state;
    world_begin();
    world_keep("a0", "r0", 3600);
    world_bind();
    world_login();
    put_headers(world.l[0], &a);
    put_headers(world.l[0], &b);
    struct mcti_str proof = mcti_buf_str(&a.text), other = mcti_buf_str(&b.text), line;
    assert_true(mcti_str_split(&proof, '\n', &line) && mcti_str_is(line, "Authorization: DPoP a0\r"));
    assert_true(mcti_str_split(&other, '\n', &line));
    assert_true(mcti_str_starts(proof, MCT_STR("DPoP: ey")));
    assert_false(mcti_str_eq(proof, other));
    mcti_headers_done(&a);
    mcti_headers_done(&b);
    world_end();
}

/* The server wants a nonce: the same request once more, and no authorization. */
static void nonces_are_taken(void **state)
{
    static const struct mcti_fetch wants = { 401, "DPoP error=\"use_dpop_nonce\"", "n1", false },
                                   other = { 401, "DPoP error=\"use_dpop_nonce\"", "n2", false };
    struct asking a;
    (void)state;
    world_begin();
    world_keep("a0", NULL, 3600);
    world_bind();
    world_login();
    asking_begin(&a, world.l[0]);
    asking_send(&a);
    assert_true(asking_answered(&a, &wants));
    world_turn();
    assert_true(a.go);
    assert_said("");
    asking_send(&a);
    assert_true(asking_answered(&a, &other)); /* again: an ordinary refusal now */
    assert_said("discover");
    world_end();
}

/* ---- wishes ---- */

static void a_wish_is_fulfilled(void **state)
{
    static const struct mcti_fetch refusal = { 401, "Bearer resource_metadata=\"https://mcp.example/prm\"", NULL,
                                               true };
    const struct mcti_login_wish wish = { .scope = "a b", .issuer = ISSUER, .person = world_person() };
    struct told told = { 0 };
    (void)state;
    world_begin();
    world_login();
    mcti_login_begin(world.l[0], &wish, told_done, &told);
    assert_said("knock"); /* where are the metadata, and may they be private? */
    assert_state("running");
    world_answer_knock(&refusal);
    assert_said("flow:a b(private)");
    assert_true(world.only_wanted);
    assert_string_equal(world.flow.issuer, ISSUER);
    assert_string_equal(world.flow.challenge->resource_metadata, "https://mcp.example/prm");
    assert_ptr_equal(world.flow.env->person, world_person());
    assert_int_equal(mcti_login_paste(world.l[0], MCT_STR("http://x"), NULL), 0);
    assert_said("paste:http://x");
    assert_false(told.done);
    world_grant("a1", "r1");
    assert_true(told.done);
    assert_int_equal(told.err.kind, 0);
    assert_state("ready");
    assert_int_equal(mcti_login_paste(world.l[0], MCT_STR("http://x"), NULL), -1);
    world_end();
}

/* An unreachable server may still have metadata. */
static void a_wish_at_a_server_that_is_down(void **state)
{
    const struct mcti_login_wish wish = { .person = world_person() };
    struct told told = { 0 };
    (void)state;
    world_begin();
    world_login();
    mcti_login_begin(world.l[0], &wish, told_done, &told);
    world_answer_knock(NULL);
    assert_said("knock flow");
    assert_null(world.flow.challenge);
    world_deny(MCT_ERR_CONNECT, "metadata: refused");
    assert_int_equal(told.err.kind, MCT_ERR_CONNECT);
    assert_string_equal(told.err.message, "metadata: refused");
    world_end();
}

/* The challenge of a refusal is used by the wish that follows it. */
static void a_wish_after_a_refusal(void **state)
{
    const struct mcti_login_wish wish = { .person = world_person() };
    struct told told = { 0 };
    struct asking a;
    (void)state;
    world_begin();
    world_login();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world_discovered(ISSUER);
    mcti_login_begin(world.l[0], &wish, told_done, &told);
    assert_said(PRM " flow");
    assert_string_equal(world.flow.challenge->resource_metadata, "https://mcp.example/prm");
    world_grant("a1", NULL);
    assert_true(told.done);
    world_end();
}

static void wishes_and_refusals_meet(void **state)
{
    const struct mcti_login_wish wish = { .person = world_person() };
    struct told told = { 0 }, second = { 0 };
    struct asking a;
    (void)state;
    world_begin();
    login_of_person();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    assert_said("flow");
    mcti_login_begin(world.l[0], &wish, told_done, &told); /* takes the place of the other flow */
    assert_said("uncalled flow");
    assert_true(a.waits);
    mcti_login_begin(world.l[0], &wish, told_done, &second);
    world_turn();
    assert_int_equal(second.err.kind, MCT_ERR_USAGE);
    world_grant("a1", NULL);
    assert_true(told.done && a.go);
    world_end();
}

static void a_cancelled_login(void **state)
{
    const struct mcti_login_wish wish = { .person = world_person() };
    struct told told = { 0 };
    struct asking a;
    (void)state;
    world_begin();
    login_of_person();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    mcti_login_begin(world.l[0], &wish, told_done, &told);
    mcti_login_cancel(world.l[0]);
    assert_false(told.done);
    world_turn();
    assert_int_equal(told.err.kind, MCT_ERR_CANCELLED);
    assert_int_equal(a.err.kind, MCT_ERR_AUTH);
    assert_said("flow uncalled flow uncalled");
    mcti_login_cancel(world.l[0]); /* nothing */
    world_turn();
    world_end();
}

/* ---- machines ---- */

static struct mcti_login *login_of_machine(void)
{
    world.grant.word = "client_credentials";
    world.grant.person = false;
    world.settings.grant = "client_credentials";
    return world_login();
}

static void machines_need_no_person(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    login_of_machine();
    asking_begin(&a, world.l[0]);
    assert_true(asking_refused(&a));
    world_grant_at(ISSUER, "m1", NULL, "read");
    assert_said("flow save");
    assert_true(a.go);
    asking_accepted(&a);
    assert_string_equal(a.sent, "Authorization: Bearer m1");
    world_run_ms(3570000);
    assert_false(asking_begin(&a, world.l[0])); /* the next token before the expiry of the last */
    assert_said("flow:read");
    assert_state("running");
    world_grant_at(ISSUER, "m2", NULL, "read");
    assert_true(a.go);
    assert_string_equal(asking_send(&a), "Authorization: Bearer m2");
    world_end();
}

static void machines_fail_with_pauses(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    login_of_machine();
    asking_begin(&a, world.l[0]);
    asking_refused(&a);
    world_deny(MCT_ERR_AUTH, "invalid_client");
    assert_string_equal(a.err.message, "invalid_client");
    asking_begin(&a, world.l[0]);
    assert_false(asking_refused(&a));
    assert_said("flow");
    world_run_ms(1000);
    asking_begin(&a, world.l[0]);
    assert_true(asking_refused(&a));
    world_end();
}

static void machines_renew_in_the_background(void **state)
{
    struct asking a;
    (void)state;
    world_begin();
    world.grant.word = "client_credentials";
    world.grant.person = false;
    world.settings.grant = "client_credentials";
    world_keep("m0", NULL, 3600);
    world_login_as(0, true, NULL);
    asking_begin(&a, world.l[0]);
    asking_accepted(&a);
    world_run_ms(2880000);
    assert_said("flow:read");
    assert_true(asking_begin(&a, world.l[0])); /* the old one still lasts */
    assert_string_equal(asking_send(&a), "Authorization: Bearer m0");
    world_deny(MCT_ERR_CONNECT, "broken");
    assert_said("");
    world_run_ms(1000);
    assert_said("flow:read");
    world_grant("m1", NULL);
    assert_string_equal(asking_send(&a), "Authorization: Bearer m1");
    world_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_request_has_no_token),
        cmocka_unit_test(nobody_is_there),
        cmocka_unit_test(many_requests_cause_one_flow),
        cmocka_unit_test(a_denied_login_is_not_asked_for_again),
        cmocka_unit_test(a_private_server_may_have_private_neighbours),
        cmocka_unit_test(fresh_tokens_that_are_refused),
        cmocka_unit_test(the_authorization_server_moves),
        cmocka_unit_test(a_fresh_token_after_a_move),
        cmocka_unit_test(renewed_tokens_that_are_refused),
        cmocka_unit_test(refusals_do_not_cause_storms),
        cmocka_unit_test(accepted_tokens_are_renewed),
        cmocka_unit_test(a_revoked_login_is_made_again),
        cmocka_unit_test(an_older_token_is_replaced_at_once),
        cmocka_unit_test(refusals_of_one_request_end),
        cmocka_unit_test(ordinary_refusals),
        cmocka_unit_test(the_token_goes_to_its_origin_only),
        cmocka_unit_test(settings_choose_logins),
        cmocka_unit_test(each_request_has_its_own_proof),
        cmocka_unit_test(nonces_are_taken),
        cmocka_unit_test(a_wish_is_fulfilled),
        cmocka_unit_test(a_wish_at_a_server_that_is_down),
        cmocka_unit_test(a_wish_after_a_refusal),
        cmocka_unit_test(wishes_and_refusals_meet),
        cmocka_unit_test(a_cancelled_login),
        cmocka_unit_test(machines_need_no_person),
        cmocka_unit_test(machines_fail_with_pauses),
        cmocka_unit_test(machines_renew_in_the_background),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
