/* What the unfinished answers of one server may hold, as its transport asks for it. */
#include "unit.h"

#include "base/account.h"
#include "base/limits.h"
#include "hub/server/server.h"

enum { PIECE = 16384 };

static struct mcti_transport quiet;

static int quiet_open(struct mcti_transport *t, struct mct_error *err)
{
    (void)t;
    (void)err;
    return 0;
}

static int quiet_send(struct mcti_transport *t, struct mcti_str frame, void *lane)
{
    (void)t;
    (void)frame;
    (void)lane;
    return 0;
}

static void quiet_end(struct mcti_transport *t)
{
    (void)t;
}

static struct mcti_transport *quiet_connect(void *data, unsigned variant, struct mct_error *err)
{
    static const struct mcti_transport_ops ops = {
        .name = "quiet", .open = quiet_open, .send = quiet_send, .close = quiet_end, .free = quiet_end
    };
    (void)data;
    (void)variant;
    (void)err;
    quiet = (struct mcti_transport){ .ops = &ops };
    return &quiet;
}

/* Answers that come in small pieces are not many that hold little: the reserve of the share is left for others. */
static void streamed_answers_leave_the_reserve(void **state)
{
    struct mcti_sched sched;
    struct mcti_memory memory;
    size_t charged = 0, other = 0;
    (void)state;
    mcti_sched_init(&sched);
    mcti_memory_init(&memory, &(struct mcti_memory_opts){ .bytes = 64u << 20, .server_share = 50 });
    const struct mcti_account_rule *rule = &memory.rules[MCT_LEVEL_SERVER];
    const struct mcti_mcp_opts opts = { .connect = quiet_connect,
                                        .sched = &sched,
                                        .era = MCT_ERA_HANDSHAKE,
                                        .start_timeout_ms = 1000,
                                        .message_bytes = 1u << 20 };
    struct mcti_provider *p = mcti_provider_mcp_new("s", &opts, NULL);
    p->payer.account.rule = rule;
    p->ops->start(p);
    const struct mcti_transport_events *e = &quiet.events;
    while (e->on_hold(e->data, &charged, charged + PIECE))
        assert_true(charged <= rule->share);
    assert_int_equal(p->payer.account.held, charged);
    assert_in_range(charged, rule->share - rule->reserve - PIECE, rule->share - rule->reserve);
    assert_null(mcti_account_set(&p->payer.account, MCT_HELD_CALL, &other,
                                 MCT_LIMIT_SMALL_BYTES)); /* a call that holds little */
    mcti_account_put(&p->payer.account, MCT_HELD_CALL, &other, 0);
    assert_true(e->on_hold(e->data, &charged, 0));
    assert_int_equal(p->payer.account.held, 0);
    p->ops->free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(streamed_answers_leave_the_reserve) };
    return cmocka_run_group_tests_name("server_memory", tests, NULL, NULL);
}
