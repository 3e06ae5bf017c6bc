/*
 * torture [OPTION]… FILE.flow…
 *
 * Runs the scenes (scene.h) and transcripts with allocations that fail: the first in one run, the second in the next,
 * and so on.
 * Each run is a process of its own. It must not crash, hang, leak or misuse memory, and must keep what its case
 * promises.
 *
 *   --runs N    at most so many runs of one case, chosen by chance (0: every allocation)
 *   --seed N    what that chance begins with
 *   --jobs N    so many processes at a time
 *   --many N    so many allocations in a row fail (1)
 *   --only NAME only this case: a scene, or the file of a transcript
 *   --at N      only with this allocation, in this process, and shows where things come from
 */
#include "torture.h"

#include "failing.h"
#include "scene.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CPU_S = 20, REAL_S = 180, MAX_JOBS = 64 };
enum { ENDED_WRONG = 1, ENDED_LEAKING = 2 };

/* Memory that all processes see. */
struct shared {
    struct torture_notes notes;
    unsigned long n; /* allocations of the run without a failure */
    unsigned long n_failed;
};

struct torture {
    unsigned long runs, seed, jobs, many, at;
    const char *only, *self;
    struct shared *shared;
    unsigned long n_runs, n_wrong, n_crashes, n_leaks, n_hangs;
    struct {
        pid_t pid;
        unsigned long at;
    } busy[MAX_JOBS];
    unsigned long n_busy;
};

/* ---- one run ---- */

static void on_crash(int sig)
{
    signal(sig, SIG_DFL);
    failing_print_here("it crashes");
    raise(sig);
}

static int run_here(struct torture *t, const struct torture_case *c, unsigned long at, bool show)
{
    const struct torture_run run = { .fails = at != 0, .notes = &t->shared->notes };
    unsigned long n, n_failed;
    if (show)
        for (size_t i = 0; i < 3; i++)
            signal((const int[]){ SIGSEGV, SIGABRT, SIGBUS }[i], on_crash);
    failing_begin(at, t->many, show);
    const char *wrong = c->run(c, &run);
    n = failing_end(&n_failed);
    __atomic_add_fetch(&t->shared->n_failed, n_failed, __ATOMIC_RELAXED);
    if (!at)
        t->shared->n = n;
    if (wrong)
        fprintf(stderr, "%s, allocation %lu: %s\n", c->name, at, wrong);
    if (wrong)
        return ENDED_WRONG;
    return failing_faults() ? ENDED_LEAKING : 0;
}

static pid_t run_apart(struct torture *t, const struct torture_case *c, unsigned long at)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid)
        return pid;
    setrlimit(RLIMIT_CPU, &(struct rlimit){ CPU_S, CPU_S });
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    alarm(REAL_S);
    _exit(run_here(t, c, at, false));
}

/* ---- what came of it ---- */

static void judge(struct torture *t, const struct torture_case *c, unsigned long at, int status)
{
    const char *what;
    int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    t->n_runs++;
    if (!status)
        return;
    if (sig == SIGALRM || sig == SIGXCPU || sig == SIGKILL) {
        t->n_hangs++;
        what = "hangs";
    } else if (sig || WEXITSTATUS(status) > ENDED_LEAKING) {
        t->n_crashes++;
        what = "crashes";
    } else if (WEXITSTATUS(status) == ENDED_LEAKING) {
        t->n_leaks++;
        what = "leaks or misuses memory";
    } else {
        t->n_wrong++;
        what = "breaks a promise";
    }
    fprintf(stderr, "%s --only %s --many %lu --at %lu   # %s\n", t->self, c->name, t->many, at, what);
}

static void await_one(struct torture *t, const struct torture_case *c)
{
    int status;
    pid_t pid = wait(&status);
    for (unsigned long i = 0; i < t->n_busy; i++) {
        if (t->busy[i].pid != pid)
            continue;
        judge(t, c, t->busy[i].at, status);
        t->busy[i] = t->busy[--t->n_busy];
        return;
    }
}

static void start(struct torture *t, const struct torture_case *c, unsigned long at)
{
    while (t->n_busy == t->jobs)
        await_one(t, c);
    t->busy[t->n_busy].at = at;
    t->busy[t->n_busy].pid = run_apart(t, c, at);
    if (t->busy[t->n_busy++].pid < 0) {
        perror("fork");
        exit(2);
    }
}

/* ---- all of them ---- */

static uint64_t draw(struct torture *t)
{
    t->seed = t->seed * 6364136223846793005u + 1442695040888963407u;
    return t->seed >> 33;
}

/* Each with the same chance, so that about as many are left as are wanted. */
static void run_case(struct torture *t, const struct torture_case *c)
{
    memset(&t->shared->notes, 0, sizeof t->shared->notes);
    t->shared->n = 0;
    start(t, c, 0);
    await_one(t, c);
    unsigned long n = t->shared->n;
    if (!n)
        return;
    if (t->at)
        exit(run_here(t, c, t->at, true));
    for (unsigned long at = 1; at <= n; at++)
        if (!t->runs || t->runs >= n || draw(t) % n < t->runs)
            start(t, c, at);
    while (t->n_busy)
        await_one(t, c);
}

static void run_named(struct torture *t, const char *name)
{
    bool is_flow = strstr(name, ".flow") != NULL;
    run_case(t, &(struct torture_case){ .name = name, .run = is_flow ? torture_flow : torture_scene });
}

static int report(const struct torture *t)
{
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    printf(
        "%lu allocations failed in %lu runs: %lu crashes, %lu leaks, %lu hangs, %lu broken promises (%ld s of CPU)\n",
        t->shared->n_failed, t->n_runs, t->n_crashes, t->n_leaks, t->n_hangs, t->n_wrong,
        (long)(use.ru_utime.tv_sec + use.ru_stime.tv_sec));
    return t->n_crashes + t->n_leaks + t->n_hangs + t->n_wrong || !t->shared->n_failed ? 1 : 0;
}

static int read_options(struct torture *t, int argc, char **argv)
{
    int i = 1;
    for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2) {
        unsigned long n = strtoul(argv[i + 1], NULL, 10);
        if (!strcmp(argv[i], "--only"))
            t->only = argv[i + 1];
        else if (!strcmp(argv[i], "--runs"))
            t->runs = n;
        else if (!strcmp(argv[i], "--seed"))
            t->seed = n;
        else if (!strcmp(argv[i], "--jobs"))
            t->jobs = n < 1 ? 1 : n > MAX_JOBS ? MAX_JOBS : n;
        else if (!strcmp(argv[i], "--many"))
            t->many = n;
        else if (!strcmp(argv[i], "--at"))
            t->at = n;
        else
            return -1;
    }
    return i;
}

int main(int argc, char **argv)
{
    struct torture t = { .seed = (unsigned long)time(NULL), .jobs = 2, .many = 1, .self = argv[0] };
    int first = read_options(&t, argc, argv);
    if (first < 0) {
        fprintf(stderr, "what is %s?\n", argv[1]);
        return 2;
    }
    t.shared = mmap(NULL, sizeof *t.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t.shared == MAP_FAILED)
        return 2;
    if (t.runs)
        printf("seed %lu\n", t.seed);
    for (const struct scene *s = scenes; s->name && !t.only; s++)
        run_named(&t, s->name);
    for (int i = first; i < argc && !t.only; i++)
        run_named(&t, argv[i]);
    if (t.only)
        run_named(&t, t.only);
    return t.at ? 2 : report(&t);
}
