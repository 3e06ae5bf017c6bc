/*
 * Starting a child process: own session and process group, three pipes, killed by the kernel when
 * this process dies (Linux), nothing inherited but what is given. Does not wait for it and does not
 * stop it; see transport_stdio.c for the life of a child and reaper.h for kill -9.
 */
#ifndef MCT_IO_SPAWN_H
#define MCT_IO_SPAWN_H

#include "base/error.h"

#include <sys/types.h>

struct mct_spawn {
    char *const *argv;  /* argv[0] is looked up in the PATH of envp */
    char *const *envp;
    const char *cwd;    /* NULL: this process's */
    unsigned long n_files; /* soft limit of open files; 0: this process's */
};

struct mct_child {
    pid_t pid;       /* also its process group and session */
    int pidfd;       /* readable when it has ended; -1 where the system has none */
    int in, out, err; /* our ends of its stdin, stdout, stderr */
};

/* The file to execute, as an owned string; a relative path counts from cwd of the child. NULL with errno. */
char *mct_spawn_find(const struct mct_spawn *spec);

/* Fills *ret_child, or -1 with a message that names the program and the reason. */
int mct_spawn(const struct mct_spawn *spec, struct mct_child *ret_child, struct mct_error *err);

/* Readable when that child has ended; -1 where the system has none. */
int mct_pidfd(pid_t pid);

/* The beginning of a child: a session of its own, signals as they are by default, and `death` sent to it when `parent` dies
 * (Linux). System calls only: it may be between vfork and exec. */
void mct_child_begin(pid_t parent, int death);

/* In a child: leaves only this file open, as the number that is returned, so that no listening socket, terminal or pipe to
 * somebody else is held; stdin, stdout and stderr are /dev/null. */
int mct_close_others(int fd);

/* Signals every process of the child's group and of its session, as far as they are still ours. */
void mct_kill_tree(pid_t leader, int signal);

/* Whether any process of that group or session is left. */
bool mct_tree_alive(pid_t leader);

#endif
