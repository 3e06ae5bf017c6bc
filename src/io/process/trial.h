/*
 * A trial runs code that may crash, hang or exit in a forked copy of this process first. The copy has a session of its
 * own and no open files but /dev/null and a pipe for its report; it is watched from the loop, killed when its time is
 * over, and reaped.
 *
 * Of the threads of this process, the copy has only the caller's. A lock that another thread held during fork is never
 * released in the copy; the time limit ends such a trial.
 */
#ifndef MCT_IO_PROCESS_TRIAL_H
#define MCT_IO_PROCESS_TRIAL_H

#include "io/loop.h"
#include "io/process/reaper.h"

enum { MCT_TRIAL_SAID_BYTES = 4096 }; /* minimum capacity of a pipe: the copy never blocks on its report */

struct mcti_trial;

/* Result of a trial. */
struct mcti_trial_end {
    struct mcti_str said; /* report of the copy; borrowed */
    bool late;            /* the time limit was reached */
    int status;           /* status of waitpid(); -1: another part of the process reaped the copy */
};

struct mcti_trial_opts {
    struct mcti_loop *loop;
    struct mcti_reaper *reaper; /* may be NULL */
    unsigned limit_ms;
    void (*run)(int fd, void *data); /* runs in the copy, which exits after it without this process's exit handlers */
    void (*done)(const struct mcti_trial_end *end, void *data); /* called once, from the loop */
    void *data;
};

/* Starts a trial. The pointer is valid until `done` is called. Returns NULL and sets *err on failure. */
struct mcti_trial *mcti_trial_start(const struct mcti_trial_opts *opts, struct mct_error *err);

/* Kills the copy; `done` is not called. `t` may be NULL. */
void mcti_trial_cancel(struct mcti_trial *t);

#endif
