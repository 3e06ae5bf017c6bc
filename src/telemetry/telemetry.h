/*
 * Telemetry of an instance: spans, durations and log records, sent to a collector as OTLP (OpenTelemetry 1.x, MCP
 * semantic conventions). Off unless configured; then nothing of it exists.
 */
#ifndef MCT_TELEMETRY_TELEMETRY_H
#define MCT_TELEMETRY_TELEMETRY_H

#include "hub/core/registry.h"
#include "hub/core/tracer.h"
#include "io/loop.h"
#include "telemetry/settings.h"

struct mcti_telemetry;

struct mcti_telemetry_opts {
    struct mcti_loop *loop;
    struct mcti_registry *registry; /* its servers' sessions and log messages are recorded; outlives the telemetry */
    const struct mcti_log *log;
    struct mcti_telemetry_config config;     /* borrowed during the call */
    const char *(*lookup)(const char *name); /* returns a variable of the environment */
};

/* Sets *ret to NULL if telemetry is off. Returns -1 and sets *err if it is on and cannot be opened. */
int mcti_telemetry_open(const struct mcti_telemetry_opts *opts, struct mcti_telemetry **ret, struct mct_error *err);

/* Returns the tracer for struct mcti_events; NULL for NULL. */
struct mcti_tracer *mcti_telemetry_tracer(struct mcti_telemetry *t);

/* Records a line of the program's log. NULL does nothing. */
void mcti_telemetry_log(struct mcti_telemetry *t, enum mct_log_level level, const char *line);

/* Sends what has been recorded; done() is called from the loop, or at once if nothing is left to send. */
void mcti_telemetry_flush(struct mcti_telemetry *t, void (*done)(void *data), void *data);

/* Drops what was not sent. Spans must have ended. NULL does nothing. */
void mcti_telemetry_free(struct mcti_telemetry *t);

#endif
