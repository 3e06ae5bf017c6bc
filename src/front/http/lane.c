#include "front/http/impl.h"

#include "base/limits.h"
#include "json/write.h"
#include "mcp/batch.h"

#include <stdio.h>
#include <stdlib.h>

enum { PING_BURST = 64, PING_PAUSE_MS = 5, TICK_MS = 5000 };

/* ---- life ---- */

struct lane *lane_make(struct mct_front_http *f, struct mct_peer *peer, struct http_session *s)
{
    struct lane *l = calloc(1, sizeof *l + (s ? 0 : sizeof *l->prefs));
    if (!l)
        return NULL;
    l->front = f;
    l->peer = peer;
    l->session = s;
    mct_list_init(&l->node);
    mct_list_init(&l->waiting);
    mct_list_init(&l->events);
    return l;
}

struct lane *lane_new(const struct visit *v, struct mct_peer *peer, struct http_session *s, unsigned n_open)
{
    struct lane *l = lane_make(v->front, peer, s);
    if (!l) {
        mct_http_reply(v->x, 500, NULL, MCT_STR_NONE, MCT_STR_NONE);
        return NULL;
    }
    l->n_open = n_open;
    l->principal = (uint16_t)v->principal;
    if (!s)
        l->prefs[0] = v->prefs;
    mct_list_append(s ? &s->lanes : &v->front->lanes, &l->node);
    lane_attach(l, v->x);
    return l;
}

void lane_attach(struct lane *l, struct mct_http_exchange *x)
{
    struct mct_front_http *f = l->front;
    l->x = x;
    l->ping_ms = mct_sched_now(&f->loop->sched) + MCT_SSE_KEEPALIVE_MS;
    mct_list_append(&f->waiting, &l->waiting);
    mct_http_set_user(x, l);
}

void lane_detach(struct lane *l)
{
    if (!l->x)
        return;
    mct_http_set_user(l->x, NULL);
    mct_list_remove(&l->waiting);
    l->front->counters.n_streams -= l->streaming;
    l->x = NULL;
    l->streaming = false;
    if (l->session)
        session_touch(l->session); /* its time begins when its last stream ends */
}

void lane_free(struct lane *l)
{
    lane_detach(l);
    if (l->session && l->session->stream == l)
        l->session->stream = NULL;
    events_forget(l);
    mct_list_remove(&l->node);
    if (l->gathered)
        mct_buf_done(l->gathered);
    free(l->gathered);
    free(l);
}

/* Everything has been said: the lane goes, or is kept while its events are. */
static void finish(struct lane *l)
{
    struct mct_http_exchange *x = l->x;
    bool streaming = l->streaming;
    lane_detach(l);
    if (x && streaming)
        mct_http_stream_close(x);
    l->over = true;
    mct_list_remove(&l->node);
    if (mct_list_empty(&l->events))
        lane_free(l);
    else
        mct_list_append(&l->session->kept, &l->node);
}

/* ---- streams ---- */

/* 2025-11-25 has clients come back for streams that end early; what an event without data means to older
 * ones is not known. */
static bool is_polled(const struct lane *l)
{
    return l->session && !l->session->legacy && l->peer->session.rev >= MCT_REV_2025_11_25;
}

static void prime(struct lane *l)
{
    char text[80];
    snprintf(text, sizeof text, "id: %u-%u\nretry: %d\ndata:\n\n", l->number, l->sent, MCT_SSE_RETRY_MS);
    if (mct_http_stream_write(l->x, mct_str_of(text)) == 0)
        l->resumable = true;
}

static void flush_gathered(struct lane *l)
{
    struct mct_buf all = *l->gathered;
    struct mct_str item;
    free(l->gathered);
    l->gathered = NULL;
    for (struct mct_json_iter it = mct_json_open(mct_batch_close(&all)); mct_json_next_item(&it, &item);)
        lane_send(l, item, false);
    mct_buf_done(&all);
}

static void open_stream(struct lane *l)
{
    mct_http_stream_open(l->x, 200, "text/event-stream",
                         MCT_STR("Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\n"));
    l->streaming = true;
    l->front->counters.n_streams++;
}

void lane_open_stream(struct lane *l)
{
    struct http_session *s = l->session;
    open_stream(l);
    if (s && s->stream != l && !l->number)
        l->number = ++s->last_stream;
    if (is_polled(l))
        prime(l);
    if (l->gathered)
        flush_gathered(l);
}

/* Sends the event of a line, which was kept or not; whether it has gone to a connection. */
static bool write_event(struct lane *l, struct mct_str line, bool kept)
{
    struct mct_buf *b = &l->front->scratch;
    mct_buf_clear(b);
    event_put(b, l, kept ? l->last : 0, line);
    bool told = l->x && mct_buf_ok(b) && mct_http_stream_write(l->x, mct_buf_str(b)) == 0;
    if (told && kept) {
        l->sent = l->last;
        l->resumable = true;
    }
    mct_buf_clear(b);
    return told;
}

/* Keeps the event for a client that can come back, and sends it to one that is there. An id nobody could come back with
 * would be a lie. */
static int send_event(struct lane *l, struct mct_str frame, bool last)
{
    struct mct_buf *line = &l->front->line;
    bool keeps = l->session && !l->session->legacy;
    mct_buf_clear(line);
    mct_json_put_line(line, frame);
    bool ok = mct_buf_ok(line);
    bool kept = ok && keeps && event_keep(l, mct_buf_str(line));
    if (keeps && !kept && last)
        events_forget(l); /* without its end the stream is not worth resuming */
    bool told = ok && write_event(l, mct_buf_str(line), kept);
    mct_buf_clear(line);
    return told || kept ? 0 : -1;
}

