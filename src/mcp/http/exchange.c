#include "mcp/http/exchange.h"

#include "base/limits.h"
#include "json/write.h"
#include "mcp/era.h"
#include "mcp/http/headers.h"
#include "mcp/http_refusal.h"
#include "mcp/method.h"
#include "mcp/session.h"

#include <ctype.h>
#include <stdlib.h>

static void on_time(void *data);

static struct mct_sched *sched_of(const struct mct_exchange *x)
{
    return &x->http->loop->sched;
}

/* ---- life ---- */

/* Copies the message and reads what it says of itself. */
static int take_frame(struct mct_exchange *x, struct mct_str frame)
{
    const struct mct_msg *msg = &x->msg;
    struct mct_str version;
    x->frame = mct_str_dup(frame);
    x->frame_len = frame.len;
    if (!x->frame || mct_msg_parse((struct mct_str){ x->frame, x->frame_len }, &x->msg, NULL) < 0)
        return -1;
    mct_json_uint(msg->id, &x->id_number);
    x->is_initialize = mct_str_is(msg->method, "initialize");
    x->is_probe = mct_str_is(msg->method, "server/discover");
    x->is_call = msg->kind == MCT_MSG_REQUEST && mct_method(mct_method_find(msg->method))->subject;
    if (mct_json_plain(mct_json_get(mct_json_get(msg->params, "_meta"), MCT_META_VERSION), &version))
        x->version = mct_rev_text(mct_rev_find(version));
    return 0;
}

struct mct_exchange *mct_exchange_new(struct mct_http *h, enum mct_exchange_kind kind, struct mct_str frame)
{
    struct mct_exchange *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->http = h;
    x->kind = kind;
    mct_buf_init(&x->text, h->message_bytes);
    mct_sse_init(&x->sse, h->message_bytes);
    mct_timer_init(&x->timer, on_time, x);
    mct_list_init(&x->node);
    if (!frame.p || take_frame(x, frame) == 0)
        return x;
    mct_exchange_free(x);
    return NULL;
}

/* What has come of its answer counts as held because of the server. */
static bool hold(struct mct_exchange *x, size_t n)
{
    struct mct_http *h = x->http;
    const struct mct_transport_events *e = &h->base.events;
    if (h->freed || !e->on_hold || n == x->charged)
        return true;
    bool ok = e->on_hold(e->data, &h->charged, h->charged - x->charged + n);
    x->charged = ok ? n : x->charged;
    return ok;
}

static void set_fetch(struct mct_exchange *x, struct mct_fetch *f)
{
    x->fetch = f;
    mct_exchange_count(x);
}

void mct_exchange_free(struct mct_exchange *x)
{
    hold(x, 0);
    mct_fetch_cancel(x->fetch);
    x->fetch = NULL;
    mct_http_forget_place(x);
    mct_timer_stop(sched_of(x), &x->timer);
    mct_buf_done(&x->text);
    mct_sse_done(&x->sse);
    free(x->frame);
    free(x);
}

void mct_exchange_over(struct mct_exchange *x, bool answered)
{
    x->over = true;
    if (x->fed)
        return; /* on_body sees to it */
    if (answered && x->fetch)
        mct_timer_set(sched_of(x), &x->timer, MCT_HTTP_LINGER_MS);
    else if (!answered || x->started)
        mct_http_ended(x, NULL);
}

/* ---- the request ---- */

static bool is_get(const struct mct_exchange *x)
{
    return x->kind == MCT_EX_STREAM || x->resuming;
}

