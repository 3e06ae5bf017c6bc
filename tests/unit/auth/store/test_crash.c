/* A save that is killed, or whose system calls fail, leaves the old text or the new one, and nothing else for long. */
#include "stored.h"

#include <errno.h>
#include <sys/resource.h>

/* ---- the system calls of a save ---- */

static int steps;      /* system calls so far */
static int stops_at;   /* at this one, the process dies or the call fails; 0: never */
static int fails_with; /* errno; 0: the process dies */

static bool step(void)
{
    if (++steps != stops_at)
        return true;
    if (!fails_with)
        kill(getpid(), SIGKILL);
    errno = fails_with;
    return false;
}

#define WRAPPED(type, name, parameters, arguments)                                                                     \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        return step() ? __real_##name arguments : -1;                                                                  \
    }

WRAPPED(int, fchmod, (int fd, mode_t mode), (fd, mode))
WRAPPED(int, fsync, (int fd), (fd))
WRAPPED(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
WRAPPED(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))

/* These are steps at which a process may die, but they do not fail. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    if (!fails_with)
        step();
    return __real_close(fd);
}

int __real_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags)
{
    if (!fails_with)
        step();
    return __real_unlinkat(folder, name, flags);
}

/* ---- the text ---- */

enum { TEXT_BYTES = 3000 };

static char old_text[TEXT_BYTES + 1], new_text[TEXT_BYTES + 1];

static void fill_texts(void)
{
    memset(old_text, 'o', TEXT_BYTES);
    memset(new_text, 'n', TEXT_BYTES);
}

/* Returns true if the new text is there; the old one must be otherwise. */
static bool is_new(void)
{
    struct mcti_auth_store *s = stored_open("file");
    struct mcti_buf b;
    struct mct_error err;
    mcti_buf_init(&b, MCT_LIMIT_AUTH_BYTES);
    assert_int_equal(s->ops->load(s, stored_key, &b, &err), 0);
    assert_int_equal(b.len, TEXT_BYTES);
    bool new = b.p[0] == 'n';
    assert_memory_equal(b.p, new ? new_text : old_text, TEXT_BYTES);
    mcti_buf_done(&b);
    mcti_auth_store_free(s);
    return new;
}

/* Saves the new text in another process, with the limit of file sizes `max_bytes` (0: none). Returns its status. */
static int save_in_child(int stop, int with, rlim_t max_bytes)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        const struct rlimit limit = { max_bytes, max_bytes }, no_core = { 0, 0 };
        struct mcti_auth_store *s = mcti_auth_store_open("file", stored_folder, NULL);
        setrlimit(RLIMIT_CORE, &no_core);
        if (max_bytes)
            setrlimit(RLIMIT_FSIZE, &limit);
        steps = 0;
        stops_at = stop;
        fails_with = with;
        _exit(s->ops->save(s, stored_key, mcti_str_of(new_text), NULL) < 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* What a killed process left is removed by the next one that saves. */
static void expect_tidy(void)
{
    struct mcti_auth_store *s = stored_open("file");
    stored_save(s, stored_key, old_text);
    assert_int_equal(stored_n_files(), 1);
    mcti_auth_store_free(s);
}

static void a_killed_process_leaves_a_whole_text(void **state)
{
    unsigned n_old = 0, n_new = 0, n_left = 0;
    bool killed = true;
    (void)state;
    fill_texts();
    expect_tidy();
    for (int stop = 1; killed; stop++) {
        int status = save_in_child(stop, 0, 0);
        killed = WIFSIGNALED(status);
        assert_true(killed ? WTERMSIG(status) == SIGKILL : status == 0);
        bool new = is_new();
        n_left += stored_n_files() > 1;
        n_new += killed && new;
        n_old += killed && !new;
        expect_tidy();
    }
    /* It was killed before and after the name changed, and with a file that was not finished. */
    assert_true(n_old >= 4);
    assert_true(n_new >= 2);
    assert_true(n_left >= 2);
}

/* The system ends a process that writes more than it may: after any number of bytes. */
static void a_process_killed_within_a_write_leaves_a_whole_text(void **state)
{
    (void)state;
    fill_texts();
    expect_tidy();
    for (rlim_t n = 1; n < TEXT_BYTES; n += 97) {
        int status = save_in_child(0, 0, n);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
        assert_false(is_new());
        assert_int_equal(stored_n_files(), 2);
        expect_tidy();
    }
}

static void a_limit_of_file_sizes_is_an_error(void **state)
{
    struct rlimit before, limit;
    struct mcti_auth_store *s = stored_open("file");
    struct mct_error err;
    (void)state;
    fill_texts();
    expect_tidy();
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = (struct rlimit){ 1000, before.rlim_max };
    setrlimit(RLIMIT_FSIZE, &limit);
    int r = s->ops->save(s, stored_key, mcti_str_of(new_text), &err);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(r, -1);
    assert_non_null(strstr(err.message, "ulimit -f"));
    assert_false(is_new());
    assert_int_equal(stored_n_files(), 1);
    mcti_auth_store_free(s);
}

static void a_disk_that_fails_is_told(void **state)
{
    static const struct {
        int code;
        const char *says;
    } rows[] = {
        { ENOSPC, "free space" },      { EDQUOT, "quota" },        { EROFS, "\"memory\"" },
        { EIO, "Input/output error" }, { EACCES, "needs access" },
    };
    struct mcti_auth_store *s = stored_open("file");
    (void)state;
    fill_texts();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int r = -1, n_failed = 0;
        for (int stop = 1; r < 0; stop++) {
            struct mct_error err = { 0 };
            fails_with = stops_at = 0;
            expect_tidy();
            steps = 0;
            stops_at = stop;
            fails_with = rows[i].code;
            r = s->ops->save(s, stored_key, mcti_str_of(new_text), &err);
            fails_with = stops_at = 0;
            if (r < 0) {
                assert_non_null(strstr(err.message, rows[i].says));
                assert_non_null(strstr(err.message, stored_path(".json")));
            }
            n_failed += r < 0;
            /* The folder is written last: the name has changed then, but may not be on disk. */
            assert_true(r == 0 || n_failed == 5 ? is_new() : !is_new());
            assert_int_equal(stored_n_files(), 1);
        }
        assert_int_equal(n_failed, 5); /* fchmod, write, fsync, renameat, fsync of the folder */
    }
    mcti_auth_store_free(s);
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(a_killed_process_leaves_a_whole_text),
        STORED(a_process_killed_within_a_write_leaves_a_whole_text),
        STORED(a_limit_of_file_sizes_is_an_error),
        STORED(a_disk_that_fails_is_told),
    };
    return cmocka_run_group_tests_name("crash", tests, NULL, NULL);
}
