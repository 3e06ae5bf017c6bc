#include "mcp/http/exchange.h"

#include "base/limits.h"
#include "mcp/era.h"
#include "mcp/http_refusal.h"

#include <stdlib.h>

static struct mcti_http *transport_http_from_transport(const struct mcti_transport *t)
{
    return MCT_CONTAINER(t, struct mcti_http, base);
}

/* ---- closing ---- */

static void free_all(struct mcti_list *list)
{
    while (!mcti_list_empty(list))
        mcti_exchange_free(mcti_exchange_of(list->next));
}

/* Ends all exchanges without a callback. */
static void drop_all(struct mcti_http *h, bool notices_too)
{
    free_all(&h->held);
    MCT_LIST_EACH(it, &h->exchanges) {
        struct mcti_exchange *x = mcti_exchange_of(it);
        if (x->fed)
            x->over = true; /* still in use by a caller, which ends it */
        else if (notices_too || x->kind != MCT_EX_NOTICE || !x->fetch)
            mcti_exchange_free(x);
    }
    h->barrier = h->opening = NULL;
}

static void transport_http_destroy(struct mcti_http *h)
{
    free_all(&h->exchanges);
    free_all(&h->held);
    mcti_timer_stop(&h->loop->sched, &h->close_timer);
    mcti_timer_stop(&h->loop->sched, &h->opening_for);
    mcti_task_stop(&h->report);
    mcti_task_stop(&h->release);
    mcti_headers_done(&h->headers);
    mcti_headers_done(&h->post_headers);
    free(h->session_id);
    mcti_body_done(&h->init_frame);
    free(h->url);
    free(h);
}

void mcti_http_leave(struct mcti_http *h)
{
    if (!--h->depth && h->freed)
        transport_http_destroy(h);
}

static void transport_http_report_closed(void *data)
{
    struct mcti_http *h = data;
    mcti_timer_stop(&h->loop->sched, &h->close_timer);
    if (h->reported || h->freed)
        return;
    h->reported = true;
    h->base.events.on_closed(h->base.events.data, h->why.kind ? &h->why : NULL);
}

void mcti_http_give_up(struct mcti_http *h, const struct mct_error *why)
{
    if (h->closing)
        return;
    h->closing = true;
    h->why = *why;
    mcti_task_post(&h->loop->sched, &h->report);
}

/* Continues close(): sends DELETE after the last notices, then reports the end. */
static void transport_http_leave_session(struct mcti_http *h)
{
    struct mcti_exchange *x = NULL;
    if (!mcti_list_empty(&h->exchanges) || h->why.kind)
        return;
    if (h->session_id) {
        x = mcti_exchange_new(h, MCT_EX_DELETE, NULL);
        if (x && mcti_exchange_start(x, NULL) < 0) {
            mcti_exchange_free(x);
            x = NULL;
        }
        free(h->session_id); /* copied into the headers of the DELETE */
        h->session_id = NULL;
    }
    if (!x)
        mcti_task_post(&h->loop->sched, &h->report);
}

/* Drops notices that could not be sent in time; DELETE is still tried. */
static void transport_http_on_close_timeout(void *data)
{
    struct mcti_http *h = data;
    drop_all(h, true);
    if (h->session_id) {
        mcti_timer_set(&h->loop->sched, &h->close_timer, MCT_HTTP_CLOSE_MS);
        transport_http_leave_session(h);
    } else {
        mcti_task_post(&h->loop->sched, &h->report);
    }
}

/* ---- the session ---- */

struct mcti_exchange *mcti_http_stream(struct mcti_http *h)
{
    struct mcti_list *const lists[] = { &h->exchanges, &h->held };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        MCT_LIST_EACH(it, lists[i])
            if (mcti_exchange_of(it)->kind == MCT_EX_STREAM)
                return mcti_exchange_of(it);
    return NULL;
}

static void transport_http_open_stream(struct mcti_http *h)
{
    if (mcti_http_stream(h))
        return;
    struct mcti_exchange *x = h->wants_stream ? mcti_exchange_new(h, MCT_EX_STREAM, NULL) : NULL;
    if (x && mcti_exchange_start(x, NULL) < 0) {
        mcti_exchange_free(x);
    } else if (x && h->can_ask) {
        h->opening = x;
        mcti_timer_set(&h->loop->sched, &h->opening_for, MCT_HTTP_OPENING_MS);
    }
}

