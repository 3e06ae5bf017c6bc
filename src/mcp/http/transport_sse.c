#include "mcp/http/transport_sse.h"

#include "base/limits.h"
#include "io/http/sse.h"
#include "mcp/http/credential.h"
#include "mcp/http_refusal.h"
#include "mcp/message.h"
#include "mcp/method.h"
#include "mcp/session.h"

#include <stdio.h>
#include <stdlib.h>

struct sse {
    struct mcti_transport base;
    struct mcti_loop *loop;
    struct mcti_http_client *client;
    char *url, *endpoint; /* endpoint: NULL until the server has named it */
    struct mcti_headers headers;
    struct mcti_credentials *credentials; /* NULL: none */
    struct mcti_credential_use use;       /* of the stream */
    size_t message_bytes;
    struct mcti_fetch *stream;
    struct mcti_sse events;
    struct mcti_buf refusal;
    struct mcti_list posts; /* POSTs in progress */
    /* POSTs to be sent, in order, once the endpoint is known, the barrier has ended and max_requests allows; and those
     * that wait for credentials */
    struct mcti_list waiting;
    /* limit of requests; requests and notices (answers and notifications) in progress */
    size_t max_requests, n_requests, n_notices;
    size_t n_waiting, waiting_bytes; /* queued notices */
    struct post *barrier;
    struct mcti_task report;
    struct mct_error why; /* kind NONE: closed by us */
    bool closing, reported, freed;
    unsigned depth;
    struct mcti_transport_facts facts;
};

struct post {
    struct mcti_list node;
    struct sse *owner;
    struct mcti_fetch *fetch;
    struct mcti_credential_use use;
    char *frame;
    size_t len;
    char id[24];    /* id of the request; empty: none */
    bool is_call;   /* the server may execute something */
    bool is_notice; /* an answer or notification, whose result is not reported */
    bool runs;
    struct mcti_timer timer; /* limit for sending a notice; after its answer, limit of a request's POST */
    bool is_barrier;         /* servers refuse messages that overtake notifications/initialized */
    struct mcti_buf refusal;
};

static struct sse *transport_sse_from_transport(const struct mcti_transport *t)
{
    return MCT_CONTAINER(t, struct sse, base);
}

/* ---- closing ---- */

/* Removes the POST from its list and from the counters. */
static void post_remove(struct post *p)
{
    struct sse *s = p->owner;
    if (p->runs && p->is_notice)
        s->n_notices--;
    else if (p->runs)
        s->n_requests--;
    else if (p->is_notice)
        s->n_waiting--;
    s->waiting_bytes -= p->is_notice && !p->runs ? p->len : 0;
    mcti_list_remove(&p->node);
}

static void post_free(struct post *p)
{
    mcti_fetch_cancel(p->fetch);
    mcti_credential_drop(&p->use);
    mcti_timer_stop(&p->owner->loop->sched, &p->timer);
    post_remove(p);
    mcti_buf_done(&p->refusal);
    free(p->frame);
    free(p);
}

static void transport_sse_destroy(struct sse *s)
{
    struct mcti_list *const lists[] = { &s->posts, &s->waiting };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        while (!mcti_list_empty(lists[i]))
            post_free(MCT_CONTAINER(lists[i]->next, struct post, node));
    mcti_fetch_cancel(s->stream);
    mcti_credential_drop(&s->use);
    mcti_task_stop(&s->report);
    mcti_headers_done(&s->headers);
    mcti_sse_done(&s->events);
    mcti_buf_done(&s->refusal);
    free(s->endpoint);
    free(s->url);
    free(s);
}

static void transport_sse_leave(struct sse *s)
{
    if (!--s->depth && s->freed)
        transport_sse_destroy(s);
}

static void transport_sse_report_closed(void *data)
{
    struct sse *s = data;
    if (s->reported || s->freed)
        return;
    s->reported = true;
    s->base.events.on_closed(s->base.events.data, s->why.kind ? &s->why : NULL);
}

static void transport_sse_end(struct sse *s, const struct mct_error *why)
{
    if (s->closing)
        return;
    s->closing = true;
    if (why)
        s->why = *why;
    mcti_fetch_cancel(s->stream);
    s->stream = NULL;
    mcti_credential_drop(&s->use);
    mcti_task_post(&s->loop->sched, &s->report);
}

/* ---- sending ---- */

static void start_posts(struct sse *s);

static bool transport_sse_on_post_body(void *data, struct mcti_fetch *f, struct mcti_str *bytes)
{
    struct post *p = data;
    (void)f;
    mcti_buf_add(&p->refusal, *bytes); /* bytes over the limit are not needed */
    *bytes = MCT_STR("");
    return true;
}

