/* The page /metrics, as Prometheus text, and the counters behind it. */
#ifndef MCT_FRONT_HTTP_METRICS_H
#define MCT_FRONT_HTTP_METRICS_H

#include "front/http/impl.h"

/* Appends the page, except for the calls. */
void mcti_metrics_put(struct mcti_buf *to, const struct mcti_front_http *f);

/* Counts an exchange that has ended. */
void mcti_metrics_count(struct mcti_front_http *f, const struct mcti_http_exchange *x);

/* ---- visitors.c ---- */

/* Appends the memory held for each principal and each server. */
void mcti_visitors_put_memory(struct mcti_buf *to, const struct mcti_front_http *f);

#endif
