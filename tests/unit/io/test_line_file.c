/* Lines to a reader that may be slow or gone: which are written, kept or lost, and that none is torn. */
#include "unit.h"

#include "base/clock.h"
#include "io/line_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

enum { PENDING = 8192, LINE = 512 };

static struct mcti_sched sched;
static struct mcti_line_file file;
static int ends[2];
static uint64_t now_ms;

static void open_pipe(size_t pending)
{
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK); /* the reader's end; the writer's end blocks, like an inherited one may */
    mcti_sched_init(&sched);
    mcti_line_file_init(&file, &sched, ends[1], pending);
}

static void close_pipe(void)
{
    mcti_line_file_done(&file, 0);
    close(ends[0]);
    close(ends[1]);
}

/* "0000012 xxxx…", `n` bytes long including its line break. */
static void say(unsigned number, size_t bytes)
{
    struct mcti_buf *b = mcti_line_file_begin(&file);
    size_t from = b->len;
    mcti_buf_printf(b, "%07u ", number);
    while (mcti_buf_ok(b) && b->len - from < bytes - 1)
        mcti_buf_addc(b, 'x');
    mcti_line_file_end(&file);
}

static void turn(void)
{
    mcti_sched_run(&sched, now_ms += 100);
}

static size_t drain(struct mcti_buf *to)
{
    size_t before = to->len;
    char *at;
    ssize_t n;
    while ((at = mcti_buf_reserve(to, 65536)) && (n = read(ends[0], at, 65536)) > 0)
        to->len += (size_t)n;
    return to->len - before;
}

/* Checks that all lines are whole and in order; returns their number. */
static unsigned check_lines(struct mcti_str text, size_t bytes)
{
    unsigned n = 0, last = 0;
    struct mcti_str line;
    assert_true(!text.len || text.p[text.len - 1] == '\n');
    while (text.len && mcti_str_split(&text, '\n', &line)) {
        unsigned number = (unsigned)strtoul(line.p, NULL, 10);
        assert_int_equal(line.len, bytes - 1);
        assert_true(!n || number > last);
        last = number;
        n++;
    }
    return n;
}

static void lines_leave_at_the_end_of_the_turn(void **state)
{
    struct mcti_buf got;
    (void)state;
    open_pipe(PENDING);
    mcti_buf_init(&got, 1u << 24);
    say(1, 20);
    say(2, 20);
    assert_int_equal(drain(&got), 0);
    turn();
    drain(&got);
    assert_buf(&got, "0000001 xxxxxxxxxxx\n0000002 xxxxxxxxxxx\n");
    assert_int_equal(mcti_sched_next_ms(&sched), -1);
    mcti_buf_done(&got);
    close_pipe();
}

/* Nothing blocks, lines over the limit are counted, and kept lines follow when the reader reads again. */
static void a_reader_that_stops_costs_lines_only(void **state)
{
    struct mcti_buf got;
    unsigned n = 0, before;
    (void)state;
    open_pipe(PENDING);
    mcti_buf_init(&got, 1u << 24);
    while (!file.lost && n < 100000) {
        say(++n, LINE);
        turn();
    }
    assert_int_equal(file.lost, 1);
    assert_true(file.text.len <= PENDING && file.text.len > PENDING - LINE);
    assert_true(file.text.cap <= PENDING);
    assert_true(mcti_sched_next_ms(&sched) > 0);
    before = n;
    say(++n, LINE);
    assert_int_equal(file.lost, 2);
    drain(&got);
    for (int i = 0; i < 4; i++) {
        turn();
        drain(&got);
    }
    assert_int_equal(file.text.len, 0);
    assert_int_equal(check_lines(mcti_buf_str(&got), LINE), before - 1);
    say(++n, LINE);
    turn();
    assert_int_equal(drain(&got), LINE);
    assert_int_equal(mcti_sched_next_ms(&sched), -1);
    mcti_buf_done(&got);
    close_pipe();
}

/* Longer than one write to a pipe, and longer than the whole pipe. */
static void long_lines_are_whole(void **state)
{
    enum { LONG = 100000, N = 5 };
    struct mcti_buf got;
    (void)state;
    open_pipe(1u << 20);
    mcti_buf_init(&got, 1u << 24);
    for (unsigned i = 1; i <= N; i++)
        say(i, LONG);
    for (int i = 0; i < 100 && got.len < LONG * N; i++) {
        turn();
        drain(&got);
    }
    assert_int_equal(check_lines(mcti_buf_str(&got), LONG), N);
    assert_int_equal(file.lost, 0);
    mcti_buf_done(&got);
    close_pipe();
}

/* A writable terminal or socket need not accept a whole line. */
static void stop_reading(unsigned lines)
{
    struct mcti_buf got;
    unsigned n = 0;
    mcti_sched_init(&sched);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    mcti_line_file_init(&file, &sched, ends[1], PENDING);
    assert_false(fcntl(ends[1], F_GETFL) & O_NONBLOCK); /* other processes may share it */
    mcti_buf_init(&got, 1u << 24);
    alarm(60); /* a blocking write would never return */
    while (!file.lost && n < lines) {
        say(++n, LINE);
        turn();
    }
    alarm(0);
    assert_int_equal(file.lost, 1);
    for (int i = 0; i < 1000 && file.text.len; i++) {
        drain(&got);
        turn();
    }
    while (drain(&got))
        ;
    assert_int_equal(check_lines(mcti_buf_str(&got), LINE), n - 1);
    mcti_buf_done(&got);
    close_pipe();
}