static void stream_is_open(void *data)
{
    struct mcti_http *h = data;
    h->opening = NULL;
    mcti_timer_stop(&h->loop->sched, &h->opening_for);
    mcti_http_release(h);
}

static bool transport_http_announces(struct mcti_str capability)
{
    return mcti_json_true(mcti_json_get(capability, "listChanged")) ||
           mcti_json_true(mcti_json_get(capability, "subscribe"));
}

/* Returns true if the server may send notifications unprompted. */
static bool may_notify(struct mcti_str capabilities)
{
    return transport_http_announces(mcti_json_get(capabilities, "tools")) ||
           transport_http_announces(mcti_json_get(capabilities, "prompts")) ||
           transport_http_announces(mcti_json_get(capabilities, "resources")) ||
           mcti_json_get(capabilities, "logging").p;
}

/* Returns true if we declare a capability to answer questions; the server may then send them at any time. */
static bool can_be_asked(struct mcti_str init_params)
{
    struct mcti_json_member any;
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(init_params, "capabilities"));
    return mcti_json_next_member(&it, &any);
}

void mcti_http_on_initialized(struct mcti_exchange *x, const struct mcti_msg *answer)
{
    struct mcti_http *h = x->http;
    struct mcti_str text;
    if (!mcti_json_plain(mcti_json_get(answer->result, "protocolVersion"), &text))
        return;
    h->version = mcti_rev_text(mcti_rev_find(text));
    h->can_ask = can_be_asked(x->msg.params);
    h->wants_stream = h->can_ask || may_notify(mcti_json_get(answer->result, "capabilities"));
    mcti_body_done(&h->init_frame);
    mcti_body_set(&h->init_frame, &x->frame.pieces); /* without memory, a lost session ends the connection */
}

static bool is_visible(struct mcti_str id)
{
    for (size_t i = 0; i < id.len; i++)
        if (id.p[i] < 0x21 || id.p[i] > 0x7e)
            return false;
    return id.len > 0;
}

void mcti_http_on_answered(struct mcti_exchange *x)
{
    struct mcti_http *h = x->http;
    struct mcti_str id;
    if (x->kind == MCT_EX_REQUEST)
        h->facts.http_status = 0;
    if (x == h->opening)
        stream_is_open(h);
    if (!x->is_initialize || x->resuming)
        return;
    id = mcti_fetch_header(x->fetch, "mcp-session-id");
    free(h->session_id);
    h->session_id = is_visible(id) ? mcti_str_dup(id) : NULL;
    h->session_no++;
}

void mcti_http_post(struct mcti_exchange *x, bool as_barrier)
{
    struct mcti_http *h = x->http;
    if (!as_barrier && mcti_http_must_wait(x)) {
        mcti_http_queue(x);
        return;
    }
    if (as_barrier)
        h->barrier = x;
    if (mcti_exchange_start(x, NULL) < 0)
        mcti_timer_set(&h->loop->sched, &x->timer, 0); /* retried from the loop, where the failure is reported */
    else if (as_barrier)
        mcti_timer_set(&h->loop->sched, &x->timer, MCT_HTTP_BARRIER_MS);
}

/* ---- callbacks of exchanges ---- */

bool mcti_http_deliver(struct mcti_exchange *x, struct mcti_str frame, struct mcti_chunk *chunk)
{
    struct mcti_http *h = x->http;
    struct mcti_msg msg;
    if (h->freed || (h->closing && x->kind != MCT_EX_INITIALIZE))
        return false;
    bool opening = x->is_initialize && mcti_msg_parse(frame, &msg, NULL) == 0 &&
                   (msg.kind == MCT_MSG_RESULT || msg.kind == MCT_MSG_ERROR);
    if (opening && x->kind == MCT_EX_INITIALIZE)
        mcti_http_on_new_session(x, &msg);
    if (opening && x->kind == MCT_EX_REQUEST && msg.kind == MCT_MSG_RESULT)
        mcti_http_on_initialized(x, &msg);
    h->base.about = x->kind == MCT_EX_REQUEST ? x->id_number : 0;
    h->base.chunk = chunk;
    h->base.wanted = opening;
    if (x->kind != MCT_EX_INITIALIZE || !opening)
        h->base.events.on_frame(h->base.events.data, frame, NULL);
    h->wasted += h->base.wanted ? 0 : frame.len + MCT_WASTE_MESSAGE;
    h->base.about = 0;
    h->base.chunk = NULL;
    return !h->freed;
}

