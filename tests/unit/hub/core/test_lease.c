/* When removed providers are freed: after they have stopped, when nothing names them any more. */
#include "unit.h"

#include "hub/core/branch.h"
#include "hub/core/lease.h"

#include <stdlib.h>

static struct {
    struct mcti_sched sched;
    struct mcti_registry r;
    struct mcti_watcher watcher;
    struct mcti_provider *stopping; /* has begun to stop */
    bool stops_later, in_callback;
    unsigned n_freed, n_left;
    uint64_t now_ms;
} world;

static void lease_start(struct mcti_provider *p)
{
    mcti_provider_set_state(p, MCT_CONNECTED, NULL);
}

static void lease_stopped(struct mcti_provider *p)
{
    world.in_callback = true;
    mcti_provider_set_state(p, MCT_DISCONNECTED, NULL);
    p->events.stopped(p->events.data, p);
    world.in_callback = false;
}

static void lease_stop(struct mcti_provider *p)
{
    if (world.stops_later)
        world.stopping = p;
    else
        lease_stopped(p);
}

static void lease_free(struct mcti_provider *p)
{
    assert_false(world.in_callback);
    world.n_freed++;
    mcti_provider_done(p);
    free(p);
}

static struct mcti_provider *lease_branch(struct mcti_provider *p, const struct mcti_answerer *can, bool handshake);

static const struct mcti_provider_ops lease_ops = {
    .type = "lease", .start = lease_start, .stop = lease_stop, .branch = lease_branch, .free = lease_free
};

static struct mcti_provider *make(void)
{
    struct mcti_provider *p = calloc(1, sizeof *p);
    assert_non_null(p);
    assert_int_equal(mcti_provider_init(p, &lease_ops, "s", &world.sched, NULL), 0);
    return p;
}

static struct mcti_provider *lease_branch(struct mcti_provider *p, const struct mcti_answerer *can, bool handshake)
{
    (void)p, (void)can, (void)handshake;
    return make();
}

static void on_left(struct mcti_watcher *w, struct mcti_provider *p)
{
    (void)w;
    assert_true(p->retired);
    assert_ptr_not_equal(mcti_registry_find(&world.r, MCT_STR("s")), p);
    world.n_left++;
}

static void turns(void)
{
    for (int i = 0; i < 5; i++)
        mcti_sched_run(&world.sched, world.now_ms += 100);
}

static int begin(void **state)
{
    (void)state;
    memset(&world, 0, sizeof world);
    mcti_sched_init(&world.sched);
    mcti_registry_init(&world.r, &world.sched);
    assert_int_equal(mcti_registry_add(&world.r, make()), 0);
    world.watcher.left = on_left;
    mcti_registry_watch(&world.r, &world.watcher);
    mcti_registry_start_all(&world.r);
    turns();
    return 0;
}

static int end(void **state)
{
    (void)state;
    mcti_watcher_remove(&world.watcher);
    mcti_registry_done(&world.r);
    return 0;
}

static void replace(void)
{
    struct mcti_provider *fresh = make();
    assert_int_equal(mcti_registry_replace(&world.r, world.r.v[0], fresh, 60000), 0);
    mcti_registry_start_one(&world.r, fresh);
}

static void many_replacements_leave_nothing(void **state)
{
    (void)state;
    for (unsigned i = 1; i <= 1000; i++) {
        replace();
        turns();
        assert_int_equal(world.n_freed, i);
        assert_int_equal(world.n_left, i);
    }
    assert_int_equal(world.r.n_retired, 0);
    assert_int_equal(world.r.n_running, 1);
}

static void it_is_not_freed_before_it_has_stopped(void **state)
{
    (void)state;
    world.stops_later = true;
    replace();
    turns();
    assert_non_null(world.stopping);
    assert_int_equal(world.n_freed + world.n_left, 0);
    lease_stopped(world.stopping);
    assert_int_equal(world.n_freed + world.n_left, 0);
    turns();
    assert_int_equal(world.n_freed, 1);
}