static void put_headers(const struct mct_exchange *x, struct mct_headers *to)
{
    const struct mct_http *h = x->http;
    mct_headers_add(to, "Accept", is_get(x) ? MCT_STR("text/event-stream")
                                            : MCT_STR("application/json, text/event-stream"));
    if (x->frame && !is_get(x))
        mct_headers_add(to, "Content-Type", MCT_STR("application/json"));
    if (is_get(x) && x->sse.last_id.len)
        mct_headers_add(to, "Last-Event-ID", mct_buf_str(&x->sse.last_id));
    bool in_session = !x->version && (!x->is_initialize || x->resuming);
    if (in_session && h->version)
        mct_headers_add(to, "MCP-Protocol-Version", mct_str_of(h->version));
    if (in_session && h->session_id)
        mct_headers_add(to, "Mcp-Session-Id", mct_str_of(h->session_id));
    if (x->version) {
        mct_headers_add(to, "MCP-Protocol-Version", mct_str_of(x->version));
        mct_headers_put_standard(to, &x->msg);
        if (mct_str_is(x->msg.method, "tools/call") && h->base.events.put_headers)
            h->base.events.put_headers(h->base.events.data, x->msg.params, to);
    }
    mct_headers_add_all(to, &h->headers);
}

static void on_head(void *data, struct mct_fetch *f);
static bool on_body(void *data, struct mct_fetch *f, struct mct_str *bytes);
static void on_done(void *data, struct mct_fetch *f, const struct mct_error *err);

int mct_exchange_start(struct mct_exchange *x, struct mct_error *err)
{
    struct mct_headers headers;
    const struct mct_fetch_events events = { on_head, on_body, on_done, x };
    const struct mct_fetch_opts opts = {
        .method = is_get(x) ? "GET" : x->kind == MCT_EX_BYE ? "DELETE" : "POST",
        .url = x->http->url,
        .headers = &headers,
        .body = is_get(x) || !x->frame ? MCT_STR_NONE : (struct mct_str){ x->frame, x->frame_len },
        .once = x->is_call, /* it may have done something */
        .fresh = x->is_call && x->http->fresh_calls,
    };
    mct_headers_init(&headers);
    put_headers(x, &headers);
    mct_buf_clear(&x->text);
    x->session = x->version || !x->http->session_id ? 0 : x->http->session_no;
    mct_http_set_off(x);
    set_fetch(x, mct_fetch_start(x->http->client, &opts, &events, err));
    mct_headers_done(&headers);
    return x->fetch ? 0 : -1;
}

/* The answer whose stream broke off was kept by a session that is no more. */
static bool lost_its_session(const struct mct_exchange *x)
{
    const struct mct_http *h = x->http;
    bool other = x->session != (h->session_id ? h->session_no : 0);
    return x->resuming && x->kind == MCT_EX_REQUEST && !x->is_initialize && (h->barrier || other);
}

static void on_time(void *data)
{
    struct mct_exchange *x = data;
    struct mct_http *h = x->http;
    struct mct_error err;
    mct_http_enter(h);
    mct_fail_late(&err, x == h->barrier ? MCT_HTTP_BARRIER_MS : MCT_HTTP_WORD_MS);
    if (x->over || x->kind == MCT_EX_BYE)
        mct_http_ended(x, NULL);
    else if (x->fetch || (x->kind == MCT_EX_NOTICE && !x->started)) /* a barrier or a word that is not taken */
        mct_http_ended(x, &err);
    else if (lost_its_session(x))
        mct_http_forgotten(x);
    else if (h->barrier != x && mct_http_is_held(x))
        mct_http_hold(x);
    else if (mct_exchange_start(x, &err) < 0)
        mct_http_ended(x, &err);
    mct_http_leave(h);
}

/* ---- resuming ---- */

static unsigned resume_in_ms(const struct mct_exchange *x)
{
    uint64_t ms = !x->sse.has_retry ? MCT_RESUME_FIRST_MS
                  : x->sse.retry_ms > MCT_RESUME_MIN_MS ? x->sse.retry_ms : MCT_RESUME_MIN_MS;
    for (unsigned i = 0; i < x->n_resumes && ms < MCT_RESUME_MAX_MS; i++)
        ms += ms / 2 < MCT_RESUME_MAX_MS - ms ? ms / 2 : MCT_RESUME_MAX_MS - ms;
    return (unsigned)ms;
}

/* The stream ended without the answer. With an event id to go on from it is asked for again (2025-11-25,
 * "Resumability"); 2026-07-28 has no such thing. */
