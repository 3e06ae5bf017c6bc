#include "cli/running/launch.h"

#include "base/clock.h"
#include "io/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOG_BYTES = 1 << 20, READY_MS = 30000, LOOK_MS = 10, MOST_WORDS = 16, TAIL_BYTES = 4096, ID_CHARS = 16 };

/* ---- the log file ---- */

int mcti_launch_log_path(const struct mcti_app *app, char ret[PATH_MAX], struct mct_error *err)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    bool own = state && state[0] == '/';
    struct mcti_control_place place;
    char folder[PATH_MAX - ID_CHARS - sizeof "/daemon-.log"];
    if (!own && (!home || home[0] != '/'))
        return mcti_fail(err, MCT_ERR_CONFIG, "no folder for the log: set HOME or XDG_STATE_HOME to an absolute path");
    if (snprintf(folder, sizeof folder, "%s/mcptools", own ? state : home) >= (int)sizeof folder ||
        (!own && snprintf(folder, sizeof folder, "%s/.local/state/mcptools", home) >= (int)sizeof folder))
        return mcti_fail(err, MCT_ERR_CONFIG, "the path of the folder for the log is too long");
    if (mcti_control_place(&app->inst.config, true, &place, err) < 0)
        return -1;
    if (mcti_folder_make(folder) < 0)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", folder, strerror(errno));
    snprintf(ret, PATH_MAX, "%s/daemon-%.*s.log", folder, ID_CHARS, place.identity);
    return 0;
}

/* Opens the log for appending. A long one is kept as FILE.1, whose predecessor is removed. */
static int launch_open_log(struct mcti_launch *l, struct mct_error *err)
{
    char old[PATH_MAX + 2];
    struct stat st;
    snprintf(old, sizeof old, "%s.1", l->log);
    if (lstat(l->log, &st) == 0 && st.st_size > LOG_BYTES)
        rename(l->log, old);
    int fd = open(l->log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", l->log, strerror(errno));
    l->log_at = fstat(fd, &st) == 0 ? st.st_size : 0;
    return fd;
}

/* ---- the process ---- */

struct launch_words {
    char idle[32];
    char **files; /* absolute paths; owned */
    size_t n_files;
};

static void launch_free_words(struct launch_words *w, const char **argv)
{
    for (size_t i = 0; i < w->n_files; i++)
        free(w->files[i]);
    free(w->files);
    free(argv);
}

/* Returns the command line to free() with launch_free_words(); NULL with *err on failure. */
static const char **launch_make_words(const struct mcti_app *app, struct launch_words *w, struct mct_error *err)
{
    const struct mcti_strings *files = &app->opt.config_files;
    const char **argv = calloc(MOST_WORDS + 2 * files->n, sizeof *argv);
    size_t n = 0;
    w->files = calloc(files->n + 1, sizeof *w->files);
    if (!argv || !w->files)
        return mcti_no_memory(err), launch_free_words(w, argv), NULL;
    argv[n++] = "mcptools";
    argv[n++] = "serve";
    argv[n++] = "--log-level";
    argv[n++] = app->opt.log_level == MCT_LOG_DEBUG ? "debug" : "info";
    for (size_t i = 0; i < files->n; i++) {
        char *full = realpath(files->v[i], NULL);
        if (!full)
            return mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", files->v[i], strerror(errno)), launch_free_words(w, argv),
                   NULL;
        argv[n++] = "--config";
        argv[n++] = w->files[w->n_files++] = full;
    }
    snprintf(w->idle, sizeof w->idle, "%.3f", app->opt.idle_ms / 1000.0);
    if (app->opt.idle_ms) {
        argv[n++] = "--idle";
        argv[n++] = w->idle;
    }
    argv[n++] = app->opt.http ? "--http" : "--socket";
    if (app->opt.http)
        argv[n] = app->opt.http;
    return argv;
}

/* Becomes the gateway. Signals that were ignored stay ignored. */
static void launch_exec(const char *const *argv, int log)
{
    int null = open("/dev/null", O_RDWR);
    setsid();
    setenv(MCT_LOG_TIMES_VARIABLE, "1", 1);
    if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(log, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0)
        execv("/proc/self/exe", (char *const *)(uintptr_t)argv);
    _exit(127);
}

int mcti_launch_start(struct mcti_app *app, struct mcti_launch *ret, struct mct_error *err)
{
    struct launch_words words = { .n_files = 0 };
    if (mcti_launch_log_path(app, ret->log, err) < 0)
        return -1;
    const char **argv = launch_make_words(app, &words, err);
    int log = argv ? launch_open_log(ret, err) : -1;
    if (log >= 0) {
        fflush(NULL);
        ret->pid = fork();
        if (ret->pid == 0)
            launch_exec(argv, log);
        if (ret->pid < 0)
            mcti_fail(err, MCT_ERR_INTERNAL, "fork: %s", strerror(errno));
        close(log);
    }
    if (argv)
        launch_free_words(&words, argv);
    return log < 0 || ret->pid < 0 ? -1 : 0;
}

/* ---- waiting ---- */

/* Sets *err to the last line that the gateway wrote. */
static int launch_explain(const struct mcti_launch *l, struct mct_error *err)
{
    char tail[TAIL_BYTES + 1];
    struct mcti_str line = MCT_STR_NONE, rest, next;
    int fd = open(l->log, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : pread(fd, tail, TAIL_BYTES, l->log_at);
    if (fd >= 0)
        close(fd);
    rest = (struct mcti_str){ tail, n > 0 ? (size_t)n : 0 };
    while (rest.p && mcti_str_split(&rest, '\n', &next))
        line = next.len ? next : line;
    const char *own = line.len ? memmem(line.p, line.len, "mcptools: ", 10) : NULL; /* behind the time */
    if (own)
        line = mcti_str_range(own + 10, line.p + line.len);
    return mcti_fail(err, MCT_ERR_CONNECT, "the gateway ended at once: %.*s; its log is %s", MCT_STR_ARG(line), l->log);
}

static bool launch_is_ready(struct mcti_app *app, const struct mcti_launch *l)
{
    struct mcti_control_client c;
    bool ready = mcti_control_client_open(&c, &app->inst.config, MCT_RUNNING_MS, NULL) == 0;
    uint64_t pid = 0;
    if (ready)
        mcti_json_uint(mcti_json_get(mcti_buf_str(&c.said), "pid"), &pid);
    mcti_control_client_close(&c);
    return ready && pid == (uint64_t)l->pid;
}

int mcti_launch_await(struct mcti_app *app, const struct mcti_launch *l, struct mct_error *err)
{
    uint64_t until_us = mcti_clock_since_us() + READY_MS * UINT64_C(1000);
    int status;
    while (mcti_clock_since_us() < until_us) {
        if (launch_is_ready(app, l))
            return 0;
        if (waitpid(l->pid, &status, WNOHANG) == l->pid)
            return launch_explain(l, err);
        poll(NULL, 0, LOOK_MS);
    }
    return mcti_fail(err, MCT_ERR_TIMEOUT, "the gateway (process %ld) is not ready after %d s; its log is %s",
                     (long)l->pid, READY_MS / 1000, l->log);
}
