#include "io/line_file.h"

#include "base/clock.h"
#include "base/log/visible.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

enum { RETRY_MS = 50, FILE_BYTES = 1 << 20 };

/* Returns how many bytes of `text` to write at once: whole lines, or part of a line that is longer than at_once. */
static size_t line_file_portion(const struct mcti_line_file *f, struct mcti_str text)
{
    size_t max = text.len < f->at_once ? text.len : f->at_once, n = max;
    while (n && text.p[n - 1] != '\n')
        n--;
    return n ? n : max;
}

/* Returns the number of bytes written; 0: try again later; -1: the descriptor failed. */
static ssize_t write_now(const struct mcti_line_file *f, const char *p, size_t n)
{
    struct pollfd ready = { .fd = f->out, .events = POLLOUT };
    ssize_t r;
    if (f->out < 0)
        return -1;
    if (poll(&ready, 1, 0) != 1)
        return 0;
    do
        r = f->is_socket ? send(f->out, p, n, MSG_DONTWAIT | MSG_NOSIGNAL) : write(f->out, p, n);
    while (r < 0 && errno == EINTR);
    return r < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : r;
}

static void line_file_lose(struct mcti_line_file *f, struct mcti_str text)
{
    for (size_t i = 0; i < text.len; i++)
        f->lost += text.p[i] == '\n';
    f->torn = f->mid_line;
    f->mid_line = false;
}

/* Logs the first failure of a series. A closed reader (EPIPE) is not a failure. */
static void note_result(struct mcti_line_file *f, ssize_t n)
{
    bool failed = n < 0 && f->out >= 0 && errno != EPIPE;
    if (failed && !f->failing)
        mcti_log(f->log, MCT_LOG_WARN, "%s: %s; dropping lines until writing succeeds", f->name, strerror(errno));
    if (n)
        f->failing = failed;
}

static void line_file_flush(void *data)
{
    struct mcti_line_file *f = data;
    struct mcti_str rest = mcti_buf_str(&f->text);
    ssize_t n = 1;
    while (rest.len && (n = write_now(f, rest.p, line_file_portion(f, rest))) > 0) {
        f->mid_line = rest.p[n - 1] != '\n';
        rest = (struct mcti_str){ rest.p + n, rest.len - (size_t)n };
    }
    note_result(f, n);
    if (n < 0) {
        line_file_lose(f, rest);
        rest.len = 0;
    }
    mcti_buf_shift(&f->text, f->text.len - rest.len);
    if (!rest.len)
        mcti_buf_clear(&f->text);
    else
        mcti_timer_set(f->sched, &f->retry, RETRY_MS);
}

/* Opens the terminal again. Its device file may belong to another user (after su), but a process can always open
 * /dev/tty for its controlling terminal. */
static int open_again(int terminal)
{
    enum { FLAGS = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", terminal);
    int fd = open(path, FLAGS);
    return fd < 0 && tcgetsid(terminal) == getsid(0) ? open("/dev/tty", FLAGS) : fd;
}

void mcti_line_file_init(struct mcti_line_file *f, struct mcti_sched *sched, int fd, size_t pending_bytes)
{
    struct stat st = { 0 };
    bool known = fd >= 0 && fstat(fd, &st) == 0;
    *f = (struct mcti_line_file){ .fd = fd,
                                  .out = fd,
                                  .sched = sched,
                                  .at_once = known && S_ISREG(st.st_mode) ? FILE_BYTES : PIPE_BUF,
                                  .is_socket = known && S_ISSOCK(st.st_mode) };
    f->is_terminal = known && S_ISCHR(st.st_mode) && isatty(fd);
    if (f->is_terminal)
        f->out = open_again(fd);
    mcti_buf_init(&f->text, pending_bytes);
    mcti_task_init(&f->flush, line_file_flush, f);
    mcti_timer_init(&f->retry, line_file_flush, f);
}

void mcti_line_file_report(struct mcti_line_file *f, const struct mcti_log *log, const char *name)
{
    f->log = log;
    f->name = name;
}

struct mcti_buf *mcti_line_file_begin(struct mcti_line_file *f)
{
    f->from = f->text.len;
    if (f->torn)
        mcti_buf_addc(&f->text, '\n');
    return &f->text;
}

static void make_visible(struct mcti_line_file *f)
{
    struct mcti_buf line;
    mcti_buf_init(&line, f->text.max);
    mcti_visible_put(&line, mcti_str_range(f->text.p + f->from, f->text.p + f->text.len), MCT_VISIBLE_JSON);
    f->text.len = f->from;
    mcti_buf_add(&f->text, mcti_buf_str(&line));
    mcti_buf_done(&line);
}

void mcti_line_file_end(struct mcti_line_file *f)
{
    if (f->is_terminal && mcti_buf_ok(&f->text))
        make_visible(f);
    mcti_buf_addc(&f->text, '\n');
    if (mcti_buf_ok(&f->text)) {
        f->torn = false;
    } else {
        f->text.failed = false;
        f->text.len = f->from;
        f->lost++;
    }
    if (f->text.len > f->text.max / 2) /* one turn may produce more lines than fit */
        line_file_flush(f);
    else
        mcti_task_post(f->sched, &f->flush);
}

void mcti_line_file_done(struct mcti_line_file *f, unsigned wait_ms)
{
    uint64_t now = mcti_clock_since_us(), end = now + (uint64_t)wait_ms * 1000;
    if (f->fd < 0)
        return;
    line_file_flush(f);
    while (f->text.len && now < end) {
        struct pollfd ready = { .fd = f->out, .events = POLLOUT };
        if (poll(&ready, 1, (int)((end - now) / 1000) + 1) < 0 && errno != EINTR)
            break;
        line_file_flush(f);
        now = mcti_clock_since_us();
    }
    line_file_lose(f, mcti_buf_str(&f->text));
    mcti_task_stop(&f->flush);
    mcti_timer_stop(f->sched, &f->retry);
    mcti_buf_done(&f->text);
    if (f->out >= 0 && f->out != f->fd)
        close(f->out);
    f->fd = f->out = -1;
}
