/* Shared by the files of this folder. */
#ifndef MCT_TELEMETRY_IMPL_H
#define MCT_TELEMETRY_IMPL_H

#include "telemetry/context.h"
#include "telemetry/export.h"
#include "telemetry/metrics.h"
#include "telemetry/telemetry.h"

struct mcti_telemetry {
    struct mcti_tracer tracer;
    struct mcti_telemetry_settings settings;
    struct mcti_loop *loop;
    const struct mcti_log *log;
    struct mcti_http_client *http;
    struct mcti_export exports[MCT_SIGNAL_N]; /* zeroed: the signal is off */
    char *heads[MCT_SIGNAL_N];
    struct mcti_metrics metrics;
    struct mcti_timer collect; /* the next export of metrics */
    struct mcti_watcher watcher;
    struct mcti_map sessions;        /* struct telemetry_session: connected servers by address */
    struct mcti_trace_context outer; /* span of the process that started this one */
    bool has_outer;
    bool is_logging; /* guards against records about the sending of records */
    void (*flushed)(void *data);
    void *data;
};

static inline bool mcti_telemetry_has(const struct mcti_telemetry *t, enum mcti_signal s)
{
    return t->exports[s].opts.loop;
}

/* ---- span.c ---- */

void mcti_telemetry_init_tracer(struct mcti_telemetry *t);

/* ---- records.c ---- */

/* Starts to record sessions and log messages of servers. */
void mcti_telemetry_watch(struct mcti_telemetry *t, struct mcti_registry *r);
void mcti_telemetry_unwatch(struct mcti_telemetry *t);

/* Queues the durations measured so far. */
void mcti_telemetry_collect(struct mcti_telemetry *t);

#endif
