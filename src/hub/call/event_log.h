/* A listener that writes what it hears as lines: everything (--events), or what became of each call (the audit log). */
#ifndef MCT_HUB_CALL_EVENT_LOG_H
#define MCT_HUB_CALL_EVENT_LOG_H

#include "hub/call/events.h"
#include "io/line_file.h"

struct mcti_event_log {
    struct mcti_event_listener listener;
    struct mcti_line_file file; /* its `lost` counts the lines nobody took */
};

/* To a descriptor that is borrowed. */
void mcti_event_log_open(struct mcti_event_log *l, struct mcti_events *e, struct mcti_sched *sched, int fd);
void mcti_audit_log_open(struct mcti_event_log *l, struct mcti_events *e, struct mcti_sched *sched, int fd);

/* As mcti_line_file_done(). Does nothing where it is not open, if it is all zero. */
void mcti_event_log_close(struct mcti_event_log *l, unsigned wait_ms);

#endif
