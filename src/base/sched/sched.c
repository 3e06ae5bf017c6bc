#include "base/sched/sched.h"

#include "base/limits.h"

static struct mcti_timer *timer_of(struct mcti_heap_node *node)
{
    return MCT_CONTAINER(node, struct mcti_timer, node);
}

static bool timer_before(const struct mcti_heap_node *node, const struct mcti_heap_node *other)
{
    const struct mcti_timer *a = MCT_CONTAINER(node, const struct mcti_timer, node);
    const struct mcti_timer *b = MCT_CONTAINER(other, const struct mcti_timer, node);
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->stamp < b->stamp;
}

static struct mcti_timer *first_timer(const struct mcti_sched *s)
{
    return s->timers.first ? timer_of(s->timers.first) : NULL;
}

void mcti_sched_init(struct mcti_sched *s)
{
    *s = (struct mcti_sched){ .timers.before = timer_before };
    mcti_list_init(&s->tasks);
    mcti_list_init(&s->deferred);
}

uint64_t mcti_sched_now(const struct mcti_sched *s)
{
    return s->clock ? s->clock(s->data) : s->now_ms;
}

void mcti_timer_init(struct mcti_timer *t, mcti_later_fn fn, void *data)
{
    *t = (struct mcti_timer){ .fn = fn, .data = data };
}

void mcti_timer_set(struct mcti_sched *s, struct mcti_timer *t, uint64_t in_ms)
{
    mcti_timer_stop(s, t);
    t->due_ms = mcti_sched_now(s) + in_ms;
    t->stamp = ++s->stamp;
    t->set = true;
    mcti_heap_add(&s->timers, &t->node);
    if (s->planned)
        s->planned(s->data);
}

void mcti_timer_stop(struct mcti_sched *s, struct mcti_timer *t)
{
    if (t->set)
        mcti_heap_remove(&s->timers, &t->node);
    t->set = false;
}

void mcti_task_init(struct mcti_task *t, mcti_later_fn fn, void *data)
{
    mcti_list_init(&t->node);
    t->fn = fn;
    t->data = data;
}

static void sched_enqueue(struct mcti_sched *s, struct mcti_list *queue, struct mcti_task *t)
{
    if (mcti_list_empty(&t->node)) {
        t->stamp = ++s->stamp;
        mcti_list_append(queue, &t->node);
    }
    if (s->planned)
        s->planned(s->data);
}

void mcti_task_post(struct mcti_sched *s, struct mcti_task *t)
{
    sched_enqueue(s, &s->tasks, t);
}

void mcti_task_defer(struct mcti_sched *s, struct mcti_task *t)
{
    sched_enqueue(s, &s->deferred, t);
}

void mcti_task_stop(struct mcti_task *t)
{
    mcti_list_remove(&t->node);
}

/* ---- a turn ---- */

static void run_timers(struct mcti_sched *s, uint64_t last)
{
    for (struct mcti_timer *t; (t = first_timer(s)) && t->due_ms <= s->now_ms && t->stamp <= last;) {
        mcti_timer_stop(s, t);
        t->fn(t->data);
    }
}

static struct mcti_task *sched_first_of(const struct mcti_list *queue)
{
    return mcti_list_empty(queue) ? NULL : MCT_CONTAINER(queue->next, struct mcti_task, node);
}

/* Runs the tasks that were posted up to the stamp `last`. */
static void run_tasks(struct mcti_sched *s, uint64_t last)
{
    for (struct mcti_task *t; (t = sched_first_of(&s->tasks)) && t->stamp <= last;) {
        mcti_list_remove(&t->node);
        t->fn(t->data);
    }
}

/* Moves the deferred tasks to the front of the queue. */
static void recall_deferred(struct mcti_sched *s)
{
    struct mcti_list posted;
    mcti_list_take(&posted, &s->tasks);
    mcti_list_take(&s->tasks, &s->deferred);
    MCT_LIST_EACH(it, &posted) {
        mcti_list_remove(it);
        mcti_list_append(&s->tasks, it);
    }
}

void mcti_sched_run(struct mcti_sched *s, uint64_t now_ms)
{
    if (now_ms > s->now_ms)
        s->now_ms = now_ms;
    s->turn++;
    if (!mcti_list_empty(&s->deferred))
        recall_deferred(s);
    run_timers(s, s->stamp);
    for (int round = 0; round < MCT_TURN_ROUNDS && !mcti_list_empty(&s->tasks); round++)
        run_tasks(s, s->stamp);
}

int64_t mcti_sched_next_ms(const struct mcti_sched *s)
{
    if (!mcti_list_empty(&s->tasks) || !mcti_list_empty(&s->deferred))
        return 0;
    const struct mcti_timer *t = first_timer(s);
    if (!t)
        return -1;
    uint64_t now = mcti_sched_now(s);
    return t->due_ms > now ? (int64_t)(t->due_ms - now) : 0;
}
