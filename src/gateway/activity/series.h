/* Series of /metrics (Prometheus text) about each server of a registry. */
#ifndef MCT_GATEWAY_ACTIVITY_SERIES_H
#define MCT_GATEWAY_ACTIVITY_SERIES_H

#include "hub/core/registry.h"

/* Appends the value of a label, escaped. */
void mcti_series_put_label(struct mcti_buf *to, const char *text);

/* Appends `mcptools_NAME{server="…"} value`. */
void mcti_series_put_number(struct mcti_buf *to, const char *name, const char *server, uint64_t value);

/* Appends the state and the numbers of each server. */
void mcti_series_put_servers(struct mcti_buf *to, const struct mcti_registry *r);

#endif
