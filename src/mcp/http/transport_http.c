#include "mcp/http/exchange.h"

#include "base/limits.h"
#include "mcp/era.h"
#include "mcp/http_refusal.h"

#include <stdlib.h>

static struct mct_http *from_transport(const struct mct_transport *t)
{
    return MCT_CONTAINER(t, struct mct_http, base);
}

/* ---- ends ---- */

static void free_all(struct mct_list *list)
{
    while (!mct_list_empty(list))
        mct_exchange_free(mct_exchange_of(list->next));
}

/* All that is under way ends without a word. */
static void drop_all(struct mct_http *h, bool notices_too)
{
    free_all(&h->held);
    MCT_LIST_EACH(it, &h->exchanges) {
        struct mct_exchange *x = mct_exchange_of(it);
        if (x->fed)
            x->over = true; /* it is on the stack above us, and ends when that is done */
        else if (notices_too || x->kind != MCT_EX_NOTICE || !x->fetch)
            mct_exchange_free(x);
    }
    h->barrier = h->opening = NULL;
}

static void destroy(struct mct_http *h)
{
    free_all(&h->exchanges);
    free_all(&h->held);
    mct_timer_stop(&h->loop->sched, &h->bye);
    mct_timer_stop(&h->loop->sched, &h->opening_for);
    mct_task_stop(&h->tell);
    mct_task_stop(&h->release);
    mct_headers_done(&h->headers);
    free(h->session_id);
    free(h->init_frame);
    free(h->url);
    free(h);
}

void mct_http_leave(struct mct_http *h)
{
    if (!--h->depth && h->freed)
        destroy(h);
}

static void tell_closed(void *data)
{
    struct mct_http *h = data;
    mct_timer_stop(&h->loop->sched, &h->bye);
    if (h->told || h->freed)
        return;
    h->told = true;
    h->base.events.on_closed(h->base.events.data, h->why.kind ? &h->why : NULL);
}

void mct_http_give_up(struct mct_http *h, const struct mct_error *why)
{
    if (h->closing)
        return;
    h->closing = true;
    h->why = *why;
    mct_task_post(&h->loop->sched, &h->tell);
}

/* After close(): when the last words are out, DELETE; when that is over, the end. */
static void leave_session(struct mct_http *h)
{
    struct mct_exchange *x = NULL;
    if (!mct_list_empty(&h->exchanges) || h->why.kind)
        return;
    if (h->session_id) {
        x = mct_exchange_new(h, MCT_EX_BYE, MCT_STR_NONE);
        if (x && mct_exchange_start(x, NULL) < 0) {
            mct_exchange_free(x);
            x = NULL;
        }
        free(h->session_id); /* in its headers by now */
        h->session_id = NULL;
    }
    if (!x)
        mct_task_post(&h->loop->sched, &h->tell);
}

/* Words that do not get out are given up; the DELETE behind them is still tried. */
static void on_bye_timeout(void *data)
{
    struct mct_http *h = data;
    drop_all(h, true);
    if (h->session_id) {
        mct_timer_set(&h->loop->sched, &h->bye, MCT_HTTP_BYE_MS);
        leave_session(h);
    } else {
        mct_task_post(&h->loop->sched, &h->tell);
    }
}

/* ---- the session ---- */

static void open_stream(struct mct_http *h)
{
    MCT_LIST_EACH(it, &h->exchanges)
        if (mct_exchange_of(it)->kind == MCT_EX_STREAM)
            return;
    struct mct_exchange *x = h->wants_stream ? mct_exchange_new(h, MCT_EX_STREAM, MCT_STR_NONE) : NULL;
    if (x && mct_exchange_start(x, NULL) < 0) {
        mct_exchange_free(x);
    } else if (x && h->asked) {
        h->opening = x;
        mct_timer_set(&h->loop->sched, &h->opening_for, MCT_HTTP_OPENING_MS);
    }
}