static void broken_off(struct mct_exchange *x, const struct mct_error *why)
{
    struct mct_error err;
    bool can = x->kind == MCT_EX_STREAM || (x->kind == MCT_EX_REQUEST && !x->version && x->sse.last_id.len);
    if (can && !x->http->closing && (x->kind == MCT_EX_STREAM || x->n_resumes < MCT_LIMIT_RESUMES)) {
        unsigned ms = resume_in_ms(x);
        x->resuming = true;
        x->n_resumes++;
        mct_sse_restart(&x->sse);
        mct_timer_set(sched_of(x), &x->timer, ms);
        return;
    }
    mct_fail(&err, MCT_ERR_CONNECT, "the server ended the stream before it answered%s%s", why ? ": " : "",
             why ? why->message : "");
    mct_http_ended(x, &err);
}

/* ---- the answer ---- */

static enum mct_exchange_body body_kind(const struct mct_exchange *x)
{
    int status = mct_fetch_status(x->fetch);
    if (status < 200 || status >= 300)
        return MCT_BODY_ERROR;
    if (x->kind == MCT_EX_NOTICE || x->kind == MCT_EX_BYE)
        return MCT_BODY_IGNORED;
    if (mct_fetch_has_type(x->fetch, "text/event-stream"))
        return MCT_BODY_SSE;
    return mct_fetch_has_type(x->fetch, "application/json") && x->kind != MCT_EX_STREAM ? MCT_BODY_JSON : MCT_BODY_ERROR;
}

static void on_head(void *data, struct mct_fetch *f)
{
    struct mct_exchange *x = data;
    int status = mct_fetch_status(f);
    x->body = body_kind(x);
    if (x->kind == MCT_EX_STREAM && x->body == MCT_BODY_SSE) {
        x->was_open = true;
        x->n_resumes = x->n_resumes ? 1 : 0; /* it is there; but one that ends at once is not asked for at once */
    }
    if (x->body == MCT_BODY_IGNORED) { /* what follows, if anything does, is not waited for */
        x->over = x->kind == MCT_EX_NOTICE;
        mct_timer_set(sched_of(x), &x->timer, MCT_HTTP_LINGER_MS);
    }
    x->text.max = x->body == MCT_BODY_JSON ? x->http->message_bytes : MCT_LIMIT_HTTP_ERROR_BYTES;
    if (status >= 200 && status < 300)
        mct_http_answered(x);
    else if (x->kind == MCT_EX_REQUEST)
        x->http->facts.http_status = status;
}

static bool on_event(void *data, struct mct_str type, struct mct_str text)
{
    struct mct_exchange *x = data;
    struct mct_str shown = mct_str_trim(text);
    bool more = mct_fetch_frame(x->fetch);
    if (!mct_str_is(type, "message"))
        return more;
    if (!shown.len)
        return more; /* it is there for its id */
    if (*shown.p != '{' && *shown.p != '[') {
        x->http->facts.bad_lines++;
        return more;
    }
    x->n_resumes = 0;
    return mct_http_deliver(x, text) && more;
}

static void too_large(struct mct_exchange *x)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_LIMIT, "its answer is larger than limits.message_bytes (%zu)", x->http->message_bytes);
    mct_http_ended(x, &err);
}

static bool too_much(struct mct_exchange *x)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_LIMIT, "unfinished answers of this server use all the memory that "
             "limits.server_share allows it");
    mct_http_ended(x, &err);
    return false;
}

static void conclude(struct mct_exchange *x, struct mct_fetch *f);

/* The beginning of an error's body is enough. */
static void conclude_early(struct mct_exchange *x)
{
    struct mct_fetch *f = x->fetch;
    set_fetch(x, NULL);
    x->fed = false;
    mct_fetch_cancel(f); /* its headers are good until the end of the turn */
    conclude(x, f);
}

