/*
 * One run of a program: it receives a text on stdin, and its stdout is captured. The program has a session of its own;
 * processes it leaves behind are killed when it ends. Owns a copy of the input and all handles.
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
    size_t max_output;          /* limit of stdout; more output fails the run and kills the program */
};

/* Result of a run; valid during done(). */
struct mcti_run_end {
    struct mcti_str output;
    struct mcti_str complaint;   /* first line of stderr, possibly truncated */
    const struct mct_error *err; /* NULL: the program exited with status 0 */
};

/* Starts a program. `done` is called once, later, from the loop, unless mcti_run_kill() is called before. Returns NULL
 * and sets *err on failure. */
struct mcti_run *mcti_run_start(struct mcti_loop *loop, const struct mcti_run_opts *opts,
                                void (*done)(void *data, const struct mcti_run_end *end), void *data,
                                struct mct_error *err);

/* Kills the program and all its descendants at once (SIGKILL); done() is not called. */
void mcti_run_kill(struct mcti_run *r);

#endif
