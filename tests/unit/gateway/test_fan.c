/* What a server logs for very many clients: told in portions, shared, dropped and told of where it is too much. */
#include "unit.h"

#include "base/limits.h"
#include "gateway/branch.h"
#include "hub/server/server.h"

enum { PEERS = 1500, ONE_TURN = MCT_LIMIT_FAN_WORK / MCT_LIMIT_FAN_TOLD };

static struct {
    struct mcti_sched sched;
    struct mcti_registry registry;
    struct mcti_gateway gateway;
    struct mcti_view view;
    struct mcti_peer *peers[PEERS];
    unsigned n_told[PEERS];
    unsigned n_all, n_notices, n_warned;
    struct mcti_text *last;
    uint64_t now_ms;
} fan;

static void on_tell(void *data, struct mcti_text *frame, bool wanted)
{
    unsigned *n = data;
    assert_false(wanted);
    ++*n;
    fan.n_all++;
    fan.n_notices += memmem(frame->p, frame->len, "\"dropped ", 9) != NULL;
    mcti_text_unref(fan.last);
    fan.last = mcti_text_ref(frame);
}

static const struct mcti_peer_ops peer_ops = { .tell = on_tell };

/* A server of both eras; what begins is connected at once. */
static void both_start(struct mcti_provider *p)
{
    p->settled = true;
    mcti_provider_set_state(p, MCT_CONNECTED, NULL);
}

static void both_stop(struct mcti_provider *p)
{
    p->events.stopped(p->events.data, p);
}

static void both_free(struct mcti_provider *p)
{
    mcti_provider_done(p);
    free(p);
}

static struct mcti_provider *both_branch(struct mcti_provider *p, const struct mcti_answerer *can, bool handshake);

static const struct mcti_provider_ops both_ops = {
    .start = both_start, .stop = both_stop, .branch = both_branch, .free = both_free
};

static struct mcti_provider *both_new(enum mcti_rev rev)
{
    struct mcti_provider *p = calloc(1, sizeof *p);
    assert_int_equal(mcti_provider_init(p, &both_ops, "both", &fan.sched, NULL), 0);
    p->info.rev = rev;
    return p;
}

static struct mcti_provider *both_branch(struct mcti_provider *p, const struct mcti_answerer *can, bool handshake)
{
    (void)p;
    (void)can;
    assert_true(handshake);
    return both_new(MCT_REV_LATEST_HANDSHAKE);
}

static void begin_with(struct mcti_provider *p)
{
    const struct mcti_naming naming = { "double", NULL, MCT_PREFIX_ALWAYS, 64 };
    const struct mcti_gateway_opts gateway = { .message_bytes = 1u << 20 };
    mcti_registry_init(&fan.registry, &fan.sched);
    assert_int_equal(mcti_registry_add(&fan.registry, p), 0);
    mcti_gateway_init(&fan.gateway, &fan.registry, NULL, &gateway);
    assert_int_equal(mcti_view_init(&fan.view, &fan.registry, &(struct mcti_view_opts){ .naming = &naming }), 0);
    for (int i = 0; i < PEERS; i++) {
        fan.peers[i] = mcti_peer_new(&fan.gateway, &fan.view, &peer_ops, &fan.n_told[i]);
        fan.peers[i]->initialized = true;
    }
    mcti_sched_run(&fan.sched, ++fan.now_ms);
}

static int begin(void **state)
{
    const struct mcti_mcp_opts opts = { .sched = &fan.sched, .message_bytes = 1u << 20 };
    (void)state;
    memset(&fan, 0, sizeof fan);
    mcti_sched_init(&fan.sched);
    begin_with(mcti_provider_mcp_new("s", &opts, NULL));
    return 0;
}

