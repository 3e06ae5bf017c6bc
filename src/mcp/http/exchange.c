#include "mcp/http/exchange.h"

#include "base/limits.h"
#include "json/write.h"
#include "mcp/era.h"
#include "mcp/http/headers.h"
#include "mcp/http_refusal.h"
#include "mcp/method.h"
#include "mcp/session.h"

#include <stdlib.h>

static void exchange_on_time(void *data);
static bool wants_credentials(const struct mcti_exchange *x);
static void conclude_early(struct mcti_exchange *x);
static void exchange_on_credentials(struct mcti_credential_wait *w, const struct mct_error *err);

static struct mcti_sched *exchange_sched_of(const struct mcti_exchange *x)
{
    return &x->http->loop->sched;
}

/* ---- life cycle ---- */

/* Reads the outline of a frame. Spans of the chunk are whole values, too long to be metadata (json/write.h). */
static int exchange_read_outline(struct mcti_exchange *x)
{
    const struct mcti_pieces *p = &x->frame.pieces;
    struct mcti_buf text;
    mcti_buf_init(&text, p->len);
    for (unsigned i = 0; i < p->n; i++)
        mcti_buf_add(&text, mcti_pieces_shared(p, i) ? MCT_STR("null") : p->item[i]);
    x->outline = mcti_buf_take(&text);
    return x->outline ? mcti_msg_parse(mcti_str_of(x->outline), &x->msg, NULL) : -1;
}

/* Finds the parts of the message, unless they are known. */
static int exchange_read_frame(struct mcti_exchange *x, const struct mcti_pieces *frame)
{
    const struct mcti_msg *known = x->http->base.sending ? *x->http->base.sending : NULL;
    if (frame->n != 1)
        return exchange_read_outline(x);
    if (!known || known->text.p != frame->item[0].p)
        return mcti_msg_parse(x->frame.pieces.item[0], &x->msg, NULL);
    x->msg = mcti_msg_in(known, x->frame.pieces.item[0].p);
    return 0;
}

/* Keeps the message and reads its metadata. */
static int take_frame(struct mcti_exchange *x, const struct mcti_pieces *frame)
{
    const struct mcti_msg *msg = &x->msg;
    struct mcti_str version;
    if (mcti_body_set(&x->frame, frame) < 0 || exchange_read_frame(x, frame) < 0)
        return -1;
    mcti_json_uint(msg->id, &x->id_number);
    x->is_initialize = mcti_str_is(msg->method, "initialize");
    x->is_probe = mcti_str_is(msg->method, "server/discover");
    x->is_call = msg->kind == MCT_MSG_REQUEST && mcti_method(mcti_method_find(msg->method))->subject;
    if (mcti_json_plain(mcti_json_get(mcti_msg_get(msg, "_meta"), MCT_META_VERSION), &version))
        x->version = mcti_rev_text(mcti_rev_find(version));
    return 0;
}

struct mcti_exchange *mcti_exchange_new(struct mcti_http *h, enum mcti_exchange_kind kind,
                                        const struct mcti_pieces *frame)
{
    struct mcti_exchange *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->http = h;
    x->kind = kind;
    mcti_buf_init(&x->text, h->message_bytes);
    mcti_sse_init(&x->sse, h->message_bytes);
    mcti_timer_init(&x->timer, exchange_on_time, x);
    mcti_credential_init(&x->use, h->credentials, exchange_on_credentials);
    mcti_list_init(&x->node);
    if (!frame || take_frame(x, frame) == 0)
        return x;
    mcti_exchange_free(x);
    return NULL;
}

/* Charges the received part of the answer to the server. */
static bool exchange_hold(struct mcti_exchange *x, size_t n)
{
    struct mcti_http *h = x->http;
    const struct mcti_transport_events *e = &h->base.events;
    if (h->freed || !e->on_hold || n == x->charged)
        return true;
    bool ok = e->on_hold(e->data, &h->charged, h->charged - x->charged + n);
    x->charged = ok ? n : x->charged;
    return ok;
}

static void set_fetch(struct mcti_exchange *x, struct mcti_fetch *f)
{
    x->fetch = f;
    mcti_exchange_count(x);
}

