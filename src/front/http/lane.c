#include "front/http/events.h"
#include "front/http/handle.h"

#include "base/limits.h"
#include "json/write.h"
#include "mcp/batch.h"

#include <stdio.h>
#include <stdlib.h>

enum { PING_BURST = 64, PING_PAUSE_MS = 5, TICK_MS = 5000 };

/* ---- life ---- */

struct mcti_lane *mcti_lane_make(struct mcti_front_http *f, struct mcti_peer *peer, struct mcti_http_session *s)
{
    struct mcti_lane *l = calloc(1, sizeof *l + (s ? 0 : sizeof *l->prefs));
    if (!l)
        return NULL;
    l->front = f;
    l->peer = peer;
    l->session = s;
    mcti_list_init(&l->node);
    mcti_list_init(&l->waiting);
    mcti_list_init(&l->silent);
    mcti_list_init(&l->events);
    return l;
}

struct mcti_lane *mcti_lane_new(const struct mcti_http_visit *v, struct mcti_peer *peer, struct mcti_http_session *s,
                                unsigned n_open)
{
    struct mcti_lane *l = mcti_lane_make(v->front, peer, s);
    if (!l) {
        mcti_http_reply(v->x, 500, NULL, MCT_STR_NONE, MCT_STR_NONE);
        return NULL;
    }
    l->n_open = n_open;
    l->principal = (uint16_t)v->principal;
    if (!s)
        l->prefs[0] = v->prefs;
    mcti_list_append(s ? &s->lanes : &v->front->lanes, &l->node);
    mcti_lane_attach(l, v->x);
    return l;
}

/* Returns true if the client resumes a stream that ends early ("polling", 2025-11-25). Clients of older revisions may
 * not understand the event without data that starts such a stream. */
static bool lane_can_poll(const struct mcti_lane *l)
{
    return l->session && !l->session->legacy && l->peer->session.rev >= MCT_REV_2025_11_25;
}

void mcti_lane_attach(struct mcti_lane *l, struct mcti_http_exchange *x)
{
    struct mcti_front_http *f = l->front;
    l->x = x;
    l->ping_ms = mcti_sched_now(&f->loop->sched) + MCT_SSE_KEEPALIVE_MS;
    mcti_list_append(&f->waiting, &l->waiting);
    mcti_http_set_user(x, l);
    if (!lane_can_poll(l))
        return;
    mcti_list_append(&f->silent, &l->silent);
    if (!f->prime.set)
        mcti_timer_set(&f->loop->sched, &f->prime, MCT_SSE_PRIME_MS);
}

void mcti_lane_detach(struct mcti_lane *l)
{
    if (!l->x)
        return;
    mcti_http_set_user(l->x, NULL);
    mcti_list_remove(&l->waiting);
    mcti_list_remove(&l->silent);
    l->front->counters.n_streams -= l->streaming;
    l->x = NULL;
    l->streaming = false;
    if (l->session)
        mcti_http_session_touch(l->session); /* a session is idle from the end of its last stream */
}

void mcti_lane_free(struct mcti_lane *l)
{
    mcti_lane_detach(l);
    if (l->session && l->session->stream == l)
        l->session->stream = NULL;
    mcti_http_events_forget(l);
    mcti_list_remove(&l->node);
    if (l->gathered)
        mcti_buf_done(l->gathered);
    free(l->gathered);
    free(l);
}

/* Ends a lane whose last request is answered. It stays in session->kept while it has stored events. */
static void lane_finish(struct mcti_lane *l)
{
    struct mcti_http_exchange *x = l->x;
    bool streaming = l->streaming;
    mcti_lane_detach(l);
    if (x && streaming)
        mcti_http_stream_close(x);
    l->over = true;
    mcti_list_remove(&l->node);
    if (mcti_list_empty(&l->events))
        mcti_lane_free(l);
    else
        mcti_list_append(&l->session->kept, &l->node);
}

/* ---- streams ---- */

