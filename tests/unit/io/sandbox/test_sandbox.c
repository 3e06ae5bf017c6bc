/* What is prepared: the folder, the environment, the report; and that the parent stays free. */
#include "unit.h"

#include "io/process/spawn.h"
#include "io/sandbox/impl.h"
#include "json/scan.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct mcti_sandbox_wish *new_wish(void)
{
    static struct mcti_sandbox_wish w;
    w = (struct mcti_sandbox_wish){ .mode = MCT_SANDBOX_BEST_EFFORT, .label = strdup("a/../b") };
    static const char *const paths[] = { "/usr", "/bin", "/lib", "/lib64", "/proc" };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        mcti_sandbox_paths_add(&w.paths, strdup(paths[i]), false, true);
    return &w;
}

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static void a_folder_ends_with_its_sandbox(void **state)
{
    struct mct_error err;
    struct mcti_sandbox_wish *w = new_wish();
    char outside[] = "/tmp/mcptools-unit-XXXXXX", path[400], kept[64];
    (void)state;
    assert_non_null(mkdtemp(outside));
    snprintf(kept, sizeof kept, "%s/kept", outside);
    close(open(kept, O_CREAT | O_WRONLY, 0600));
    struct mcti_sandbox *s = mcti_sandbox_new(w, &err);
    assert_non_null(s);
    assert_non_null(strstr(s->folder, "-a____b-"));
    snprintf(path, sizeof path, "%s/link", s->folder);
    assert_int_equal(symlink(outside, path), 0);
    snprintf(path, sizeof path, "%s/closed", s->folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/closed/file", s->folder);
    close(open(path, O_CREAT | O_WRONLY, 0));
    snprintf(path, sizeof path, "%s/closed", s->folder);
    assert_int_equal(chmod(path, 0), 0);
    snprintf(path, sizeof path, "%s", s->folder);
    mcti_sandbox_free(s);
    assert_false(exists(path));
    assert_true(exists(kept));
    unlink(kept);
    rmdir(outside);
    mcti_sandbox_wish_done(w);
}

static void variables_are_replaced(void **state)
{
    char *given[] = { "A=1", "TMPDIR=/x", "TMPDIRS=2", "TEMP", "https_proxy=http://other", NULL };
    struct mcti_sandbox_wish *w = new_wish();
    struct mct_error err;
    struct mcti_sandbox *s = mcti_sandbox_new(w, &err);
    (void)state;
    assert_non_null(s);
    char *const *envp = mcti_sandbox_environ(s, given);
    assert_string_equal(envp[0], "A=1");
    assert_string_equal(envp[1], "TMPDIRS=2");
    assert_string_equal(envp[2], "https_proxy=http://other"); /* there is no list */
    assert_memory_equal(envp[3], "TMPDIR=/", 8);
    assert_memory_equal(envp[5], "TEMP=/", 6);
    assert_null(envp[6]);
    mcti_sandbox_free(s);
    mcti_sandbox_wish_done(w);
}

static void the_report_is_json(void **state)
{
    struct mcti_sandbox_wish *w = new_wish();
    struct mct_error err;
    w->memory_bytes = 1u << 30;
    w->network = MCT_SANDBOX_NET_OFF;
    mcti_sandbox_paths_add(&w->paths, strdup("/nowhere/\"x\""), true, false);
    struct mcti_sandbox *s = mcti_sandbox_new(w, &err);
    (void)state;
    assert_non_null(s);
    struct mcti_str report = mcti_sandbox_report(s), item;
    assert_true(mcti_json_valid(report, 8, NULL, NULL));
    assert_true(mcti_json_is(mcti_json_get(report, "network"), "off"));
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(report, "absent"));
    if (s->landlock) {
        assert_true(mcti_json_next_item(&it, &item));
        assert_true(mcti_json_is(item, "/nowhere/\"x\""));
    }
    mcti_sandbox_free(s);
    mcti_sandbox_wish_done(w);
}

/* The child of a vfork shares the memory of this process. */
static void the_parent_stays_free(void **state)
{
    struct mcti_sandbox_wish *w = new_wish();
    struct mct_error err;
    char *argv[] = { "true", NULL }, *envp[] = { "PATH=/usr/bin:/bin", NULL };
    struct mcti_child child;
    int status;
    (void)state;
    w->network = MCT_SANDBOX_NET_OFF;
    w->processes = 10;
    struct mcti_sandbox *s = mcti_sandbox_new(w, &err);
    assert_non_null(s);
    const struct mcti_spawn spec = { .argv = argv, .envp = envp, .sandbox = s };
    int before = prctl(PR_GET_DUMPABLE);
    assert_int_equal(mcti_spawn(&spec, &child, &err), 0);
    assert_int_equal(waitpid(child.tree.leader, &status, 0), child.tree.leader);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 0);
    assert_int_equal(prctl(PR_GET_SECCOMP), 0);
    assert_int_equal(prctl(PR_GET_DUMPABLE), before);
    int fd = open("/etc/hostname", O_RDONLY); /* not in the wish */
    assert_true(fd >= 0 || !exists("/etc/hostname"));
    const int fds[] = { child.in, child.out, child.err, child.pidfd, fd };
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    mcti_sandbox_free(s);
    mcti_sandbox_wish_done(w);
}

static void a_strict_one_refuses(void **state)
{
    struct mcti_sandbox_wish *w = new_wish();
    struct mct_error err = { 0 };
    char why[128];
    (void)state;
    w->mode = MCT_SANDBOX_STRICT;
    w->memory_bytes = 1u << 30;
    if (mcti_cgroup_is_available(why, sizeof why))
        skip();
    assert_null(mcti_sandbox_new(w, &err));
    assert_int_equal(err.kind, MCT_ERR_CONNECT);
    assert_non_null(strstr(err.message, "cannot hold here: \"memory\""));
    mcti_sandbox_wish_done(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_ends_with_its_sandbox),
        cmocka_unit_test(variables_are_replaced),
        cmocka_unit_test(the_report_is_json),
        cmocka_unit_test(the_parent_stays_free),
        cmocka_unit_test(a_strict_one_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
