/*
 * Histograms of durations. A series is a metric with one set of attributes; at most MCT_METRIC_SERIES of them exist, so
 * that names cannot use up memory.
 */
#ifndef MCT_TELEMETRY_METRICS_H
#define MCT_TELEMETRY_METRICS_H

#include "base/buf.h"
#include "base/table/map.h"

#include <stdint.h>

enum { MCT_METRIC_SERIES = 512, MCT_METRIC_BOUNDS = 14 };

enum mcti_metric {
    MCT_METRIC_CLIENT_OPERATION,
    MCT_METRIC_SERVER_OPERATION,
    MCT_METRIC_CLIENT_SESSION,
    MCT_METRIC_SERVER_SESSION,
    MCT_METRIC_N,
};

struct mcti_metrics {
    struct mcti_map series[MCT_METRIC_N];
    size_t n;
    uint64_t since_us;   /* start of the values: wall clock */
    bool delta, changed; /* changed: a value was added since the last mcti_duration_metrics_put() */
    uint64_t n_dropped;  /* values without a series */
};

void mcti_duration_metrics_init(struct mcti_metrics *m, bool delta, uint64_t now_us);
void mcti_duration_metrics_done(struct mcti_metrics *m);

/* Adds a duration to the series of these attributes (OTLP JSON without brackets). */
void mcti_duration_metrics_add(struct mcti_metrics *m, enum mcti_metric metric, struct mcti_str attributes,
                               uint64_t duration_us);

/* Returns true if a further set of attributes gets a series of its own. */
bool mcti_duration_metrics_has_room(const struct mcti_metrics *m);

/* Appends the metrics as OTLP JSON objects with commas between them. With `delta` the values begin again. */
void mcti_duration_metrics_put(struct mcti_metrics *m, struct mcti_buf *to, uint64_t now_us);

#endif