static void lane_send_first_id(struct mcti_lane *l)
{
    char text[80];
    snprintf(text, sizeof text, "id: %u-%u\nretry: %d\ndata:\n\n", l->number, l->sent, MCT_SSE_RETRY_MS);
    if (mcti_http_stream_write(l->x, mcti_str_of(text)) == 0)
        l->resumable = true;
}

static void flush_gathered(struct mcti_lane *l)
{
    struct mcti_buf all = *l->gathered;
    struct mcti_str item;
    free(l->gathered);
    l->gathered = NULL;
    for (struct mcti_json_iter it = mcti_json_open(mcti_batch_close(&all)); mcti_json_next_item(&it, &item);)
        mcti_lane_send(l, item, false);
    mcti_buf_done(&all);
}

static void http_lane_open_stream(struct mcti_lane *l)
{
    mcti_http_stream_open(l->x, 200, "text/event-stream",
                          MCT_STR("Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\n"));
    l->streaming = true;
    mcti_list_remove(&l->silent);
    l->front->counters.n_streams++;
}

void mcti_lane_open_stream(struct mcti_lane *l)
{
    struct mcti_http_session *s = l->session;
    http_lane_open_stream(l);
    if (s && s->stream != l && !l->number)
        l->number = ++s->last_stream;
    if (lane_can_poll(l))
        lane_send_first_id(l);
    if (l->gathered)
        flush_gathered(l);
}

/* Writes the event of a line to the connection; `kept`: it is the newest stored event. Returns true if written. */
static bool write_event(struct mcti_lane *l, struct mcti_str line, bool kept)
{
    struct mcti_buf *b = &l->front->scratch;
    mcti_buf_clear(b);
    mcti_http_event_put(b, l, kept ? l->last : 0, line);
    bool written = l->x && mcti_buf_ok(b) && mcti_http_stream_write(l->x, mcti_buf_str(b)) == 0;
    if (written && kept) {
        l->sent = l->last;
        l->resumable = true;
    }
    mcti_buf_clear(b);
    return written;
}

/* Sends an event that is too long to be stored. Returns -1 if it was not sent. */
static int send_long_event(struct mcti_lane *l, const struct mcti_pieces *frame, bool last)
{
    struct mcti_pieces event = { .chunk = frame->chunk };
    if (l->session && !l->session->legacy && last)
        mcti_http_events_forget(l);
    event.item[event.n++] = MCT_STR("event: message\ndata: ");
    for (unsigned i = 0; i < frame->n; i++) {
        mcti_json_blank_lines(frame->item[i]);
        event.item[event.n++] = frame->item[i];
    }
    event.item[event.n++] = MCT_STR("\n\n");
    for (unsigned i = 0; i < event.n; i++)
        event.len += event.item[i].len;
    return l->x ? mcti_http_stream_write_pieces(l->x, &event) : -1;
}

/* Stores the event for a client that can resume, and sends it if the client is connected. An event that could not be
 * stored is sent without an id. Returns -1 if it was neither stored nor sent. */
static int send_event(struct mcti_lane *l, const struct mcti_pieces *frame, bool last)
{
    struct mcti_buf *line = &l->front->line;
    bool keeps = l->session && !l->session->legacy;
    if (frame->chunk && frame->len > MCT_LIMIT_SESSION_EVENT_BYTES)
        return send_long_event(l, frame, last);
    mcti_buf_clear(line);
    mcti_pieces_copy(line, frame);
    bool ok = mcti_buf_ok(line);
    if (ok)
        mcti_json_blank_lines(mcti_buf_str(line));
    bool kept = ok && keeps && mcti_http_event_keep(l, mcti_buf_str(line));
    if (keeps && !kept && last)
        mcti_http_events_forget(l); /* a stream without its last event is not worth resuming */
    bool written = ok && write_event(l, mcti_buf_str(line), kept);
    mcti_buf_clear(line);
    return written || kept ? 0 : -1;
}

