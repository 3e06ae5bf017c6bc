/*
 * The scheduler: timers in a heap and a queue of tasks. The event loop drives it with the real clock (io/loop.h), flow
 * tests drive it with a virtual one. Timers and tasks are embedded in their owners, which must stop them before they
 * are freed. The scheduler owns and allocates nothing, so none of its functions can fail.
 *
 * mcti_sched_run() is one turn:
 *   - It first runs the timers that are due and were set before the turn, in order of time; timers with the same time
 *     run in the order in which they were set. A timer that a callback sets runs in a later turn, even with 0 ms.
 *   - Then it runs the tasks in the order in which they were posted. Tasks that a task posts run in the same turn, so
 *     that a chain of a few steps ends with one write. A chain of more than MCT_TURN_ROUNDS steps continues in the next
 *     turn. Every turn therefore ends.
 *   - A deferred task (mcti_task_defer) runs in the next turn, before the posted ones.
 */
#ifndef MCT_BASE_SCHED_SCHED_H
#define MCT_BASE_SCHED_SCHED_H

#include "base/sched/heap.h"
#include "base/list.h"

#include <stdint.h>

typedef void (*mcti_later_fn)(void *data);

struct mcti_timer {
    struct mcti_heap_node node;
    uint64_t due_ms;
    uint64_t stamp; /* value of mcti_sched.stamp when it was set */
    bool set;
    mcti_later_fn fn;
    void *data;
};

struct mcti_task {
    struct mcti_list node;
    uint64_t stamp;
    mcti_later_fn fn;
    void *data;
};

struct mcti_sched {
    uint64_t now_ms;               /* monotonic; moved by mcti_sched_run() */
    uint64_t (*clock)(void *data); /* current time, for timers set between turns; may be NULL */
    struct mcti_heap timers;
    struct mcti_list tasks, deferred;
    uint64_t stamp; /* number of timers set and tasks queued so far: their order */
    uint64_t turn;  /* number of turns so far */
    /* Called when a timer is set or a task queued: the time to wait may have changed. May be NULL. */
    void (*planned)(void *data);
    void *data; /* argument of both callbacks */
};

void mcti_sched_init(struct mcti_sched *s);

/* Runs one turn at the time now_ms. */
void mcti_sched_run(struct mcti_sched *s, uint64_t now_ms);

uint64_t mcti_sched_now(const struct mcti_sched *s);

/* Returns the milliseconds until the next turn has work: 0: now; -1: no timer or task is pending. */
int64_t mcti_sched_next_ms(const struct mcti_sched *s);

void mcti_timer_init(struct mcti_timer *t, mcti_later_fn fn, void *data);
void mcti_timer_set(struct mcti_sched *s, struct mcti_timer *t, uint64_t in_ms); /* replaces a pending time */
void mcti_timer_stop(struct mcti_sched *s, struct mcti_timer *t);

void mcti_task_init(struct mcti_task *t, mcti_later_fn fn, void *data);
void mcti_task_post(struct mcti_sched *s, struct mcti_task *t);  /* a queued task is not queued again */
void mcti_task_defer(struct mcti_sched *s, struct mcti_task *t); /* the same, for the next turn */
void mcti_task_stop(struct mcti_task *t);

#endif
