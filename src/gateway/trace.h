/* Spans of clients' requests, see hub/core/tracer.h. */
#ifndef MCT_GATEWAY_TRACE_H
#define MCT_GATEWAY_TRACE_H

#include "gateway/impl.h"
#include "hub/core/tracer.h"

/* Begins the span of the request in `msg`, if telemetry is on. */
void mcti_gw_trace_begin(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

/* Ends the span, if there is one that has not ended. */
void mcti_gw_trace_end(struct mcti_gw_request *r, const struct mcti_span_end *end);

/* Records that the session of the peer ends, if telemetry is on and it was initialized. */
void mcti_gw_trace_session(const struct mcti_peer *p);

#endif
