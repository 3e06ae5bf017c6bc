/*
 * One run of a program that this process waits for, for texts that are needed before anything else can go on, such as a
 * secret that a command prints. The event loop stands still meanwhile; run.h does not wait. The program has a session
 * of its own, which is killed when the program ends or its time is over; a daemon that it has started lives on.
 */
#ifndef MCT_IO_PROCESS_CAPTURE_H
#define MCT_IO_PROCESS_CAPTURE_H

#include "base/buf.h"
#include "io/process/spawn.h"

struct mcti_capture_opts {
    struct mcti_spawn spawn; /* `mark` is 0 */
    struct mcti_str input;   /* for its stdin, at most 4096 bytes: they fit into a pipe */
    unsigned limit_ms;
};

struct mcti_capture_end {
    int status;          /* exit status; -1: it was not started, or did not exit by itself */
    char complaint[300]; /* first line of its stderr, possibly truncated */
};

/* Appends the program's stdout to `output`, whose limit ends the program. Returns 0 if it exited with status 0, else -1
 * and sets *err: "exited with status 1". */
int mcti_capture(const struct mcti_capture_opts *opts, struct mcti_buf *output, struct mcti_capture_end *ret_end,
                 struct mct_error *err);

#endif