/* Frees a POST. `why` gives the reason if the server did not accept it. */
static void post_end(struct post *p, const struct mct_error *why)
{
    struct sse *s = p->owner;
    const struct mcti_transport_events *e = &s->base.events;
    char id[sizeof p->id];
    memcpy(id, p->id, sizeof id);
    s->depth++;
    if (s->barrier == p)
        s->barrier = NULL;
    post_free(p);
    if (why && *id && !s->closing && e->on_lost)
        e->on_lost(e->data, mcti_str_of(id), why);
    else if (why && !*id && !s->closing && e->on_send_failed)
        e->on_send_failed(e->data, why);
    if (!s->freed)
        start_posts(s);
    transport_sse_leave(s);
}

static void transport_sse_on_post_time(void *data)
{
    struct post *p = data;
    struct mct_error err;
    mcti_fail_timeout(&err, MCT_HTTP_NOTICE_MS);
    post_end(p, p->is_notice ? &err : NULL);
}

/* Puts a POST among those that wait. */
static void post_wait(struct post *p)
{
    struct sse *s = p->owner;
    mcti_list_append(&s->waiting, &p->node);
    if (!p->is_notice)
        return;
    s->n_waiting++;
    s->waiting_bytes += p->len;
    if (!p->timer.set)
        mcti_timer_set(&s->loop->sched, &p->timer, MCT_HTTP_NOTICE_MS);
}

/* Returns true if the POST that `f` refused waits for new credentials. Otherwise sets *err. */
static bool post_waits_again(struct post *p, const struct mcti_fetch *f, struct mct_error *err)
{
    struct mcti_msg msg;
    mcti_fail_refused(err, mcti_fetch_status(f), mcti_buf_str(&p->refusal));
    if (p->owner->closing || mcti_msg_parse((struct mcti_str){ p->frame, p->len }, &msg, NULL) < 0 ||
        !mcti_credential_refused(&p->use, f, p->owner->endpoint, &msg, err))
        return false;
    post_remove(p);
    p->runs = false;
    post_wait(p);
    return true;
}

/* Ends a POST. Any 2xx status is a success; the answer arrives as an event. */
static void transport_sse_on_post_done(void *data, struct mcti_fetch *f, const struct mct_error *err)
{
    struct post *p = data;
    struct mct_error why;
    int status = mcti_fetch_status(f);
    bool ok = !err && status >= 200 && status < 300;
    p->fetch = NULL;
    if (err)
        why = *err;
    else
        mcti_credential_answered(&p->use, f, p->owner->endpoint);
    p->owner->facts.http_status = ok ? 0 : status;
    if (err || ok || !post_waits_again(p, f, &why))
        post_end(p, ok ? NULL : &why);
}

static int start_post(struct post *p, struct mct_error *err)
{
    struct sse *s = p->owner;
    struct mcti_headers headers;
    const struct mcti_fetch_events events = { NULL, transport_sse_on_post_body, transport_sse_on_post_done, p };
    const struct mcti_pieces body = mcti_pieces_one((struct mcti_str){ p->frame, p->len });
    const struct mcti_fetch_opts opts = { "POST", s->endpoint, &headers, .pieces = &body, .once = p->is_call };
    mcti_buf_clear(&p->refusal);
    mcti_headers_init(&headers);
    mcti_headers_add(&headers, "Content-Type", MCT_STR("application/json"));
    mcti_headers_add_all(&headers, &s->headers);
    mcti_credential_put(&p->use, &(struct mcti_credential_request){ opts.method, opts.url, opts.pieces }, &headers);
    p->fetch = mcti_fetch_start(s->client, &opts, &events, err);
    mcti_headers_done(&headers);
    post_remove(p);
    p->runs = true;
    mcti_list_append(&s->posts, &p->node);
    *(p->is_notice ? &s->n_notices : &s->n_requests) += 1;
    return p->fetch ? 0 : -1;
}

static void start_posts(struct sse *s)
{
    struct mct_error err;
    MCT_LIST_EACH(it, &s->waiting) {
        struct post *p = MCT_CONTAINER(it, struct post, node);
        if (!s->endpoint || (s->barrier && s->barrier != p) || s->closing)
            return;
        if (!mcti_http_may_send(p->is_notice, s->n_notices, s->n_requests, s->max_requests))
            continue;
        if (p->is_barrier)
            s->barrier = p;
        if (mcti_credential_must_wait(&p->use))
            continue;
        if (start_post(p, &err) < 0) {
            transport_sse_end(s, &err);
            return;
        }
    }
}

static void post_on_credentials(struct mcti_credential_wait *w, const struct mct_error *err)
{
    struct post *p = MCT_CONTAINER(w, struct post, use.wait);
    struct mct_error why;
    if (mcti_credential_arrived(&p->use, err, mcti_buf_str(&p->refusal), &why))
        start_posts(p->owner);
    else
        post_end(p, &why);
}

