#include "auth/net/browser.h"

#include "auth/wire/url.h"
#include "base/buf.h"
#include "base/strings.h"
#include "io/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { WORD_BYTES = 65536 };

/* ---- the command ---- */

/* Appends a word of $BROWSER: %s is the URL, %% a percent sign, %c a colon. Returns true if it contained the URL. */
static bool browser_put_word(struct mcti_buf *to, struct mcti_str word, const char *url)
{
    bool has_url = false;
    for (size_t i = 0; i < word.len; i++) {
        char next = word.p[i] == '%' && i + 1 < word.len ? word.p[i + 1] : '\0';
        if (next == 's')
            mcti_buf_addz(to, url);
        else if (next == '%' || next == 'c')
            mcti_buf_addc(to, next == 'c' ? ':' : '%');
        else
            mcti_buf_addc(to, word.p[i]);
        i += next == 's' || next == '%' || next == 'c';
        has_url |= next == 's';
    }
    return has_url;
}

static int browser_add_word(struct mcti_strings *argv, struct mcti_str word, const char *url, bool *has_url)
{
    struct mcti_buf text;
    mcti_buf_init(&text, WORD_BYTES);
    *has_url |= browser_put_word(&text, word, url);
    int r = mcti_buf_ok(&text) ? mcti_strings_add(argv, mcti_buf_str(&text)) : -1;
    mcti_buf_done(&text);
    return r;
}

static bool browser_is_file(struct mcti_str command)
{
    char *path = mcti_str_dup(command);
    bool yes = path && strchr(path, '/') && access(path, X_OK) == 0;
    free(path);
    return yes;
}

/* Makes the arguments of a command: words between spaces, or the path of a program that contains spaces. */
static int browser_make_argv(struct mcti_strings *argv, struct mcti_str command, const char *url)
{
    struct mcti_str rest = command, word;
    bool has_url = false, whole = browser_is_file(command);
    while (mcti_str_split(&rest, whole ? '\0' : ' ', &word))
        if (word.len && browser_add_word(argv, word, url, &has_url) < 0)
            return -1;
    return has_url ? 0 : mcti_strings_add(argv, mcti_str_of(url));
}

/* ---- the process ---- */

/* Runs in the copy of this process. The browser is a grandchild, so that nobody has to wait for it, in a session of its
 * own, and outlives this process. */
static void browser_exec(const char *file, char *const *argv, int status, pid_t parent)
{
    mcti_child_begin(parent, 0, 0);
    pid_t pid = fork();
    if (pid > 0)
        _exit(0);
    int failed = errno;
    if (pid == 0) {
        status = mcti_close_others(status);
        fcntl(status, F_SETFD, FD_CLOEXEC);
        execve(file, argv, environ);
        failed = errno;
    }
    (void)!write(status, &failed, sizeof failed);
    _exit(127);
}

/* Returns the errno of a failed start; 0: the browser runs. */
static int browser_fork(const char *file, char *const *argv)
{
    int status[2], failed = 0;
    sigset_t all, old;
    pid_t parent = getpid();
    if (pipe2(status, O_CLOEXEC) < 0)
        return errno;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old); /* a signal handler of this process must not run in the copy */
    pid_t pid = fork();
    if (pid == 0)
        browser_exec(file, argv, status[1], parent);
    if (pid < 0)
        failed = errno;
    sigprocmask(SIG_SETMASK, &old, NULL);
    close(status[1]);
    while (pid > 0 && read(status[0], &failed, sizeof failed) < 0 && errno == EINTR)
        ;
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close(status[0]);
    return failed;
}

static int browser_run(struct mcti_strings *words, struct mct_error *err)
{
    char **argv = calloc(words->n + 1, sizeof *argv);
    if (!argv)
        return mcti_no_memory(err);
    memcpy(argv, words->v, words->n * sizeof *argv);
    char *file = mcti_spawn_find(&(struct mcti_spawn){ .argv = argv, .envp = environ });
    int failed = file ? browser_fork(file, argv) : errno;
    free(file);
    free(argv);
    if (failed)
        return mcti_fail(err, MCT_ERR_NOT_FOUND, "starting '%.100s': %s", words->v[0], strerror(failed));
    return 0;
}

static int browser_start(struct mcti_str command, const char *url, struct mct_error *err)
{
    struct mcti_strings words = { 0 };
    int r = browser_make_argv(&words, command, url) < 0 ? mcti_no_memory(err) : browser_run(&words, err);
    mcti_strings_clear(&words);
    return r;
}

/* ---- the choice ---- */

static bool browser_is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

static const char *browser_usual(void)
{
#ifdef __APPLE__
    return "open";
#else
    return browser_is_set("DISPLAY") || browser_is_set("WAYLAND_DISPLAY") ? "xdg-open" : "";
#endif
}

int mcti_browser_open(const char *url, struct mct_error *err)
{
    struct mcti_str rest = mcti_str_of(browser_is_set("BROWSER") ? getenv("BROWSER") : browser_usual()), command;
    if (mcti_auth_url_check(mcti_str_of(url), "the URL for the browser", err) < 0)
        return -1;
    int r = mcti_fail(err, MCT_ERR_NOT_FOUND, "there is no display for a browser, and BROWSER is not set");
    while (r < 0 && mcti_str_split(&rest, ':', &command))
        if (mcti_str_trim(command).len)
            r = browser_start(mcti_str_trim(command), url, err);
    return r;
}
