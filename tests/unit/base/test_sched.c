#include "unit.h"

#include "base/limits.h"
#include "base/sched.h"

struct fired {
    int order[64], n;
};

static struct fired fired; /* of this test program alone */

static void note_timer(void *data)
{
    fired.order[fired.n++] = (int)(intptr_t)data;
}

static void timers_fire_in_order(void **state)
{
    static const unsigned due[] = { 50, 10, 40, 10, 30, 20, 60, 0 };
    enum { N = sizeof due / sizeof *due };
    struct mct_timer t[N];
    struct mct_sched s;
    (void)state;
    mct_sched_init(&s);
    fired.n = 0;
    assert_int_equal(mct_sched_next_ms(&s), -1);
    for (int i = 0; i < N; i++) {
        mct_timer_init(&t[i], note_timer, (void *)(intptr_t)due[i]);
        mct_timer_set(&s, &t[i], due[i]);
    }
    mct_timer_stop(&s, &t[2]);    /* 40 */
    mct_timer_set(&s, &t[0], 15); /* 50 moves to 15 */
    assert_int_equal(mct_sched_next_ms(&s), 0);
    mct_sched_run(&s, 35);
    static const int expected[] = { 0, 10, 10, 50, 20, 30 };
    assert_int_equal(fired.n, 6);
    assert_memory_equal(fired.order, expected, sizeof expected);
    assert_int_equal(mct_sched_next_ms(&s), 25);
    mct_timer_stop(&s, &t[6]);
    assert_int_equal(mct_sched_next_ms(&s), -1);
    mct_sched_done(&s);
}

static void task_posted_twice_runs_once(void **state)
{
    struct mct_sched s;
    struct mct_task t;
    (void)state;
    mct_sched_init(&s);
    fired.n = 0;
    mct_task_init(&t, note_timer, (void *)7);
    mct_task_post(&s, &t);
    mct_task_post(&s, &t);
    assert_int_equal(mct_sched_next_ms(&s), 0);
    mct_sched_run(&s, 1);
    mct_sched_run(&s, 2);
    assert_int_equal(fired.n, 1);
    mct_sched_done(&s);
}

/* A timer or a task that asks for its next run inside its own. */
struct restless {
    struct mct_sched sched;
    struct mct_timer timer;
    struct mct_task task;
    int n_timer, n_task, n_deferred;
};

static void set_again(void *data)
{
    struct restless *r = data;
    if (++r->n_timer < 1000)
        mct_timer_set(&r->sched, &r->timer, 0);
}

static void post_again(void *data)
{
    struct restless *r = data;
    if (++r->n_task < 1000)
        mct_task_post(&r->sched, &r->task);
}

static void defer_again(void *data)
{
    struct restless *r = data;
    r->n_deferred++;
    mct_task_defer(&r->sched, &r->task);
}

static void a_timer_that_is_set_again_waits_for_the_next_turn(void **state)
{
    struct restless r = { .n_timer = 0 };
    (void)state;
    mct_sched_init(&r.sched);
    mct_timer_init(&r.timer, set_again, &r);
    mct_timer_set(&r.sched, &r.timer, 0);
    for (int turn = 1; turn <= 3; turn++) {
        mct_sched_run(&r.sched, 5);
        assert_int_equal(r.n_timer, turn);
        assert_int_equal(mct_sched_next_ms(&r.sched), 0);
    }
    mct_timer_stop(&r.sched, &r.timer);
    mct_sched_done(&r.sched);
}

static void a_task_that_posts_itself_ends_the_turn(void **state)
{
    struct restless r = { .n_task = 0 };
    (void)state;
    mct_sched_init(&r.sched);
    mct_task_init(&r.task, post_again, &r);
    mct_task_post(&r.sched, &r.task);
    for (int turn = 1; turn <= 3; turn++) {
        mct_sched_run(&r.sched, 5);
        assert_int_equal(r.n_task, turn * MCT_TURN_ROUNDS);
        assert_int_equal(mct_sched_next_ms(&r.sched), 0);
    }
    mct_task_stop(&r.task);
    mct_sched_done(&r.sched);
}

static void a_deferred_task_runs_once_a_turn_and_first(void **state)
{
    struct restless r = { .n_task = 0 };
    struct mct_task other;
    (void)state;
    mct_sched_init(&r.sched);
    fired.n = 0;
    mct_task_init(&r.task, defer_again, &r);
    mct_task_defer(&r.sched, &r.task);
    mct_sched_run(&r.sched, 1);
    mct_sched_run(&r.sched, 1);
    assert_int_equal(r.n_deferred, 2);
    assert_int_equal(mct_sched_next_ms(&r.sched), 0);
    mct_task_stop(&r.task);
    mct_task_init(&r.task, note_timer, (void *)1);
    mct_task_init(&other, note_timer, (void *)2);
    mct_task_post(&r.sched, &other);
    mct_task_defer(&r.sched, &r.task);
    mct_sched_run(&r.sched, 1);
    assert_int_equal(fired.n, 2);
    assert_int_equal(fired.order[0], 1);
    assert_int_equal(fired.order[1], 2);
    assert_int_equal(mct_sched_next_ms(&r.sched), -1);
    mct_sched_done(&r.sched);
}

static void timers_of_one_moment_run_as_they_were_set(void **state)
{
    enum { N = 40 };
    struct mct_timer t[N];
    struct mct_sched s;
    (void)state;
    mct_sched_init(&s);
    fired.n = 0;
    for (int i = 0; i < N; i++) {
        mct_timer_init(&t[i], note_timer, (void *)(intptr_t)i);
        mct_timer_set(&s, &t[i], 7);
    }
    mct_sched_run(&s, 7);
    assert_int_equal(fired.n, N);
    for (int i = 0; i < N; i++)
        assert_int_equal(fired.order[i], i);
    mct_sched_done(&s);
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
