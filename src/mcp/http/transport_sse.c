#include "mcp/http/transport_sse.h"

#include "base/limits.h"
#include "io/http/sse.h"
#include "mcp/http_refusal.h"
#include "mcp/message.h"
#include "mcp/method.h"
#include "mcp/session.h"

#include <stdio.h>
#include <stdlib.h>

struct sse {
    struct mct_transport base;
    struct mct_loop *loop;
    struct mct_http_client *client;
    char *url, *endpoint; /* endpoint NULL: not named yet */
    struct mct_headers headers;
    size_t message_bytes;
    struct mct_fetch *stream;
    struct mct_sse events;
    struct mct_buf refusal;
    struct mct_list posts;   /* under way */
    struct mct_list waiting; /* in order: for the endpoint, for the barrier, for their turn */
    size_t max_requests, n_requests, n_words; /* under way: at most, and now; words: answers and notifications */
    size_t n_waiting, waiting_bytes;          /* words that wait */
    struct post *barrier;
    struct mct_task tell;
    struct mct_error why;  /* kind NONE: we closed it */
    bool closing, told, freed;
    unsigned depth;
    struct mct_transport_facts facts;
};

struct post {
    struct mct_list node;
    struct sse *owner;
    struct mct_fetch *fetch;
    char *frame;
    size_t len;
    char id[24]; /* of the request; empty: none */
    bool is_call;    /* it may do something */
    bool is_word;    /* nobody waits for what becomes of it */
    bool runs;
    struct mct_timer timer; /* until when a word must have been taken; a request that was answered, the end of its POST */
    bool is_barrier; /* servers refuse what overtakes notifications/initialized: nothing does */
    struct mct_buf refusal;
};

static struct sse *from_transport(const struct mct_transport *t)
{
    return MCT_CONTAINER(t, struct sse, base);
}

/* ---- ends ---- */

/* It is in neither list, and not counted, afterwards. */
static void take_out(struct post *p)
{
    struct sse *s = p->owner;
    if (p->runs && p->is_word)
        s->n_words--;
    else if (p->runs)
        s->n_requests--;
    else if (p->is_word)
        s->n_waiting--;
    s->waiting_bytes -= p->is_word && !p->runs ? p->len : 0;
    mct_list_remove(&p->node);
}

static void post_free(struct post *p)
{
    mct_fetch_cancel(p->fetch);
    mct_timer_stop(&p->owner->loop->sched, &p->timer);
    take_out(p);
    mct_buf_done(&p->refusal);
    free(p->frame);
    free(p);
}

static void destroy(struct sse *s)
{
    struct mct_list *const lists[] = { &s->posts, &s->waiting };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        while (!mct_list_empty(lists[i]))
            post_free(MCT_CONTAINER(lists[i]->next, struct post, node));
    mct_fetch_cancel(s->stream);
    mct_task_stop(&s->tell);
    mct_headers_done(&s->headers);
    mct_sse_done(&s->events);
    mct_buf_done(&s->refusal);
    free(s->endpoint);
    free(s->url);
    free(s);
}

static void leave(struct sse *s)
{
    if (!--s->depth && s->freed)
        destroy(s);
}

static void tell_closed(void *data)
{
    struct sse *s = data;
    if (s->told || s->freed)
        return;
    s->told = true;
    s->base.events.on_closed(s->base.events.data, s->why.kind ? &s->why : NULL);
}

static void end(struct sse *s, const struct mct_error *why)
{
    if (s->closing)
        return;
    s->closing = true;
    if (why)
        s->why = *why;
    mct_fetch_cancel(s->stream);
    s->stream = NULL;
    mct_task_post(&s->loop->sched, &s->tell);
}

/* ---- sending ---- */

static void start_posts(struct sse *s);

static bool on_post_body(void *data, struct mct_fetch *f, struct mct_str *bytes)
{
    struct post *p = data;
    (void)f;
    mct_buf_add(&p->refusal, *bytes); /* what is beyond its limit does not matter */
    *bytes = MCT_STR("");
    return true;
}

/* It is gone afterwards; `why`: it was not taken. */
static void post_end(struct post *p, const struct mct_error *why)
{
    struct sse *s = p->owner;
    const struct mct_transport_events *e = &s->base.events;
    char id[sizeof p->id];
    memcpy(id, p->id, sizeof id);
    s->depth++;
    if (s->barrier == p)
        s->barrier = NULL;
    post_free(p);
    if (why && *id && !s->closing && e->on_lost)
        e->on_lost(e->data, mct_str_of(id), why);
    else if (why && !*id && !s->closing && e->on_untold)
        e->on_untold(e->data, why);
    if (!s->freed)
        start_posts(s);
    leave(s);
}

