/*
 * A cgroup (v2) for each sandbox: ceilings for all processes together, and a way to kill them at once. The cgroup of
 * this process must be delegated: writable, and without processes of others. This process then moves into the
 * subgroup "gateway", because a group with processes cannot have controllers for its subgroups.
 */
#include "io/sandbox/impl.h"

#include "base/rand.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_GROUP "gateway" /* as DelegateSubgroup= in packaging/systemd */
#define SERVER_GROUP "mcptools-server-"

enum { TEXT_BYTES = 16384, MAX_ANCESTORS = 64 };

static bool read_file(const char *path, char text[TEXT_BYTES])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, TEXT_BYTES - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n >= 0;
}

static int write_at(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX)
        return -1;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = write(fd, text, strlen(text));
    close(fd);
    return n < 0 ? -1 : 0;
}

/* ---- the group of this process ---- */

/* Finds where cgroup2 is mounted. */
static bool find_mount(char mount[PATH_MAX])
{
    char line[PATH_MAX * 2];
    FILE *f = fopen("/proc/self/mountinfo", "re");
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f))
        found = strstr(line, " - cgroup2 ") && sscanf(line, "%*s %*s %*s %*s %4095s", mount) == 1;
    if (f)
        fclose(f);
    return found;
}

/* Finds the group that is ours to divide: the one of this process, or the one above OWN_GROUP. */
static bool find_base(char base[PATH_MAX])
{
    char mount[PATH_MAX], text[TEXT_BYTES];
    if (!find_mount(mount) || !read_file("/proc/self/cgroup", text))
        return false;
    char *own = !strncmp(text, "0::", 3) ? text : strstr(text, "\n0::");
    if (!own)
        return false;
    own += *own == '\n' ? 4 : 3;
    own[strcspn(own, "\n")] = '\0';
    char *last = strrchr(own, '/');
    if (last && !strcmp(last, "/" OWN_GROUP))
        *last = '\0';
    return snprintf(base, PATH_MAX, "%s%s", mount, strcmp(own, "/") != 0 ? own : "") < PATH_MAX - 64;
}

static pid_t parent_of(pid_t pid)
{
    char path[64], text[TEXT_BYTES];
    int ppid = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    const char *behind = read_file(path, text) ? strrchr(text, ')') : NULL;
    return behind && sscanf(behind + 1, " %*c %d", &ppid) == 1 ? ppid : 0;
}

static bool is_own(pid_t pid)
{
    for (int i = 0; pid > 1 && i < MAX_ANCESTORS; i++, pid = parent_of(pid))
        if (pid == getpid())
            return true;
    return false;
}

/* Moves the processes of the group to OWN_GROUP. Returns false if there are others than ours. */
static bool move_own(const char *base)
{
    char path[PATH_MAX], text[TEXT_BYTES], number[24];
    snprintf(path, sizeof path, "%.4000s/cgroup.procs", base);
    if (!read_file(path, text))
        return false;
    for (char *p = text, *end; *p; p = *end ? end + 1 : end) {
        end = p + strcspn(p, "\n");
        if (!is_own((pid_t)strtol(p, NULL, 10)))
            return false;
    }
    snprintf(path, sizeof path, "%.4000s/" OWN_GROUP, base);
    if (*text && mkdir(path, 0755) < 0 && errno != EEXIST)
        return false;
    for (char *p = text, *end; *p; p = *end ? end + 1 : end) {
        end = p + strcspn(p, "\n");
        snprintf(number, sizeof number, "%ld", strtol(p, NULL, 10));
        if (write_at(path, "cgroup.procs", number) < 0 && errno != ESRCH)
            return false;
    }
    return true;
}

/* Removes the groups of gateways that have died, with their processes. */
static void remove_leftovers(const char *base)
{
    DIR *d = opendir(base);
    int gateway;
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[PATH_MAX];
        if (sscanf(e->d_name, SERVER_GROUP "%d-", &gateway) != 1 || kill(gateway, 0) == 0 || errno != ESRCH)
            continue;
        if (snprintf(path, sizeof path, "%s/%s", base, e->d_name) >= PATH_MAX)
            continue;
        write_at(path, "cgroup.kill", "1");
        rmdir(path);
    }
    if (d)
        closedir(d);
}

