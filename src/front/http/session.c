#include "front/http/impl.h"

#include "base/limits.h"
#include "base/rand.h"

#include <stdlib.h>

/* ---- what the gateway calls ---- */

/* What belongs to no request goes to the GET stream, or waits for it. */
static int on_session_send(void *data, struct mct_str frame, void *lane, bool final)
{
    struct lane *l = lane ? lane : session_stream(data);
    return l ? lane_send(l, frame, final) : -1;
}

/* A session that has never had a stream may never have one: only what it has asked for is kept for it. */
static void on_session_tell(void *data, struct mct_text *frame, bool wanted)
{
    struct http_session *s = data;
    struct lane *l = wanted ? session_stream(s) : s->stream;
    if (l)
        lane_tell(l, frame);
}

static int on_stateless_send(void *data, struct mct_str frame, void *lane, bool final)
{
    (void)data;
    return lane ? lane_send(lane, frame, final) : -1;
}

static void on_lane_done(void *data, void *lane)
{
    (void)data;
    lane_done(lane);
}

static void on_close_stream(void *data, void *lane)
{
    (void)data;
    if (lane)
        lane_hang_up(lane);
}

struct mct_str principal_word(const struct mct_front_http *f, unsigned principal)
{
    return principal ? mct_str_of(f->guard.tokens[principal - 1].name) : MCT_STR("local");
}

struct mct_principal *session_principal(void *session, void *lane)
{
    const struct http_session *s = session;
    (void)lane;
    return s->front->visitors[s->principal].who;
}

static struct mct_principal *on_stateless_principal(void *data, void *lane)
{
    const struct face *f = data;
    const struct lane *l = lane;
    return f->endpoint->front->visitors[l ? l->principal : 0].who;
}

static const struct mct_client_prefs *on_stateless_prefs(void *data, void *lane)
{
    const struct face *f = data;
    const struct lane *l = lane;
    return l ? l->prefs : &f->stateless->prefs;
}

const struct mct_peer_ops session_peer_ops = {
    .send = on_session_send,
    .lane_done = on_lane_done,
    .tell = on_session_tell,
    .principal = session_principal,
    .close_stream = on_close_stream,
};
const struct mct_peer_ops stateless_peer_ops = {
    .send = on_stateless_send,
    .lane_done = on_lane_done,
    .principal = on_stateless_principal,
    .prefs = on_stateless_prefs,
};

/* ---- sessions ---- */

/* Sessions with something open stay. */
bool session_is_idle(const struct http_session *s)
{
    return mct_list_empty(&s->lanes) && !(s->stream && s->stream->x);
}

/* Ends the session of this principal that was idle longest, one that never got going before all others. */
static bool end_idle(struct mct_front_http *f, unsigned principal)
{
    struct http_session *found = NULL;
    MCT_LIST_EACH(it, &f->sessions) {
        struct http_session *s = MCT_CONTAINER(it, struct http_session, node);
        if (s->principal != principal || !session_is_idle(s) || (found && s->peer->initialized))
            continue;
        found = s;
        if (!s->peer->initialized)
            break;
    }
    if (found)
        session_free(found);
    return found;
}

/* Room is made by who has most, and nobody may have so many that others find none. */
static bool make_room(struct mct_front_http *f, unsigned principal)
{
    size_t own = f->visitors[principal].n_sessions, share = f->max_sessions - f->max_sessions / 4;
    bool alone = f->guard.n_tokens < 2;
    if (f->n_sessions < f->max_sessions && (alone || own < share))
        return true;
    unsigned most = visitor_with_most(f, offsetof(struct visitor, n_sessions));
    if (own >= share || own == f->visitors[most].n_sessions)
        return end_idle(f, principal);
    return end_idle(f, most) || end_idle(f, principal);
}

struct http_session *session_new(const struct visit *v, const struct mct_peer_ops *ops)
{
    struct mct_front_http *f = v->front;
    struct http_session *s = make_room(f, v->principal) ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    *s = (struct http_session){ .front = f, .face = v->face, .principal = v->principal };
    mct_random_id(s->id);
    mct_list_init(&s->lanes);
    mct_list_init(&s->kept);
    mct_list_init(&s->events);
    mct_list_init(&s->node);
    s->peer = mct_peer_new(f->gateway, &v->face->view, ops, s);
    if (!s->peer || mct_map_put(&f->sessions_by_id, &s->by_id, mct_str_of(s->id)) < 0) {
        mct_peer_free(s->peer);
        free(s);
        return NULL;
    }
    s->peer->session.lean = true;
    s->peer->prefs = v->prefs;
    mct_list_append(&f->sessions, &s->node);
    f->n_sessions++;
    f->visitors[s->principal].n_sessions++;
    session_touch(s);
    access_session(v->x, s);
    return s;
}

void session_free(struct http_session *s)
{
    struct mct_front_http *f = s->front;
    mct_peer_leave(s->peer); /* cancels what is open */
    while (!mct_list_empty(&s->lanes))
        lane_close(MCT_CONTAINER(s->lanes.next, struct lane, node));
    while (!mct_list_empty(&s->kept))
        lane_free(MCT_CONTAINER(s->kept.next, struct lane, node));
    if (s->stream)
        lane_close(s->stream);
    mct_peer_free(s->peer);
    mct_map_remove(&f->sessions_by_id, &s->by_id);
    mct_list_remove(&s->node);
    f->n_sessions--;
    f->visitors[s->principal].n_sessions--;
    s->face->used_ms = mct_sched_now(&f->loop->sched);
    free(s);
}

struct http_session *session_find(struct mct_front_http *f, struct mct_str id)
{
    struct mct_map_node *n = mct_map_get(&f->sessions_by_id, id);
    return n ? MCT_CONTAINER(n, struct http_session, by_id) : NULL;
}

void session_touch(struct http_session *s)
{
    s->used_ms = mct_sched_now(&s->front->loop->sched);
    mct_list_remove(&s->node);
    mct_list_append(&s->front->sessions, &s->node);
}

struct lane *session_stream(struct http_session *s)
{
    if (!s->stream)
        s->stream = lane_make(s->front, s->peer, s);
    return s->stream;
}

void session_end_stream(struct http_session *s)
{
    struct mct_http_exchange *x = s->stream ? s->stream->x : NULL;
    if (!x)
        return;
    lane_detach(s->stream);
    mct_http_stream_close(x);
}

void sessions_expire(struct mct_front_http *f)
{
    uint64_t now = mct_sched_now(&f->loop->sched);
    MCT_LIST_EACH(it, &f->sessions) {
        struct http_session *s = MCT_CONTAINER(it, struct http_session, node);
        if (now - s->used_ms <= MCT_LIMIT_SESSION_IDLE_MS)
            return;
        if (session_is_idle(s))
            session_free(s);
    }
}