void mcti_lane_notify(struct mcti_lane *l, struct mcti_text *frame)
{
    bool kept = mcti_http_event_share(l, frame);
    if (l->x && l->streaming)
        write_event(l, mcti_text_str(frame), kept);
}

/* ---- whole answers ---- */

/* Returns the status of a 2026-07-28 answer with this error, or none (2026-07-28 "Errors"). */
static int lane_status(int code)
{
    if (code == MCT_RPC_BUSY)
        return 429;
    return code == MCT_RPC_MISSING_CAPABILITY ? 400 : code == MCT_RPC_METHOD_NOT_FOUND ? 404 : 200;
}

/* Sends the whole answer and frees the lane. The answer to initialize names the session (2025-11-25 "Session
 * Management"). */
static void reply_whole(struct mcti_lane *l, const struct mcti_pieces *frame)
{
    struct mcti_buf headers;
    struct mcti_http_exchange *x = l->x;
    mcti_buf_init(&headers, 256);
    if (l->names_session)
        mcti_buf_printf(&headers, "Mcp-Session-Id: %s\r\n", l->session->id);
    int status = l->session ? 200 : lane_status(l->peer->session.refusal);
    if (status == 429)
        mcti_buf_printf(&headers, "Retry-After: %u\r\n", (l->peer->session.refusal_ms + 999) / 1000);
    mcti_lane_free(l);
    mcti_http_reply_pieces(x, status, "application/json", mcti_buf_str(&headers), frame);
    mcti_buf_done(&headers);
}

static void reply_gathered(struct mcti_lane *l)
{
    struct mcti_http_exchange *x = l->x;
    struct mcti_buf all = *l->gathered;
    mcti_batch_close(&all);
    free(l->gathered);
    l->gathered = NULL;
    mcti_lane_free(l);
    mcti_http_reply(x, 200, "application/json", MCT_STR_NONE, mcti_buf_str(&all));
    mcti_buf_done(&all);
}

/* ---- messages ---- */

/* Returns true if the client has disconnected and cannot resume: messages are dropped as if they had been sent. */
static bool lane_is_unreachable(const struct mcti_lane *l)
{
    return !l->x && !l->resumable && l->n_open;
}

/* Sends or gathers the answer without a stream. Returns false if it needs a stream. */
static bool send_whole(struct mcti_lane *l, const struct mcti_pieces *frame, bool last)
{
    if (l->gathered) {
        if (frame->n != 1 || !mcti_batch_put(l->gathered, frame->item[0]))
            return false; /* no room: sent as an event */
        if (last)
            reply_gathered(l);
        return true;
    }
    if (last)
        reply_whole(l, frame);
    return last;
}

int mcti_lane_send(struct mcti_lane *l, struct mcti_str frame, bool final)
{
    const struct mcti_pieces one = mcti_pieces_one(frame);
    return mcti_lane_send_pieces(l, &one, final);
}

int mcti_lane_send_pieces(struct mcti_lane *l, const struct mcti_pieces *frame, bool final)
{
    bool last = final && l->n_open == 1;
    int r = 0;
    if (lane_is_unreachable(l)) {
        if (final)
            mcti_lane_done(l);
        return final ? 0 : -1;
    }
    if (!l->x || l->streaming || !final || !send_whole(l, frame, last)) {
        if (l->x && !l->streaming)
            mcti_lane_open_stream(l);
        r = send_event(l, frame, last);
        if (r < 0 && (!final || !l->session))
            return r; /* a stateless client that reads too slowly is disconnected: on_abort frees the lane */
        if (last)
            lane_finish(l);
    }
    if (final && !last)
        l->n_open--;
    return 0;
}

void mcti_lane_done(struct mcti_lane *l)
{
    if (l->n_open > 1)
        l->n_open--;
    else if (l->x && !l->streaming && l->gathered && l->gathered->len)
        reply_gathered(l);
    else
        mcti_lane_close(l);
}

/* ---- ends ---- */

void mcti_lane_abandon(struct mcti_lane *l)
{
    if (l->x)
        mcti_http_abort(l->x);
    else
        mcti_lane_done(l);
}