static void on_post_time(void *data)
{
    struct post *p = data;
    struct mct_error err;
    mct_fail_late(&err, MCT_HTTP_WORD_MS);
    post_end(p, p->is_word ? &err : NULL);
}

/* 2xx is all there is to it; the answer comes as an event. */
static void on_post_done(void *data, struct mct_fetch *f, const struct mct_error *err)
{
    struct post *p = data;
    struct mct_error why;
    int status = mct_fetch_status(f);
    bool ok = !err && status >= 200 && status < 300;
    p->fetch = NULL;
    if (err)
        why = *err;
    else if (!ok)
        mct_fail_refused(&why, status, mct_buf_str(&p->refusal));
    p->owner->facts.http_status = ok ? 0 : status;
    post_end(p, ok ? NULL : &why);
}

static int start_post(struct post *p, struct mct_error *err)
{
    struct sse *s = p->owner;
    struct mct_headers headers;
    const struct mct_fetch_events events = { NULL, on_post_body, on_post_done, p };
    const struct mct_fetch_opts opts = { "POST", s->endpoint, &headers, { p->frame, p->len }, .once = p->is_call };
    mct_headers_init(&headers);
    mct_headers_add(&headers, "Content-Type", MCT_STR("application/json"));
    mct_headers_add_all(&headers, &s->headers);
    p->fetch = mct_fetch_start(s->client, &opts, &events, err);
    mct_headers_done(&headers);
    take_out(p);
    p->runs = true;
    mct_list_append(&s->posts, &p->node);
    *(p->is_word ? &s->n_words : &s->n_requests) += 1;
    return p->fetch ? 0 : -1;
}

static void start_posts(struct sse *s)
{
    struct mct_error err;
    MCT_LIST_EACH(it, &s->waiting) {
        struct post *p = MCT_CONTAINER(it, struct post, node);
        if (!s->endpoint || s->barrier || s->closing)
            return;
        if (!mct_http_has_turn(p->is_word, s->n_words, s->n_requests, s->max_requests))
            continue;
        if (start_post(p, &err) < 0) {
            end(s, &err);
            return;
        }
        if (p->is_barrier)
            s->barrier = p;
    }
}

static int check_pile(struct sse *s, const struct mct_msg *msg)
{
    struct mct_error err;
    if (msg->kind == MCT_MSG_REQUEST || mct_http_may_wait(s->n_waiting, s->waiting_bytes, s->message_bytes, &err) == 0)
        return 0;
    if (mct_http_refuse_word(&s->base.events, msg, &err))
        end(s, &err);
    return -1;
}

static void wait_for_turn(struct post *p)
{
    struct sse *s = p->owner;
    mct_list_append(&s->waiting, &p->node);
    if (!p->is_word)
        return;
    s->n_waiting++;
    s->waiting_bytes += p->len;
    mct_timer_set(&s->loop->sched, &p->timer, MCT_HTTP_WORD_MS);
}

static struct post *find(struct mct_list *list, const char *id)
{
    MCT_LIST_EACH(it, list) {
        struct post *p = MCT_CONTAINER(it, struct post, node);
        if (!strcmp(p->id, id))
            return p;
    }
    return NULL;
}

/* The POST of a request whose answer came on the stream, or that nobody waits for, is not waited for either. */
static void sse_over(struct mct_transport *t, uint64_t id, bool answered)
{
    struct sse *s = from_transport(t);
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)id);
    struct post *p = find(&s->posts, text);
    if (p && answered)
        mct_timer_set(&s->loop->sched, &p->timer, MCT_HTTP_LINGER_MS);
    else if (p || (p = find(&s->waiting, text)))
        post_end(p, NULL);
}

static int sse_send(struct mct_transport *t, struct mct_str frame, void *lane)
{
    struct sse *s = from_transport(t);
    struct mct_msg msg;
    (void)lane;
    if (s->closing || frame.len > s->message_bytes || mct_msg_parse(frame, &msg, NULL) < 0 || check_pile(s, &msg) < 0)
        return -1;
    struct post *p = calloc(1, sizeof *p);
    if (!p || !(p->frame = mct_str_dup(frame))) {
        free(p);
        return -1;
    }
    p->owner = s;
    p->len = frame.len;
    p->is_barrier = mct_str_is(msg.method, "notifications/initialized");
    p->is_call = mct_method(mct_method_find(msg.method))->subject;
    p->is_word = msg.kind != MCT_MSG_REQUEST;
    if (!p->is_word)
        snprintf(p->id, sizeof p->id, "%.*s", MCT_STR_ARG(msg.id));
    mct_buf_init(&p->refusal, MCT_LIMIT_HTTP_ERROR_BYTES);
    mct_timer_init(&p->timer, on_post_time, p);
    wait_for_turn(p);
    start_posts(s);
    return 0;
}

/* ---- the stream ---- */

