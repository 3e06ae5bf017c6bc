/*
 * Starts a child process in its own session and process group. The child inherits three pipes and no other descriptors.
 * On Linux, the kernel kills it when this process dies. This file neither waits for the child nor stops it:
 * transport_stdio.c does, and reaper.h kills the descendants of a gateway that was itself killed.
 */
#ifndef MCT_IO_PROCESS_SPAWN_H
#define MCT_IO_PROCESS_SPAWN_H

#include "base/error.h"
#include "io/process/tree.h"
#include "io/sandbox/sandbox.h"

struct mcti_spawn {
    char *const *argv; /* argv[0] is searched in the PATH of envp */
    char *const *envp;
    const char *cwd;                    /* NULL: the directory of this process */
    unsigned long n_files;              /* soft limit of open files; 0: the limit of this process */
    unsigned long n_core;               /* soft limit of core dumps in bytes; 0: the limit of this process */
    uint64_t mark;                      /* mark of the child, see tree.h; 0: none */
    const struct mcti_sandbox *sandbox; /* the child enters it; NULL: none */
};

struct mcti_child {
    struct mcti_tree tree; /* leader is the process id of the child */
    int pidfd;             /* becomes readable when the child ends; -1 if the system has no pidfds */
    int in, out, err;      /* our ends of its stdin, stdout and stderr */
};

/* Returns the path of the file to execute as an owned string; a relative path is relative to the child's cwd. Returns
 * NULL and sets errno on failure. */
char *mcti_spawn_find(const struct mcti_spawn *spec);

/* Starts the child and fills *ret_child. Returns -1 and sets *err to a message that names the program and the reason.
 */
int mcti_spawn(const struct mcti_spawn *spec, struct mcti_child *ret_child, struct mct_error *err);

/* Forbids core dumps of this process, whose memory contains secrets; for programs, not for libraries. Returns the limit
 * of before, for n_core. */
unsigned long mcti_forbid_core(void);

/* Returns a descriptor that becomes readable when process `pid` ends; -1 if the system has no pidfds. */
int mcti_pidfd(pid_t pid);

/* Prepares a forked child: new session, `mark`, default signal handling, and signal `death` when process `parent` dies
 * (Linux). Makes system calls only, so it is safe between vfork and exec. */
void mcti_child_begin(pid_t parent, int death, uint64_t mark);

/* Closes all descriptors of a child but `fd`, so that it holds no listening socket, terminal or pipe of other
 * processes, and opens /dev/null as stdin, stdout and stderr. Returns the new number of `fd`. */
int mcti_close_others(int fd);

#endif