/* Frees an exchange; while closing, continues after the last one. */
static void transport_http_forget(struct mcti_exchange *x)
{
    struct mcti_http *h = x->http;
    bool was_barrier = h->barrier == x, was_notice = x->kind == MCT_EX_NOTICE;
    bool was_delete = x->kind == MCT_EX_DELETE, was_opening = h->opening == x;
    mcti_exchange_free(x);
    if (h->freed)
        return;
    if (was_barrier)
        h->barrier = NULL;
    if (was_delete)
        mcti_task_post(&h->loop->sched, &h->report);
    else if (h->closing)
        transport_http_leave_session(h);
    else if (was_opening)
        stream_is_open(h);
    else if (was_barrier && was_notice) {
        transport_http_open_stream(h);
        mcti_http_release(h);
    }
}

void mcti_http_on_ended(struct mcti_exchange *x, const struct mct_error *err)
{
    struct mcti_http *h = x->http;
    struct mct_error why;
    char id[32];
    bool lost = x->kind == MCT_EX_REQUEST && !x->over && err && !h->closing;
    bool undelivered = x->kind == MCT_EX_NOTICE && !x->over && err && !h->closing;
    if (err) {
        snprintf(id, sizeof id, "%.*s", MCT_STR_ARG(x->msg.id));
        why = *err;
        mcti_credential_hide(&x->use, &why);
    }
    if (x->kind == MCT_EX_INITIALIZE && err && !x->over) {
        mcti_error_wrap(&why, "the server lost the session and did not start a new one");
        mcti_http_give_up(h, &why);
    }
    transport_http_forget(x);
    if (lost && h->base.events.on_lost && !h->freed)
        h->base.events.on_lost(h->base.events.data, mcti_str_of(id), &why);
    if (undelivered && h->base.events.on_send_failed && !h->freed)
        h->base.events.on_send_failed(h->base.events.data, &why);
}

static bool others_are_served(const struct mcti_exchange *x)
{
    MCT_LIST_EACH(it, &x->http->exchanges) {
        const struct mcti_exchange *other = mcti_exchange_of(it);
        if (other != x && other->kind == MCT_EX_REQUEST && other->fetch && mcti_fetch_status(other->fetch))
            return true;
    }
    return false;
}

void mcti_http_on_unreachable(struct mcti_exchange *x, const struct mct_error *err)
{
    struct mcti_http *h = x->http;
    struct mct_error why = *err;
    bool end = err->unsent && (x->kind == MCT_EX_REQUEST || x->kind == MCT_EX_STREAM) && !others_are_served(x);
    mcti_http_on_ended(x, &why);
    if (end && !h->freed)
        mcti_http_give_up(h, &why);
}

/* ---- operations ---- */

static int http_open(struct mcti_transport *t, struct mct_error *err)
{
    (void)t; /* connections are opened when needed */
    (void)err;
    return 0;
}

static struct mcti_exchange *transport_http_find_in(struct mcti_list *list, uint64_t id)
{
    MCT_LIST_EACH(it, list) {
        struct mcti_exchange *x = mcti_exchange_of(it);
        if (x->kind == MCT_EX_REQUEST && x->id_number == id)
            return x;
    }
    return NULL;
}

static struct mcti_exchange *transport_http_find(struct mcti_http *h, uint64_t id)
{
    struct mcti_exchange *x = transport_http_find_in(&h->exchanges, id);
    return x ? x : transport_http_find_in(&h->held, id);
}

/* Returns true for a cancellation that need not be sent: its request was never sent, or it is a 2026-07-28 request,
 * where closing the stream cancels (request_over() does that). A request whose stream is to be resumed is still running
 * at the server. */
static bool needs_no_sending(struct mcti_http *h, const struct mcti_msg *msg)
{
    uint64_t id;
    if (!mcti_str_is(msg->method, "notifications/cancelled"))
        return false;
    struct mcti_exchange *x =
        mcti_json_uint(mcti_json_get(msg->params, "requestId"), &id) ? transport_http_find(h, id) : NULL;
    return !x || x->version || !(x->started || x->resuming);
}

