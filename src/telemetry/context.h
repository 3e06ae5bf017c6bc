/* Trace context as in W3C Trace Context: `00-TRACE_ID-SPAN_ID-FLAGS`. */
#ifndef MCT_TELEMETRY_CONTEXT_H
#define MCT_TELEMETRY_CONTEXT_H

#include "base/str.h"

enum { MCT_TRACEPARENT_LEN = 55, MCT_TRACE_SAMPLED = 1 };

struct mcti_trace_context {
    char trace[33], span[17]; /* lower-case hex digits */
    unsigned flags;           /* MCT_TRACE_SAMPLED, and others that are passed on */
};

/* Reads a traceparent. Of later versions than 00 the first four fields are read. Returns false if the text is not
 * valid; *ret is then unchanged. */
bool mcti_trace_parse(struct mcti_str text, struct mcti_trace_context *ret);

/* Sets *ret to a new span: of the trace of `parent`, or of a new trace if that is NULL. Flags are those of the parent,
 * or 0. */
void mcti_trace_begin(const struct mcti_trace_context *parent, struct mcti_trace_context *ret);

/* Writes the traceparent and a NUL. */
void mcti_trace_format(const struct mcti_trace_context *c, char to[MCT_TRACEPARENT_LEN + 1]);

#endif
