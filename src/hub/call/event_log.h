/* A listener that writes what it hears as lines: everything (--events), or what became of each call (the audit log). */
#ifndef MCT_HUB_CALL_EVENT_LOG_H
#define MCT_HUB_CALL_EVENT_LOG_H

#include "hub/call/events.h"
#include "io/line_file.h"

struct mct_event_log {
    struct mct_event_listener listener;
    struct mct_line_file file; /* its `lost` counts the lines nobody took */
};

/* To a descriptor that is borrowed. */
void mct_event_log_open(struct mct_event_log *l, struct mct_events *e, struct mct_sched *sched, int fd);
void mct_audit_log_open(struct mct_event_log *l, struct mct_events *e, struct mct_sched *sched, int fd);

/* As mct_line_file_done(). Does nothing where it is not open, if it is all zero. */
void mct_event_log_close(struct mct_event_log *l, unsigned wait_ms);

#endif
