/* Spans of requests and calls: attributes, the trace context, and the record that is sent. */
#include "telemetry/impl.h"

#include "base/clock.h"
#include "hub/core/provider.h"
#include "mcp/era.h"
#include "mcp/message.h"
#include "telemetry/attributes.h"

#include <stdlib.h>

enum {
    KIND_SERVER = 2,
    KIND_CLIENT = 3,
    STATUS_ERROR = 2,
    FLAG_KNOWN = 0x100,  /* it is known whether the parent is in another process */
    FLAG_REMOTE = 0x200, /* it is */
    SUBJECT_BYTES = 1024,
    RECORD_BYTES = 1 << 20,
};

struct mcti_span {
    struct mcti_trace_context self;
    char parent[17];                      /* id of the parent span; empty: none */
    char link[MCT_TRACEPARENT_LEN + 1];   /* another context that the request came with; empty: none */
    char quoted[MCT_TRACEPARENT_LEN + 3]; /* traceparent for messages; empty: they keep theirs */
    bool is_call, is_remote, is_recorded;
    enum mcti_verb verb;
    uint64_t wall_us, begun_us;
    struct mcti_buf name;       /* "tools/call NAME" */
    struct mcti_buf attributes; /* of the span only */
    struct mcti_buf common;     /* of the span and of the duration */
    struct mcti_buf subject;    /* of both: the tool or prompt */
};

static struct mcti_telemetry *telemetry_of(struct mcti_tracer *t)
{
    return MCT_CONTAINER(t, struct mcti_telemetry, tracer);
}

/* ---- the trace context ---- */

static bool read_context(struct mcti_str json, struct mcti_trace_context *ret)
{
    struct mcti_str text;
    return mcti_json_plain(json, &text) && mcti_trace_parse(text, ret);
}

/* Finds the parent of the span: the request that a call is made for, `_meta` of the message, or the context outside of
 * the message, which becomes a link if `_meta` has one. Returns false if the span begins a trace. */
static bool find_parent(const struct mcti_telemetry *t, const struct mcti_span_start *start, struct mcti_span *s,
                        struct mcti_trace_context *ret)
{
    struct mcti_str meta = mcti_json_get(start->params, "_meta");
    struct mcti_trace_context outside;
    bool has_outside = mcti_trace_parse(start->context, &outside);
    s->is_remote = !start->parent;
    if (start->parent)
        *ret = start->parent->self;
    else if (!read_context(mcti_json_get(meta, "traceparent"), ret)) {
        if (has_outside)
            *ret = outside;
        else if (start->server && t->has_outer)
            *ret = t->outer;
        else
            return s->is_remote = false;
    } else if (has_outside)
        mcti_trace_format(&outside, s->link);
    return true;
}

/* Decides whether a span that begins a trace is recorded. The decision depends on the trace id alone, so that all
 * processes decide alike. */
static bool span_is_sampled(const struct mcti_telemetry_settings *o, const char *trace)
{
    if (!o->samples || o->ratio >= 1)
        return o->samples;
    double part = (double)strtoull(trace + 18, NULL, 16); /* the last 56 bits are random (W3C Trace Context 2) */
    return part / 72057594037927936.0 < o->ratio;
}

static void set_context(const struct mcti_telemetry *t, const struct mcti_span_start *start, struct mcti_span *s)
{
    const struct mcti_telemetry_settings *o = &t->settings;
    struct mcti_trace_context parent;
    bool has_parent = find_parent(t, start, s, &parent);
    mcti_trace_begin(has_parent ? &parent : NULL, &s->self);
    bool is_sampled =
        has_parent && o->by_parent ? s->self.flags & MCT_TRACE_SAMPLED : span_is_sampled(o, s->self.trace);
    s->self.flags = (s->self.flags & ~(unsigned)MCT_TRACE_SAMPLED) | (is_sampled ? MCT_TRACE_SAMPLED : 0);
    s->is_recorded = is_sampled && mcti_telemetry_has(t, MCT_SIGNAL_TRACES);
    if (has_parent)
        memcpy(s->parent, parent.span, sizeof s->parent);
    if (!o->propagates || !mcti_telemetry_has(t, MCT_SIGNAL_TRACES))
        return;
    s->quoted[0] = s->quoted[1 + MCT_TRACEPARENT_LEN] = '"';
    mcti_trace_format(&s->self, s->quoted + 1);
    s->quoted[1 + MCT_TRACEPARENT_LEN] = '"';
}