static void a_lease_from_before_keeps_it(void **state)
{
    struct mcti_lease first = { 0 }, second = { 0 }, later = { 0 };
    (void)state;
    mcti_lease_begin(&first, &world.r);
    mcti_lease_begin(&second, &world.r);
    replace();
    turns();
    assert_int_equal(world.n_left, 1);
    mcti_lease_begin(&later, &world.r);
    mcti_lease_end(&second);
    turns();
    assert_int_equal(world.n_freed, 0);
    mcti_lease_end(&first);
    assert_int_equal(world.n_freed, 0); /* not in the call that ends it */
    turns();
    assert_int_equal(world.n_freed, 1);
    assert_int_equal(world.n_left, 2);
    replace(); /* the lease that is left is older than this one */
    turns();
    assert_int_equal(world.n_freed, 1);
    mcti_lease_end(&later);
    mcti_lease_end(&later); /* once is enough */
    turns();
    assert_int_equal(world.n_freed, 2);
}

static void a_branch_keeps_it(void **state)
{
    struct mct_error err;
    (void)state;
    struct mcti_branch *b = mcti_branch_get(&world.r, world.r.v[0], &(struct mcti_branch_key){ .text = "one" }, &err);
    assert_non_null(b);
    mcti_branch_use(b);
    replace();
    turns();
    assert_int_equal(world.n_freed + world.n_left, 0);
    mcti_branch_unuse(b);
    turns();
    assert_int_equal(world.n_freed, 2);
    assert_true(mcti_list_empty(&world.r.branches));
}

static void what_was_never_started_goes_too(void **state)
{
    (void)state;
    assert_int_equal(mcti_registry_add(&world.r, make()), 0);
    assert_int_equal(mcti_registry_retire(&world.r, world.r.v[1]), 0);
    turns();
    assert_int_equal(world.n_freed, 1);
    struct mcti_provider *prepared = make();
    mcti_registry_prepare(&world.r, prepared, NULL, NULL);
    assert_int_equal(mcti_registry_discard(&world.r, prepared), 0);
    turns();
    assert_int_equal(world.n_freed, 2);
    assert_int_equal(world.r.n_retired, 0);
}

static void the_registry_may_end_first(void **state)
{
    struct mcti_lease lease = { 0 };
    mcti_lease_begin(&lease, &world.r);
    replace();
    turns();
    assert_int_equal(world.r.n_retired, 1);
    mcti_registry_done(&world.r);
    assert_int_equal(world.n_freed, 2);
    mcti_lease_end(&lease);
    assert_int_equal(begin(state), 0);
}

static void names_and_texts_outlive_it(void **state)
{
    struct mcti_account whole = { 0 };
    struct mcti_provider *p = world.r.v[0];
    struct mcti_text *label = mcti_text_ref(p->label), *said = mcti_text_new(MCT_STR("hello"), &whole, &p->payer);
    (void)state;
    assert_int_equal(p->payer.account.held, whole.held);
    replace();
    turns();
    assert_int_equal(world.n_freed, 1);
    assert_string_equal(label->p, "s");
    mcti_text_unref(said);
    mcti_text_unref(label);
    assert_int_equal(whole.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(many_replacements_leave_nothing, begin, end),
        cmocka_unit_test_setup_teardown(it_is_not_freed_before_it_has_stopped, begin, end),
        cmocka_unit_test_setup_teardown(a_lease_from_before_keeps_it, begin, end),
        cmocka_unit_test_setup_teardown(a_branch_keeps_it, begin, end),
        cmocka_unit_test_setup_teardown(what_was_never_started_goes_too, begin, end),
        cmocka_unit_test_setup_teardown(the_registry_may_end_first, begin, end),
        cmocka_unit_test_setup_teardown(names_and_texts_outlive_it, begin, end),
    };
    return cmocka_run_group_tests_name("lease", tests, NULL, NULL);
}
