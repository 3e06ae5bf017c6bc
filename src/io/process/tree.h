/*
 * A child and everything it has started, found in /proc.
 *
 * A child leads a process group and a session. Its descendants may leave both: setsid() is enough, and browsers do it.
 * Each child therefore carries a mark as well, which fork and exec pass on: its hard limit of RLIMIT_RTTIME is a number
 * of microseconds of its own, of many years, that no process reaches. A process cannot raise a hard limit again, so the
 * mark stays on a process that has a new session, another parent and an empty environment. A process that sets a lower
 * limit for itself loses the mark.
 *
 * A mark names its owner in the upper bits (a reaper, see reaper.h) and the child in the lower ones.
 */
#ifndef MCT_IO_PROCESS_TREE_H
#define MCT_IO_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { MCT_MARK_CHILD_BITS = 28 };

struct mcti_tree {
    pid_t leader;  /* its process group and session */
    uint64_t mark; /* 0: it has none */
};

/* Several trees, and all processes with a mark of `owner`. */
struct mcti_forest {
    const struct mcti_tree *v; /* borrowed */
    size_t n;
    uint64_t owner; /* 0: no owner */
};

/* Returns a new owner's mark; its lower MCT_MARK_CHILD_BITS are 0. Returns 0 where a process cannot be marked: another
 * system than Linux, or a limit of this process that is too low to tell marks apart. */
uint64_t mcti_mark_new(void);

/* Marks the calling process; 0 does nothing. A system call only: it may be between vfork and exec. */
void mcti_mark_set(uint64_t mark);

/* Signals the living processes of the forest but the calling one, in one pass. Signal 0 signals none. Returns how many
 * there are that this process may signal. */
size_t mcti_forest_signal(const struct mcti_forest *f, int signal);

/* The same for one tree. */
void mcti_tree_kill(const struct mcti_tree *tree, int signal);
bool mcti_tree_alive(const struct mcti_tree *tree);

#endif
