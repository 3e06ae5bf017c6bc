#include "io/typed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { TYPED_READ_BYTES = 4096, TYPED_LINE_BYTES = 1 << 20 };

int mcti_typed_open(struct mcti_typed *t)
{
    t->poll = NULL;
    mcti_buf_init(&t->text, TYPED_LINE_BYTES);
    t->fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    return t->fd < 0 ? -1 : 0;
}

static void typed_take_lines(struct mcti_typed *t)
{
    for (char *end; t->text.len && (end = memchr(t->text.p, '\n', t->text.len));) {
        char *line = mcti_str_dup(mcti_str_trim(mcti_str_range(t->text.p, end)));
        mcti_buf_shift(&t->text, (size_t)(end - t->text.p) + 1);
        if (line)
            t->line(t->data, mcti_str_of(line));
        free(line);
    }
}

static void typed_on_readable(uv_poll_t *poll, int status, int events)
{
    struct mcti_typed *t = poll->data;
    char *at = mcti_buf_reserve(&t->text, TYPED_READ_BYTES);
    ssize_t n = at && status >= 0 ? read(t->fd, at, TYPED_READ_BYTES) : 0;
    (void)events;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        mcti_typed_stop(t);
        t->end(t->data);
        return;
    }
    t->text.len += (size_t)n;
    typed_take_lines(t);
}

int mcti_typed_start(struct mcti_typed *t, struct mcti_loop *loop)
{
    if (t->poll)
        return 0;
    t->poll = calloc(1, sizeof *t->poll);
    if (!t->poll || uv_poll_init(&loop->uv, t->poll, t->fd) < 0) {
        free(t->poll);
        t->poll = NULL;
        return -1;
    }
    t->poll->data = t;
    uv_poll_start(t->poll, UV_READABLE, typed_on_readable);
    return 0;
}

static void typed_on_poll_closed(uv_handle_t *h)
{
    free(h);
}

void mcti_typed_stop(struct mcti_typed *t)
{
    if (t->poll)
        uv_close((uv_handle_t *)t->poll, typed_on_poll_closed);
    t->poll = NULL;
    mcti_buf_clear(&t->text);
}

void mcti_typed_close(struct mcti_typed *t)
{
    if (t->fd < 0)
        return;
    mcti_typed_stop(t);
    close(t->fd);
    t->fd = -1;
    mcti_buf_done(&t->text);
}
