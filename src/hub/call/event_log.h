/* A listener that writes events as lines: all events (--events), or one line for each call (the audit log). */
#ifndef MCT_HUB_CALL_EVENT_LOG_H
#define MCT_HUB_CALL_EVENT_LOG_H

#include "hub/call/events.h"
#include "io/line_file.h"

struct mcti_event_log {
    struct mcti_event_listener listener;
    struct mcti_line_file file; /* its `lost` counts the dropped lines */
};

/* Write to the descriptor `fd`, which is borrowed. */
void mcti_event_log_open(struct mcti_event_log *l, struct mcti_events *e, struct mcti_sched *sched, int fd);
void mcti_audit_log_open(struct mcti_event_log *l, struct mcti_events *e, struct mcti_sched *sched, int fd);

/* Closes the log as mcti_line_file_done() does. Does nothing if the log is all zero. */
void mcti_event_log_close(struct mcti_event_log *l, unsigned wait_ms);

#endif
