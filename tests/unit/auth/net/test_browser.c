/* Which program becomes the browser, and with which arguments. */
#include "unit.h"

#include "auth/net/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 10000 };

static const char url[] = "https://as.example/authorize?a=b&c=$HOME;d='e'";
static char folder[64], said[8192];

static const char *path_of(const char *name)
{
    static char path[4][128];
    static unsigned n;
    char *p = path[n++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

/* A program that writes its arguments and what it sees to a file in one step. */
static void make_program(const char *name)
{
    FILE *f = fopen(path_of(name), "w");
    assert_non_null(f);
    fprintf(f,
            "#!/bin/sh\n{\n"
            "for a in \"$@\"; do echo \"[$a]\"; done\n"
            "echo \"name ${0##*/}\"\n"
            "echo \"files $(ls /proc/self/fd | wc -l)\"\n"
            "echo \"input $(readlink /proc/$$/fd/0)\"\n"
            "echo \"parent $(cut -d' ' -f4 /proc/$$/stat)\"\n"
            "echo \"group $(cut -d' ' -f5,6 /proc/$$/stat)\"\n"
            "grep -E '^Sig(Blk|Ign)' /proc/self/status\n"
            "} > %s/saying && mv %s/saying %s/said\n",
            folder, folder, folder);
    fclose(f);
    assert_int_equal(chmod(path_of(name), 0755), 0);
}

/* Waits for the program, which is no child of this one. */
static const char *wait_for_program(void)
{
    int watch = inotify_init1(IN_CLOEXEC);
    struct pollfd moved = { watch, POLLIN, 0 };
    assert_true(watch >= 0 && inotify_add_watch(watch, folder, IN_MOVED_TO) >= 0);
    if (access(path_of("said"), R_OK) < 0)
        assert_int_equal(poll(&moved, 1, PATIENCE_MS), 1);
    close(watch);
    FILE *f = fopen(path_of("said"), "r");
    assert_non_null(f);
    size_t n = fread(said, 1, sizeof said - 1, f);
    said[n] = '\0';
    fclose(f);
    unlink(path_of("said"));
    return said;
}

static const char *open_with(const char *format)
{
    char command[512];
    struct mct_error err = { 0 };
    snprintf(command, sizeof command, format, folder, folder);
    setenv("BROWSER", command, 1);
    if (mcti_browser_open(url, &err) < 0)
        fail_msg("%s: %s", command, err.message);
    return wait_for_program();
}

static void starts_with(const char *got, const char *expected)
{
    char text[512];
    snprintf(text, sizeof text, expected, url);
    if (strncmp(got, text, strlen(text)))
        fail_msg("not %s: %s", text, got);
}

static void the_url_is_an_argument(void **state)
{
    (void)state;
    starts_with(open_with("%s/b"), "[%s]\nname b\n");
    starts_with(open_with("%s/b -x  --new"), "[-x]\n[--new]\n[%s]\nname b\n");
    starts_with(open_with("%s/b -u %%s -z"), "[-u]\n[%s]\n[-z]\nname b\n");
    starts_with(open_with("%s/b --url=%%s%%%%%%c%%x"), "[--url=%s%%:%%x]\nname b\n");
    starts_with(open_with("%s/a b c"), "[%s]\nname a b c\n"); /* as on Windows: "/mnt/c/Program Files/…" */
}

static void the_first_program_that_starts_is_taken(void **state)
{
    struct mct_error err = { 0 };
    (void)state;
    starts_with(open_with("no-such-browser:: %s/b :%s/other"), "[%s]\nname b\n");
    setenv("BROWSER", "no-such-browser:/no/such/browser", 1);
    assert_int_equal(mcti_browser_open(url, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    assert_string_equal(err.message, "starting '/no/such/browser': No such file or directory");
    setenv("BROWSER", folder, 1);
    assert_int_equal(mcti_browser_open(url, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    setenv("BROWSER", ":", 1);
    assert_int_equal(mcti_browser_open(url, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
}

static void a_display_has_a_usual_browser(void **state)
{
    struct mct_error err = { 0 };
    char *path = strdup(getenv("PATH")), both[4096];
    (void)state;
    snprintf(both, sizeof both, "%s:%s", folder, path);
    setenv("PATH", both, 1);
    setenv("BROWSER", "", 1);
    assert_int_equal(mcti_browser_open(url, &err), -1);
    assert_string_equal(err.message, "there is no display for a browser, and BROWSER is not set");
    setenv("WAYLAND_DISPLAY", "wayland-0", 1);
    assert_int_equal(mcti_browser_open(url, &err), 0);
    starts_with(wait_for_program(), "[%s]\nname xdg-open\n");
    unsetenv("WAYLAND_DISPLAY");
    setenv("DISPLAY", ":0", 1);
    unsetenv("BROWSER");
    assert_int_equal(mcti_browser_open(url, &err), 0);
    starts_with(wait_for_program(), "[%s]\nname xdg-open\n");
    unsetenv("DISPLAY");
    setenv("PATH", path, 1);
    free(path);
}

static void unsafe_urls_are_not_opened(void **state)
{
    static const char *const bad[] = {
        "javascript:alert(1)", "file:///etc/passwd", "http://as.example/", "--help", "https://a/\n",
        "https://a/ b",        "data:text/html,x",   "https://u@a/",       ""
    };
    struct mct_error err = { 0 };
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "%s/b", folder);
    setenv("BROWSER", command, 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(mcti_browser_open(bad[i], &err), -1);
        assert_int_equal(err.kind, MCT_ERR_PROTOCOL);
    }
    assert_int_equal(access(path_of("said"), F_OK), -1);
}

static void the_browser_has_nothing_of_this_process(void **state)
{
    char own[64];
    unsigned long blocked = 1, ignored = 1;
    int pgrp, session, parent, files, pipes[2];
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(pipes), 0);
    const char *got = open_with("%s/b");
    snprintf(own, sizeof own, "parent %d\n", (int)getpid());
    assert_null(strstr(got, own));
    assert_non_null(strstr(got, "\ninput /dev/null\n"));
    assert_int_equal(sscanf(strstr(got, "\nfiles "), "\nfiles %d", &files), 1);
    assert_in_range(files, 1, 4); /* 0, 1, 2 and the folder that `ls` reads */
    assert_int_equal(sscanf(strstr(got, "\nparent "), "\nparent %d", &parent), 1);
    assert_int_not_equal(parent, getpid());
    assert_int_equal(sscanf(strstr(got, "\ngroup "), "\ngroup %d %d", &pgrp, &session), 2);
    assert_int_not_equal(session, getsid(0));
    assert_int_not_equal(pgrp, getpgrp());
    assert_int_equal(sscanf(strstr(got, "\nSigBlk:"), "\nSigBlk: %lx", &blocked), 1);
    assert_int_equal(sscanf(strstr(got, "\nSigIgn:"), "\nSigIgn: %lx", &ignored), 1);
    assert_int_equal(blocked, 0);
    assert_int_equal(ignored & ~(3ul << 31), 0); /* 32 and 33 belong to the C library, which does not change them */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child, no zombie */
    assert_int_equal(errno, ECHILD);
    close(pipes[0]);
    close(pipes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_url_is_an_argument),
        cmocka_unit_test(the_first_program_that_starts_is_taken),
        cmocka_unit_test(a_display_has_a_usual_browser),
        cmocka_unit_test(unsafe_urls_are_not_opened),
        cmocka_unit_test(the_browser_has_nothing_of_this_process),
    };
    static const char *const programs[] = { "b", "other", "a b c", "xdg-open" };
    snprintf(folder, sizeof folder, "/tmp/mct-browser-XXXXXX");
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        make_program(programs[i]);
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    int r = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        unlink(path_of(programs[i]));
    rmdir(folder);
    return r;
}