static bool on_event(void *data, struct mct_str type, struct mct_str text)
{
    struct sse *s = data;
    struct mct_error err;
    struct mct_str shown = mct_str_trim(text);
    if (mct_str_is(type, "endpoint") && !s->endpoint) {
        char *reference = mct_str_dup(shown);
        s->endpoint = reference ? mct_http_resolve(s->client, s->url, reference, &err) : NULL;
        free(reference);
        if (s->endpoint) {
            start_posts(s);
        } else {
            mct_error_wrap(&err, "the endpoint it names");
            end(s, &err);
        }
    } else if (mct_str_is(type, "message")) {
        if (shown.len && (*shown.p == '{' || *shown.p == '['))
            s->base.events.on_frame(s->base.events.data, text, NULL);
        else if (shown.len)
            s->facts.bad_lines++;
    }
    return !s->freed && !s->closing && mct_fetch_frame(s->stream);
}

static bool is_stream(const struct mct_fetch *f)
{
    return mct_fetch_status(f) == 200 && mct_fetch_has_type(f, "text/event-stream");
}

static bool on_stream_body(void *data, struct mct_fetch *f, struct mct_str *bytes)
{
    struct sse *s = data;
    struct mct_error why;
    s->depth++;
    if (!is_stream(f)) {
        mct_buf_add(&s->refusal, *bytes);
        *bytes = MCT_STR("");
        if (!mct_buf_ok(&s->refusal)) {
            mct_fail_not_mcp(&why, mct_fetch_status(f), MCT_STR("something endless"), MCT_STR_NONE);
            end(s, &why);
        }
    } else if (mct_sse_feed(&s->events, bytes, on_event, s) < 0 && s->base.events.on_dropped && !s->freed) {
        s->base.events.on_dropped(s->base.events.data, s->message_bytes);
    }
    bool go_on = !s->freed && !s->closing;
    leave(s);
    return go_on;
}

static void on_stream_done(void *data, struct mct_fetch *f, const struct mct_error *err)
{
    struct sse *s = data;
    struct mct_error why;
    int status = mct_fetch_status(f);
    s->stream = NULL;
    if (err)
        why = *err;
    else if (status != 200)
        mct_fail_refused(&why, status, mct_buf_str(&s->refusal));
    else if (!is_stream(f))
        mct_fail_not_mcp(&why, status, mct_fetch_header(f, "content-type"), mct_buf_str(&s->refusal));
    else
        mct_fail(&why, MCT_ERR_CONNECT, s->endpoint ? "the server ended the event stream, and the session with it"
                                                    : "the event stream ended before it named an endpoint");
    end(s, &why);
}

/* ---- operations ---- */

static int sse_open(struct mct_transport *t, struct mct_error *err)
{
    struct sse *s = from_transport(t);
    struct mct_headers headers;
    const struct mct_fetch_events events = { NULL, on_stream_body, on_stream_done, s };
    const struct mct_fetch_opts opts = { "GET", s->url, &headers, MCT_STR_NONE };
    mct_headers_init(&headers);
    mct_headers_add(&headers, "Accept", MCT_STR("text/event-stream"));
    mct_headers_add_all(&headers, &s->headers);
    s->stream = mct_fetch_start(s->client, &opts, &events, err);
    mct_headers_done(&headers);
    return s->stream ? 0 : -1;
}

static void sse_close(struct mct_transport *t)
{
    end(from_transport(t), NULL);
}

static void sse_describe(const struct mct_transport *t, struct mct_transport_facts *ret)
{
    *ret = from_transport(t)->facts;
}

static void sse_free(struct mct_transport *t)
{
    struct sse *s = from_transport(t);
    s->freed = true;
    s->depth++;
    leave(s);
}

static const struct mct_transport_ops ops = {
    .name = "sse",
    .http = true,
    .open = sse_open,
    .send = sse_send,
    .over = sse_over,
    .close = sse_close,
    .describe = sse_describe,
    .free = sse_free,
};

struct mct_transport *mct_transport_sse_new(const struct mct_url_opts *opts)
{
    struct sse *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->base.ops = &ops;
    s->loop = opts->loop;
    s->client = opts->client;
    s->message_bytes = opts->message_bytes;
    s->url = strdup(opts->url);
    s->max_requests = opts->requests ? opts->requests : MCT_LIMIT_SERVER_REQUESTS;
    mct_list_init(&s->posts);
    mct_list_init(&s->waiting);
    mct_headers_init(&s->headers);
    mct_sse_init(&s->events, opts->message_bytes);
    mct_buf_init(&s->refusal, MCT_LIMIT_HTTP_ERROR_BYTES);
    if (opts->headers)
        mct_headers_add_all(&s->headers, opts->headers);
    mct_task_init(&s->tell, tell_closed, s);
    if (s->url)
        return &s->base;
    destroy(s);
    return NULL;
}
