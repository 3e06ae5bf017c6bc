/*
 * A small helper process that outlives a killed gateway just long enough to end its children. It
 * holds the reading end of a pipe, learns the process groups through it, and when the pipe closes
 * (kill -9 included) ends every group that has not been taken back. It exits by itself.
 */
#ifndef MCT_IO_REAPER_H
#define MCT_IO_REAPER_H

#include "base/error.h"

#include <sys/types.h>

struct mct_reaper {
    pid_t pid;
    int fd; /* writing end; closing it is the signal */
};

/* Forks the helper; call it early, while the process is small. -1 with *err set. */
int mct_reaper_start(struct mct_reaper *r, struct mct_error *err);

/* Closes the pipe and waits for the helper. Ends what is still registered. */
void mct_reaper_stop(struct mct_reaper *r);

void mct_reaper_add(struct mct_reaper *r, pid_t group);
void mct_reaper_remove(struct mct_reaper *r, pid_t group);

#endif