void mcti_exchange_free(struct mcti_exchange *x)
{
    exchange_hold(x, 0);
    mcti_fetch_cancel(x->fetch);
    x->fetch = NULL;
    mcti_credential_drop(&x->use);
    mcti_http_unqueue(x);
    mcti_timer_stop(exchange_sched_of(x), &x->timer);
    mcti_buf_done(&x->text);
    free(x->check);
    mcti_sse_done(&x->sse);
    mcti_body_done(&x->frame);
    free(x->outline);
    free(x);
}

void mcti_exchange_over(struct mcti_exchange *x, bool answered)
{
    x->over = true;
    if (x->fed)
        return; /* on_body ends the exchange */
    if (answered && x->fetch)
        mcti_timer_set(exchange_sched_of(x), &x->timer, MCT_HTTP_LINGER_MS);
    else if (!answered || x->started || x->use.waits)
        mcti_http_on_ended(x, NULL);
}

/* ---- the request ---- */

static bool is_get(const struct mcti_exchange *x)
{
    return x->kind == MCT_EX_STREAM || x->resuming;
}

static void exchange_put_headers(const struct mcti_exchange *x, struct mcti_headers *to)
{
    const struct mcti_http *h = x->http;
    bool is_post = !is_get(x) && x->kind != MCT_EX_DELETE;
    if (is_get(x))
        mcti_headers_add(to, "Accept", MCT_STR("text/event-stream"));
    mcti_headers_add_all(to, is_post ? &h->post_headers : &h->headers);
    if (is_get(x) && x->sse.last_id.len)
        mcti_headers_add(to, "Last-Event-ID", mcti_buf_str(&x->sse.last_id));
    bool in_session = !x->version && (!x->is_initialize || x->resuming);
    if (in_session && h->version)
        mcti_headers_add(to, "MCP-Protocol-Version", mcti_str_of(h->version));
    if (in_session && h->session_id)
        mcti_headers_add(to, "Mcp-Session-Id", mcti_str_of(h->session_id));
    if (x->version) {
        mcti_headers_add(to, "MCP-Protocol-Version", mcti_str_of(x->version));
        mcti_headers_put_standard(to, &x->msg);
        if (mcti_str_is(x->msg.method, "tools/call") && h->base.events.put_headers)
            h->base.events.put_headers(h->base.events.data, x->msg.params, to);
    }
}

static void exchange_on_head(void *data, struct mcti_fetch *f);
static bool exchange_on_body(void *data, struct mcti_fetch *f, struct mcti_str *bytes);
static void exchange_on_done(void *data, struct mcti_fetch *f, const struct mct_error *err);

/* Lets the exchange wait for credentials; DELETE, which may fail, does without. Returns false if it need not wait. */
static bool exchange_waits(struct mcti_exchange *x)
{
    if (x->kind == MCT_EX_DELETE || !mcti_credential_must_wait(&x->use))
        return false;
    mcti_exchange_hold_back(x);
    return true;
}

int mcti_exchange_start(struct mcti_exchange *x, struct mct_error *err)
{
    struct mcti_headers headers;
    const struct mcti_fetch_events events = { exchange_on_head, exchange_on_body, exchange_on_done, x };
    const struct mcti_fetch_opts opts = {
        .method = is_get(x)                  ? "GET"
                  : x->kind == MCT_EX_DELETE ? "DELETE"
                                             : "POST",
        .url = x->http->url,
        .headers = &headers,
        .shared = is_get(x) || !x->frame.pieces.n ? NULL : &x->frame,
        .once = x->is_call, /* the server may have executed it */
        .fresh = x->is_call && x->http->fresh_calls,
    };
    if (exchange_waits(x))
        return 0;
    mcti_headers_init(&headers);
    exchange_put_headers(x, &headers);
    mcti_credential_put(
        &x->use, &(struct mcti_credential_request){ opts.method, opts.url, opts.shared ? &opts.shared->pieces : NULL },
        &headers);
    mcti_buf_clear(&x->text);
    free(x->check);
    x->check = NULL;
    x->session = x->version || !x->http->session_id ? 0 : x->http->session_no;
    mcti_http_mark_started(x);
    set_fetch(x, mcti_fetch_start(x->http->client, &opts, &events, err));
    mcti_headers_done(&headers);
    return x->fetch ? 0 : -1;
}

/* Returns true if the answer cannot be resumed because the session that keeps it has ended. */
static bool session_has_ended(const struct mcti_exchange *x)
{
    const struct mcti_http *h = x->http;
    bool other = x->session != (h->session_id ? h->session_no : 0);
    return x->resuming && x->kind == MCT_EX_REQUEST && !x->is_initialize && (h->barrier || other);
}

