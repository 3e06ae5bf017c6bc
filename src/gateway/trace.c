#include "gateway/trace.h"

static bool is_over_http(const struct mcti_peer_ops *ops)
{
    return ops->transport && strcmp(ops->transport, "stdio") != 0;
}

static struct mcti_tracer *tracer_of(const struct mcti_gateway *g)
{
    return g->events ? g->events->tracer : NULL;
}

/* Begins the span; the name in clientInfo of a 2026-07-28 request is used only if it has no escapes. */
static void trace_begin(struct mcti_tracer *t, struct mcti_gw_request *r, const struct mcti_msg *msg,
                        const struct mcti_msg_meta *meta)
{
    const struct mcti_peer *p = r->peer;
    const struct mcti_peer_ops *ops = p->ops;
    struct mcti_str client = mcti_str_of(p->client);
    if (!client.p && !mcti_json_plain(mcti_json_get(meta->client_info, "name"), &client))
        client = MCT_STR_NONE;
    const struct mcti_span_start start = { .verb = r->verb,
                                           .method = r->method ? r->method : mcti_method(r->verb)->name,
                                           .params = msg->params,
                                           .context =
                                               ops->traceparent ? ops->traceparent(p->data, r->in.lane) : MCT_STR_NONE,
                                           .id = msg->id,
                                           .client = client,
                                           .principal = gw_principal(r),
                                           .rev = r->rev,
                                           .session = mcti_rev_is_stateless(r->rev) ? 0 : p->number,
                                           .over_http = is_over_http(ops) };
    r->span = t->begin(t, &start);
}

void mcti_gw_trace_begin(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mcti_tracer *t = tracer_of(r->peer->gateway);
    if (t)
        trace_begin(t, r, msg, meta);
}

void mcti_gw_trace_end(struct mcti_gw_request *r, const struct mcti_span_end *end)
{
    struct mcti_tracer *t = tracer_of(r->peer->gateway);
    if (t && r->span)
        t->end(t, r->span, end);
    r->span = NULL;
}

void mcti_gw_trace_session(const struct mcti_peer *p)
{
    struct mcti_tracer *t = tracer_of(p->gateway);
    if (t && p->initialized && !p->is_inner)
        t->session_ended(t, p->session.rev, is_over_http(p->ops),
                         mcti_sched_now(p->gateway->sched) - p->initialized_ms);
}
