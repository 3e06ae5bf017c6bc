/*
 * The event loop: a uv_loop_t that also runs the scheduler of base/sched/sched.h. Due timers and deferred tasks run
 * after each poll, so output queued during a turn is written at once at its end.
 */
#ifndef MCT_IO_LOOP_H
#define MCT_IO_LOOP_H

#include "base/error.h"
#include "base/log/log.h"
#include "base/sched/sched.h"

#include <uv.h>

enum { MCT_LOOP_READ_BYTES = 65536 };

struct mcti_loop {
    uv_loop_t uv;
    struct mcti_sched sched;
    const struct mcti_log *log; /* borrowed */
    uv_prepare_t prepare;
    uv_check_t check;
    uv_idle_t idle;
    uv_timer_t timer;
    uint64_t timer_due_ms;
    bool outside; /* set by the owner while the loop is not being run: cached time is stale and must be read again */
    bool timed;   /* timers have already run in this turn, before the poll */
    unsigned long child_files; /* soft limit of open files for child processes; 0: the limit of this process */
    unsigned long child_core;  /* the same for core dumps, in bytes */
    char *read_bytes;          /* read buffer shared by all streams, because input is parsed synchronously */
};

/* Initializes `loop`. Returns -1 and sets *err on failure. The struct must not move until mcti_loop_done(). */
int mcti_loop_init(struct mcti_loop *loop, const struct mcti_log *log, struct mct_error *err);

/* Makes uv_run(&loop->uv, …) return soon. */
void mcti_loop_stop(struct mcti_loop *loop);

/* Returns true if handles other than the loop's own are open or closing. */
bool mcti_loop_busy(struct mcti_loop *loop);

/* Runs the loop until all handles but its own are closed, then closes those. The owners must have started closing
 * theirs. */
void mcti_loop_done(struct mcti_loop *loop);

/* A uv_alloc_cb that returns read_bytes; handle->loop must be &loop->uv. */
void mcti_loop_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *ret);

#endif
