#include "base/sched.h"

#include "base/limits.h"

#include <stdlib.h>

void mct_sched_init(struct mct_sched *s)
{
    *s = (struct mct_sched){ 0 };
    mct_list_init(&s->tasks);
    mct_list_init(&s->deferred);
}

void mct_sched_done(struct mct_sched *s)
{
    free(s->heap);
    s->heap = NULL;
    s->n_timers = s->cap = 0;
}

static bool comes_before(const struct mct_timer *a, const struct mct_timer *b)
{
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->stamp < b->stamp;
}

static void place(struct mct_sched *s, size_t slot, struct mct_timer *t)
{
    s->heap[slot - 1] = t;
    t->slot = slot;
}

static void sift_up(struct mct_sched *s, size_t slot, struct mct_timer *t)
{
    while (slot > 1 && comes_before(t, s->heap[slot / 2 - 1])) {
        place(s, slot, s->heap[slot / 2 - 1]);
        slot /= 2;
    }
    place(s, slot, t);
}

static void sift_down(struct mct_sched *s, size_t slot, struct mct_timer *t)
{
    for (size_t child; (child = slot * 2) <= s->n_timers; slot = child) {
        if (child < s->n_timers && comes_before(s->heap[child], s->heap[child - 1]))
            child++;
        if (!comes_before(s->heap[child - 1], t))
            break;
        place(s, slot, s->heap[child - 1]);
    }
    place(s, slot, t);
}

uint64_t mct_sched_now(const struct mct_sched *s)
{
    return s->clock ? s->clock(s->data) : s->now_ms;
}

void mct_timer_init(struct mct_timer *t, mct_later_fn fn, void *data)
{
    *t = (struct mct_timer){ .fn = fn, .data = data };
}

int mct_timer_set(struct mct_sched *s, struct mct_timer *t, uint64_t in_ms)
{
    mct_timer_stop(s, t);
    if (s->n_timers == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 16;
        struct mct_timer **heap = realloc(s->heap, cap * sizeof *heap);
        if (!heap)
            return -1;
        s->heap = heap;
        s->cap = cap;
    }
    t->due_ms = mct_sched_now(s) + in_ms;
    t->stamp = ++s->stamp;
    sift_up(s, ++s->n_timers, t);
    if (s->planned)
        s->planned(s->data);
    return 0;
}

void mct_timer_stop(struct mct_sched *s, struct mct_timer *t)
{
    size_t slot = t->slot;
    if (!slot)
        return;
    t->slot = 0;
    struct mct_timer *last = s->heap[--s->n_timers];
    if (last == t)
        return;
    if (slot > 1 && comes_before(last, s->heap[slot / 2 - 1]))
        sift_up(s, slot, last);
    else
        sift_down(s, slot, last);
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
    while (s->n_timers && s->heap[0]->due_ms <= s->now_ms && s->heap[0]->stamp <= last) {
        struct mct_timer *t = s->heap[0];
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
    if (!s->n_timers)
        return -1;
    uint64_t due = s->heap[0]->due_ms, now = mct_sched_now(s);
    return due > now ? (int64_t)(due - now) : 0;
}