static void a_terminal_nobody_reads_costs_lines_only(void **state)
{
    struct termios raw;
    (void)state;
    ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(ends[0] >= 0 && grantpt(ends[0]) == 0 && unlockpt(ends[0]) == 0);
    ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(ends[1] >= 0 && tcgetattr(ends[1], &raw) == 0);
    cfmakeraw(&raw);
    tcsetattr(ends[1], TCSANOW, &raw);
    stop_reading(100000);
}

static void a_socket_nobody_reads_costs_lines_only(void **state)
{
    int small = 1;
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    stop_reading(100000);
}

static void a_line_over_the_ceiling_is_lost_alone(void **state)
{
    struct mcti_buf got;
    (void)state;
    open_pipe(PENDING);
    mcti_buf_init(&got, 1u << 24);
    say(1, 100);
    say(2, PENDING + 1);
    say(3, 100);
    turn();
    drain(&got);
    assert_int_equal(check_lines(mcti_buf_str(&got), 100), 2);
    assert_int_equal(file.lost, 1);
    mcti_buf_done(&got);
    close_pipe();
}

static void a_reader_that_went_is_noticed(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    open_pipe(PENDING);
    close(ends[0]);
    say(1, 100);
    say(2, 100);
    turn();
    assert_int_equal(file.lost, 2);
    assert_int_equal(file.text.len, 0);
    assert_int_equal(mcti_sched_next_ms(&sched), -1); /* nothing is retried without a reader */
    ends[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close_pipe();
}

static void what_is_left_at_the_end_is_counted(void **state)
{
    (void)state;
    open_pipe(PENDING);
    for (unsigned i = 1; !file.text.len && i < 100000; i++) {
        say(i, LINE);
        turn();
    }
    mcti_line_file_done(&file, 0);
    assert_true(file.lost >= 1);
    close_pipe();
}

/* The descriptor fails in the middle of a line: the next line does not continue it. */
static void a_torn_line_is_ended(void **state)
{
    enum { LONG = 200000 };
    char text[64];
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    open_pipe(1u << 20);
    say(1, LONG);
    turn(); /* the pipe is full now */
    assert_true(file.text.len > 0 && file.text.len < LONG);
    close(ends[0]);
    turn();
    assert_int_equal(file.lost, 1);
    int again[2];
    assert_int_equal(pipe2(again, O_CLOEXEC), 0);
    dup2(again[1], ends[1]);
    close(again[1]);
    ends[0] = again[0];
    say(2, 12);
    say(3, 12);
    turn();
    ssize_t n = read(ends[0], text, sizeof text);
    assert_span(((struct mcti_str){ text, n > 0 ? (size_t)n : 0 }), "\n0000002 xxx\n0000003 xxx\n");
    close_pipe();
}

/* More lines in one turn than may be pending: a file accepts them all. */
static void a_file_takes_what_a_turn_brings(void **state)
{
    char path[] = "/tmp/mcptools-lines-XXXXXX";
    struct mcti_buf got;
    char *at;
    (void)state;
    ends[1] = mkostemp(path, O_APPEND | O_CLOEXEC);
    ends[0] = open(path, O_RDONLY | O_CLOEXEC);
    unlink(path);
    assert_true(ends[0] >= 0 && ends[1] >= 0);
    mcti_sched_init(&sched);
    mcti_line_file_init(&file, &sched, ends[1], PENDING);
    for (unsigned i = 1; i <= 1000; i++)
        say(i, LINE);
    mcti_line_file_done(&file, 0);
    mcti_buf_init(&got, 1u << 24);
    at = mcti_buf_reserve(&got, 1001 * LINE);
    got.len = (size_t)read(ends[0], at, 1001 * LINE);
    assert_int_equal(check_lines(mcti_buf_str(&got), LINE), 1000);
    assert_int_equal(file.lost, 0);
    mcti_buf_done(&got);
    close_pipe();
}

static void moments_are_written_as_utc(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 1000);
    mcti_clock_put(&b, 0);
    mcti_buf_addc(&b, ' ');
    mcti_clock_put(&b, 1785231000007);
    mcti_buf_addc(&b, ' ');
    mcti_clock_put(&b, UINT64_MAX);
    mcti_buf_addc(&b, ' ');
    mcti_clock_put_s(&b, 1785231000);
    mcti_buf_addc(&b, ' ');
    mcti_clock_put_s(&b, UINT64_MAX);
    assert_buf(&b, "1970-01-01T00:00:00.000Z 2026-07-28T09:30:00.007Z 9999-12-31T23:59:59.999Z 2026-07-28T09:30:00Z "
                   "9999-12-31T23:59:59Z");
    mcti_buf_done(&b);
    assert_true(mcti_clock_wall_ms() > 1700000000000);
    uint64_t before = mcti_clock_since_us();
    assert_true(mcti_clock_since_us() >= before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_leave_at_the_end_of_the_turn),
        cmocka_unit_test(a_reader_that_stops_costs_lines_only),
        cmocka_unit_test(long_lines_are_whole),
        cmocka_unit_test(a_terminal_nobody_reads_costs_lines_only),
        cmocka_unit_test(a_socket_nobody_reads_costs_lines_only),
        cmocka_unit_test(a_line_over_the_ceiling_is_lost_alone),
        cmocka_unit_test(a_reader_that_went_is_noticed),
        cmocka_unit_test(what_is_left_at_the_end_is_counted),
        cmocka_unit_test(a_torn_line_is_ended),
        cmocka_unit_test(a_file_takes_what_a_turn_brings),
        cmocka_unit_test(moments_are_written_as_utc),
    };
    return cmocka_run_group_tests_name("line file", tests, NULL, NULL);
}
