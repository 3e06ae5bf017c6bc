/* Limits of the child: resources and capabilities. */
#include "io/sandbox/impl.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_CAPABILITY = 63 };

/* ---- resources ---- */

/* Returns the number of processes and threads of this user, which RLIMIT_NPROC counts. */
static unsigned count_of_user(void)
{
    unsigned n = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *e; proc && (e = readdir(proc));) {
        char path[64];
        struct stat st;
        snprintf(path, sizeof path, "/proc/%.20s/task", e->d_name);
        if (isdigit((unsigned char)e->d_name[0]) && stat(path, &st) == 0 && st.st_uid == getuid() && st.st_nlink > 2)
            n += (unsigned)st.st_nlink - 2;
    }
    if (proc)
        closedir(proc);
    return n;
}

static int limits_set_memory(struct mcti_sandbox *s, uint64_t bytes, const char *why, struct mct_error *err)
{
    s->data_bytes = bytes;
    mcti_buf_printf(&s->limits, ",\"memory\":{\"bytes\":%llu,\"by\":\"rlimit\",\"each\":\"process\"}",
                    (unsigned long long)bytes);
    return mcti_sandbox_lacks(s, err, "\"memory\" limits each process and not all of them together: %s", why);
}

static int limits_set_processes(struct mcti_sandbox *s, unsigned n, const char *why, struct mct_error *err)
{
    bool own_count = s->user_ns >= 0;
    if (getuid() == 0)
        return mcti_sandbox_lacks(s, err, "\"processes\" does not hold: %s, and root has no other limit", why);
    s->n_processes = own_count ? n : count_of_user() + n;
    mcti_buf_printf(&s->limits, ",\"processes\":{\"number\":%u,\"by\":\"rlimit\",\"counts\":\"%s\"}", n,
                    own_count ? "server" : "user");
    return own_count ? 0
                     : mcti_sandbox_lacks(s, err,
                                          "\"processes\" counts all processes of the user: %s, and there are "
                                          "no user namespaces",
                                          why);
}

int mcti_sandbox_limits_prepare(struct mcti_sandbox *s, const struct mcti_sandbox_wish *w, struct mct_error *err)
{
    const char *why = s->no_cgroup;
    s->drop_capabilities = mcti_capabilities_any();
    if (s->cgroup_holds) {
        if (w->memory_bytes)
            mcti_buf_printf(&s->limits, ",\"memory\":{\"bytes\":%llu,\"by\":\"cgroup\"}",
                            (unsigned long long)w->memory_bytes);
        if (w->processes)
            mcti_buf_printf(&s->limits, ",\"processes\":{\"number\":%u,\"by\":\"cgroup\"}", w->processes);
        return 0;
    }
    if (w->memory_bytes && limits_set_memory(s, w->memory_bytes, why, err) < 0)
        return -1;
    return w->processes ? limits_set_processes(s, w->processes, why, err) : 0;
}

/* Lowers both limits; a limit that is lower already stays. */
static int limits_lower(int resource, rlim_t to)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) < 0)
        return -1;
    limit.rlim_max = limit.rlim_max < to ? limit.rlim_max : to;
    limit.rlim_cur = limit.rlim_cur < to ? limit.rlim_cur : to;
    return setrlimit((__rlimit_resource_t)resource, &limit);
}

int mcti_sandbox_limits_enter(const struct mcti_sandbox *s)
{
    enum { MAX_FILES = 65536 };
    if (limits_lower(RLIMIT_CORE, 1) < 0 || limits_lower(RLIMIT_NOFILE, MAX_FILES) < 0) /* 1: see mcti_forbid_core() */
        return -1;
    if (s->data_bytes && limits_lower(RLIMIT_DATA, s->data_bytes) < 0)
        return -1;
    return s->n_processes ? limits_lower(RLIMIT_NPROC, s->n_processes) : 0;
}

/* ---- capabilities ---- */

#define CAP_BIT(n) ((uint64_t)1 << (n))

/* Root may still be root among files and users; Landlock holds for it as well. */
#define KEPT                                                                                                           \
    (CAP_BIT(CAP_CHOWN) | CAP_BIT(CAP_DAC_OVERRIDE) | CAP_BIT(CAP_FOWNER) | CAP_BIT(CAP_FSETID) |                      \
     CAP_BIT(CAP_SETGID) | CAP_BIT(CAP_SETUID) | CAP_BIT(CAP_NET_BIND_SERVICE))

static int capabilities_get(struct __user_cap_data_struct data[2])
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    return (int)syscall(SYS_capget, &head, data);
}

bool mcti_capabilities_any(void)
{
    struct __user_cap_data_struct data[2] = { { 0 } };
    return capabilities_get(data) == 0 && (data[0].permitted || data[1].permitted);
}

int mcti_capabilities_drop(const struct mcti_sandbox *s)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[2] = { { 0 } };
    if (!s->drop_capabilities && s->user_ns < 0)
        return 0;
    uint64_t kept = s->user_ns < 0 ? KEPT : 0; /* a namespace gave some that were not there before */
    if (capabilities_get(data) < 0)
        return -1;
    for (unsigned i = 0; i <= MAX_CAPABILITY; i++)
        if (!(kept >> i & 1) && prctl(PR_CAPBSET_READ, i, 0, 0, 0) == 1)
            prctl(PR_CAPBSET_DROP, i, 0, 0, 0); /* fails without CAP_SETPCAP; then no_new_privs suffices */
    for (unsigned i = 0; i < 2; i++) {
        data[i].permitted &= (uint32_t)(kept >> (i * 32));
        data[i].effective &= data[i].permitted;
        data[i].inheritable = 0;
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    /* in a user namespace exec removes them as well, for a user who is not root; a filter of systemd may deny this */
    return syscall(SYS_capset, &head, data) == 0 || s->user_ns >= 0 ? 0 : -1;
}