static void stream_is_open(void *data)
{
    struct mct_http *h = data;
    h->opening = NULL;
    mct_timer_stop(&h->loop->sched, &h->opening_for);
    mct_http_release(h);
}

static bool announces(struct mct_str capability)
{
    return mct_json_true(mct_json_get(capability, "listChanged")) ||
           mct_json_true(mct_json_get(capability, "subscribe"));
}

/* Whether the server may have something to say unasked. */
static bool will_talk(struct mct_str capabilities)
{
    return announces(mct_json_get(capabilities, "tools")) || announces(mct_json_get(capabilities, "prompts")) ||
           announces(mct_json_get(capabilities, "resources")) || mct_json_get(capabilities, "logging").p;
}

/* We may be asked something as soon as we have said that we can be. */
static bool can_be_asked(struct mct_str init_params)
{
    struct mct_json_member any;
    struct mct_json_iter it = mct_json_open(mct_json_get(init_params, "capabilities"));
    return mct_json_next_member(&it, &any);
}

void mct_http_on_initialized(struct mct_exchange *x, const struct mct_msg *answer)
{
    struct mct_http *h = x->http;
    struct mct_str text;
    if (!mct_json_plain(mct_json_get(answer->result, "protocolVersion"), &text))
        return;
    h->version = mct_rev_text(mct_rev_find(text));
    h->asked = can_be_asked(x->msg.params);
    h->wants_stream = h->asked || will_talk(mct_json_get(answer->result, "capabilities"));
    char *copy = mct_str_dup((struct mct_str){ x->frame, x->frame_len });
    if (!copy)
        return;
    free(h->init_frame);
    h->init_frame = copy;
    h->init_len = x->frame_len;
}

static bool is_visible(struct mct_str id)
{
    for (size_t i = 0; i < id.len; i++)
        if (id.p[i] < 0x21 || id.p[i] > 0x7e)
            return false;
    return id.len > 0;
}

void mct_http_answered(struct mct_exchange *x)
{
    struct mct_http *h = x->http;
    struct mct_str id;
    if (x->kind == MCT_EX_REQUEST)
        h->facts.http_status = 0;
    if (x == h->opening)
        stream_is_open(h);
    if (!x->is_initialize || x->resuming)
        return;
    id = mct_fetch_header(x->fetch, "mcp-session-id");
    free(h->session_id);
    h->session_id = is_visible(id) ? mct_str_dup(id) : NULL;
    h->session_no++;
}

void mct_http_post(struct mct_exchange *x, bool as_barrier)
{
    struct mct_http *h = x->http;
    if (!as_barrier && mct_http_is_held(x)) {
        mct_http_hold(x);
        return;
    }
    if (as_barrier)
        h->barrier = x;
    if (mct_exchange_start(x, NULL) < 0)
        mct_timer_set(&h->loop->sched, &x->timer, 0); /* tried again from the loop, it says why it cannot be */
    else if (as_barrier)
        mct_timer_set(&h->loop->sched, &x->timer, MCT_HTTP_BARRIER_MS);
}

/* ---- what exchanges tell ---- */

bool mct_http_deliver(struct mct_exchange *x, struct mct_str frame)
{
    struct mct_http *h = x->http;
    struct mct_msg msg;
    if (h->freed || (h->closing && x->kind != MCT_EX_BEGIN))
        return false;
    bool opening = x->is_initialize && mct_msg_parse(frame, &msg, NULL) == 0 &&
                   (msg.kind == MCT_MSG_RESULT || msg.kind == MCT_MSG_ERROR);
    if (opening && x->kind == MCT_EX_BEGIN)
        mct_http_on_begun(x, &msg);
    if (opening && x->kind == MCT_EX_REQUEST && msg.kind == MCT_MSG_RESULT)
        mct_http_on_initialized(x, &msg);
    h->base.about = x->kind == MCT_EX_REQUEST ? x->id_number : 0;
    if (x->kind != MCT_EX_BEGIN || !opening)
        h->base.events.on_frame(h->base.events.data, frame, NULL);
    h->base.about = 0;
    return !h->freed;
}

