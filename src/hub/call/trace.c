/* The stage that records the span of a call to a server, if telemetry is on. */
#include "hub/call/stages.h"
#include "hub/core/tracer.h"

#include <stdlib.h>

/* A call that is recorded. */
struct call_trace {
    struct mcti_stage base;
    struct mcti_tracer *tracer;
    struct mcti_span *span;
};

static struct call_trace *trace_of(struct mcti_stage *s)
{
    return MCT_CONTAINER(s, struct call_trace, base);
}

static void trace_end(struct call_trace *t, struct mcti_call *call, const struct mcti_span_end *end)
{
    call->traceparent = MCT_STR_NONE;
    t->tracer->end(t->tracer, t->span, end);
    free(t);
}

enum mcti_pass mcti_trace_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err)
{
    struct mcti_tracer *tracer = call->events ? call->events->tracer : NULL;
    (void)start;
    (void)err;
    if (!tracer)
        return MCT_PASS;
    const struct mcti_span_start what = { .server = call->provider,
                                          .parent = call->span,
                                          .verb = call->verb,
                                          .method = mcti_call_method(call),
                                          .params = call->params,
                                          .subject = call->subject.value,
                                          .client = call->client,
                                          .principal = call->principal,
                                          .session = call->session };
    struct call_trace *t = malloc(sizeof *t);
    struct mcti_span *span = t ? tracer->begin(tracer, &what) : NULL;
    if (!span) { /* the call matters more than its record */
        free(t);
        return MCT_PASS;
    }
    *t = (struct call_trace){ .tracer = tracer, .span = span };
    call->traceparent = tracer->traceparent(span);
    mcti_stage_put(call, &t->base);
    return MCT_PASS;
}

void mcti_trace_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed)
{
    if (failed)
        trace_end(trace_of(s), call, &(struct mcti_span_end){ .failed = failed });
}

void mcti_trace_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o)
{
    bool is_tool = call->verb == MCT_VERB_TOOLS_CALL;
    const struct mcti_span_end end = { .error = o->error,
                                       .failed = o->failed,
                                       .result = o->result,
                                       .is_error = is_tool && mcti_json_true(mcti_json_get(o->result, "isError")) };
    mcti_stage_take(call, s);
    trace_end(trace_of(s), call, &end);
    mcti_call_leave(call, o);
}

void mcti_trace_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason)
{
    struct mct_error why;
    mcti_fail(&why, MCT_ERR_CANCELLED, "%s", reason ? reason : "the caller abandoned the call");
    trace_end(trace_of(s), call, &(struct mcti_span_end){ .failed = &why });
}
