#include "base/sched.h"

#include <stdlib.h>

void mct_sched_init(struct mct_sched *s)
{
    *s = (struct mct_sched){ 0 };
    mct_list_init(&s->tasks);
}

void mct_sched_done(struct mct_sched *s)
{
    free(s->heap);
    s->heap = NULL;
    s->n_timers = s->cap = 0;
}

static void place(struct mct_sched *s, size_t slot, struct mct_timer *t)
{
    s->heap[slot - 1] = t;
    t->slot = slot;
}

static void sift_up(struct mct_sched *s, size_t slot, struct mct_timer *t)
{
    while (slot > 1 && s->heap[slot / 2 - 1]->due_ms > t->due_ms) {
        place(s, slot, s->heap[slot / 2 - 1]);
        slot /= 2;
    }
    place(s, slot, t);
}

static void sift_down(struct mct_sched *s, size_t slot, struct mct_timer *t)
{
    for (size_t child; (child = slot * 2) <= s->n_timers; slot = child) {
        if (child < s->n_timers && s->heap[child]->due_ms < s->heap[child - 1]->due_ms)
            child++;
        if (s->heap[child - 1]->due_ms >= t->due_ms)
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
    if (slot > 1 && s->heap[slot / 2 - 1]->due_ms > last->due_ms)
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

void mct_task_post(struct mct_sched *s, struct mct_task *t)
{
    if (mct_list_empty(&t->node))
        mct_list_append(&s->tasks, &t->node);
    if (s->planned)
        s->planned(s->data);
}

void mct_task_stop(struct mct_task *t)
{
    mct_list_remove(&t->node);
}

void mct_sched_run(struct mct_sched *s, uint64_t now_ms)
{
    if (now_ms > s->now_ms)
        s->now_ms = now_ms;
    while (s->n_timers && s->heap[0]->due_ms <= s->now_ms) {
        struct mct_timer *t = s->heap[0];
        mct_timer_stop(s, t);
        t->fn(t->data);
    }
    while (!mct_list_empty(&s->tasks)) {
        struct mct_task *t = MCT_CONTAINER(s->tasks.next, struct mct_task, node);
        mct_list_remove(&t->node);
        t->fn(t->data);
    }
}

int64_t mct_sched_next_ms(const struct mct_sched *s)
{
    if (!mct_list_empty(&s->tasks))
        return 0;
    if (!s->n_timers)
        return -1;
    uint64_t due = s->heap[0]->due_ms, now = mct_sched_now(s);
    return due > now ? (int64_t)(due - now) : 0;
}