/* The last of them leaves when we are closing. */
static void forget(struct mct_exchange *x)
{
    struct mct_http *h = x->http;
    bool was_barrier = h->barrier == x, was_notice = x->kind == MCT_EX_NOTICE;
    bool was_bye = x->kind == MCT_EX_BYE, was_opening = h->opening == x;
    mct_exchange_free(x);
    if (h->freed)
        return;
    if (was_barrier)
        h->barrier = NULL;
    if (was_bye)
        mct_task_post(&h->loop->sched, &h->tell);
    else if (h->closing)
        leave_session(h);
    else if (was_opening)
        stream_is_open(h);
    else if (was_barrier && was_notice) {
        open_stream(h);
        mct_http_release(h);
    }
}

void mct_http_ended(struct mct_exchange *x, const struct mct_error *err)
{
    struct mct_http *h = x->http;
    struct mct_error why;
    char id[32];
    bool lost = x->kind == MCT_EX_REQUEST && !x->over && err && !h->closing;
    bool untold = x->kind == MCT_EX_NOTICE && !x->over && err && !h->closing;
    snprintf(id, sizeof id, "%.*s", MCT_STR_ARG(x->msg.id));
    if (err)
        why = *err;
    if (x->kind == MCT_EX_BEGIN && err && !x->over) {
        mct_error_wrap(&why, "the server has forgotten the session and gives no other");
        mct_http_give_up(h, &why);
    }
    forget(x);
    if (lost && h->base.events.on_lost && !h->freed)
        h->base.events.on_lost(h->base.events.data, mct_str_of(id), &why);
    if (untold && h->base.events.on_untold && !h->freed)
        h->base.events.on_untold(h->base.events.data, &why);
}

static bool others_are_served(const struct mct_exchange *x)
{
    MCT_LIST_EACH(it, &x->http->exchanges) {
        const struct mct_exchange *other = mct_exchange_of(it);
        if (other != x && other->kind == MCT_EX_REQUEST && other->fetch && mct_fetch_status(other->fetch))
            return true;
    }
    return false;
}

void mct_http_unreachable(struct mct_exchange *x, const struct mct_error *err)
{
    struct mct_http *h = x->http;
    struct mct_error why = *err;
    bool end = err->unsent && (x->kind == MCT_EX_REQUEST || x->kind == MCT_EX_STREAM) && !others_are_served(x);
    mct_http_ended(x, &why);
    if (end && !h->freed)
        mct_http_give_up(h, &why);
}

/* ---- operations ---- */

static int http_open(struct mct_transport *t, struct mct_error *err)
{
    (void)t; /* connections are made as they are needed */
    (void)err;
    return 0;
}

static struct mct_exchange *find_in(struct mct_list *list, uint64_t id)
{
    MCT_LIST_EACH(it, list) {
        struct mct_exchange *x = mct_exchange_of(it);
        if (x->kind == MCT_EX_REQUEST && x->id_number == id)
            return x;
    }
    return NULL;
}

static struct mct_exchange *find(struct mct_http *h, uint64_t id)
{
    struct mct_exchange *x = find_in(&h->exchanges, id);
    return x ? x : find_in(&h->held, id);
}

/* A request that was never sent needs no cancellation; the server works on one whose stream is to be resumed. With
 * 2026-07-28 closing the stream is the cancellation, and over() follows. */
static bool needs_no_sending(struct mct_http *h, const struct mct_msg *msg)
{
    uint64_t id;
    if (!mct_str_is(msg->method, "notifications/cancelled"))
        return false;
    struct mct_exchange *x = mct_json_uint(mct_json_get(msg->params, "requestId"), &id) ? find(h, id) : NULL;
    return !x || x->version || !(x->started || x->resuming);
}

