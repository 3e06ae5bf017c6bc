/* Random bytes when getrandom() fails. Linked such that every getrandom() and read() of the program comes here. */
#include "unit.h"

#include "base/rand.h"

#include <errno.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

ssize_t __real_getrandom(void *to, size_t n, unsigned flags);
ssize_t __wrap_getrandom(void *to, size_t n, unsigned flags);
ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __wrap_read(int fd, void *to, size_t n);

static int kernel_errno;    /* 0: getrandom() works */
static int device_errno;    /* 0: reading works */
static int n_interruptions; /* number of calls that are interrupted first */
static unsigned n_device_reads;

static bool is_interrupted(void)
{
    errno = EINTR;
    return n_interruptions > 0 && n_interruptions--;
}

ssize_t __wrap_getrandom(void *to, size_t n, unsigned flags)
{
    if (is_interrupted())
        return -1;
    errno = kernel_errno;
    return kernel_errno ? -1 : __real_getrandom(to, n > 3 ? 3 : n, flags);
}

ssize_t __wrap_read(int fd, void *to, size_t n)
{
    if (is_interrupted())
        return -1;
    n_device_reads++;
    errno = device_errno;
    if (device_errno)
        return -1;
    return __real_read(fd, to, n > 3 ? 3 : n);
}

static int reset(void **state)
{
    (void)state;
    kernel_errno = n_interruptions = 0;
    n_device_reads = 0;
    return 0;
}

/* Two runs of 64 bytes are equal, or contain eight equal bytes in a row, only if they were not filled. */
static void fills_all(void)
{
    char a[64] = { 0 }, b[64] = { 0 };
    alarm(20); /* turns an endless loop into a failure */
    mcti_random(a, sizeof a);
    mcti_random(b, sizeof b);
    alarm(0);
    for (size_t i = 0; i < sizeof a; i += 8)
        assert_memory_not_equal(a + i, b + i, 8);
}

static void short_and_interrupted_calls_go_on(void **state)
{
    (void)state;
    n_interruptions = 5;
    fills_all();
    assert_int_equal(n_device_reads, 0);
}

static void the_device_stands_in(void **state)
{
    static const int errors[] = { EPERM, ENOSYS, EINVAL };
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        kernel_errno = errors[i];
        n_device_reads = 0;
        n_interruptions = 5;
        fills_all();
        assert_true(n_device_reads >= 44);
    }
}

static void without_both_the_program_ends(void **state)
{
    int status, pipe_fd[2];
    char said[512] = "";
    (void)state;
    assert_int_equal(pipe(pipe_fd), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        char bytes[8];
        dup2(pipe_fd[1], STDERR_FILENO);
        kernel_errno = EPERM;
        device_errno = EIO;
        alarm(20);
        mcti_random(bytes, sizeof bytes);
        _exit(0);
    }
    close(pipe_fd[1]);
    assert_true(__real_read(pipe_fd[0], said, sizeof said - 1) > 0);
    close(pipe_fd[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_non_null(strstr(said, "no random numbers"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(short_and_interrupted_calls_go_on, reset),
        cmocka_unit_test_setup(the_device_stands_in, reset),
        cmocka_unit_test_setup(without_both_the_program_ends, reset),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
