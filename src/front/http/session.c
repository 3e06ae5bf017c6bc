#include "front/http/face.h"
#include "front/http/log.h"
#include "front/http/session.h"

#include "base/limits.h"
#include "base/rand.h"

#include <stdlib.h>

/* ---- operations of the peers ---- */

/* A message without a lane belongs to no request: it goes to the GET stream, or is stored for it. */
static int http_session_on_session_send(void *data, const struct mcti_pieces *frame, void *lane, bool final)
{
    struct mcti_lane *l = lane ? lane : mcti_http_session_stream(data);
    return l ? mcti_lane_send_pieces(l, frame, final) : -1;
}

/* A session without a GET stream may never open one: only messages that it has subscribed to are stored for it. */
static void http_session_on_session_tell(void *data, struct mcti_text *frame, bool wanted)
{
    struct mcti_http_session *s = data;
    struct mcti_lane *l = wanted ? mcti_http_session_stream(s) : s->stream;
    if (l)
        mcti_lane_notify(l, frame);
}

static int http_session_on_stateless_send(void *data, const struct mcti_pieces *frame, void *lane, bool final)
{
    (void)data;
    return lane ? mcti_lane_send_pieces(lane, frame, final) : -1;
}

static void http_session_on_lane_done(void *data, void *lane, bool lost)
{
    (void)data;
    if (lost)
        mcti_lane_abandon(lane);
    else
        mcti_lane_done(lane);
}

static void http_session_on_close_stream(void *data, void *lane)
{
    (void)data;
    if (lane)
        mcti_lane_hang_up(lane);
}

static bool http_session_on_hears(void *data)
{
    const struct mcti_http_session *s = data;
    return s->stream && s->stream->x;
}

struct mcti_str mcti_http_principal_word(const struct mcti_front_http *f, unsigned principal)
{
    return f->visitors[principal]->principal->name;
}

struct mcti_principal *mcti_http_session_principal(void *session, void *lane)
{
    const struct mcti_http_session *s = session;
    (void)lane;
    return s->front->visitors[s->principal]->principal;
}

static struct mcti_principal *http_session_on_stateless_principal(void *data, void *lane)
{
    const struct mcti_face *f = data;
    const struct mcti_lane *l = lane;
    return f->endpoint->front->visitors[l ? l->principal : 0]->principal;
}

static const struct mcti_client_prefs *http_session_on_stateless_prefs(void *data, void *lane)
{
    const struct mcti_face *f = data;
    const struct mcti_lane *l = lane;
    return l ? l->prefs : &f->stateless->prefs;
}

static struct mcti_str http_session_on_traceparent(void *data, void *lane)
{
    const struct mcti_lane *l = lane;
    (void)data;
    return l && l->x ? mcti_http_get(l->x, "traceparent") : MCT_STR_NONE;
}

const struct mcti_peer_ops mcti_http_session_peer_ops = {
    .send_pieces = http_session_on_session_send,
    .lane_done = http_session_on_lane_done,
    .tell = http_session_on_session_tell,
    .principal = mcti_http_session_principal,
    .close_stream = http_session_on_close_stream,
    .hears = http_session_on_hears,
    .transport = "streamable-http",
    .traceparent = http_session_on_traceparent,
};
const struct mcti_peer_ops mcti_http_stateless_peer_ops = {
    .send_pieces = http_session_on_stateless_send,
    .lane_done = http_session_on_lane_done,
    .principal = http_session_on_stateless_principal,
    .prefs = http_session_on_stateless_prefs,
    .transport = "streamable-http",
    .traceparent = http_session_on_traceparent,
};

/* ---- sessions ---- */

bool mcti_http_session_is_idle(const struct mcti_http_session *s)
{
    return mcti_list_empty(&s->lanes) && !(s->stream && s->stream->x);
}

/* Ends the session of this principal that was idle longest. Sessions that were never initialized go first, if they are
 * more than a client needs for the moment between initialize and notifications/initialized. */
static bool end_idle(struct mcti_front_http *f, unsigned principal)
{
    struct mcti_http_session *opening = NULL, *used = NULL;
    unsigned n_opening = 0;
    MCT_LIST_EACH(it, &f->sessions) {
        struct mcti_http_session *s = MCT_CONTAINER(it, struct mcti_http_session, node);
        if (s->principal != principal || !mcti_http_session_is_idle(s))
            continue;
        struct mcti_http_session **first = s->peer->initialized ? &used : &opening;
        if (!*first)
            *first = s;
        n_opening += !s->peer->initialized;
        if (n_opening > MCT_SESSIONS_OPENING)
            break;
    }
    struct mcti_http_session *found = n_opening > MCT_SESSIONS_OPENING || !used ? opening : used;
    if (found)
        mcti_http_session_free(found);
    return found;
}