/* ---- attributes ---- */

static void put_subject(const struct mcti_span_start *start, struct mcti_span *s)
{
    static const char *const keys[MCT_VERB_N] = { [MCT_VERB_TOOLS_CALL] = "gen_ai.tool.name",
                                                  [MCT_VERB_PROMPTS_GET] = "gen_ai.prompt.name",
                                                  [MCT_VERB_RESOURCES_READ] = "mcp.resource.uri",
                                                  [MCT_VERB_SUBSCRIBE] = "mcp.resource.uri",
                                                  [MCT_VERB_UNSUBSCRIBE] = "mcp.resource.uri" };
    const char *key = keys[start->verb], *member = mcti_method(start->verb)->subject;
    struct mcti_str value = start->subject;
    struct mcti_buf text;
    if (!key)
        return;
    if (!value.p)
        value = mcti_json_get(start->params, member ? member : "uri");
    mcti_buf_init(&text, value.len + 16);
    mcti_json_unescape_any(value, &text);
    struct mcti_str subject = mcti_buf_str(&text);
    subject.len = subject.len < SUBJECT_BYTES ? subject.len : SUBJECT_BYTES;
    bool is_uri = !strcmp(key, "mcp.resource.uri");
    mcti_attribute_text(is_uri ? &s->attributes : &s->subject, key, subject);
    if (!is_uri) {
        mcti_buf_addc(&s->name, ' ');
        mcti_buf_add(&s->name, subject);
    }
    mcti_buf_done(&text);
}

static void span_put_connection(const struct mcti_span_start *start, struct mcti_span *s)
{
    const struct mcti_provider *p = start->server;
    bool over_http = p ? p->transport && strcmp(p->transport, "stdio") != 0 && strcmp(p->transport, "plugin") != 0
                       : start->over_http;
    enum mcti_rev rev = p ? p->info.rev : start->rev;
    mcti_attribute_text(&s->common, "network.transport", over_http ? MCT_STR("tcp") : MCT_STR("pipe"));
    if (over_http)
        mcti_attribute_text(&s->common, "network.protocol.name", MCT_STR("http"));
    if (rev)
        mcti_attribute_text(&s->common, "mcp.protocol.version", mcti_str_of(mcti_rev_text(rev)));
    if (p)
        mcti_attribute_text(&s->common, "mcptools.server", mcti_str_of(p->origin ? p->origin->name : p->name));
}

static void put_attributes(const struct mcti_telemetry *t, const struct mcti_span_start *start, struct mcti_span *s)
{
    struct mcti_buf *a = &s->attributes;
    char session[24];
    mcti_buf_addz(&s->name, start->method);
    mcti_attribute_text(&s->common, "mcp.method.name", mcti_str_of(start->method));
    if (start->verb == MCT_VERB_TOOLS_CALL)
        mcti_attribute_text(&s->common, "gen_ai.operation.name", MCT_STR("execute_tool"));
    put_subject(start, s);
    span_put_connection(start, s);
    mcti_attribute_value(a, "jsonrpc.request.id", start->id);
    mcti_attribute_text(a, "mcptools.client", start->client);
    mcti_attribute_text(a, "mcptools.principal", start->principal.len ? start->principal : MCT_STR_NONE);
    snprintf(session, sizeof session, "%llu", (unsigned long long)start->session);
    if (start->session) /* its number: the id is a secret */
        mcti_attribute_text(a, "mcp.session.id", mcti_str_of(session));
    if (t->settings.arguments && start->verb == MCT_VERB_TOOLS_CALL)
        mcti_attribute_text(a, "gen_ai.tool.call.arguments", mcti_json_get(start->params, "arguments"));
}

/* ---- begin ---- */

