#include "base/sched.h"

#include "base/limits.h"

#include <stdlib.h>

void mcti_sched_init(struct mcti_sched *s)
{
    *s = (struct mcti_sched){ 0 };
    mcti_list_init(&s->tasks);
    mcti_list_init(&s->deferred);
}

void mcti_sched_done(struct mcti_sched *s)
{
    free(s->heap);
    s->heap = NULL;
    s->n_timers = s->cap = 0;
}

static bool comes_before(const struct mcti_timer *a, const struct mcti_timer *b)
{
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->stamp < b->stamp;
}

static void sched_place(struct mcti_sched *s, size_t slot, struct mcti_timer *t)
{
    s->heap[slot - 1] = t;
    t->slot = slot;
}

static void sift_up(struct mcti_sched *s, size_t slot, struct mcti_timer *t)
{
    while (slot > 1 && comes_before(t, s->heap[slot / 2 - 1])) {
        sched_place(s, slot, s->heap[slot / 2 - 1]);
        slot /= 2;
    }
    sched_place(s, slot, t);
}

static void sift_down(struct mcti_sched *s, size_t slot, struct mcti_timer *t)
{
    for (size_t child; (child = slot * 2) <= s->n_timers; slot = child) {
        if (child < s->n_timers && comes_before(s->heap[child], s->heap[child - 1]))
            child++;
        if (!comes_before(s->heap[child - 1], t))
            break;
        sched_place(s, slot, s->heap[child - 1]);
    }
    sched_place(s, slot, t);
}

uint64_t mcti_sched_now(const struct mcti_sched *s)
{
    return s->clock ? s->clock(s->data) : s->now_ms;
}

void mcti_timer_init(struct mcti_timer *t, mcti_later_fn fn, void *data)
{
    *t = (struct mcti_timer){ .fn = fn, .data = data };
}

int mcti_timer_set(struct mcti_sched *s, struct mcti_timer *t, uint64_t in_ms)
{
    mcti_timer_stop(s, t);
    if (s->n_timers == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 16;
        struct mcti_timer **heap = realloc(s->heap, cap * sizeof *heap);
        if (!heap)
            return -1;
        s->heap = heap;
        s->cap = cap;
    }
    t->due_ms = mcti_sched_now(s) + in_ms;
    t->stamp = ++s->stamp;
    sift_up(s, ++s->n_timers, t);
    if (s->planned)
        s->planned(s->data);
    return 0;
}

void mcti_timer_stop(struct mcti_sched *s, struct mcti_timer *t)
{
    size_t slot = t->slot;
    if (!slot)
        return;
    t->slot = 0;
    struct mcti_timer *last = s->heap[--s->n_timers];
    if (last == t)
        return;
    if (slot > 1 && comes_before(last, s->heap[slot / 2 - 1]))
        sift_up(s, slot, last);
    else
        sift_down(s, slot, last);
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
    while (s->n_timers && s->heap[0]->due_ms <= s->now_ms && s->heap[0]->stamp <= last) {
        struct mcti_timer *t = s->heap[0];
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

/* Puts the tasks that were deferred in front of the others. */
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
    if (!s->n_timers)
        return -1;
    uint64_t due = s->heap[0]->due_ms, now = mcti_sched_now(s);
    return due > now ? (int64_t)(due - now) : 0;
}
