/* How many servers start at the same time, and what becomes of those that were never started. */
#include "unit.h"

#include "hub/core/registry.h"

struct world {
    struct mcti_sched sched;
    struct mcti_registry r;
    struct mcti_provider p[5];
    unsigned n_started, n_stopped;
    bool stopped;
    uint64_t now_ms;
};

static struct world world;

static void starting_start(struct mcti_provider *p)
{
    world.n_started++;
    mcti_provider_set_state(p, MCT_CONNECTING, NULL);
}

static void starting_stop(struct mcti_provider *p)
{
    world.n_stopped++;
    p->events.stopped(p->events.data, p);
}

static void on_all_stopped(void *data)
{
    ((struct world *)data)->stopped = true;
}

static const struct mcti_provider_ops starting_ops = {
    .type = "start", .start = starting_start, .stop = starting_stop, .free = mcti_provider_done
};

static void open_world(size_t max)
{
    world = (struct world){ .now_ms = 1000 };
    mcti_sched_init(&world.sched);
    mcti_sched_run(&world.sched, world.now_ms);
    mcti_registry_init(&world.r, &world.sched);
    world.r.max_starting = max;
    for (int i = 0; i < 5; i++) {
        char name[2] = { (char)('a' + i), '\0' };
        assert_int_equal(mcti_provider_init(&world.p[i], &starting_ops, name, &world.sched, NULL), 0);
        assert_int_equal(mcti_registry_add(&world.r, &world.p[i]), 0);
    }
    mcti_registry_start_all(&world.r);
    mcti_sched_run(&world.sched, ++world.now_ms);
}

static void settle(int i)
{
    mcti_provider_settle(&world.p[i]);
    mcti_sched_run(&world.sched, ++world.now_ms);
}

static void all_start_without_a_limit(void **state)
{
    (void)state;
    open_world(0);
    assert_int_equal(world.n_started, 5);
    mcti_registry_done(&world.r);
}

static void the_others_follow(void **state)
{
    (void)state;
    open_world(2);
    assert_int_equal(world.n_started, 2);
    assert_int_equal(mcti_registry_hold_ms(&world.r, 3000) > 0, true);
    settle(1);
    assert_int_equal(world.n_started, 3);
    assert_true(world.p[2].started && !world.p[3].started);
    mcti_registry_restart(&world.r, &world.p[4]); /* a person wants it now */
    assert_int_equal(world.n_started, 4);
    settle(0);
    settle(2);
    settle(4);
    assert_int_equal(world.n_started, 5);
    assert_false(mcti_registry_settled(&world.r));
    settle(3);
    assert_true(mcti_registry_settled(&world.r));
    mcti_registry_stop(&world.r, on_all_stopped, &world);
    assert_int_equal(world.n_stopped, 5);
    assert_true(world.stopped);
    mcti_registry_done(&world.r);
}

static void what_was_not_started_is_not_stopped(void **state)
{
    (void)state;
    open_world(2);
    assert_int_equal(mcti_registry_retire(&world.r, &world.p[4]), 0);
    mcti_sched_run(&world.sched, ++world.now_ms);
    mcti_registry_stop(&world.r, on_all_stopped, &world);
    assert_int_equal(world.n_stopped, 2);
    assert_true(world.stopped);
    settle(0);
    assert_int_equal(world.n_started, 2);
    mcti_registry_done(&world.r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_start_without_a_limit),
        cmocka_unit_test(the_others_follow),
        cmocka_unit_test(what_was_not_started_is_not_stopped),
    };
    return cmocka_run_group_tests_name("starting", tests, NULL, NULL);
}