/* The handshake connection that all clients share. */
static int begin_shared(void **state)
{
    (void)state;
    memset(&fan, 0, sizeof fan);
    mcti_sched_init(&fan.sched);
    begin_with(both_new(MCT_REV_LATEST));
    mcti_registry_start_all(&fan.registry);
    for (int i = 0; i < PEERS; i++) {
        struct mcti_gw_request r = { .peer = fan.peers[i], .rev = MCT_REV_LATEST_HANDSHAKE };
        struct mcti_branch *b;
        struct mct_error err;
        fan.peers[i]->of = MCT_VIEW_ASKED;
        const struct mcti_provider *p = mcti_gw_connection_for(&r, fan.registry.v[0], &b, &err);
        assert_non_null(b);
        assert_ptr_equal(p, fan.registry.v[0]->handshake);
        mcti_branch_unuse(b);
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    mcti_text_unref(fan.last);
    for (int i = 0; i < PEERS; i++)
        mcti_peer_free(fan.peers[i]);
    assert_int_equal(fan.gateway.memory.whole.held, 0);
    mcti_gateway_done(&fan.gateway);
    mcti_view_done(&fan.view);
    mcti_registry_done(&fan.registry);
    return 0;
}

static void turn(void)
{
    fan.now_ms += 2;
    mcti_sched_run(&fan.sched, fan.now_ms);
}

static void say_by(struct mcti_provider *p, const char *text)
{
    char params[200];
    snprintf(params, sizeof params, "{\"level\":\"info\",\"data\":\"%s\"}", text);
    p->events.message(p->events.data, p, mcti_str_of(params));
}

static void say(const char *text)
{
    say_by(fan.registry.v[0], text);
}

static void one_turn_tells_a_part(void **state)
{
    (void)state;
    say("hello");
    assert_in_range(fan.n_all, 1, ONE_TURN);
    turn();
    assert_in_range(fan.n_all, ONE_TURN + 1, 2 * ONE_TURN);
    turn();
    turn();
    assert_int_equal(fan.n_all, PEERS);
    for (int i = 0; i < PEERS; i++)
        assert_int_equal(fan.n_told[i], 1);
}

/* The text is there once, whoever keeps it, and charged once to the server. */
static void all_share_one_text(void **state)
{
    struct mcti_provider *p = fan.registry.v[0];
    (void)state;
    say("hello");
    size_t held = p->payer.account.held;
    assert_int_equal(held, sizeof *fan.last + fan.last->len);
    for (int i = 0; i < 5; i++)
        turn();
    assert_int_equal(p->payer.account.held, held);
    assert_int_equal(fan.last->n_refs, 1); /* ours */
    assert_int_equal(fan.gateway.memory.whole.held, held);
}

static void peers_may_go_meanwhile(void **state)
{
    (void)state;
    say("first");
    for (int i = 400; i < 900; i++) {
        mcti_peer_free(fan.peers[i]);
        fan.peers[i] = NULL;
    }
    say("second");
    for (int i = 0; i < 10; i++)
        turn();
    for (int i = 0; i < PEERS; i++)
        assert_in_range(fan.n_told[i], fan.peers[i] ? 2 : 0, 2);
}

static void a_newcomer_hears_nothing_older(void **state)
{
    unsigned n = 0;
    (void)state;
    say("before");
    struct mcti_peer *late = mcti_peer_new(&fan.gateway, &fan.view, &peer_ops, &n);
    late->initialized = true;
    for (int i = 0; i < 5; i++)
        turn();
    assert_int_equal(n, 0);
    say("after");
    for (int i = 0; i < 5; i++)
        turn();
    assert_int_equal(n, 1);
    mcti_peer_free(late);
}

static void what_is_dropped_is_told(void **state)
{
    enum { LINES = 5000 };
    (void)state;
    for (int i = 0; i < LINES; i++)
        say("much");
    assert_true(fan.registry.v[0]->n_told_later <= MCT_LIMIT_FAN_MESSAGES);
    for (int i = 0; i < 2000; i++)
        turn();
    assert_true(mcti_list_empty(&fan.gateway.fan.items));
    assert_int_equal(fan.n_notices, PEERS);
    for (int i = 0; i < PEERS; i++)
        assert_int_equal(fan.n_told[i], MCT_LIMIT_FAN_MESSAGES + 1);
    assert_non_null(memmem(fan.last->p, fan.last->len, "4744 log messages", 17));
    assert_int_equal(LINES - MCT_LIMIT_FAN_MESSAGES, 4744);
}

/* The handshake connection of a server of both eras is as shared as any. */
static void a_shared_branch_takes_its_turns(void **state)
{
    struct mcti_provider *p = fan.registry.v[0]->handshake;
    (void)state;
    say_by(p, "hello");
    assert_in_range(fan.n_all, 1, ONE_TURN);
    for (int i = 0; i < MCT_LIMIT_FAN_MESSAGES; i++)
        say_by(p, "much");
    assert_int_equal(p->n_not_told, 1);
    for (int i = 0; i < 2000; i++)
        turn();
    assert_int_equal(fan.n_notices, PEERS);
    for (int i = 0; i < PEERS; i++)
        assert_int_equal(fan.n_told[i], MCT_LIMIT_FAN_MESSAGES + 1);
}

static void what_a_lost_branch_said_goes_with_it(void **state)
{
    struct mcti_provider *p = fan.registry.v[0]->handshake;
    (void)state;
    say_by(p, "hello");
    say("of the other connection");
    say_by(p, "more");
    for (int i = 0; i < PEERS; i++)
        mcti_gw_holds_clear(fan.peers[i], NULL);
    mcti_branches_end(&fan.registry, NULL);
    assert_false(mcti_list_empty(&fan.gateway.fan.items));
    for (int i = 0; i < 10; i++)
        turn();
    assert_true(mcti_list_empty(&fan.gateway.fan.items));
}

static void on_log(enum mct_log_level level, const char *text, void *data)
{
    (void)data;
    fan.n_warned += level == MCT_LOG_WARN && strstr(text, "all 1 additional connections are in use");
}

/* Said once, and again when there was room meanwhile. */
static void a_server_without_room_is_told_once(void **state)
{
    const struct mcti_log log = { MCT_LOG_WARN, on_log, NULL };
    struct mcti_provider *p = fan.registry.v[0];
    const struct mcti_branch_key other = { .text = "other", .handshake = true },
                                 third = { .text = "third", .handshake = true };
    struct mct_error err;
    (void)state;
    p->log = &log;
    fan.registry.max_branches = 1;
    for (int i = 0; i < 3; i++)
        assert_null(mcti_branch_get(&fan.registry, p, &other, &err));
    assert_int_equal(fan.n_warned, 1);
    mcti_branches_end(&fan.registry, NULL);
    assert_non_null(mcti_branch_get(&fan.registry, p, &other, &err));
    for (int i = 0; i < 3; i++)
        assert_null(mcti_branch_get(&fan.registry, p, &third, &err));
    assert_int_equal(fan.n_warned, 2);
    p->log = NULL;
}

static void a_text_needs_room_in_both_accounts(void **state)
{
    struct mcti_account_rule rule = { .share = sizeof(struct mcti_text) + 10 };
    struct mcti_account whole = { 0 };
    struct mcti_text_payer server;
    (void)state;
    mcti_text_payer_init(&server);
    server.account.rule = &rule;
    struct mcti_text *t = mcti_text_new(MCT_STR("0123456789"), &whole, &server);
    assert_non_null(t);
    assert_int_equal(whole.held, server.account.held);
    assert_null(mcti_text_new(MCT_STR("x"), &whole, &server));
    assert_int_equal(whole.held, sizeof *t + 10);
    mcti_text_unref(mcti_text_ref(t));
    assert_int_equal(server.account.held, sizeof *t + 10);
    mcti_text_unref(t);
    assert_int_equal(whole.held + server.account.held, 0);
    mcti_text_payer_done(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_turn_tells_a_part, begin, end),
        cmocka_unit_test_setup_teardown(all_share_one_text, begin, end),
        cmocka_unit_test_setup_teardown(peers_may_go_meanwhile, begin, end),
        cmocka_unit_test_setup_teardown(a_newcomer_hears_nothing_older, begin, end),
        cmocka_unit_test_setup_teardown(what_is_dropped_is_told, begin, end),
        cmocka_unit_test_setup_teardown(a_shared_branch_takes_its_turns, begin_shared, end),
        cmocka_unit_test_setup_teardown(what_a_lost_branch_said_goes_with_it, begin_shared, end),
        cmocka_unit_test_setup_teardown(a_server_without_room_is_told_once, begin_shared, end),
        cmocka_unit_test(a_text_needs_room_in_both_accounts),
    };
    return cmocka_run_group_tests_name("fan", tests, NULL, NULL);
}
