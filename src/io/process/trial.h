/*
 * Something that may crash, hang or exit, tried first in a forked copy of this process, where that harms nobody. The
 * copy has a session of its own and no open files but /dev/null and a pipe on which it says how it goes; it is watched
 * from the loop, ended when its time is over, and reaped.
 *
 * Of the threads of this process the copy has one, the caller's: what another one held at that moment (a lock) is held
 * there for ever, and the time limit ends it.
 */
#ifndef MCT_IO_PROCESS_TRIAL_H
#define MCT_IO_PROCESS_TRIAL_H

#include "io/loop.h"
#include "io/process/reaper.h"

enum { MCT_TRIAL_SAID_BYTES = 4096 }; /* what a pipe holds at least: the copy never waits for its reader */

struct mcti_trial;

/* How it ended. */
struct mcti_trial_end {
    struct mcti_str said; /* borrowed */
    bool late;            /* its time was over */
    int status;           /* as of waitpid(); -1: somebody else has reaped it */
};

struct mcti_trial_opts {
    struct mcti_loop *loop;
    struct mcti_reaper *reaper; /* may be NULL */
    unsigned limit_ms;
    void (*run)(int fd, void *data); /* in the copy, which ends with it without any exit handler of this process */
    void (*done)(const struct mcti_trial_end *end, void *data); /* once, from the loop */
    void *data;
};

/* Good until `done` is called. NULL with *err. */
struct mcti_trial *mcti_trial_start(const struct mcti_trial_opts *opts, struct mct_error *err);

/* Ends it; `done` is not called any more. NULL is fine. */
void mcti_trial_cancel(struct mcti_trial *t);

#endif