/* Returns false when x is gone or nothing more of it is wanted. */
static bool take(struct mct_exchange *x, struct mct_str *bytes)
{
    struct mct_str whole = *bytes;
    if (x->body == MCT_BODY_SSE) {
        if (mct_sse_feed(&x->sse, bytes, on_event, x) == 0 || x->over)
            return x->over || hold(x, x->sse.line.len + x->sse.data.len) || too_much(x);
        if (x->http->base.events.on_dropped && x->kind == MCT_EX_STREAM) {
            x->http->base.events.on_dropped(x->http->base.events.data, x->http->message_bytes);
            return true;
        }
        too_large(x);
        return false;
    }
    *bytes = MCT_STR("");
    if (x->body == MCT_BODY_IGNORED)
        return true;
    mct_buf_add(&x->text, whole);
    if (mct_buf_ok(&x->text))
        return hold(x, x->text.len) || too_much(x);
    if (x->body == MCT_BODY_JSON)
        too_large(x);
    else
        conclude_early(x);
    return false;
}

static bool on_body(void *data, struct mct_fetch *f, struct mct_str *bytes)
{
    struct mct_exchange *x = data;
    struct mct_http *h = x->http;
    (void)f;
    mct_http_enter(h);
    x->fed = true;
    bool more = take(x, bytes);
    if (more)
        x->fed = false;
    if (more && h->freed) {
        more = false;
    } else if (more && x->over && h->closing) {
        more = false;
        mct_http_ended(x, NULL);
    } else if (more && x->over && !x->timer.set) {
        mct_timer_set(sched_of(x), &x->timer, MCT_HTTP_LINGER_MS);
    }
    mct_http_leave(h);
    return more;
}

/* ---- what it all means ---- */

/* An error answer whose id is missing, null or not ours belongs to the request it is the answer to. */
static bool deliver_error(struct mct_exchange *x)
{
    struct mct_json_top top;
    struct mct_buf b;
    if (x->kind != MCT_EX_REQUEST ||
        !mct_json_valid(mct_buf_str(&x->text), MCT_LIMIT_JSON_DEPTH, &top, NULL))
        return false;
    struct mct_str error = mct_json_get(top.value, "error");
    if (mct_json_type(error) != '{')
        return false;
    mct_buf_init(&b, error.len + x->msg.id.len + 64);
    mct_buf_addz(&b, "{\"jsonrpc\":\"2.0\",\"id\":");
    mct_buf_add(&b, x->msg.id);
    mct_buf_addz(&b, ",\"error\":");
    mct_buf_add(&b, error);
    mct_buf_addc(&b, '}');
    x->fed = true; /* over() comes back to us while we still need x */
    mct_http_deliver(x, mct_buf_str(&b));
    x->fed = false;
    mct_buf_done(&b);
    return x->over;
}

/* "session" as a word. */
static bool speaks_of_session(struct mct_str text)
{
    static const struct mct_str word = MCT_STR("session");
    for (size_t i = 0; i + word.len <= text.len; i++)
        if (mct_str_eq_nocase((struct mct_str){ text.p + i, word.len }, word) && (!i || !isalpha((unsigned char)text.p[i - 1])))
            return true;
    return false;
}

/* Many servers say 400 instead of 404, with an error that answers no request of ours and speaks of the
 * session. */
static bool is_session_error(const struct mct_exchange *x)
{
    struct mct_json_top top;
    int64_t code;
    struct mct_str body = mct_buf_str(&x->text);
    if (!mct_json_valid(body, MCT_LIMIT_JSON_DEPTH, &top, NULL))
        return speaks_of_session(body);
    struct mct_str error = mct_json_get(top.value, "error"), id = mct_json_get(top.value, "id");
    if (mct_json_type(error) != '{')
        return speaks_of_session(body);
    return (!id.p || mct_json_type(id) == 'n') && mct_json_int(mct_json_get(error, "code"), &code) &&
           (code == -32000 || code == -32001) && speaks_of_session(mct_json_get(error, "message"));
}