static int check_queued(struct sse *s, const struct mcti_msg *msg)
{
    struct mct_error err;
    if (msg->kind == MCT_MSG_REQUEST ||
        mcti_http_may_queue(s->n_waiting, s->waiting_bytes, s->message_bytes, &err) == 0)
        return 0;
    if (mcti_http_drop_notice(&s->base.events, msg, &err))
        transport_sse_end(s, &err);
    return -1;
}

static struct post *transport_sse_find(struct mcti_list *list, const char *id)
{
    MCT_LIST_EACH(it, list) {
        struct post *p = MCT_CONTAINER(it, struct post, node);
        if (!strcmp(p->id, id))
            return p;
    }
    return NULL;
}

/* Limits the POST of a request that was answered on the stream or abandoned. */
static void sse_request_over(struct mcti_transport *t, uint64_t id, bool answered)
{
    struct sse *s = transport_sse_from_transport(t);
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)id);
    struct post *p = transport_sse_find(&s->posts, text);
    if (p && answered)
        mcti_timer_set(&s->loop->sched, &p->timer, MCT_HTTP_LINGER_MS);
    else if (p || (p = transport_sse_find(&s->waiting, text)))
        post_end(p, NULL);
}

static int sse_send(struct mcti_transport *t, struct mcti_str frame, void *lane)
{
    struct sse *s = transport_sse_from_transport(t);
    struct mcti_msg msg;
    (void)lane;
    if (s->closing || frame.len > s->message_bytes || mcti_msg_parse(frame, &msg, NULL) < 0 ||
        check_queued(s, &msg) < 0)
        return -1;
    struct post *p = calloc(1, sizeof *p);
    if (!p || !(p->frame = mcti_str_dup(frame))) {
        free(p);
        return -1;
    }
    p->owner = s;
    p->len = frame.len;
    p->is_barrier = mcti_str_is(msg.method, "notifications/initialized");
    p->is_call = mcti_method(mcti_method_find(msg.method))->subject;
    p->is_notice = msg.kind != MCT_MSG_REQUEST;
    if (!p->is_notice)
        snprintf(p->id, sizeof p->id, "%.*s", MCT_STR_ARG(msg.id));
    mcti_buf_init(&p->refusal, MCT_LIMIT_HTTP_ERROR_BYTES);
    mcti_timer_init(&p->timer, transport_sse_on_post_time, p);
    mcti_credential_init(&p->use, s->credentials, post_on_credentials);
    post_wait(p);
    start_posts(s);
    return 0;
}

/* ---- the stream ---- */

static bool transport_sse_on_event(void *data, struct mcti_str type, struct mcti_str text)
{
    struct sse *s = data;
    struct mct_error err;
    struct mcti_str shown = mcti_str_trim(text);
    if (mcti_str_is(type, "endpoint") && !s->endpoint) {
        char *reference = mcti_str_dup(shown);
        s->endpoint = reference ? mcti_http_resolve(s->client, s->url, reference, &err) : NULL;
        free(reference);
        if (s->endpoint) {
            start_posts(s);
        } else {
            mcti_error_wrap(&err, "endpoint of the event stream");
            transport_sse_end(s, &err);
        }
    } else if (mcti_str_is(type, "message")) {
        s->base.chunk = s->events.chunk;
        s->base.wanted = false;
        if (shown.len && (*shown.p == '{' || *shown.p == '['))
            s->base.events.on_frame(s->base.events.data, text, NULL);
        else if (shown.len)
            s->facts.bad_lines++;
        s->events.wasted += s->base.wanted ? 0 : text.len + MCT_WASTE_MESSAGE;
    }
    return !s->freed && !s->closing && mcti_fetch_frame(s->stream);
}

static void transport_sse_on_stream_head(void *data, struct mcti_fetch *f)
{
    struct sse *s = data;
    mcti_credential_answered(&s->use, f, s->url);
}

static bool is_stream(const struct mcti_fetch *f)
{
    return mcti_fetch_status(f) == 200 && mcti_fetch_has_type(f, "text/event-stream");
}

static bool transport_sse_on_stream_body(void *data, struct mcti_fetch *f, struct mcti_str *bytes)
{
    struct sse *s = data;
    struct mct_error why;
    s->depth++;
    if (!is_stream(f)) {
        mcti_buf_add(&s->refusal, *bytes);
        *bytes = MCT_STR("");
        if (!mcti_buf_ok(&s->refusal)) {
            mcti_fail_not_mcp(&why, mcti_fetch_status(f), MCT_STR("an endless body"), MCT_STR_NONE);
            transport_sse_end(s, &why);
        }
    } else if (mcti_sse_feed(&s->events, bytes, transport_sse_on_event, s) < 0 && s->base.events.on_dropped &&
               !s->freed) {
        s->base.events.on_dropped(s->base.events.data, s->message_bytes, mcti_sse_head(&s->events));
    }
    bool go_on = !s->freed && !s->closing;
    if (go_on)
        mcti_fetch_waste(f, s->events.wasted);
    s->events.wasted = 0;
    transport_sse_leave(s);
    return go_on;
}

