/* Finding and signalling what a child has started; see spawn.h. */
#include "io/spawn.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Reads state, process group and session of /proc/PID/stat; false when it is gone or a zombie. */
static bool read_stat(const char *pid, pid_t *ret_group, pid_t *ret_session)
{
    char path[64], text[512], state;
    int ppid, group, session;
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    const char *after_name = strrchr(text, ')');
    if (!after_name ||
        sscanf(after_name + 1, " %c %d %d %d", &state, &ppid, &group, &session) != 4)
        return false;
    *ret_group = group;
    *ret_session = session;
    return state != 'Z' && state != 'X';
}

/* Counts the living processes of the tree; unless signal is 0, signals those that are in the session but
 * not in the group, which has had its signal at once. */
static int walk(pid_t leader, int signal)
{
    int n = 0;
    DIR *proc = opendir("/proc");
    if (!proc)
        return kill(-leader, 0) == 0; /* no /proc: the group is all we can see */
    for (struct dirent *e; (e = readdir(proc));) {
        pid_t group, session;
        if (!isdigit((unsigned char)e->d_name[0]) || !read_stat(e->d_name, &group, &session))
            continue;
        if (group != leader && session != leader)
            continue;
        n++;
        if (signal && group != leader)
            kill((pid_t)strtol(e->d_name, NULL, 10), signal);
    }
    closedir(proc);
    return n;
}

void mct_kill_tree(pid_t leader, int signal)
{
    if (leader <= 1)
        return;
    kill(-leader, signal);
    walk(leader, signal);
}

bool mct_tree_alive(pid_t leader)
{
    return leader > 1 && walk(leader, 0) > 0;
}