/* Sends the request, which has waited, or queues it again. */
static void exchange_go_on(struct mcti_exchange *x)
{
    struct mct_error err;
    if (session_has_ended(x))
        mcti_http_on_session_lost(x);
    else if (x->http->barrier != x && mcti_http_must_wait(x))
        mcti_http_queue(x);
    else if (mcti_exchange_start(x, &err) < 0)
        mcti_http_on_ended(x, &err);
}

static void exchange_on_time(void *data)
{
    struct mcti_exchange *x = data;
    struct mcti_http *h = x->http;
    struct mct_error err;
    mcti_http_enter(h);
    mcti_fail_timeout(&err, x == h->barrier ? MCT_HTTP_BARRIER_MS : MCT_HTTP_NOTICE_MS);
    if (x->over || x->kind == MCT_EX_DELETE)
        mcti_http_on_ended(x, NULL);
    else if (wants_credentials(x))
        conclude_early(x);
    /* a barrier, or a notice that the server did not accept */
    else if (x->fetch || x->use.waits || (x->kind == MCT_EX_NOTICE && !x->started))
        mcti_http_on_ended(x, &err);
    else
        exchange_go_on(x);
    mcti_http_leave(h);
}

static void exchange_on_credentials(struct mcti_credential_wait *w, const struct mct_error *err)
{
    struct mcti_exchange *x = MCT_CONTAINER(w, struct mcti_exchange, use.wait);
    struct mcti_http *h = x->http;
    struct mct_error why;
    mcti_http_enter(h);
    if (mcti_credential_arrived(&x->use, err, mcti_buf_str(&x->text), &why)) {
        exchange_go_on(x);
    } else if (x->kind == MCT_EX_STREAM && x->was_open) {
        mcti_http_mark_started(x); /* it is in the queue */
        mcti_exchange_on_broken(x, &why);
    } else {
        mcti_http_on_ended(x, &why);
    }
    mcti_http_leave(h);
}

/* ---- resuming ---- */

static unsigned resume_in_ms(const struct mcti_exchange *x)
{
    uint64_t ms = !x->sse.has_retry                     ? MCT_RESUME_FIRST_MS
                  : x->sse.retry_ms > MCT_RESUME_MIN_MS ? x->sse.retry_ms
                                                        : MCT_RESUME_MIN_MS;
    for (unsigned i = 0; i < x->n_resumes && ms < MCT_RESUME_MAX_MS; i++)
        ms += ms / 2 < MCT_RESUME_MAX_MS - ms ? ms / 2 : MCT_RESUME_MAX_MS - ms;
    return (unsigned)ms;
}

/* If an event id is known, the stream is requested again (2025-11-25, "Resumability"); 2026-07-28 does not support
 * this. */
void mcti_exchange_on_broken(struct mcti_exchange *x, const struct mct_error *why)
{
    struct mct_error err;
    bool can = x->kind == MCT_EX_STREAM || (x->kind == MCT_EX_REQUEST && !x->version && x->sse.last_id.len);
    if (can && !x->http->closing && (x->kind == MCT_EX_STREAM || x->n_resumes < MCT_LIMIT_RESUMES)) {
        unsigned ms = resume_in_ms(x);
        x->resuming = true;
        x->n_resumes++;
        mcti_sse_restart(&x->sse);
        mcti_timer_set(exchange_sched_of(x), &x->timer, ms);
        return;
    }
    mcti_fail(&err, MCT_ERR_CONNECT, "the server closed the stream before its answer%s%s", why ? ": " : "",
              why ? why->message : "");
    mcti_http_on_ended(x, &err);
}

/* ---- the answer ---- */

static enum mcti_exchange_body body_kind(const struct mcti_exchange *x)
{
    int status = mcti_fetch_status(x->fetch);
    if (status < 200 || status >= 300)
        return MCT_BODY_ERROR;
    if (x->kind == MCT_EX_NOTICE || x->kind == MCT_EX_DELETE)
        return MCT_BODY_IGNORED;
    struct mcti_str type = mcti_fetch_type(x->fetch);
    if (mcti_str_eq_nocase(type, MCT_STR("text/event-stream")))
        return MCT_BODY_SSE;
    bool is_json = mcti_str_eq_nocase(type, MCT_STR("application/json"));
    return is_json && x->kind != MCT_EX_STREAM ? MCT_BODY_JSON : MCT_BODY_ERROR;
}

