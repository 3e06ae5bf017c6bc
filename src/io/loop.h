/*
 * The event loop: a uv_loop_t with the scheduler of base/sched/sched.h running inside it. After each poll
 * the due timers and deferred tasks run, so what one turn queued leaves in one write at its end.
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
    bool outside; /* set by the owner: nobody turns it just now, so its time stands still and is read anew */
    bool timed;   /* timers have run in this turn, before it waits */
    unsigned long child_files; /* soft limit of open files that children get; 0: ours */
    char *read_bytes;          /* shared by all streams: parsing is synchronous */
};

/* Returns -1 with *err set. The struct must stay where it is until mcti_loop_done(). */
int mcti_loop_init(struct mcti_loop *loop, const struct mcti_log *log, struct mct_error *err);

/* Makes uv_run(&loop->uv, …) return soon. */
void mcti_loop_stop(struct mcti_loop *loop);

/* Whether handles are open, or still closing, that are not the loop's own. */
bool mcti_loop_busy(struct mcti_loop *loop);

/* Runs until all handles but the loop's own are closed (their owners have begun that), then closes
 * those. */
void mcti_loop_done(struct mcti_loop *loop);

/* uv_alloc_cb that hands out read_bytes; handle->loop must be &loop->uv. */
void mcti_loop_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *ret);

#endif