static void transport_sse_on_stream_done(void *data, struct mcti_fetch *f, const struct mct_error *err)
{
    struct sse *s = data;
    struct mct_error why;
    int status = mcti_fetch_status(f);
    s->stream = NULL;
    if (err)
        why = *err;
    else if (status != 200)
        mcti_fail_refused(&why, status, mcti_buf_str(&s->refusal));
    else if (!is_stream(f))
        mcti_fail_not_mcp(&why, status, mcti_fetch_header(f, "content-type"), mcti_buf_str(&s->refusal));
    else
        mcti_fail(&why, MCT_ERR_CONNECT,
                  s->endpoint ? "the server closed the event stream and thereby the session"
                              : "the event stream ended before its endpoint event");
    if (err || s->closing || !mcti_credential_refused(&s->use, f, s->url, &(struct mcti_msg){ 0 }, &why))
        transport_sse_end(s, &why);
}

/* ---- operations ---- */

static int open_stream(struct sse *s, struct mct_error *err)
{
    struct mcti_headers headers;
    const struct mcti_fetch_events events = { transport_sse_on_stream_head, transport_sse_on_stream_body,
                                              transport_sse_on_stream_done, s };
    const struct mcti_fetch_opts opts = { "GET", s->url, &headers, MCT_STR_NONE };
    mcti_buf_clear(&s->refusal);
    mcti_headers_init(&headers);
    mcti_headers_add(&headers, "Accept", MCT_STR("text/event-stream"));
    mcti_headers_add_all(&headers, &s->headers);
    mcti_credential_put(&s->use, &(struct mcti_credential_request){ opts.method, opts.url, opts.pieces }, &headers);
    s->stream = mcti_fetch_start(s->client, &opts, &events, err);
    mcti_headers_done(&headers);
    return s->stream ? 0 : -1;
}

static void stream_on_credentials(struct mcti_credential_wait *w, const struct mct_error *err)
{
    struct sse *s = MCT_CONTAINER(w, struct sse, use.wait);
    struct mct_error why;
    if (!mcti_credential_arrived(&s->use, err, mcti_buf_str(&s->refusal), &why) || open_stream(s, &why) < 0)
        transport_sse_end(s, &why);
}

static int sse_open(struct mcti_transport *t, struct mct_error *err)
{
    struct sse *s = transport_sse_from_transport(t);
    return mcti_credential_must_wait(&s->use) ? 0 : open_stream(s, err);
}

static void sse_close(struct mcti_transport *t)
{
    transport_sse_end(transport_sse_from_transport(t), NULL);
}

static void sse_describe(const struct mcti_transport *t, struct mcti_transport_facts *ret)
{
    *ret = transport_sse_from_transport(t)->facts;
}

static void sse_free(struct mcti_transport *t)
{
    struct sse *s = transport_sse_from_transport(t);
    s->freed = true;
    s->depth++;
    transport_sse_leave(s);
}

static const struct mcti_transport_ops ops = {
    .name = "sse",
    .http = true,
    .open = sse_open,
    .send = sse_send,
    .request_over = sse_request_over,
    .close = sse_close,
    .describe = sse_describe,
    .free = sse_free,
};

struct mcti_transport *mcti_transport_sse_new(const struct mcti_url_opts *opts)
{
    struct sse *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->base.ops = &ops;
    s->loop = opts->loop;
    s->client = opts->client;
    s->message_bytes = opts->message_bytes;
    s->credentials = opts->credentials;
    mcti_credential_init(&s->use, opts->credentials, stream_on_credentials);
    s->url = strdup(opts->url);
    s->max_requests = opts->requests ? opts->requests : MCT_LIMIT_SERVER_REQUESTS;
    mcti_list_init(&s->posts);
    mcti_list_init(&s->waiting);
    mcti_headers_init(&s->headers);
    mcti_sse_init(&s->events, opts->message_bytes);
    mcti_buf_init(&s->refusal, MCT_LIMIT_HTTP_ERROR_BYTES);
    if (opts->headers)
        mcti_headers_add_all(&s->headers, opts->headers);
    mcti_task_init(&s->report, transport_sse_report_closed, s);
    if (s->url)
        return &s->base;
    transport_sse_destroy(s);
    return NULL;
}
