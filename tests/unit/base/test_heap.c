/* The heap against a model that looks through all nodes. */
#include "unit.h"

#include "base/sched/heap.h"
#include "base/list.h"

enum { N_NODES = 200, N_STEPS = 5000, N_SEEDS = 20 };

struct thing {
    struct mcti_heap_node node;
    unsigned key;
    bool in;
};

static struct thing things[N_NODES];
static struct mcti_heap heap;
static uint64_t seed;

static unsigned draw(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

static bool thing_before(const struct mcti_heap_node *a, const struct mcti_heap_node *b)
{
    return MCT_CONTAINER(a, const struct thing, node)->key < MCT_CONTAINER(b, const struct thing, node)->key;
}

/* Checks order and links below `node`; returns the number of nodes there. */
static size_t checked_below(struct mcti_heap_node *node)
{
    size_t n = 0;
    struct mcti_heap_node *prev = node;
    for (struct mcti_heap_node *it = node->child; it; prev = it, it = it->next) {
        assert_ptr_equal(it->prev, prev);
        assert_false(thing_before(it, node));
        n += 1 + checked_below(it);
    }
    return n;
}

static void check(void)
{
    const struct thing *least = NULL;
    size_t n = 0;
    for (struct thing *t = things; t < things + N_NODES; t++) {
        n += t->in;
        if (t->in && (!least || t->key < least->key))
            least = t;
    }
    if (!least) {
        assert_null(heap.first);
        return;
    }
    assert_non_null(heap.first);
    assert_int_equal(MCT_CONTAINER(heap.first, struct thing, node)->key, least->key);
    assert_null(heap.first->prev);
    assert_null(heap.first->next);
    assert_int_equal(1 + checked_below(heap.first), n);
}

static void take_out(struct thing *t)
{
    mcti_heap_remove(&heap, &t->node);
    t->in = false;
}

/* Adds and removes at random: more nodes come in the first half of the steps, more go in the second. */
static void random_steps(void)
{
    for (unsigned step = 0; step < N_STEPS; step++) {
        struct thing *t = &things[draw(N_NODES)];
        if (t->in && (step > N_STEPS / 2 || draw(4) == 0)) {
            take_out(t);
        } else if (!t->in && (step <= N_STEPS / 2 || draw(4) == 0)) {
            t->key = draw(100);
            t->in = true;
            mcti_heap_add(&heap, &t->node);
        } else if (heap.first && draw(2)) {
            take_out(MCT_CONTAINER(heap.first, struct thing, node));
        }
        if (step % 7 == 0)
            check();
    }
}

static void the_heap_does_what_the_model_does(void **state)
{
    (void)state;
    for (unsigned run = 1; run <= N_SEEDS; run++) {
        heap = (struct mcti_heap){ .before = thing_before };
        memset(things, 0, sizeof things);
        seed = run;
        random_steps();
        for (unsigned last = 0; heap.first; check()) {
            struct thing *t = MCT_CONTAINER(heap.first, struct thing, node);
            assert_true(t->key >= last);
            last = t->key;
            take_out(t);
        }
    }
}

/* Neither adding nor removing recurses. */
static void many_nodes_need_no_stack(void **state)
{
    enum { MANY = 1000000 };
    struct thing *many = calloc(MANY, sizeof *many);
    (void)state;
    assert_non_null(many);
    heap = (struct mcti_heap){ .before = thing_before };
    for (unsigned i = 0; i < MANY; i++) {
        many[i].key = i % 2 ? i : MANY - i;
        mcti_heap_add(&heap, &many[i].node);
    }
    unsigned last = 0;
    for (unsigned i = 0; i < MANY; i++) {
        struct thing *t = MCT_CONTAINER(heap.first, struct thing, node);
        assert_true(t->key >= last);
        last = t->key;
        mcti_heap_remove(&heap, &t->node);
    }
    assert_null(heap.first);
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heap_does_what_the_model_does),
        cmocka_unit_test(many_nodes_need_no_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
