/*
 * Starting a child process: own session and process group, three pipes, killed by the kernel when
 * this process dies (Linux), nothing inherited but what is given. Does not wait for it and does not
 * stop it; see transport_stdio.c for the life of a child and reaper.h for kill -9.
 */
#ifndef MCT_IO_PROCESS_SPAWN_H
#define MCT_IO_PROCESS_SPAWN_H

#include "base/error.h"
#include "io/process/tree.h"

struct mcti_spawn {
    char *const *argv; /* argv[0] is looked up in the PATH of envp */
    char *const *envp;
    const char *cwd;       /* NULL: this process's */
    unsigned long n_files; /* soft limit of open files; 0: this process's */
    uint64_t mark;         /* of the child, see tree.h; 0: none */
};

struct mcti_child {
    struct mcti_tree tree; /* its leader is the process id */
    int pidfd;             /* readable when it has ended; -1 where the system has none */
    int in, out, err;      /* our ends of its stdin, stdout, stderr */
};

/* The file to execute, as an owned string; a relative path counts from cwd of the child. NULL with errno. */
char *mcti_spawn_find(const struct mcti_spawn *spec);

/* Fills *ret_child, or -1 with a message that names the program and the reason. */
int mcti_spawn(const struct mcti_spawn *spec, struct mcti_child *ret_child, struct mct_error *err);

/* Readable when that child has ended; -1 where the system has none. */
int mcti_pidfd(pid_t pid);

/* Begins a child: a session of its own, the mark, signals as they are by default, and `death` sent to it when `parent`
 * dies (Linux). System calls only: it may be between vfork and exec. */
void mcti_child_begin(pid_t parent, int death, uint64_t mark);

/* In a child: leaves only this file open, as the number that is returned, so that no listening socket, terminal or pipe
 * to somebody else is held; stdin, stdout and stderr are /dev/null. */
int mcti_close_others(int fd);

#endif