static bool wants_credentials(const struct mcti_exchange *x)
{
    int status = x->fetch ? mcti_fetch_status(x->fetch) : 0;
    return x->use.from && (status == 401 || status == 403);
}

static void exchange_on_head(void *data, struct mcti_fetch *f)
{
    struct mcti_exchange *x = data;
    int status = mcti_fetch_status(f);
    mcti_credential_answered(&x->use, f, x->http->url);
    x->body = body_kind(x);
    if (x->kind == MCT_EX_STREAM && x->body == MCT_BODY_SSE) {
        x->was_open = true;
        /* the stream exists; but if it ends at once, do not request it again at once */
        x->n_resumes = x->n_resumes ? 1 : 0;
    }
    if (x->body == MCT_BODY_IGNORED) { /* do not wait for a body */
        x->over = x->kind == MCT_EX_NOTICE;
        mcti_timer_set(exchange_sched_of(x), &x->timer, MCT_HTTP_LINGER_MS);
    }
    if (wants_credentials(x)) /* the head is enough to log in; the body is for people */
        mcti_timer_set(exchange_sched_of(x), &x->timer, MCT_HTTP_LINGER_MS);
    x->text.max = x->body == MCT_BODY_JSON ? x->http->message_bytes : MCT_LIMIT_HTTP_ERROR_BYTES;
    if (status >= 200 && status < 300)
        mcti_http_on_answered(x);
    else if (x->kind == MCT_EX_REQUEST)
        x->http->facts.http_status = status;
}

static bool exchange_on_event(void *data, struct mcti_str type, struct mcti_str text)
{
    struct mcti_exchange *x = data;
    struct mcti_str shown = mcti_str_trim(text);
    bool more = mcti_fetch_frame(x->fetch);
    if (!mcti_str_is(type, "message"))
        return more;
    if (!shown.len)
        return more; /* empty: the event only sets the id */
    if (*shown.p != '{' && *shown.p != '[') {
        x->http->facts.bad_lines++;
        return more;
    }
    x->n_resumes = 0;
    return mcti_http_deliver(x, text, x->sse.chunk) && more;
}

static void exchange_fail_too_large(struct mcti_exchange *x)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_LIMIT, "the answer is larger than limits.message_bytes (%zu)", x->http->message_bytes);
    mcti_http_on_ended(x, &err);
}

static bool exchange_fail_no_room(struct mcti_exchange *x)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_LIMIT,
              "incomplete answers of this server have reached its memory limit (limits.server_share)");
    mcti_http_on_ended(x, &err);
    return false;
}

static void exchange_conclude(struct mcti_exchange *x, struct mcti_fetch *f);

/* Ends an exchange when enough of an error's body has been received. */
static void conclude_early(struct mcti_exchange *x)
{
    struct mcti_fetch *f = x->fetch;
    set_fetch(x, NULL);
    x->fed = false;
    mcti_fetch_cancel(f); /* its headers are valid until the end of the turn */
    exchange_conclude(x, f);
}

/* Processes a part of the body. Returns false if x was freed or the rest is not needed. */
static bool exchange_take(struct mcti_exchange *x, struct mcti_str *bytes)
{
    struct mcti_str whole = *bytes;
    if (x->body == MCT_BODY_SSE) {
        if (mcti_sse_feed(&x->sse, bytes, exchange_on_event, x) == 0 || x->over)
            return x->over || exchange_hold(x, x->sse.line.len + x->sse.data.len) || exchange_fail_no_room(x);
        if (x->http->base.events.on_dropped && x->kind == MCT_EX_STREAM) {
            x->http->base.events.on_dropped(x->http->base.events.data, x->http->message_bytes, mcti_sse_head(&x->sse));
            return true;
        }
        exchange_fail_too_large(x);
        return false;
    }
    *bytes = MCT_STR("");
    if (x->body == MCT_BODY_IGNORED)
        return true;
    mcti_buf_add(&x->text, whole);
    if (x->body == MCT_BODY_JSON)
        mcti_json_arrived(&x->check, mcti_buf_str(&x->text));
    if (mcti_buf_ok(&x->text))
        return exchange_hold(x, x->text.len) || exchange_fail_no_room(x);
    if (x->body == MCT_BODY_JSON)
        exchange_fail_too_large(x);
    else
        conclude_early(x);
    return false;
}

