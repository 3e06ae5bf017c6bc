#include "base/sched.h"

#include "base/limits.h"

static struct mct_timer *timer_of(struct mct_heap_node *node)
{
    return MCT_CONTAINER(node, struct mct_timer, node);
}

static bool timer_before(const struct mct_heap_node *node, const struct mct_heap_node *other)
{
    const struct mct_timer *a = MCT_CONTAINER(node, const struct mct_timer, node);
    const struct mct_timer *b = MCT_CONTAINER(other, const struct mct_timer, node);
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->stamp < b->stamp;
}

static struct mct_timer *first_timer(const struct mct_sched *s)
{
    return s->timers.first ? timer_of(s->timers.first) : NULL;
}

void mct_sched_init(struct mct_sched *s)
{
    *s = (struct mct_sched){ .timers.before = timer_before };
    mct_list_init(&s->tasks);
    mct_list_init(&s->deferred);
}

uint64_t mct_sched_now(const struct mct_sched *s)
{
    return s->clock ? s->clock(s->data) : s->now_ms;
}

void mct_timer_init(struct mct_timer *t, mct_later_fn fn, void *data)
{
    *t = (struct mct_timer){ .fn = fn, .data = data };
}

void mct_timer_set(struct mct_sched *s, struct mct_timer *t, uint64_t in_ms)
{
    mct_timer_stop(s, t);
    t->due_ms = mct_sched_now(s) + in_ms;
    t->stamp = ++s->stamp;
    t->set = true;
    mct_heap_add(&s->timers, &t->node);
    if (s->planned)
        s->planned(s->data);
}

void mct_timer_stop(struct mct_sched *s, struct mct_timer *t)
{
    if (t->set)
        mct_heap_remove(&s->timers, &t->node);
    t->set = false;
}

void mct_task_init(struct mct_task *t, mct_later_fn fn, void *data)
{
    mct_list_init(&t->node);
    t->fn = fn;
    t->data = data;
}

static void enqueue(struct mct_sched *s, struct mct_list *queue, struct mct_task *t)
{
    if (mct_list_empty(&t->node)) {
        t->stamp = ++s->stamp;
        mct_list_append(queue, &t->node);
    }
    if (s->planned)
        s->planned(s->data);
}

void mct_task_post(struct mct_sched *s, struct mct_task *t)
{
    enqueue(s, &s->tasks, t);
}

void mct_task_defer(struct mct_sched *s, struct mct_task *t)
{
    enqueue(s, &s->deferred, t);
}

void mct_task_stop(struct mct_task *t)
{
    mct_list_remove(&t->node);
}

/* ---- a turn ---- */

static void run_timers(struct mct_sched *s, uint64_t last)
{
    for (struct mct_timer *t; (t = first_timer(s)) && t->due_ms <= s->now_ms && t->stamp <= last;) {
        mct_timer_stop(s, t);
        t->fn(t->data);
    }
}

static struct mct_task *first_of(const struct mct_list *queue)
{
    return mct_list_empty(queue) ? NULL : MCT_CONTAINER(queue->next, struct mct_task, node);
}

/* Runs the tasks that were posted up to the stamp `last`. */
static void run_tasks(struct mct_sched *s, uint64_t last)
{
    for (struct mct_task *t; (t = first_of(&s->tasks)) && t->stamp <= last;) {
        mct_list_remove(&t->node);
        t->fn(t->data);
    }
}

/* Puts the tasks that were deferred in front of the others. */
static void recall_deferred(struct mct_sched *s)
{
    struct mct_list posted;
    mct_list_take(&posted, &s->tasks);
    mct_list_take(&s->tasks, &s->deferred);
    MCT_LIST_EACH(it, &posted) {
        mct_list_remove(it);
        mct_list_append(&s->tasks, it);
    }
}

void mct_sched_run(struct mct_sched *s, uint64_t now_ms)
{
    if (now_ms > s->now_ms)
        s->now_ms = now_ms;
    s->turn++;
    if (!mct_list_empty(&s->deferred))
        recall_deferred(s);
    run_timers(s, s->stamp);
    for (int round = 0; round < MCT_TURN_ROUNDS && !mct_list_empty(&s->tasks); round++)
        run_tasks(s, s->stamp);
}

int64_t mct_sched_next_ms(const struct mct_sched *s)
{
    if (!mct_list_empty(&s->tasks) || !mct_list_empty(&s->deferred))
        return 0;
    const struct mct_timer *t = first_timer(s);
    if (!t)
        return -1;
    uint64_t now = mct_sched_now(s);
    return t->due_ms > now ? (int64_t)(t->due_ms - now) : 0;
}