/* Returns NULL if the group can be divided, or why not. */
static const char *divide(char base[PATH_MAX])
{
    char path[PATH_MAX], mount[PATH_MAX];
    if (!find_base(base))
        return "there is no cgroup v2";
    snprintf(path, sizeof path, "%.4000s/cgroup.subtree_control", base);
    if (access(base, W_OK) < 0 || access(path, W_OK) < 0)
        return "no cgroup is delegated to this process";
    bool is_root = find_mount(mount) && !strcmp(base, mount); /* may have processes, and ours stays there */
    if (!is_root && !move_own(base))
        return "other programs run in this process's cgroup (start it as a systemd unit with Delegate=yes)";
    remove_leftovers(base);
    return NULL;
}

bool mcti_cgroup_is_available(char *ret_why, size_t size)
{
    char base[PATH_MAX], path[PATH_MAX], text[TEXT_BYTES];
    const char *why = find_base(base) ? NULL : "there is no cgroup v2";
    if (!why && access(base, W_OK) < 0)
        why = "no cgroup is delegated to this process";
    snprintf(path, sizeof path, "%.4000s/cgroup.controllers", why ? "" : base);
    if (!why && (!read_file(path, text) || !strstr(text, "memory") || !strstr(text, "pids")))
        why = "the cgroup has no controllers for memory and processes";
    snprintf(ret_why, size, "%s", why ? why : "");
    return !why;
}

/* ---- the group of a server ---- */

static bool set_number(const char *folder, const char *name, uint64_t n)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    return write_at(folder, name, text) == 0;
}

/* Sets the ceilings. Returns NULL, or why they do not hold. */
static const char *set_ceilings(const char *base, const char *group, const struct mcti_sandbox_wish *w)
{
    if (w->memory_bytes) {
        write_at(base, "cgroup.subtree_control", "+memory");
        if (!set_number(group, "memory.max", w->memory_bytes))
            return "its cgroup has no controller \"memory\"";
        write_at(group, "memory.swap.max", "0");
        write_at(group, "memory.oom.group", "1");
    }
    if (w->processes) {
        write_at(base, "cgroup.subtree_control", "+pids");
        if (!set_number(group, "pids.max", w->processes))
            return "its cgroup has no controller \"pids\"";
    }
    return NULL;
}

static const char *cgroup_make(struct mcti_sandbox *s, const char *base)
{
    char path[PATH_MAX], id[33];
    mcti_random_id(id);
    if (asprintf(&s->cgroup, "%s/" SERVER_GROUP "%d-%s", base, (int)getpid(), id) < 0) {
        s->cgroup = NULL;
        return "out of memory";
    }
    if (mkdir(s->cgroup, 0755) < 0) {
        free(s->cgroup);
        s->cgroup = NULL;
        return "a cgroup cannot be created";
    }
    snprintf(path, sizeof path, "%.4000s/cgroup.procs", s->cgroup);
    s->cgroup_procs_fd = open(path, O_WRONLY | O_CLOEXEC);
    return s->cgroup_procs_fd < 0 ? "a cgroup cannot be entered" : NULL;
}

bool mcti_cgroup_prepare(struct mcti_sandbox *s, const struct mcti_sandbox_wish *w, char *ret_why, size_t size)
{
    char base[PATH_MAX];
    const char *why = divide(base);
    why = why ? why : cgroup_make(s, base);
    why = why ? why : set_ceilings(base, s->cgroup, w);
    snprintf(ret_why, size, "%s", why ? why : "");
    return !why;
}

int mcti_cgroup_enter(const struct mcti_sandbox *s)
{
    return s->cgroup_procs_fd < 0 || write(s->cgroup_procs_fd, "0", 1) == 1 ? 0 : -1;
}

bool mcti_cgroup_kill(const struct mcti_sandbox *s)
{
    return s->cgroup && write_at(s->cgroup, "cgroup.kill", "1") == 0;
}

void mcti_cgroup_remove(struct mcti_sandbox *s)
{
    if (!s->cgroup)
        return;
    if (rmdir(s->cgroup) < 0 && errno == EBUSY)
        write_at(s->cgroup, "cgroup.kill", "1"); /* the next gateway removes the group, if this one does not */
    rmdir(s->cgroup);
    free(s->cgroup);
    s->cgroup = NULL;
}