static bool exchange_on_body(void *data, struct mcti_fetch *f, struct mcti_str *bytes)
{
    struct mcti_exchange *x = data;
    struct mcti_http *h = x->http;
    mcti_http_enter(h);
    x->fed = true;
    bool more = exchange_take(x, bytes);
    if (more) {
        mcti_fetch_waste(f, h->wasted + x->sse.wasted);
        h->wasted = x->sse.wasted = 0;
        x->fed = false;
    }
    if (more && h->freed) {
        more = false;
    } else if (more && x->over && h->closing) {
        more = false;
        mcti_http_on_ended(x, NULL);
    } else if (more && x->over && !x->timer.set) {
        mcti_timer_set(exchange_sched_of(x), &x->timer, MCT_HTTP_LINGER_MS);
    }
    mcti_http_leave(h);
    return more;
}

/* ---- evaluation of the answer ---- */

bool mcti_exchange_deliver_error(struct mcti_exchange *x)
{
    struct mcti_json_top top;
    struct mcti_buf b;
    if (x->kind != MCT_EX_REQUEST || !mcti_json_valid(mcti_buf_str(&x->text), MCT_LIMIT_JSON_DEPTH, &top, NULL))
        return false;
    struct mcti_str error = mcti_json_get(top.value, "error");
    if (mcti_json_type(error) != '{')
        return false;
    mcti_buf_init(&b, error.len + x->msg.id.len + 64);
    mcti_buf_addz(&b, "{\"jsonrpc\":\"2.0\",\"id\":");
    mcti_buf_add(&b, x->msg.id);
    mcti_buf_addz(&b, ",\"error\":");
    mcti_buf_add(&b, error);
    mcti_buf_addc(&b, '}');
    x->fed = true; /* request_over() is called while x is still used */
    mcti_http_deliver(x, mcti_buf_str(&b), NULL);
    x->fed = false;
    mcti_buf_done(&b);
    return x->over;
}

static void exchange_on_json(struct mcti_exchange *x, int status)
{
    struct mct_error err;
    struct mcti_str text = mcti_str_trim(mcti_buf_str(&x->text));
    struct mcti_chunk *chunk = mcti_json_chunk_take(&x->text, &x->check);
    x->fed = true;
    if (text.len)
        mcti_http_deliver(x, text, chunk);
    x->fed = false;
    mcti_chunk_give_back(chunk, &x->text);
    if (x->http->freed)
        return;
    if (x->over || mcti_exchange_deliver_error(x)) {
        mcti_http_on_ended(x, NULL);
        return;
    }
    if (text.len)
        mcti_fail_no_answer(&err, status, text);
    else
        mcti_fail_not_mcp(&err, status, MCT_STR_NONE, text);
    mcti_http_on_ended(x, &err);
}

static void exchange_conclude(struct mcti_exchange *x, struct mcti_fetch *f)
{
    struct mct_error err;
    int status = mcti_fetch_status(f);
    if (status < 200 || status >= 300) {
        mcti_exchange_on_refused(x, f);
    } else if (x->body == MCT_BODY_IGNORED) {
        mcti_http_on_ended(x, NULL);
    } else if (x->body == MCT_BODY_SSE) {
        mcti_exchange_on_broken(x, NULL);
    } else if (x->body == MCT_BODY_JSON) {
        exchange_on_json(x, status);
    } else {
        mcti_fail_not_mcp(&err, status, mcti_fetch_header(f, "content-type"), mcti_buf_str(&x->text));
        mcti_http_on_ended(x, &err);
    }
}

static void exchange_on_done(void *data, struct mcti_fetch *f, const struct mct_error *err)
{
    struct mcti_exchange *x = data;
    struct mcti_http *h = x->http;
    bool streaming = x->body == MCT_BODY_SSE && mcti_fetch_status(f) == 200;
    bool resumes = streaming || (x->kind == MCT_EX_STREAM ? x->n_resumes < 3 : x->resuming);
    h->fresh_calls |= err && x->is_call && !err->unsent;
    mcti_http_enter(h);
    set_fetch(x, NULL);
    mcti_timer_stop(exchange_sched_of(x), &x->timer);
    if (x->over)
        mcti_http_on_ended(x, NULL);
    else if (!err)
        exchange_conclude(x, f);
    else if (resumes)
        mcti_exchange_on_broken(x, err);
    else
        mcti_http_on_unreachable(x, err);
    mcti_http_leave(h);
}
