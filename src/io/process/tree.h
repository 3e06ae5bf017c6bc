/*
 * The process tree of a child: the child and all its descendants, found in /proc.
 *
 * A child leads a process group and a session. A descendant can leave both with setsid(), as browsers do. Each child
 * therefore carries a mark, which fork and exec pass on: its hard limit of RLIMIT_RTTIME is set to a unique number of
 * microseconds, many years long, that no process reaches. A process cannot raise a hard limit, so the mark survives a
 * new session, a new parent and an empty environment. Only a process that sets a lower limit for itself loses the mark.
 *
 * The upper bits of a mark name its owner (a reaper, see reaper.h), the lower ones the child.
 */
#ifndef MCT_IO_PROCESS_TREE_H
#define MCT_IO_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { MCT_MARK_CHILD_BITS = 28 };

struct mcti_tree {
    pid_t leader;  /* process group and session */
    uint64_t mark; /* 0: no mark */
};

/* Several trees, and all processes whose mark belongs to `owner`. */
struct mcti_forest {
    const struct mcti_tree *v; /* borrowed */
    size_t n;
    uint64_t owner; /* 0: no owner */
};

/* Returns the mark of a new owner, whose lower MCT_MARK_CHILD_BITS are 0. Returns 0 if processes cannot be marked: on
 * systems other than Linux, or if the limit of this process is too low to tell marks apart. */
uint64_t mcti_mark_new(void);

/* Marks the calling process; 0 does nothing. Makes a system call only, so it is safe between vfork and exec. */
void mcti_mark_set(uint64_t mark);

/* Sends `signal` to the living processes of `f` except the calling one, in one pass; signal 0 only counts. Returns the
 * number of processes that this process may signal. */
size_t mcti_forest_signal(const struct mcti_forest *f, int signal);

/* mcti_forest_signal() for one tree. */
void mcti_tree_kill(const struct mcti_tree *tree, int signal);
bool mcti_tree_alive(const struct mcti_tree *tree);

#endif
