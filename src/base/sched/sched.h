/*
 * Time and "later": timers in a heap and a queue of tasks, driven from outside. The event loop drives it
 * with the real clock (io/loop.h), flow tests drive it with a virtual one. It owns nothing:
 * timers and tasks are embedded in their owners, which stop them before they go. So nothing here can fail.
 *
 * mcti_sched_run() is one turn. A turn ends, whatever its callbacks do:
 *   - It runs the timers that were set when it began and are due, in order of time; timers of the same
 *     time run in the order in which they were set. A timer that is set meanwhile, with 0 ms for
 *     instance, runs in a later turn.
 *   - Then it runs the tasks, in the order in which they were posted. Tasks that tasks post run in the
 *     same turn, so that a chain of a few steps ends with one write; a chain of more than
 *     MCT_TURN_ROUNDS steps goes on in the next turn.
 *   - A task that was put off (mcti_task_defer) runs in the next turn, before those that were posted.
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
    uint64_t stamp; /* see struct mcti_sched */
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
    uint64_t (*clock)(void *data); /* a fresher time for timers set between runs; may be NULL */
    struct mcti_heap timers;
    struct mcti_list tasks, deferred;
    uint64_t stamp; /* grows: says what was set or posted before what */
    uint64_t turn;  /* counts them */
    /* Something was planned: whoever waits has to look anew. May be NULL. */
    void (*planned)(void *data);
    void *data; /* for these */
};

void mcti_sched_init(struct mcti_sched *s);

/* One turn, as described above, at the time now_ms. */
void mcti_sched_run(struct mcti_sched *s, uint64_t now_ms);

uint64_t mcti_sched_now(const struct mcti_sched *s);

/* Milliseconds until there is something to do: 0 = now, -1 = nothing is planned. */
int64_t mcti_sched_next_ms(const struct mcti_sched *s);

void mcti_timer_init(struct mcti_timer *t, mcti_later_fn fn, void *data);
void mcti_timer_set(struct mcti_sched *s, struct mcti_timer *t, uint64_t in_ms); /* (re)arms */
void mcti_timer_stop(struct mcti_sched *s, struct mcti_timer *t);

void mcti_task_init(struct mcti_task *t, mcti_later_fn fn, void *data);
void mcti_task_post(struct mcti_sched *s, struct mcti_task *t);  /* posting twice runs it once */
void mcti_task_defer(struct mcti_sched *s, struct mcti_task *t); /* the same, for the next turn */
void mcti_task_stop(struct mcti_task *t);

#endif