/* Says it within a bounded time, or not at all. */
static int post_word(struct mct_http *h, struct mct_exchange *x)
{
    struct mct_error err;
    if (mct_http_is_held(x) && mct_http_may_wait(h->n_waiting, h->waiting_bytes, h->message_bytes, &err) < 0) {
        if (mct_http_refuse_word(&h->base.events, &x->msg, &err))
            mct_http_give_up(h, &err);
        mct_exchange_free(x);
        return -1;
    }
    x->about = h->base.about;
    mct_timer_set(&h->loop->sched, &x->timer, MCT_HTTP_WORD_MS);
    mct_http_post(x, mct_str_is(x->msg.method, "notifications/initialized")); /* servers refuse what overtakes it */
    return 0;
}

static int http_send(struct mct_transport *t, struct mct_str frame, void *lane)
{
    struct mct_http *h = from_transport(t);
    (void)lane;
    if (h->closing || frame.len > h->message_bytes)
        return -1;
    struct mct_exchange *x = mct_exchange_new(h, MCT_EX_NOTICE, frame);
    if (!x)
        return -1;
    if (x->msg.kind == MCT_MSG_REQUEST)
        x->kind = MCT_EX_REQUEST;
    if (x->kind == MCT_EX_NOTICE && !needs_no_sending(h, &x->msg))
        return post_word(h, x);
    if (x->kind == MCT_EX_NOTICE)
        mct_exchange_free(x);
    else
        mct_http_post(x, false);
    return 0;
}

static void http_over(struct mct_transport *t, uint64_t id, bool answered)
{
    struct mct_http *h = from_transport(t);
    struct mct_exchange *x = find(h, id);
    mct_http_enter(h);
    if (x && !answered)
        mct_http_hasten(h, id);
    if (x)
        mct_exchange_over(x, answered);
    mct_http_leave(h);
}

static void http_close(struct mct_transport *t)
{
    struct mct_http *h = from_transport(t);
    if (h->closing)
        return;
    h->closing = true;
    drop_all(h, false);
    mct_timer_set(&h->loop->sched, &h->bye, MCT_HTTP_BYE_MS);
    leave_session(h);
}

static void http_describe(const struct mct_transport *t, struct mct_transport_facts *ret)
{
    const struct mct_http *h = MCT_CONTAINER(t, const struct mct_http, base);
    *ret = h->facts;
    ret->no_session = !h->session_id;
}

static void http_free(struct mct_transport *t)
{
    struct mct_http *h = from_transport(t);
    if (h->base.events.on_hold)
        h->base.events.on_hold(h->base.events.data, &h->charged, 0);
    h->freed = true;
    mct_http_enter(h);
    mct_http_leave(h);
}

static const struct mct_transport_ops ops = {
    .name = "streamable-http",
    .http = true,
    .open = http_open,
    .send = http_send,
    .over = http_over,
    .close = http_close,
    .describe = http_describe,
    .free = http_free,
};

struct mct_transport *mct_transport_http_new(const struct mct_url_opts *opts)
{
    struct mct_http *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->base.ops = &ops;
    h->loop = opts->loop;
    h->client = opts->client;
    h->message_bytes = opts->message_bytes;
    h->url = strdup(opts->url);
    h->max_requests = opts->requests ? opts->requests : MCT_LIMIT_SERVER_REQUESTS;
    mct_list_init(&h->exchanges);
    mct_list_init(&h->held);
    mct_task_init(&h->release, mct_http_release, h);
    mct_headers_init(&h->headers);
    if (opts->headers)
        mct_headers_add_all(&h->headers, opts->headers);
    mct_task_init(&h->tell, tell_closed, h);
    mct_timer_init(&h->bye, on_bye_timeout, h);
    mct_timer_init(&h->opening_for, stream_is_open, h);
    if (h->url)
        return &h->base;
    destroy(h);
    return NULL;
}
