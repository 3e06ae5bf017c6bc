/*
 * Time and "later": timers in a heap and a queue of tasks, driven from outside. The event loop drives it
 * with the real clock (io/loop.h), flow tests drive it with a virtual one. It owns nothing:
 * timers and tasks are embedded in their owners, which stop them before they go. So nothing here can fail.
 *
 * mct_sched_run() is one turn. A turn ends, whatever its callbacks do:
 *   - It runs the timers that were set when it began and are due, in order of time; timers of the same
 *     time run in the order in which they were set. A timer that is set meanwhile, with 0 ms for
 *     instance, runs in a later turn.
 *   - Then it runs the tasks, in the order in which they were posted. Tasks that tasks post run in the
 *     same turn, so that a chain of a few steps ends with one write; a chain of more than
 *     MCT_TURN_ROUNDS steps goes on in the next turn.
 *   - A task that was put off (mct_task_defer) runs in the next turn, before those that were posted.
 */
#ifndef MCT_BASE_SCHED_H
#define MCT_BASE_SCHED_H

#include "base/heap.h"
#include "base/list.h"

#include <stdint.h>

typedef void (*mct_later_fn)(void *data);

struct mct_timer {
    struct mct_heap_node node;
    uint64_t due_ms;
    uint64_t stamp; /* see struct mct_sched */
    bool set;
    mct_later_fn fn;
    void *data;
};

struct mct_task {
    struct mct_list node;
    uint64_t stamp;
    mct_later_fn fn;
    void *data;
};

struct mct_sched {
    uint64_t now_ms;               /* monotonic; moved by mct_sched_run() */
    uint64_t (*clock)(void *data); /* a fresher time for timers set between runs; may be NULL */
    struct mct_heap timers;
    struct mct_list tasks, deferred;
    uint64_t stamp; /* grows: says what was set or posted before what */
    uint64_t turn;  /* counts them */
    /* Something was planned: whoever waits has to look anew. May be NULL. */
    void (*planned)(void *data);
    void *data;                    /* for these */
};

void mct_sched_init(struct mct_sched *s);

/* One turn, as described above, at the time now_ms. */
void mct_sched_run(struct mct_sched *s, uint64_t now_ms);

uint64_t mct_sched_now(const struct mct_sched *s);

/* Milliseconds until there is something to do: 0 = now, -1 = nothing is planned. */
int64_t mct_sched_next_ms(const struct mct_sched *s);

void mct_timer_init(struct mct_timer *t, mct_later_fn fn, void *data);
void mct_timer_set(struct mct_sched *s, struct mct_timer *t, uint64_t in_ms); /* (re)arms */
void mct_timer_stop(struct mct_sched *s, struct mct_timer *t);

void mct_task_init(struct mct_task *t, mct_later_fn fn, void *data);
void mct_task_post(struct mct_sched *s, struct mct_task *t); /* posting twice runs it once */
void mct_task_defer(struct mct_sched *s, struct mct_task *t); /* the same, for the next turn */
void mct_task_stop(struct mct_task *t);

#endif
