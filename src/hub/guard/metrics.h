/* The counters of gates, as Prometheus text. */
#ifndef MCT_HUB_GUARD_METRICS_H
#define MCT_HUB_GUARD_METRICS_H

#include "hub/core/registry.h"

/* Writes the series of all servers that have a gate. */
void mcti_gate_put_metrics(struct mcti_buf *to, const struct mcti_registry *r);

#endif