/* Ends an idle session if necessary: one of `principal` if it has used up its share, otherwise one of the principal
 * with the most sessions. Returns false if there is no room for another session. */
static bool http_session_make_room(struct mcti_front_http *f, unsigned principal)
{
    size_t own = f->visitors[principal]->n_sessions, share = f->max_sessions - f->max_sessions / 4;
    bool alone = f->guard.n_tokens < 2;
    if (f->n_sessions < f->max_sessions && (alone || own < share))
        return true;
    unsigned most = mcti_visitors_most(f, offsetof(struct mcti_http_visitor, n_sessions));
    if (own >= share || own == f->visitors[most]->n_sessions)
        return end_idle(f, principal);
    return end_idle(f, most) || end_idle(f, principal);
}

struct mcti_http_session *mcti_http_session_new(const struct mcti_http_visit *v, const struct mcti_peer_ops *ops)
{
    struct mcti_front_http *f = v->front;
    struct mcti_http_session *s = http_session_make_room(f, v->principal) ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    *s = (struct mcti_http_session){ .front = f, .face = v->face, .principal = v->principal };
    mcti_random_id(s->id);
    mcti_list_init(&s->lanes);
    mcti_list_init(&s->kept);
    mcti_list_init(&s->events);
    mcti_list_init(&s->node);
    s->peer = mcti_peer_new(f->gateway, &v->face->view, ops, s);
    if (!s->peer || mcti_map_put(&f->sessions_by_id, &s->by_id, mcti_str_of(s->id)) < 0) {
        mcti_peer_free(s->peer);
        free(s);
        return NULL;
    }
    s->peer->session.lean = true;
    s->peer->prefs = v->prefs;
    mcti_list_append(&f->sessions, &s->node);
    f->n_sessions++;
    f->visitors[s->principal]->n_sessions++;
    mcti_http_session_touch(s);
    mcti_access_session(v->x, s);
    return s;
}

void mcti_http_session_free(struct mcti_http_session *s)
{
    struct mcti_front_http *f = s->front;
    mcti_peer_leave(s->peer); /* cancels its requests */
    while (!mcti_list_empty(&s->lanes))
        mcti_lane_close(MCT_CONTAINER(s->lanes.next, struct mcti_lane, node));
    while (!mcti_list_empty(&s->kept))
        mcti_lane_free(MCT_CONTAINER(s->kept.next, struct mcti_lane, node));
    if (s->stream)
        mcti_lane_close(s->stream);
    mcti_peer_free(s->peer);
    mcti_map_remove(&f->sessions_by_id, &s->by_id);
    mcti_list_remove(&s->node);
    f->n_sessions--;
    f->visitors[s->principal]->n_sessions--;
    s->face->used_ms = mcti_sched_now(&f->loop->sched);
    free(s);
}

struct mcti_http_session *mcti_http_session_find(struct mcti_front_http *f, struct mcti_str id)
{
    struct mcti_map_node *n = mcti_map_get(&f->sessions_by_id, id);
    return n ? MCT_CONTAINER(n, struct mcti_http_session, by_id) : NULL;
}

void mcti_http_session_touch(struct mcti_http_session *s)
{
    s->used_ms = mcti_sched_now(&s->front->loop->sched);
    mcti_list_remove(&s->node);
    mcti_list_append(&s->front->sessions, &s->node);
}

struct mcti_lane *mcti_http_session_stream(struct mcti_http_session *s)
{
    if (!s->stream)
        s->stream = mcti_lane_make(s->front, s->peer, s);
    return s->stream;
}

void mcti_http_session_end_stream(struct mcti_http_session *s)
{
    struct mcti_http_exchange *x = s->stream ? s->stream->x : NULL;
    if (!x)
        return;
    mcti_lane_detach(s->stream);
    mcti_http_stream_close(x);
}

void mcti_http_sessions_expire(struct mcti_front_http *f)
{
    uint64_t now = mcti_sched_now(&f->loop->sched);
    MCT_LIST_EACH(it, &f->sessions) {
        struct mcti_http_session *s = MCT_CONTAINER(it, struct mcti_http_session, node);
        if (now - s->used_ms <= MCT_LIMIT_SESSION_IDLE_MS)
            return;
        if (mcti_http_session_is_idle(s))
            mcti_http_session_free(s);
    }
}
