/* Programs of the filter, in a forked copy of this process: the kernel judges them. */
#include "unit.h"

#include "io/sandbox/impl.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ERROR = EDOM, MANY = 2000 }; /* ERROR: an errno that these calls never give */

/* Returns the errno of getpriority(arg, arg1, arg2) under the rows; 0: it was not refused. */
static int filter_refuses(const struct mcti_sandbox_denied_call *rows, size_t n, unsigned long a, unsigned long b,
                          unsigned long c)
{
    struct mcti_sandbox s = { .network = MCT_SANDBOX_NET_ON };
    int status;
    if (mcti_filter_compile(rows, n, &s, &s.filter) < 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || mcti_filter_enter(&s) < 0)
            _exit(255);
        errno = 0;
        long r = syscall(SYS_getpriority, a, b, c);
        _exit(r < 0 && errno == ERROR ? ERROR : 0);
    }
    waitpid(pid, &status, 0);
    free(s.filter.filter);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define HIGH ((unsigned long)1 << 40)

static const struct {
    struct mcti_sandbox_condition conditions[MCT_DENIED_CONDITIONS];
    unsigned long args[3];
    bool denied;
} conditions[] = {
    { { { 0 } }, { 0 }, true },
    { { { 1, OP_EQ, 7, 0 } }, { 0, 7 }, true },
    { { { 1, OP_EQ, 7, 0 } }, { 7, 8 }, false },
    { { { 1, OP_EQ, 7, 0 } }, { 0, HIGH | 7 }, true }, /* the kernel ignores the upper half of an int as well */
    { { { 1, OP_NE, 7, 0 } }, { 0, 7 }, false },
    { { { 1, OP_NE, 7, 0 } }, { 0, 6 }, true },
    { { { 2, OP_ANY_BIT, 6, 0 } }, { 0, 0, 4 }, true },
    { { { 2, OP_ANY_BIT, 6, 0 } }, { 0, 0, 9 }, false },
    { { { 0, OP_MASK_EQ, 3, 15 } }, { 0x13 }, true },
    { { { 0, OP_MASK_EQ, 3, 15 } }, { 0x14 }, false },
    { { { 0, OP_MASK_NE, 3, 15 } }, { 0x13 }, false },
    { { { 0, OP_MASK_NE, 3, 15 } }, { 0x14 }, true },
    { { { 2, OP_SET, 0, 0 } }, { 1, 1, 0 }, false },
    { { { 2, OP_SET, 0, 0 } }, { 0, 0, 1 }, true },
    { { { 2, OP_SET, 0, 0 } }, { 0, 0, HIGH }, true },
    { { { 0, OP_EQ, 1, 0 }, { 1, OP_EQ, 2, 0 }, { 2, OP_EQ, 3, 0 } }, { 1, 2, 3 }, true },
    { { { 0, OP_EQ, 1, 0 }, { 1, OP_EQ, 2, 0 }, { 2, OP_EQ, 3, 0 } }, { 1, 2, 4 }, false },
    { { { 0, OP_EQ, 1, 0 }, { 1, OP_EQ, 2, 0 }, { 2, OP_EQ, 3, 0 } }, { 0, 2, 3 }, false },
    { { { 0, OP_NE, 1, 0 }, { 0, OP_NE, 2, 0 }, { 0, OP_NE, 3, 0 }, { 0, OP_NE, 4, 0 } }, { 4 }, false },
    { { { 0, OP_NE, 1, 0 }, { 0, OP_NE, 2, 0 }, { 0, OP_NE, 3, 0 }, { 0, OP_NE, 4, 0 } }, { 5 }, true },
    { { { 1, OP_SET, 0, 0 }, { 0, OP_EQ, 4, 0 }, { 2, OP_MASK_EQ, 1, 1 } }, { 4, HIGH, 3 }, true },
    { { { 1, OP_SET, 0, 0 }, { 0, OP_EQ, 4, 0 }, { 2, OP_MASK_EQ, 1, 1 } }, { 4, HIGH, 2 }, false },
};

static void rows_match_as_written(void **state)
{
    (void)state;
    if (!mcti_filter_is_available())
        skip();
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        struct mcti_sandbox_denied_call rows[3] = { { .number = SYS_getppid, .error = EPERM },
                                                    { .number = SYS_getpriority, .error = ERROR },
                                                    { .number = SYS_getpgid, .error = EPERM } };
        memcpy(rows[1].conditions, conditions[i].conditions, sizeof rows[1].conditions);
        const unsigned long *a = conditions[i].args;
        int got = filter_refuses(rows, 3, a[0], a[1], a[2]);
        if (got != (conditions[i].denied ? ERROR : 0))
            fail_msg("row %zu: %d", i, got);
    }
}

/* A row that does not match leaves the number in place for the next one. */
static void later_rows_are_reached(void **state)
{
    const struct mcti_sandbox_denied_call rows[] = {
        { .number = SYS_getpriority, .error = EPERM, .conditions = { { 0, OP_EQ, 1, 0 }, { 1, OP_EQ, 1, 0 } } },
        { .number = SYS_getpriority, .error = EPERM, .conditions = { { 0, OP_SET, 0, 0 }, { 1, OP_EQ, 9, 0 } } },
        { .number = SYS_getpriority, .error = ERROR, .conditions = { { 2, OP_EQ, 5, 0 } } },
    };
    (void)state;
    if (!mcti_filter_is_available())
        skip();
    assert_int_equal(filter_refuses(rows, 3, 0, 0, 5), ERROR);
    assert_int_equal(filter_refuses(rows, 3, 1, 0, 5), ERROR);
    assert_int_equal(filter_refuses(rows, 3, 0, 0, 6), 0);
}

static void rows_depend_on_network_and_allow(void **state)
{
    const struct mcti_sandbox_denied_call rows[] = {
        { .number = SYS_getpid, .error = 1, .networks = 1 << MCT_SANDBOX_NET_OFF },
        { .number = SYS_getppid, .error = 1, .unless = MCT_SANDBOX_DEBUG },
    };
    struct mcti_sandbox s = { .network = MCT_SANDBOX_NET_ON, .allow = MCT_SANDBOX_DEBUG };
    struct sock_fprog none, both;
    (void)state;
    assert_int_equal(mcti_filter_compile(rows, 2, &s, &none), 0);
    s = (struct mcti_sandbox){ .network = MCT_SANDBOX_NET_OFF };
    assert_int_equal(mcti_filter_compile(rows, 2, &s, &both), 0);
    assert_int_equal(both.len, none.len + 4);
    free(none.filter);
    free(both.filter);
}

static void a_program_that_is_too_long_fails(void **state)
{
    struct mcti_sandbox_denied_call *rows = calloc(MANY, sizeof *rows);
    struct mcti_sandbox s = { .network = MCT_SANDBOX_NET_ON };
    struct sock_fprog p;
    (void)state;
    for (size_t i = 0; i < MANY; i++)
        rows[i] = (struct mcti_sandbox_denied_call){ .number = 1, .error = 1, .conditions = { { 0, OP_EQ, 1, 0 } } };
    assert_int_equal(mcti_filter_compile(rows, MANY, &s, &p), -1);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_match_as_written),
        cmocka_unit_test(later_rows_are_reached),
        cmocka_unit_test(rows_depend_on_network_and_allow),
        cmocka_unit_test(a_program_that_is_too_long_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
