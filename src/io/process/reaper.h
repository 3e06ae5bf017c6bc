/*
 * The reaper is a small helper process that outlives a killed gateway just long enough to end its children. It holds
 * one end of a socket. When the other end closes (also by kill -9), it kills every process that carries a mark of this
 * reaper and every registered process group and session (see tree.h), and exits.
 *
 * If the helper dies, the gateway starts a new one with the same groups.
 */
#ifndef MCT_IO_PROCESS_REAPER_H
#define MCT_IO_PROCESS_REAPER_H

#include "base/error.h"
#include "io/loop.h"
#include "io/process/tree.h"

struct mcti_reaper {
    pid_t pid;
    int fd;                   /* socket to the helper, which starts killing when it is closed; -1: not started */
    uint64_t mark;            /* mark of the owner */
    uint64_t n_marks;         /* marks given to children so far */
    struct mcti_tree *groups; /* registered groups */
    size_t n_groups, max_groups;
    struct mcti_loop *loop; /* NULL: the helper is not watched */
    uv_poll_t watch;
    struct mcti_timer again;
    uint64_t since_ms; /* start time of the helper, on the loop's clock */
};

/* Forks the helper. Call it early, while the process is small. Returns -1 and sets *err on failure. */
int mcti_reaper_start(struct mcti_reaper *r, struct mct_error *err);

/* Watches the helper from the loop until mcti_reaper_unwatch(), which closes a handle of the loop.
 * mcti_reaper_unwatch() does nothing if the helper is not watched. */
void mcti_reaper_watch(struct mcti_reaper *r, struct mcti_loop *loop);
void mcti_reaper_unwatch(struct mcti_reaper *r);

/* Closes the socket, which ends everything registered, and waits for the helper. */
void mcti_reaper_stop(struct mcti_reaper *r);

/* Returns a mark for one more child. If `r` is NULL, the mark belongs to no owner. */
uint64_t mcti_reaper_mark(struct mcti_reaper *r);

/* Registers and unregisters a process group. They do nothing if `r` is NULL. */
void mcti_reaper_add(struct mcti_reaper *r, pid_t group);
void mcti_reaper_remove(struct mcti_reaper *r, pid_t group);

#endif
