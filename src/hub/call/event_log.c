#include "hub/call/event_log.h"

#include "base/limits.h"
#include "hub/call/event_line.h"

static struct mct_line_file *file_of(struct mct_event_listener *l)
{
    return &MCT_CONTAINER(l, struct mct_event_log, listener)->file;
}

static void on_begin(struct mct_event_listener *l, const struct mct_event *e)
{
    mct_event_put_begin(mct_line_file_begin(file_of(l)), e, MCT_LIMIT_EVENT_LINE_BYTES);
    mct_line_file_end(file_of(l));
}

static void on_end(struct mct_event_listener *l, const struct mct_event *e)
{
    mct_event_put_end(mct_line_file_begin(file_of(l)), e, MCT_LIMIT_EVENT_LINE_BYTES);
    mct_line_file_end(file_of(l));
}

static void on_audit(struct mct_event_listener *l, const struct mct_event *e)
{
    mct_event_put_audit(mct_line_file_begin(file_of(l)), e);
    mct_line_file_end(file_of(l));
}

void mct_event_log_open(struct mct_event_log *l, struct mct_events *e, struct mct_sched *sched, int fd)
{
    mct_line_file_init(&l->file, sched, fd, MCT_LIMIT_EVENTS_PENDING_BYTES);
    l->listener = (struct mct_event_listener){ .begin = on_begin, .end = on_end };
    mct_events_add(e, &l->listener);
}

void mct_audit_log_open(struct mct_event_log *l, struct mct_events *e, struct mct_sched *sched, int fd)
{
    mct_line_file_init(&l->file, sched, fd, MCT_LIMIT_LOG_PENDING_BYTES);
    l->listener = (struct mct_event_listener){ .end = on_audit };
    mct_events_add(e, &l->listener);
}

void mct_event_log_close(struct mct_event_log *l, unsigned wait_ms)
{
    if (!l->listener.node.next)
        return;
    mct_event_listener_remove(&l->listener);
    mct_line_file_done(&l->file, wait_ms);
}
