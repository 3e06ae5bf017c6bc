/* Starts children with pipe2 and vfork. Linux-only calls (prctl, pidfd_open) are guarded. */
#include "io/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

extern char **environ;

static const char *env_get(char *const *envp, const char *name)
{
    size_t n = strlen(name);
    for (; envp && *envp; envp++)
        if (!strncmp(*envp, name, n) && (*envp)[n] == '=')
            return *envp + n + 1;
    return NULL;
}

static bool spawn_runnable(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *mcti_spawn_find(const struct mcti_spawn *spec)
{
    const char *name = spec->argv[0], *path = env_get(spec->envp, "PATH");
    char *full = NULL;
    if (strchr(name, '/'))
        return strdup(name);
    struct mcti_str rest = mcti_str_of(path ? path : "/usr/local/bin:/usr/bin:/bin"), dir;
    while (mcti_str_split(&rest, ':', &dir)) {
        if (asprintf(&full, "%.*s/%s", MCT_STR_ARG(dir.len ? dir : MCT_STR(".")), name) < 0)
            return NULL;
        if (spawn_runnable(full))
            return full;
        free(full);
    }
    errno = ENOENT;
    return NULL;
}

/* STATUS carries the errno of a failed start; a successful exec closes it. */
enum { MAX_FILES = 65536 }; /* number of descriptors to close where close_range is missing */
enum { IN, OUT, ERR, STATUS, N_PIPES };

static void close_pipes(int pipes[N_PIPES][2])
{
    for (int i = 0; i < N_PIPES; i++)
        for (int k = 0; k < 2; k++)
            if (pipes[i][k] >= 0)
                close(pipes[i][k]);
}

/* Enlarges a pipe so that large lines need fewer turns. A refusal (the user's pipe quota) is ignored. */
static void spawn_enlarge(int fd)
{
#ifdef F_SETPIPE_SZ
    (void)fcntl(fd, F_SETPIPE_SZ, 256 * 1024);
#endif
}

static int spawn_open_pipes(int pipes[N_PIPES][2])
{
    memset(pipes, -1, sizeof(int) * N_PIPES * 2);
    for (int i = 0; i < N_PIPES; i++) {
        if (pipe2(pipes[i], O_CLOEXEC) < 0) {
            close_pipes(pipes);
            return -1;
        }
    }
    spawn_enlarge(pipes[IN][1]);
    spawn_enlarge(pipes[OUT][0]);
    return 0;
}

void mcti_child_begin(pid_t parent, int death, uint64_t mark)
{
    struct sigaction dfl = { .sa_handler = SIG_DFL };
    sigset_t none;
    setsid();
    mcti_mark_set(mark);
    for (int sig = 1; sig < 32; sig++)
        sigaction(sig, &dfl, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, death);
    if (getppid() != parent)
        _exit(127); /* the parent died before prctl() took effect */
#else
    (void)parent;
    (void)death;
#endif
}

/* What failed in the child, which shares the constants that `step` points to. */
struct spawn_fault {
    const char *step; /* of the sandbox, or one of the names below; NULL: nothing failed */
    int error;
};

static const char at_start[] = "start", at_cwd[] = "cwd";

static struct spawn_fault spawn_fault_at(const char *step)
{
    return (struct spawn_fault){ step, errno };
}

static const char *child_enter_sandbox(const struct mcti_spawn *spec, pid_t parent)
{
    const char *failed = mcti_sandbox_enter(spec->sandbox);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* entering a user namespace has reset it */
    if (getppid() != parent)
        _exit(127);
#else
    (void)parent;
#endif
    return failed;
}

/* Runs in the child between vfork and exec, with system calls only. Returns the call that failed. */
static struct spawn_fault child_main(const struct mcti_spawn *spec, const char *file, int pipes[N_PIPES][2],
                                     pid_t parent)
{
    mcti_child_begin(parent, SIGTERM, spec->mark);
    struct rlimit limit;
    if (spec->n_files && getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > spec->n_files) {
        limit.rlim_cur = spec->n_files;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (spec->n_core && getrlimit(RLIMIT_CORE, &limit) == 0) {
        limit.rlim_cur = spec->n_core;
        setrlimit(RLIMIT_CORE, &limit);
    }
    if (dup2(pipes[IN][0], 0) < 0 || dup2(pipes[OUT][1], 1) < 0 || dup2(pipes[ERR][1], 2) < 0)
        return spawn_fault_at(at_start);
#ifdef SYS_close_range
    syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */);
#endif
    if (spec->cwd && chdir(spec->cwd) < 0)
        return spawn_fault_at(at_cwd);
    const char *failed = spec->sandbox ? child_enter_sandbox(spec, parent) : NULL;
    if (failed)
        return spawn_fault_at(failed);
    execve(file, spec->argv, spec->envp);
    return spawn_fault_at(at_start);
}

/* The limit is 1 byte rather than 0: Linux hands a dump to the program of core_pattern whatever the limit is, unless it
 * is 1, and a file of 1 byte is not written. */
unsigned long mcti_forbid_core(void)
{
    struct rlimit core;
    if (getrlimit(RLIMIT_CORE, &core) < 0)
        return 0;
    unsigned long before = (unsigned long)core.rlim_cur;
    core.rlim_cur = core.rlim_max > 1 ? 1 : core.rlim_max;
    setrlimit(RLIMIT_CORE, &core);
    return before;
}

#ifdef __linux__

/* A child that enters a user namespace makes the memory that it shares with this process untraceable. */
static int spawn_traceable(const struct mcti_spawn *spec)
{
    return spec->sandbox && mcti_sandbox_taints(spec->sandbox) ? prctl(PR_GET_DUMPABLE) : 0;
}

static void spawn_restore_traceable(int before)
{
    if (before == 1)
        prctl(PR_SET_DUMPABLE, 1);
}

#else

static int spawn_traceable(const struct mcti_spawn *spec)
{
    (void)spec;
    return 0;
}

static void spawn_restore_traceable(int before)
{
    (void)before;
}

#endif

static pid_t vfork_exec(const struct mcti_spawn *spec, const char *file, int pipes[N_PIPES][2],
                        struct spawn_fault *ret_failed)
{
    sigset_t all, old;
    pid_t parent = getpid();
    int traceable = spawn_traceable(spec);

    *ret_failed = (struct spawn_fault){ 0 };
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old); /* no signal handler may run on the shared stack */
    pid_t pid = vfork();
    if (pid == 0) {
        struct spawn_fault failed = child_main(spec, file, pipes, parent);
        (void)!write(pipes[STATUS][1], &failed, sizeof failed);
        _exit(127);
    }
    if (pid < 0)
        *ret_failed = spawn_fault_at(at_start);
    spawn_restore_traceable(traceable);
    sigprocmask(SIG_SETMASK, &old, NULL);
    close(pipes[STATUS][1]);
    pipes[STATUS][1] = -1;
    while (pid > 0 && read(pipes[STATUS][0], ret_failed, sizeof *ret_failed) < 0 && errno == EINTR)
        ;
    if (pid > 0 && ret_failed->step)
        waitpid(pid, NULL, 0);
    return pid;
}