static struct mcti_span *span_begin(struct mcti_tracer *tracer, const struct mcti_span_start *start)
{
    struct mcti_telemetry *t = telemetry_of(tracer);
    struct mcti_span *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->is_call = start->server;
    s->verb = start->verb;
    s->wall_us = mcti_clock_wall_us();
    s->begun_us = mcti_clock_since_us();
    mcti_buf_init(&s->name, RECORD_BYTES);
    mcti_buf_init(&s->attributes, RECORD_BYTES);
    mcti_buf_init(&s->common, RECORD_BYTES);
    mcti_buf_init(&s->subject, RECORD_BYTES);
    set_context(t, start, s);
    put_attributes(t, start, s);
    return s;
}

static struct mcti_str span_traceparent(const struct mcti_span *s)
{
    return s && *s->quoted ? (struct mcti_str){ s->quoted, MCT_TRACEPARENT_LEN + 2 } : MCT_STR_NONE;
}

/* ---- end ---- */

/* How a span ended: the word for error.type, the code and the message; all absent after a success. */
struct ending {
    char type[32], code[24];
    struct mct_error err;
    bool is_failure; /* the status of the span is an error */
};

/* Mistakes of the caller do not count as failures of a server span. */
static bool is_mistake_of_caller(int code)
{
    return code == -32700 || code == -32600 || code == -32601 || code == -32602;
}

static void read_ending(const struct mcti_span *s, const struct mcti_span_end *end, struct ending *ret)
{
    *ret = (struct ending){ .is_failure = end->is_error };
    if (end->is_error) {
        snprintf(ret->type, sizeof ret->type, "tool_error");
    } else if (end->error.p) {
        mcti_msg_read_error(end->error, &ret->err);
        snprintf(ret->code, sizeof ret->code, "%d", ret->err.code);
        snprintf(ret->type, sizeof ret->type, "%d", ret->err.code);
        ret->is_failure = s->is_call || !is_mistake_of_caller(ret->err.code);
    } else if (end->failed) {
        ret->err = *end->failed;
        snprintf(ret->type, sizeof ret->type, "%s", mct_error_word(ret->err.kind));
        ret->is_failure = true;
    }
}

static void put_status(struct mcti_buf *b, const struct ending *e)
{
    if (!e->is_failure)
        return;
    mcti_buf_printf(b, ",\"status\":{\"code\":%d", STATUS_ERROR);
    if (*e->err.message)
        mcti_json_put_member(b, "message", mcti_str_of(e->err.message));
    mcti_buf_addc(b, '}');
}

static void span_put_link(struct mcti_buf *b, const struct mcti_span *s)
{
    struct mcti_trace_context other;
    if (!*s->link || !mcti_trace_parse(mcti_str_of(s->link), &other))
        return;
    mcti_buf_printf(b, ",\"links\":[{\"traceId\":\"%s\",\"spanId\":\"%s\",\"flags\":%u}]", other.trace, other.span,
                    other.flags | FLAG_KNOWN | FLAG_REMOTE);
}

static void put_more(struct mcti_buf *b, const struct mcti_buf *attributes)
{
    mcti_buf_addz(b, attributes->len ? "," : "");
    mcti_buf_add(b, mcti_buf_str(attributes));
}

static void span_put(struct mcti_buf *b, const struct mcti_span *s, const struct ending *e, uint64_t duration_us)
{
    mcti_buf_printf(b, "{\"traceId\":\"%s\",\"spanId\":\"%s\"", s->self.trace, s->self.span);
    if (*s->parent)
        mcti_json_put_member(b, "parentSpanId", mcti_str_of(s->parent));
    mcti_buf_printf(b, ",\"flags\":%u",
                    (s->self.flags & 0xff) | (*s->parent ? FLAG_KNOWN : 0) | (s->is_remote ? FLAG_REMOTE : 0));
    mcti_json_put_member(b, "name", mcti_buf_str(&s->name));
    mcti_buf_printf(b, ",\"kind\":%d", s->is_call ? KIND_CLIENT : KIND_SERVER);
    mcti_otlp_put_u64(b, "startTimeUnixNano", s->wall_us * 1000);
    mcti_otlp_put_u64(b, "endTimeUnixNano", (s->wall_us + duration_us) * 1000);
    mcti_buf_addz(b, ",\"attributes\":[");
    mcti_buf_add(b, mcti_buf_str(&s->common));
    put_more(b, &s->subject);
    put_more(b, &s->attributes);
    mcti_buf_addc(b, ']');
    span_put_link(b, s);
    put_status(b, e);
    mcti_buf_addc(b, '}');
}

