/* The fair queue: turns of groups and lanes, order in a lane, and who gives way when it is full. */
#include "unit.h"

#include "hub/guard/fair.h"

enum { N = 64 };

static struct mcti_fair queue;
static struct mcti_fair_item items[N];

static void push(int i, uint64_t group, uint64_t lane)
{
    assert_int_equal(mcti_fair_push(&queue, &items[i], &(struct mcti_fair_key){ group, lane }), 0);
}

static void expect(const int *order, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_ptr_equal(mcti_fair_pop(&queue), &items[order[i]]);
    assert_null(mcti_fair_pop(&queue));
    assert_int_equal(queue.lanes.n, 0);
}

static void groups_and_lanes_take_turns(void **state)
{
    const int order[] = { 0, 6, 4, 7, 1, 8, 5, 2, 3 };
    (void)state;
    mcti_fair_init(&queue);
    for (int i = 0; i < 4; i++)
        push(i, 1, 1);
    push(4, 1, 2);
    push(5, 1, 2);
    for (int i = 6; i < 9; i++)
        push(i, 2, 1);
    expect(order, 9);
    mcti_fair_done(&queue);
}

static void one_who_comes_later_waits_one_round(void **state)
{
    (void)state;
    mcti_fair_init(&queue);
    for (int i = 0; i < 50; i++)
        push(i, 1, (uint64_t)i); /* very many sessions */
    assert_ptr_equal(mcti_fair_pop(&queue), &items[0]);
    push(60, 2, 1);
    assert_ptr_equal(mcti_fair_pop(&queue), &items[1]);
    assert_ptr_equal(mcti_fair_pop(&queue), &items[60]);
    while (mcti_fair_pop(&queue))
        ;
    mcti_fair_done(&queue);
}

static void removed_items_leave_no_trace(void **state)
{
    const int order[] = { 0, 3 };
    (void)state;
    mcti_fair_init(&queue);
    push(0, 1, 1);
    push(1, 1, 1);
    push(2, 2, 1);
    push(3, 1, 2);
    mcti_fair_remove(&queue, &items[2]);
    mcti_fair_remove(&queue, &items[1]);
    assert_int_equal(queue.n, 2);
    expect(order, 2);
    mcti_fair_done(&queue);
}

static void the_one_with_most_gives_way(void **state)
{
    (void)state;
    mcti_fair_init(&queue);
    assert_null(mcti_fair_loser(&queue, &(struct mcti_fair_key){ 1, 1 }));
    for (int i = 0; i < 4; i++)
        push(i, 1, 1);
    push(4, 1, 2);
    push(5, 2, 1);
    /* the newest of the longest lane of the longest group */
    assert_ptr_equal(mcti_fair_loser(&queue, &(struct mcti_fair_key){ 3, 1 }), &items[3]);
    assert_ptr_equal(mcti_fair_loser(&queue, &(struct mcti_fair_key){ 2, 1 }), &items[3]);
    /* another session of the same group */
    assert_ptr_equal(mcti_fair_loser(&queue, &(struct mcti_fair_key){ 1, 2 }), &items[3]);
    assert_ptr_equal(mcti_fair_loser(&queue, &(struct mcti_fair_key){ 1, 3 }), &items[3]);
    /* itself */
    assert_null(mcti_fair_loser(&queue, &(struct mcti_fair_key){ 1, 1 }));
    while (mcti_fair_pop(&queue))
        ;
    mcti_fair_done(&queue);
}

/* Giving way makes both equal; it does not go back and forth. */
static void equals_do_not_displace_each_other(void **state)
{
    (void)state;
    mcti_fair_init(&queue);
    push(0, 1, 1);
    push(1, 1, 1);
    push(2, 2, 1);
    assert_null(mcti_fair_loser(&queue, &(struct mcti_fair_key){ 2, 1 }));
    assert_ptr_equal(mcti_fair_loser(&queue, &(struct mcti_fair_key){ 3, 1 }), &items[1]);
    while (mcti_fair_pop(&queue))
        ;
    mcti_fair_done(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(groups_and_lanes_take_turns),
                                        cmocka_unit_test(one_who_comes_later_waits_one_round),
                                        cmocka_unit_test(removed_items_leave_no_trace),
                                        cmocka_unit_test(the_one_with_most_gives_way),
                                        cmocka_unit_test(equals_do_not_displace_each_other) };
    return cmocka_run_group_tests_name("fair queue", tests, NULL, NULL);
}
