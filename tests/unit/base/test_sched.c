#include "unit.h"

#include "base/limits.h"
#include "base/sched/sched.h"

struct fired {
    int order[64], n;
};

static struct fired fired; /* used by this test program only */

static void note_timer(void *data)
{
    fired.order[fired.n++] = (int)(intptr_t)data;
}

static void timers_fire_in_order(void **state)
{
    static const unsigned due[] = { 50, 10, 40, 10, 30, 20, 60, 0 };
    enum { N = sizeof due / sizeof *due };
    struct mcti_timer t[N];
    struct mcti_sched s;
    (void)state;
    mcti_sched_init(&s);
    fired.n = 0;
    assert_int_equal(mcti_sched_next_ms(&s), -1);
    for (int i = 0; i < N; i++) {
        mcti_timer_init(&t[i], note_timer, (void *)(intptr_t)due[i]);
        mcti_timer_set(&s, &t[i], due[i]);
    }
    mcti_timer_stop(&s, &t[2]);    /* 40 */
    mcti_timer_set(&s, &t[0], 15); /* 50 moves to 15 */
    assert_int_equal(mcti_sched_next_ms(&s), 0);
    mcti_sched_run(&s, 35);
    static const int expected[] = { 0, 10, 10, 50, 20, 30 };
    assert_int_equal(fired.n, 6);
    assert_memory_equal(fired.order, expected, sizeof expected);
    assert_int_equal(mcti_sched_next_ms(&s), 25);
    mcti_timer_stop(&s, &t[6]);
    assert_int_equal(mcti_sched_next_ms(&s), -1);
}

static void task_posted_twice_runs_once(void **state)
{
    struct mcti_sched s;
    struct mcti_task t;
    (void)state;
    mcti_sched_init(&s);
    fired.n = 0;
    mcti_task_init(&t, note_timer, (void *)7);
    mcti_task_post(&s, &t);
    mcti_task_post(&s, &t);
    assert_int_equal(mcti_sched_next_ms(&s), 0);
    mcti_sched_run(&s, 1);
    mcti_sched_run(&s, 2);
    assert_int_equal(fired.n, 1);
}

/* A timer or a task that schedules itself again while it runs. */
struct restless {
    struct mcti_sched sched;
    struct mcti_timer timer;
    struct mcti_task task;
    int n_timer, n_task, n_deferred;
};

static void set_again(void *data)
{
    struct restless *r = data;
    if (++r->n_timer < 1000)
        mcti_timer_set(&r->sched, &r->timer, 0);
}

static void post_again(void *data)
{
    struct restless *r = data;
    if (++r->n_task < 1000)
        mcti_task_post(&r->sched, &r->task);
}

static void defer_again(void *data)
{
    struct restless *r = data;
    r->n_deferred++;
    mcti_task_defer(&r->sched, &r->task);
}

static void a_timer_that_is_set_again_waits_for_the_next_turn(void **state)
{
    struct restless r = { .n_timer = 0 };
    (void)state;
    mcti_sched_init(&r.sched);
    mcti_timer_init(&r.timer, set_again, &r);
    mcti_timer_set(&r.sched, &r.timer, 0);
    for (int turn = 1; turn <= 3; turn++) {
        mcti_sched_run(&r.sched, 5);
        assert_int_equal(r.n_timer, turn);
        assert_int_equal(mcti_sched_next_ms(&r.sched), 0);
    }
    mcti_timer_stop(&r.sched, &r.timer);
}

static void a_task_that_posts_itself_ends_the_turn(void **state)
{
    struct restless r = { .n_task = 0 };
    (void)state;
    mcti_sched_init(&r.sched);
    mcti_task_init(&r.task, post_again, &r);
    mcti_task_post(&r.sched, &r.task);
    for (int turn = 1; turn <= 3; turn++) {
        mcti_sched_run(&r.sched, 5);
        assert_int_equal(r.n_task, turn * MCT_TURN_ROUNDS);
        assert_int_equal(mcti_sched_next_ms(&r.sched), 0);
    }
    mcti_task_stop(&r.task);
}

static void a_deferred_task_runs_once_a_turn_and_first(void **state)
{
    struct restless r = { .n_task = 0 };
    struct mcti_task other;
    (void)state;
    mcti_sched_init(&r.sched);
    fired.n = 0;
    mcti_task_init(&r.task, defer_again, &r);
    mcti_task_defer(&r.sched, &r.task);
    mcti_sched_run(&r.sched, 1);
    mcti_sched_run(&r.sched, 1);
    assert_int_equal(r.n_deferred, 2);
    assert_int_equal(mcti_sched_next_ms(&r.sched), 0);
    mcti_task_stop(&r.task);
    mcti_task_init(&r.task, note_timer, (void *)1);
    mcti_task_init(&other, note_timer, (void *)2);
    mcti_task_post(&r.sched, &other);
    mcti_task_defer(&r.sched, &r.task);
    mcti_sched_run(&r.sched, 1);
    assert_int_equal(fired.n, 2);
    assert_int_equal(fired.order[0], 1);
    assert_int_equal(fired.order[1], 2);
    assert_int_equal(mcti_sched_next_ms(&r.sched), -1);
}

static void timers_of_one_moment_run_as_they_were_set(void **state)
{
    enum { N = 40 };
    struct mcti_timer t[N];
    struct mcti_sched s;
    (void)state;
    mcti_sched_init(&s);
    fired.n = 0;
    for (int i = 0; i < N; i++) {
        mcti_timer_init(&t[i], note_timer, (void *)(intptr_t)i);
        mcti_timer_set(&s, &t[i], 7);
    }
    mcti_sched_run(&s, 7);
    assert_int_equal(fired.n, N);
    for (int i = 0; i < N; i++)
        assert_int_equal(fired.order[i], i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_fire_in_order),
        cmocka_unit_test(task_posted_twice_runs_once),
        cmocka_unit_test(a_timer_that_is_set_again_waits_for_the_next_turn),
        cmocka_unit_test(a_task_that_posts_itself_ends_the_turn),
        cmocka_unit_test(a_deferred_task_runs_once_a_turn_and_first),
        cmocka_unit_test(timers_of_one_moment_run_as_they_were_set),
    };
    return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}
