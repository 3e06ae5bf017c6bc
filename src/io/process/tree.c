#include "io/process/tree.h"

#include "base/rand.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- marks ---- */

#if defined RLIMIT_RTTIME && RLIM_INFINITY > 0xffffffffffff

#define MARK_MAX ((uint64_t)1 << 62)
#define MARK_MIN ((uint64_t)1 << 52) /* 142 years, with room for 24 bits of an owner */

/* Returns a new mark. A gateway may itself carry a mark of another gateway; its own marks are lower by a power of two,
 * so that marks of different levels cannot be confused. */
uint64_t mcti_mark_new(void)
{
    struct rlimit now;
    uint64_t base = MARK_MAX, random;
    if (getrlimit(RLIMIT_RTTIME, &now) < 0)
        return 0;
    while (base > now.rlim_max / 2)
        base /= 2;
    mcti_random(&random, sizeof random);
    random &= (base - 1) & ~(((uint64_t)1 << MCT_MARK_CHILD_BITS) - 1);
    return base >= MARK_MIN ? base | random : 0;
}

void mcti_mark_set(uint64_t mark)
{
    const struct rlimit to = { .rlim_cur = mark, .rlim_max = mark };
    if (mark)
        setrlimit(RLIMIT_RTTIME, &to);
}

/* Reads the mark of a process from /proc: prlimit() fails for a program with other ids than ours (set-group-ID), but
 * its limits file is readable for everyone. */
static uint64_t read_mark(pid_t pid)
{
    char path[64], text[2048];
    unsigned long long mark = 0;
    snprintf(path, sizeof path, "/proc/%d/limits", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *line = strstr(text, "Max realtime timeout");
    if (!line || sscanf(line, "Max realtime timeout %*s %llu", &mark) != 1)
        return 0;
    return mark;
}

static uint64_t mark_of(pid_t pid)
{
    struct rlimit of;
    if (prlimit(pid, RLIMIT_RTTIME, NULL, &of) == 0)
        return of.rlim_max;
    return errno == EPERM && kill(pid, 0) == 0 ? read_mark(pid) : 0;
}

#else

uint64_t mcti_mark_new(void)
{
    return 0;
}

void mcti_mark_set(uint64_t mark)
{
    (void)mark;
}

static uint64_t mark_of(pid_t pid)
{
    (void)pid;
    return 0;
}

#endif

/* ---- processes ---- */

struct process {
    pid_t pid, group, session;
};

/* Returns false if the process does not exist. */
static bool process_find(pid_t pid, struct process *ret)
{
    *ret = (struct process){ pid, getpgid(pid), getsid(pid) };
    return ret->group >= 0 && ret->session >= 0;
}

/* Returns whether /proc/PID/stat says that the process is no zombie. Takes fifty times as long as process_find(). */
static bool process_lives(pid_t pid)
{
    char path[64], text[512], state;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    const char *after_name = strrchr(text, ')');
    if (!after_name || sscanf(after_name + 1, " %c", &state) != 1)
        return false;
    return state != 'Z' && state != 'X';
}

static bool is_in_group_or_session(const struct mcti_forest *f, const struct process *p, bool *ret_in_group)
{
    for (size_t i = 0; i < f->n; i++) {
        *ret_in_group = p->group == f->v[i].leader;
        if (*ret_in_group || p->session == f->v[i].leader)
            return true;
    }
    return false;
}

static bool is_marked(const struct mcti_forest *f, const struct process *p)
{
    bool any = f->owner;
    for (size_t i = 0; i < f->n; i++)
        any |= f->v[i].mark > 0;
    uint64_t mark = any ? mark_of(p->pid) : 0;
    if (f->owner && mark >> MCT_MARK_CHILD_BITS == f->owner >> MCT_MARK_CHILD_BITS)
        return true;
    for (size_t i = 0; mark && i < f->n; i++)
        if (mark == f->v[i].mark)
            return true;
    return false;
}

static int process_by_age(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
    return (x < y) - (x > y);
}

/* Returns the numbers of all processes, the newest first, and sets *ret_n. NULL without /proc or memory. */
static pid_t *all_pids(size_t *ret_n)
{
    size_t n = 0, max = 0;
    pid_t *v = NULL, *larger;
    DIR *proc = opendir("/proc");
    for (struct dirent *e; proc && (e = readdir(proc));) {
        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        if (n == max) {
            larger = realloc(v, (2 * max + 256) * sizeof *v);
            if (!larger)
                break;
            v = larger;
            max = 2 * max + 256;
        }
        v[n++] = (pid_t)strtol(e->d_name, NULL, 10);
    }
    if (proc)
        closedir(proc);
    if (n)
        qsort(v, n, sizeof *v, process_by_age);
    *ret_n = n;
    return v;
}

static bool tree_signal_one(const struct mcti_forest *f, pid_t pid, int signal)
{
    struct process p;
    bool in_group = false;
    if (pid == getpid() || !process_find(pid, &p))
        return false;
    return (is_in_group_or_session(f, &p, &in_group) || is_marked(f, &p)) && process_lives(pid) &&
           kill(pid, in_group ? 0 : signal) == 0;
}

/* Visits all processes. Whole groups were already signalled; processes outside of them are signalled here. The newest
 * come first: a process that goes on by forking and exiting is gone when it is visited late. */
static size_t process_tree_walk(const struct mcti_forest *f, int signal)
{
    size_t n = 0, n_pids;
    pid_t *pids = all_pids(&n_pids);
    for (size_t i = 0; i < n_pids; i++)
        n += tree_signal_one(f, pids[i], signal);
    for (size_t i = 0; !pids && i < f->n; i++) /* without /proc, only the process groups are known */
        n += kill(-f->v[i].leader, 0) == 0;
    free(pids);
    return n;
}

size_t mcti_forest_signal(const struct mcti_forest *f, int signal)
{
    for (size_t i = 0; signal && i < f->n; i++)
        kill(-f->v[i].leader, signal);
    return process_tree_walk(f, signal);
}

void mcti_tree_kill(const struct mcti_tree *tree, int signal)
{
    const struct mcti_forest one = { tree, 1, 0 };
    if (tree->leader > 1)
        mcti_forest_signal(&one, signal);
}

bool mcti_tree_alive(const struct mcti_tree *tree)
{
    const struct mcti_forest one = { tree, 1, 0 };
    return tree->leader > 1 && mcti_forest_signal(&one, 0) > 0;
}
