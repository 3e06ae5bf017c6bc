#include "control/attach.h"

#include "base/limits.h"
#include "control/client.h"
#include "control/greeting.h"
#include "io/lines.h"
#include "io/transport_fd.h"
#include "json/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct attached {
    struct mcti_transport base;
    struct mcti_attach_opts opts;
    struct mcti_transport *inner; /* NULL: not opened */
    struct mcti_buf queue;        /* frames to send after the answer to the greeting, as lines */
    bool greeted, closing;
    struct mct_error error; /* why the gateway refuses */
};

static struct attached *attached_of(struct mcti_transport *t)
{
    return MCT_CONTAINER(t, struct attached, base);
}

static void attached_send_queue(struct attached *a)
{
    struct mcti_str rest = mcti_buf_str(&a->queue), frame;
    while (rest.len && mcti_str_split(&rest, '\n', &frame))
        if (frame.len)
            a->inner->ops->send(a->inner, frame, NULL);
    mcti_buf_done(&a->queue);
}

/* Passes on what the server wrote to stderr before it failed. */
static void attached_pass_stderr(struct attached *a, struct mcti_str answer)
{
    struct mcti_buf said;
    mcti_buf_init(&said, MCT_LIMIT_JOURNAL_BYTES);
    bool any = mcti_line_is_object(answer) && mcti_json_unescape_any(mcti_json_get(answer, "stderr"), &said) == 0;
    if (any && a->base.events.on_stderr)
        a->base.events.on_stderr(a->base.events.data, mcti_buf_str(&said));
    mcti_buf_done(&said);
}

static void attached_on_frame(void *data, struct mcti_str frame, void *lane)
{
    struct attached *a = data;
    if (a->greeted && !frame.len && a->base.events.on_dropped) {
        a->base.events.on_dropped(a->base.events.data, a->opts.message_bytes, MCT_STR_NONE);
    } else if (a->greeted) {
        a->base.chunk = a->inner->chunk;
        a->base.events.on_frame(a->base.events.data, frame, lane);
        a->base.chunk = NULL;
    } else if (mcti_answer_check(frame, &a->error) < 0) {
        attached_pass_stderr(a, frame);
        a->inner->ops->close(a->inner);
    } else {
        a->greeted = true;
        attached_send_queue(a);
    }
}

static void attached_on_closed(void *data, const struct mct_error *why)
{
    struct attached *a = data;
    (void)why;
    if (!a->error.kind)
        mcti_fail(&a->error, MCT_ERR_CONNECT, "the running gateway has ended");
    a->base.events.on_closed(a->base.events.data, a->closing ? NULL : &a->error);
}

/* Opens the transport over the connected socket, whose descriptor it takes, and sends the greeting. */
static int attached_begin(struct attached *a, int fd, struct mct_error *err)
{
    struct mcti_greeting greeting = { .server = (char *)(uintptr_t)a->opts.server, .wait_ms = a->opts.wait_ms };
    struct mcti_buf line;
    int out = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    a->inner = out < 0 ? NULL : mcti_transport_fd_new(a->opts.loop, fd, out, a->opts.message_bytes);
    if (!a->inner) {
        close(fd);
        close(out);
        return mcti_no_memory(err);
    }
    a->inner->events =
        (struct mcti_transport_events){ .on_frame = attached_on_frame, .on_closed = attached_on_closed, .data = a };
    mcti_buf_init(&line, MCT_GREETING_BYTES);
    mcti_greeting_put(&line, &greeting);
    struct mcti_str text = mcti_buf_str(&line);
    bool sent = text.len && send(fd, text.p, text.len, MSG_NOSIGNAL) == (ssize_t)text.len;
    mcti_buf_done(&line);
    if (!sent)
        return mcti_fail(err, MCT_ERR_CONNECT, "the running gateway has ended");
    return a->inner->ops->open(a->inner, err);
}

static int attached_open(struct mcti_transport *t, struct mct_error *err)
{
    int fd = mcti_control_connect(attached_of(t)->opts.place, err);
    if (fd < 0)
        return mcti_error_wrap(err, "the running gateway has ended");
    return attached_begin(attached_of(t), fd, err);
}

static int attached_send(struct mcti_transport *t, struct mcti_str frame, void *lane)
{
    struct attached *a = attached_of(t);
    if (a->greeted)
        return a->inner->ops->send(a->inner, frame, lane);
    mcti_lines_put(&a->queue, frame);
    return a->error.kind || !mcti_buf_ok(&a->queue) ? -1 : 0;
}

static int attached_send_pieces(struct mcti_transport *t, const struct mcti_pieces *frame)
{
    struct attached *a = attached_of(t);
    if (a->greeted)
        return a->inner->ops->send_pieces(a->inner, frame);
    mcti_pieces_copy(&a->queue, frame);
    mcti_buf_addc(&a->queue, '\n');
    return a->error.kind || !mcti_buf_ok(&a->queue) ? -1 : 0;
}

static void attached_close(struct mcti_transport *t)
{
    struct attached *a = attached_of(t);
    a->closing = true;
    a->inner->ops->close(a->inner);
}

static void attached_free(struct mcti_transport *t)
{
    struct attached *a = attached_of(t);
    mcti_transport_free(a->inner);
    mcti_buf_done(&a->queue);
    free(a);
}

static const struct mcti_transport_ops attached_ops = {
    .name = MCT_TRANSPORT_ATTACHED,
    .relays = true,
    .open = attached_open,
    .send = attached_send,
    .send_pieces = attached_send_pieces,
    .close = attached_close,
    .free = attached_free,
};

struct mcti_transport *mcti_transport_attached_new(const struct mcti_attach_opts *o)
{
    struct attached *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->base.ops = &attached_ops;
    a->opts = *o;
    mcti_buf_init(&a->queue, o->message_bytes);
    return &a->base;
}
