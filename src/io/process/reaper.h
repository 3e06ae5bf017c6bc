/*
 * A small helper process that outlives a killed gateway just long enough to end its children. It holds one end of a
 * socket. When the other end closes (kill -9 included), it ends every process that carries a mark of this reaper, and
 * every process group and session it was told of; see tree.h. It exits by itself.
 *
 * The gateway notices the death of the helper and starts another one, which knows the same groups.
 */
#ifndef MCT_IO_PROCESS_REAPER_H
#define MCT_IO_PROCESS_REAPER_H

#include "base/error.h"
#include "io/loop.h"
#include "io/process/tree.h"

struct mcti_reaper {
    pid_t pid;
    int fd;                   /* closing it is the signal; -1: not started */
    uint64_t mark;            /* of the owner */
    uint64_t n_marks;         /* given to children */
    struct mcti_tree *groups; /* those that are registered */
    size_t n_groups, max_groups;
    struct mcti_loop *loop; /* NULL: nobody watches the helper */
    uv_poll_t watch;
    struct mcti_timer again;
    uint64_t since_ms; /* when the helper was started, on the loop's clock */
};

/* Forks the helper; call it early, while the process is small. -1 with *err set. */
int mcti_reaper_start(struct mcti_reaper *r, struct mct_error *err);

/* Watches the helper from the loop, until mcti_reaper_unwatch(), which closes a handle of the loop. Unwatching twice,
 * or without having watched, does nothing. */
void mcti_reaper_watch(struct mcti_reaper *r, struct mcti_loop *loop);
void mcti_reaper_unwatch(struct mcti_reaper *r);

/* Closes the socket and waits for the helper. Ends what is still registered. */
void mcti_reaper_stop(struct mcti_reaper *r);

/* Returns a mark for one more child; without a reaper (NULL), a mark of no owner. */
uint64_t mcti_reaper_mark(struct mcti_reaper *r);

/* Registers a group, and takes it back. NULL does nothing. */
void mcti_reaper_add(struct mcti_reaper *r, pid_t group);
void mcti_reaper_remove(struct mcti_reaper *r, pid_t group);

#endif
