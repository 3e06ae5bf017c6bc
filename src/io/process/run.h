/*
 * A program that is run once: it gets a text on its stdin, and what it writes to its stdout is kept. It has a session
 * of its own; what it has started and leaves behind is ended with it. One allocation of the caller's for each run.
 */
#ifndef MCT_IO_PROCESS_RUN_H
#define MCT_IO_PROCESS_RUN_H

#include "base/buf.h"
#include "io/loop.h"
#include "io/process/reaper.h"
#include "io/process/spawn.h"

struct mcti_run;

struct mcti_run_opts {
    struct mcti_spawn spawn;
    struct mcti_reaper *reaper; /* may be NULL */
    struct mcti_str input;      /* copied */
    size_t max_output;          /* more is a failure, and ends the program */
};

/* How it has ended, borrowed for the call of done(). */
struct mcti_run_end {
    struct mcti_str output;
    struct mcti_str complaint;   /* the first line of its stderr, maybe cut */
    const struct mct_error *err; /* NULL: it has exited with status 0 */
};

/* `done` follows once, later from the loop, unless mcti_run_kill(). NULL with *err. */
struct mcti_run *mcti_run_start(struct mcti_loop *loop, const struct mcti_run_opts *opts,
                                void (*done)(void *data, const struct mcti_run_end *end), void *data,
                                struct mct_error *err);

/* Ends it and all that it has started, at once (SIGKILL); nobody is told. */
void mcti_run_kill(struct mcti_run *r);

#endif