void lane_tell(struct lane *l, struct mct_text *frame)
{
    bool kept = event_share(l, frame);
    if (l->x && l->streaming)
        write_event(l, mct_text_str(frame), kept);
}

/* ---- whole answers ---- */

/* The first answer of a session names it (2025-11-25 "Session Management"). */
static void reply_whole(struct lane *l, struct mct_str frame)
{
    struct mct_buf headers;
    struct mct_http_exchange *x = l->x;
    mct_buf_init(&headers, 256);
    if (l->names_session)
        mct_buf_printf(&headers, "Mcp-Session-Id: %s\r\n", l->session->id);
    /* 2026-07-28 "Errors": a capability the client lacks is the request's own fault */
    bool lacking = !l->session && l->peer->session.refusal == MCT_RPC_MISSING_CAPABILITY;
    lane_free(l);
    mct_http_reply(x, lacking ? 400 : 200, "application/json", mct_buf_str(&headers), frame);
    mct_buf_done(&headers);
}

static void reply_gathered(struct lane *l)
{
    struct mct_http_exchange *x = l->x;
    struct mct_buf all = *l->gathered;
    mct_batch_close(&all);
    free(l->gathered);
    l->gathered = NULL;
    lane_free(l);
    mct_http_reply(x, 200, "application/json", MCT_STR_NONE, mct_buf_str(&all));
    mct_buf_done(&all);
}

/* ---- what is said ---- */

/* Nobody is there, and nobody can come back: it is as if it had been said. */
static bool is_deaf(const struct lane *l)
{
    return !l->x && !l->resumable && l->n_open;
}

/* True when the message needs no stream. */
static bool send_whole(struct lane *l, struct mct_str frame, bool last)
{
    if (l->gathered) {
        if (!mct_batch_put(l->gathered, frame))
            return false; /* no room: it leaves as an event */
        if (last)
            reply_gathered(l);
        return true;
    }
    if (last)
        reply_whole(l, frame);
    return last;
}

int lane_send(struct lane *l, struct mct_str frame, bool final)
{
    bool last = final && l->n_open == 1;
    int r = 0;
    if (is_deaf(l)) {
        if (final)
            lane_done(l);
        return final ? 0 : -1;
    }
    if (!l->x || l->streaming || !final || !send_whole(l, frame, last)) {
        if (l->x && !l->streaming)
            lane_open_stream(l);
        r = send_event(l, frame, last);
        if (r < 0 && (!final || !l->session))
            return r; /* a stateless client that is too slow is dropped: on_abort frees the lane */
        if (last)
            finish(l);
    }
    if (final && !last)
        l->n_open--;
    return 0;
}

void lane_done(struct lane *l)
{
    if (l->n_open > 1)
        l->n_open--;
    else if (l->x && !l->streaming && l->gathered && l->gathered->len)
        reply_gathered(l);
    else
        lane_close(l);
}

/* ---- ends ---- */

void lane_close(struct lane *l)
{
    struct mct_http_exchange *x = l->x;
    if (x && !l->streaming && l->gathered && l->gathered->len) {
        reply_gathered(l);
        return;
    }
    if (x && !l->streaming && l->front->draining) {
        lane_free(l);
        refuse(x, 503, MCT_RPC_INTERNAL, MCT_STR_NONE, "the gateway is shutting down");
        return;
    }
    if (x && !l->streaming)
        open_stream(l);
    lane_free(l);
    if (x)
        mct_http_stream_close(x);
}

void lane_bye(struct lane *l, struct mct_str id)
{
    static const char why[] = "the gateway is shutting down";
    struct mct_http_exchange *x = l->x;
    if (x && !l->streaming && !l->gathered) {
        lane_detach(l);
        refuse(x, 503, MCT_RPC_INTERNAL, id, why);
        return;
    }
    struct mct_error err;
    struct mct_buf b;
    mct_fail(&err, MCT_ERR_INTERNAL, "%s", why);
    mct_buf_init(&b, 4096 + MCT_LIMIT_ID_BYTES);
    put_error(&b, id, &err, MCT_STR_NONE);
    if (x && (l->streaming || !mct_batch_put(l->gathered, mct_buf_str(&b))))
        lane_send(l, mct_buf_str(&b), false);
    mct_buf_done(&b);
}

void lane_hang_up(struct lane *l)
{
    struct mct_http_exchange *x = l->x;
    if (!x || !is_polled(l))
        return;
    if (!l->streaming)
        lane_open_stream(l);
    lane_detach(l);
    mct_http_stream_close(x);
}

/* ---- keep-alive ---- */

/* An answer that is long in coming becomes a stream, so that it can be kept alive and, in a session,
 * resumed. That of initialize stays what it is: many clients expect JSON. */
static void ping(struct lane *l)
{
    if (!l->streaming && !l->names_session)
        lane_open_stream(l);
    if (l->streaming)
        mct_http_stream_write(l->x, MCT_STR(": keep-alive\n\n"));
}

void lanes_ping(struct mct_front_http *f)
{
    uint64_t now = mct_sched_now(&f->loop->sched);
    unsigned n = 0;
    while (!mct_list_empty(&f->waiting) && n < PING_BURST) {
        struct lane *l = MCT_CONTAINER(f->waiting.next, struct lane, waiting);
        if (l->ping_ms > now)
            break;
        mct_list_remove(&l->waiting);
        mct_list_append(&f->waiting, &l->waiting);
        l->ping_ms = now + MCT_SSE_KEEPALIVE_MS;
        ping(l);
        n++;
    }
    mct_timer_set(&f->loop->sched, &f->tick, n == PING_BURST ? PING_PAUSE_MS : TICK_MS);
}