/* Sends a notice within a limited time, or drops it. */
static int post_notice(struct mcti_http *h, struct mcti_exchange *x)
{
    struct mct_error err;
    /* with credentials, the message may have to wait for them */
    bool may_wait = h->credentials || mcti_http_must_wait(x);
    if (may_wait && mcti_http_may_queue(h->n_waiting, h->waiting_bytes, h->message_bytes, &err) < 0) {
        if (mcti_http_drop_notice(&h->base.events, &x->msg, &err))
            mcti_http_give_up(h, &err);
        mcti_exchange_free(x);
        return -1;
    }
    x->about = h->base.about;
    mcti_timer_set(&h->loop->sched, &x->timer, MCT_HTTP_NOTICE_MS);
    /* servers refuse a message that arrives before it */
    mcti_http_post(x, mcti_str_is(x->msg.method, "notifications/initialized"));
    return 0;
}

static int http_send_pieces(struct mcti_transport *t, const struct mcti_pieces *frame)
{
    struct mcti_http *h = transport_http_from_transport(t);
    if (h->closing || frame->len > h->message_bytes)
        return -1;
    struct mcti_exchange *x = mcti_exchange_new(h, MCT_EX_NOTICE, frame);
    if (!x)
        return -1;
    if (x->msg.kind == MCT_MSG_REQUEST)
        x->kind = MCT_EX_REQUEST;
    if (x->kind == MCT_EX_NOTICE && !needs_no_sending(h, &x->msg))
        return post_notice(h, x);
    if (x->kind == MCT_EX_NOTICE)
        mcti_exchange_free(x);
    else
        mcti_http_post(x, false);
    return 0;
}

static int http_send(struct mcti_transport *t, struct mcti_str frame, void *lane)
{
    const struct mcti_pieces one = mcti_pieces_one(frame);
    (void)lane;
    return http_send_pieces(t, &one);
}

static void http_request_over(struct mcti_transport *t, uint64_t id, bool answered)
{
    struct mcti_http *h = transport_http_from_transport(t);
    struct mcti_exchange *x = transport_http_find(h, id);
    mcti_http_enter(h);
    if (x && !answered)
        mcti_http_limit_wait(h, id);
    if (x)
        mcti_exchange_over(x, answered);
    mcti_http_leave(h);
}

static void http_close(struct mcti_transport *t)
{
    struct mcti_http *h = transport_http_from_transport(t);
    if (h->closing)
        return;
    h->closing = true;
    drop_all(h, false);
    mcti_timer_set(&h->loop->sched, &h->close_timer, MCT_HTTP_CLOSE_MS);
    transport_http_leave_session(h);
}

static void http_describe(const struct mcti_transport *t, struct mcti_transport_facts *ret)
{
    const struct mcti_http *h = MCT_CONTAINER(t, const struct mcti_http, base);
    *ret = h->facts;
    ret->no_session = !h->session_id;
}

static void http_free(struct mcti_transport *t)
{
    struct mcti_http *h = transport_http_from_transport(t);
    if (h->base.events.on_hold)
        h->base.events.on_hold(h->base.events.data, &h->charged, 0);
    h->freed = true;
    h->base.sending = NULL;
    mcti_http_enter(h);
    mcti_http_leave(h);
}

static const struct mcti_transport_ops ops = {
    .name = "streamable-http",
    .http = true,
    .open = http_open,
    .send = http_send,
    .send_pieces = http_send_pieces,
    .request_over = http_request_over,
    .close = http_close,
    .describe = http_describe,
    .free = http_free,
};

struct mcti_transport *mcti_transport_http_new(const struct mcti_url_opts *opts)
{
    struct mcti_http *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->base.ops = &ops;
    h->loop = opts->loop;
    h->client = opts->client;
    h->message_bytes = opts->message_bytes;
    h->credentials = opts->credentials;
    h->url = strdup(opts->url);
    h->max_requests = opts->requests ? opts->requests : MCT_LIMIT_SERVER_REQUESTS;
    mcti_list_init(&h->exchanges);
    mcti_list_init(&h->held);
    mcti_task_init(&h->release, mcti_http_release, h);
    mcti_headers_init(&h->headers);
    mcti_headers_init(&h->post_headers);
    if (opts->headers)
        mcti_headers_add_all(&h->headers, opts->headers);
    mcti_headers_add(&h->post_headers, "Accept", MCT_STR("application/json, text/event-stream"));
    mcti_headers_add(&h->post_headers, "Content-Type", MCT_STR("application/json"));
    mcti_headers_add_all(&h->post_headers, &h->headers);
    mcti_task_init(&h->report, transport_http_report_closed, h);
    mcti_timer_init(&h->close_timer, transport_http_on_close_timeout, h);
    mcti_timer_init(&h->opening_for, stream_is_open, h);
    if (h->url)
        return &h->base;
    transport_http_destroy(h);
    return NULL;
}