void mcti_lane_close(struct mcti_lane *l)
{
    struct mcti_http_exchange *x = l->x;
    if (x && !l->streaming && l->gathered && l->gathered->len) {
        reply_gathered(l);
        return;
    }
    if (x && !l->streaming && l->front->draining) {
        mcti_lane_free(l);
        mcti_http_post_refuse(x, 503, MCT_RPC_INTERNAL, MCT_STR_NONE, "the gateway is shutting down");
        return;
    }
    if (x && !l->streaming)
        http_lane_open_stream(l);
    mcti_lane_free(l);
    if (x)
        mcti_http_stream_close(x);
}

void mcti_lane_answer_shutdown(struct mcti_lane *l, struct mcti_str id)
{
    static const char why[] = "the gateway is shutting down";
    struct mcti_http_exchange *x = l->x;
    if (x && !l->streaming && !l->gathered) {
        mcti_lane_detach(l);
        mcti_http_post_refuse(x, 503, MCT_RPC_INTERNAL, id, why);
        return;
    }
    struct mct_error err;
    struct mcti_buf b;
    mcti_fail(&err, MCT_ERR_INTERNAL, "%s", why);
    mcti_buf_init(&b, 4096 + MCT_LIMIT_ID_BYTES);
    mcti_http_error_put(&b, id, &err, MCT_STR_NONE);
    if (x && (l->streaming || !mcti_batch_put(l->gathered, mcti_buf_str(&b))))
        mcti_lane_send(l, mcti_buf_str(&b), false);
    mcti_buf_done(&b);
}

void mcti_lane_hang_up(struct mcti_lane *l)
{
    struct mcti_http_exchange *x = l->x;
    if (!x || !lane_can_poll(l))
        return;
    if (!l->streaming)
        mcti_lane_open_stream(l);
    mcti_lane_detach(l);
    mcti_http_stream_close(x);
}

/* ---- priming and keep-alive ---- */

/* The lanes stand in the order of their exchanges, and so in that of their next ping. */
void mcti_lanes_prime(void *data)
{
    struct mcti_front_http *f = data;
    uint64_t now = mcti_sched_now(&f->loop->sched), due = now;
    for (unsigned n = 0; !mcti_list_empty(&f->silent) && n < PING_BURST; n++) {
        struct mcti_lane *l = MCT_CONTAINER(f->silent.next, struct mcti_lane, silent);
        due = l->ping_ms - MCT_SSE_KEEPALIVE_MS + MCT_SSE_PRIME_MS;
        if (due > now)
            break;
        mcti_lane_open_stream(l);
    }
    if (!mcti_list_empty(&f->silent))
        mcti_timer_set(&f->loop->sched, &f->prime, due > now ? due - now : PING_PAUSE_MS);
}

/* Sends a keep-alive comment. A pending answer becomes a stream for that, which a session can also resume; the answer
 * to initialize does not, because many clients expect JSON there. */
static void lane_ping(struct mcti_lane *l)
{
    if (!l->streaming && !l->names_session)
        mcti_lane_open_stream(l);
    if (l->streaming)
        mcti_http_stream_write(l->x, MCT_STR(": keep-alive\n\n"));
}

void mcti_lanes_ping(struct mcti_front_http *f)
{
    uint64_t now = mcti_sched_now(&f->loop->sched);
    unsigned n = 0;
    while (!mcti_list_empty(&f->waiting) && n < PING_BURST) {
        struct mcti_lane *l = MCT_CONTAINER(f->waiting.next, struct mcti_lane, waiting);
        if (l->ping_ms > now)
            break;
        mcti_list_remove(&l->waiting);
        mcti_list_append(&f->waiting, &l->waiting);
        l->ping_ms = now + MCT_SSE_KEEPALIVE_MS;
        lane_ping(l);
        n++;
    }
    mcti_timer_set(&f->loop->sched, &f->tick, n == PING_BURST ? PING_PAUSE_MS : TICK_MS);
}