static void record_span(struct mcti_telemetry *t, struct mcti_span *s, const struct ending *e, uint64_t duration_us)
{
    struct mcti_buf b;
    if (!s->is_recorded)
        return;
    mcti_buf_init(&b, 4 * RECORD_BYTES);
    span_put(&b, s, e, duration_us);
    if (mcti_buf_ok(&b))
        mcti_export_add(&t->exports[MCT_SIGNAL_TRACES], mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* Adds the duration to a series. Names that clients made up, and those for which there is no room, share one. */
static void record_duration(struct mcti_telemetry *t, struct mcti_span *s, const struct ending *e, uint64_t duration_us)
{
    enum mcti_metric metric = s->is_call ? MCT_METRIC_CLIENT_OPERATION : MCT_METRIC_SERVER_OPERATION;
    bool is_unknown = is_mistake_of_caller(e->err.code) || !mcti_duration_metrics_has_room(&t->metrics);
    struct mcti_buf b;
    if (!mcti_telemetry_has(t, MCT_SIGNAL_METRICS))
        return;
    mcti_buf_init(&b, 4 * RECORD_BYTES);
    mcti_buf_add(&b, mcti_buf_str(&s->common));
    if (s->subject.len && is_unknown)
        mcti_attribute_text(&b, s->verb == MCT_VERB_TOOLS_CALL ? "gen_ai.tool.name" : "gen_ai.prompt.name",
                            MCT_STR("_OTHER"));
    else
        put_more(&b, &s->subject);
    if (mcti_buf_ok(&b))
        mcti_duration_metrics_add(&t->metrics, metric, mcti_buf_str(&b), duration_us);
    mcti_buf_done(&b);
}

static void span_end(struct mcti_tracer *tracer, struct mcti_span *s, const struct mcti_span_end *end)
{
    struct mcti_telemetry *t = telemetry_of(tracer);
    struct ending e;
    if (!s)
        return;
    uint64_t duration_us = mcti_clock_since_us() - s->begun_us;
    read_ending(s, end, &e);
    if (*e.type)
        mcti_attribute_text(&s->common, "error.type", mcti_str_of(e.type));
    if (*e.code)
        mcti_attribute_text(&s->common, "rpc.response.status_code", mcti_str_of(e.code));
    if (t->settings.arguments && s->verb == MCT_VERB_TOOLS_CALL)
        mcti_attribute_text(&s->attributes, "gen_ai.tool.call.result", end->result);
    record_duration(t, s, &e, duration_us);
    record_span(t, s, &e, duration_us);
    mcti_buf_done(&s->name);
    mcti_buf_done(&s->attributes);
    mcti_buf_done(&s->common);
    mcti_buf_done(&s->subject);
    free(s);
}

static void span_session_ended(struct mcti_tracer *tracer, enum mcti_rev rev, bool over_http, uint64_t duration_ms)
{
    struct mcti_telemetry *t = telemetry_of(tracer);
    struct mcti_buf b;
    if (!mcti_telemetry_has(t, MCT_SIGNAL_METRICS))
        return;
    mcti_buf_init(&b, 4096);
    if (rev)
        mcti_attribute_text(&b, "mcp.protocol.version", mcti_str_of(mcti_rev_text(rev)));
    mcti_attribute_text(&b, "network.transport", over_http ? MCT_STR("tcp") : MCT_STR("pipe"));
    mcti_duration_metrics_add(&t->metrics, MCT_METRIC_SERVER_SESSION, mcti_buf_str(&b), duration_ms * 1000);
    mcti_buf_done(&b);
}

void mcti_telemetry_init_tracer(struct mcti_telemetry *t)
{
    t->tracer = (struct mcti_tracer){
        .begin = span_begin, .end = span_end, .traceparent = span_traceparent, .session_ended = span_session_ended
    };
}
