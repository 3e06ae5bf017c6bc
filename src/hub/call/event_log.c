#include "hub/call/event_log.h"

#include "base/limits.h"
#include "hub/call/event_line.h"

static struct mcti_line_file *file_of(struct mcti_event_listener *l)
{
    return &MCT_CONTAINER(l, struct mcti_event_log, listener)->file;
}

static void on_begin(struct mcti_event_listener *l, const struct mcti_event *e)
{
    mcti_event_put_begin(mcti_line_file_begin(file_of(l)), e, MCT_LIMIT_EVENT_LINE_BYTES);
    mcti_line_file_end(file_of(l));
}

static void on_end(struct mcti_event_listener *l, const struct mcti_event *e)
{
    mcti_event_put_end(mcti_line_file_begin(file_of(l)), e, MCT_LIMIT_EVENT_LINE_BYTES);
    mcti_line_file_end(file_of(l));
}

static void on_audit(struct mcti_event_listener *l, const struct mcti_event *e)
{
    mcti_event_put_audit(mcti_line_file_begin(file_of(l)), e);
    mcti_line_file_end(file_of(l));
}

void mcti_event_log_open(struct mcti_event_log *l, struct mcti_events *e, struct mcti_sched *sched, int fd)
{
    mcti_line_file_init(&l->file, sched, fd, MCT_LIMIT_EVENTS_PENDING_BYTES);
    l->listener = (struct mcti_event_listener){ .begin = on_begin, .end = on_end, .keeps_arguments = true };
    mcti_events_add(e, &l->listener);
}

void mcti_audit_log_open(struct mcti_event_log *l, struct mcti_events *e, struct mcti_sched *sched, int fd)
{
    mcti_line_file_init(&l->file, sched, fd, MCT_LIMIT_LOG_PENDING_BYTES);
    l->listener = (struct mcti_event_listener){ .end = on_audit };
    mcti_events_add(e, &l->listener);
}

void mcti_event_log_close(struct mcti_event_log *l, unsigned wait_ms)
{
    if (!l->listener.node.next)
        return;
    mcti_event_listener_remove(&l->listener);
    mcti_line_file_done(&l->file, wait_ms);
}