int mcti_pidfd(pid_t pid)
{
#ifdef SYS_pidfd_open
    int fd = (int)syscall(SYS_pidfd_open, pid, 0u);
    if (fd >= 0)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
#else
    (void)pid;
    return -1;
#endif
}

int mcti_close_others(int fd)
{
    int null = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3; i++)
        dup2(null, i);
    fd = dup2(fd, 3);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 4u, ~0u, 0u) == 0)
        return fd;
#endif
    for (int i = 4; i < MAX_FILES; i++) /* close_range is missing in old kernels and in valgrind */
        close(i);
    return fd;
}

static int spawn_fail(const struct mcti_spawn *spec, struct spawn_fault failed, struct mct_error *err)
{
    const char *why = strerror(failed.error);
    if (failed.step == at_cwd)
        return mcti_fail(err, MCT_ERR_CONNECT, "starting '%s': working directory '%s': %s", spec->argv[0], spec->cwd,
                         why);
    if (failed.step != at_start)
        return mcti_fail(err, MCT_ERR_CONNECT, "starting '%s': the sandbox cannot be entered (%s): %s", spec->argv[0],
                         failed.step, why);
    return mcti_fail(err, MCT_ERR_CONNECT, "starting '%s': %s%s", spec->argv[0], why,
                     spec->sandbox && failed.error == EACCES
                         ? " (in its sandbox; \"sandbox\".\"read\" can make a folder available)"
                         : "");
}

int mcti_spawn(const struct mcti_spawn *spec, struct mcti_child *ret_child, struct mct_error *err)
{
    int pipes[N_PIPES][2];
    struct spawn_fault failed;
    char *file = mcti_spawn_find(spec);
    if (!file && errno == ENOMEM)
        return mcti_no_memory(err);
    if (!file)
        return mcti_fail(err, MCT_ERR_CONNECT,
                         "starting '%s': not found in PATH; install it or give "
                         "its full path",
                         spec->argv[0]);
    if (spawn_open_pipes(pipes) < 0) {
        free(file);
        return mcti_fail(err, MCT_ERR_CONNECT, "starting '%s': creating a pipe: %s", spec->argv[0], strerror(errno));
    }
    pid_t pid = vfork_exec(spec, file, pipes, &failed);
    free(file);
    if (failed.step) {
        close_pipes(pipes);
        return spawn_fail(spec, failed, err);
    }
    close(pipes[IN][0]);
    close(pipes[OUT][1]);
    close(pipes[ERR][1]);
    close(pipes[STATUS][0]);
    *ret_child =
        (struct mcti_child){ { pid, spec->mark }, mcti_pidfd(pid), pipes[IN][1], pipes[OUT][0], pipes[ERR][0] };
    return 0;
}
