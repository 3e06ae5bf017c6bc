#include "unit.h"

#include "io/process/capture.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs `sh -c SCRIPT`. */
static int run(const char *script, const char *input, size_t max, unsigned limit_ms, struct mcti_buf *to,
               struct mcti_capture_end *end, struct mct_error *err)
{
    char *argv[] = { "sh", "-c", (char *)script, NULL };
    const struct mcti_capture_opts opts = { .spawn = { .argv = argv, .envp = environ },
                                            .input = mcti_str_of(input),
                                            .limit_ms = limit_ms };
    mcti_buf_init(to, max);
    *err = (struct mct_error){ 0 };
    return mcti_capture(&opts, to, end, err);
}

enum { LONG_MS = 60000 };

static void output_and_status_are_told(void **state)
{
    static const struct {
        const char *script, *input, *output, *complaint, *error;
        int status;
    } rows[] = {
        { "printf 'a\\nb'", NULL, "a\nb", "", NULL, 0 },
        { "exit 0", NULL, "", "", NULL, 0 },
        { "cat", "text for stdin", "text for stdin", "", NULL, 0 },
        { "exit 0", "text that nobody reads", "", "", NULL, 0 },
        { "exec <&-; printf x", "text that nobody can read", "x", "", NULL, 0 },
        { "echo out; echo why >&2; echo more >&2; exit 3", NULL, "out\n", "why", "exited with status 3", 3 },
        { "kill -TERM $$", NULL, "", "", "was killed by signal 15", -1 },
        { "sleep 600 & printf done", NULL, "done", "", NULL, 0 },
        { "head -c 300 /dev/zero", NULL, NULL, "", "wrote more than 256 bytes to its stdout", -1 },
        { "yes", NULL, NULL, "", "wrote more than 256 bytes to its stdout", -1 },
        { "head -c 256 /dev/zero | tr '\\0' x | cut -c 1-255", NULL, NULL, "", NULL, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf to;
        struct mcti_capture_end end;
        struct mct_error err;
        int r = run(rows[i].script, rows[i].input, 256, LONG_MS, &to, &end, &err);
        assert_int_equal(r, rows[i].error ? -1 : 0);
        assert_int_equal(end.status, rows[i].status);
        assert_string_equal(end.complaint, rows[i].complaint);
        if (rows[i].output)
            assert_buf(&to, rows[i].output);
        if (rows[i].error)
            assert_non_null(strstr(err.message, rows[i].error));
        mcti_buf_done(&to);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nothing is left to reap */
}

static void a_program_that_hangs_is_killed(void **state)
{
    static const char *const scripts[] = { "sleep 600", "trap '' TERM; while :; do sleep 600; done", "cat /dev/zero" };
    (void)state;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct mcti_buf to;
        struct mcti_capture_end end;
        struct mct_error err;
        assert_int_equal(run(scripts[i], NULL, 1u << 30, 100, &to, &end, &err), -1);
        assert_int_equal(err.kind, MCT_ERR_TIMEOUT);
        assert_int_equal(end.status, -1);
        mcti_buf_done(&to);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void a_missing_program_is_told(void **state)
{
    char *argv[] = { "no-such-program-at-all", NULL };
    const struct mcti_capture_opts opts = { .spawn = { .argv = argv, .envp = environ }, .limit_ms = LONG_MS };
    struct mcti_capture_end end;
    struct mcti_buf to;
    struct mct_error err;
    (void)state;
    mcti_buf_init(&to, 10);
    assert_int_equal(mcti_capture(&opts, &to, &end, &err), -1);
    assert_int_equal(end.status, -1);
    assert_non_null(strstr(err.message, "no-such-program-at-all"));
    mcti_buf_done(&to);
}

/* A program may ignore SIGCHLD, and then there is no status to read. */
static void an_ignored_sigchld_is_told(void **state)
{
    struct mcti_buf to;
    struct mcti_capture_end end;
    struct mct_error err;
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(run("echo x", NULL, 256, LONG_MS, &to, &end, &err), -1);
    signal(SIGCHLD, SIG_DFL);
    assert_non_null(strstr(err.message, "SIGCHLD"));
    mcti_buf_done(&to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_and_status_are_told),
        cmocka_unit_test(a_program_that_hangs_is_killed),
        cmocka_unit_test(a_missing_program_is_told),
        cmocka_unit_test(an_ignored_sigchld_is_told),
    };
    return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