/* A server that has no session of that id says 404. A stream that never was there may just not exist. */
static bool session_is_gone(const struct mct_exchange *x, int status)
{
    bool ours = x->kind == MCT_EX_REQUEST || x->kind == MCT_EX_NOTICE || (x->kind == MCT_EX_STREAM && x->was_open);
    if (!ours || !x->session || x->n_renewals >= MCT_LIMIT_RENEWALS)
        return false;
    return status == 404 || (status == 400 && is_session_error(x));
}

static bool retry_later(struct mct_exchange *x, struct mct_fetch *f)
{
    int status = mct_fetch_status(f);
    unsigned retry_ms = mct_http_retry_after_ms(mct_fetch_header(f, "retry-after"));
    if (x->kind != MCT_EX_REQUEST || (status != 429 && status != 503) || !retry_ms || x->n_retries >= MCT_LIMIT_HTTP_RETRIES ||
        x->http->closing)
        return false;
    x->n_retries++;
    mct_timer_set(sched_of(x), &x->timer, retry_ms);
    return true;
}

static void refused(struct mct_exchange *x, struct mct_fetch *f)
{
    struct mct_error err;
    int status = mct_fetch_status(f);
    if (session_is_gone(x, status)) {
        mct_http_forgotten(x);
    } else if (x->kind == MCT_EX_STREAM && (status >= 500 || status == 409)) {
        broken_off(x, NULL); /* 409: the one before it is still open there */
    } else if (!retry_later(x, f)) {
        mct_fail_refused(&err, status, mct_buf_str(&x->text));
        if (x->n_renewals && status == 404)
            mct_fail(&err, MCT_ERR_CONNECT, "the server forgets every session it begins (HTTP 404)");
        if (x->resuming)
            mct_error_wrap(&err, "the answer's stream broke off and could not be resumed");
        bool speaks = x->is_probe ? mct_http_says_other(status) : status != 401 && status != 403;
        mct_http_ended(x, speaks && deliver_error(x) ? NULL : &err);
    }
}

static void on_json(struct mct_exchange *x, int status)
{
    struct mct_error err;
    struct mct_str text = mct_str_trim(mct_buf_str(&x->text));
    x->fed = true;
    if (text.len)
        mct_http_deliver(x, text);
    x->fed = false;
    if (x->http->freed)
        return;
    if (x->over || deliver_error(x)) {
        mct_http_ended(x, NULL);
        return;
    }
    if (text.len)
        mct_fail_no_answer(&err, status, text);
    else
        mct_fail_not_mcp(&err, status, MCT_STR_NONE, text);
    mct_http_ended(x, &err);
}

static void conclude(struct mct_exchange *x, struct mct_fetch *f)
{
    struct mct_error err;
    int status = mct_fetch_status(f);
    if (status < 200 || status >= 300) {
        refused(x, f);
    } else if (x->body == MCT_BODY_IGNORED) {
        mct_http_ended(x, NULL);
    } else if (x->body == MCT_BODY_SSE) {
        broken_off(x, NULL);
    } else if (x->body == MCT_BODY_JSON) {
        on_json(x, status);
    } else {
        mct_fail_not_mcp(&err, status, mct_fetch_header(f, "content-type"), mct_buf_str(&x->text));
        mct_http_ended(x, &err);
    }
}

static void on_done(void *data, struct mct_fetch *f, const struct mct_error *err)
{
    struct mct_exchange *x = data;
    struct mct_http *h = x->http;
    bool streaming = x->body == MCT_BODY_SSE && mct_fetch_status(f) == 200;
    bool resumes = streaming || (x->kind == MCT_EX_STREAM ? x->n_resumes < 3 : x->resuming);
    h->fresh_calls |= err && x->is_call && !err->unsent;
    mct_http_enter(h);
    set_fetch(x, NULL);
    mct_timer_stop(sched_of(x), &x->timer);
    if (x->over)
        mct_http_ended(x, NULL);
    else if (!err)
        conclude(x, f);
    else if (resumes)
        broken_off(x, err);
    else
        mct_http_unreachable(x, err);
    mct_http_leave(h);
}
