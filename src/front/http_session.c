#include "front/http_impl.h"

#include "base/limits.h"
#include "base/rand.h"

#include <stdlib.h>

/* What belongs to no request goes to the GET stream, or waits for it. */
static int send_unasked(struct http_session *s, struct mct_str frame)
{
    if (s->stream)
        return lane_send(s->stream, frame, false);
    if (s->n_backlog >= MCT_LIMIT_SESSION_EVENTS)
        return -1;
    size_t before = s->backlog.len;
    put_event(&s->backlog, frame);
    if (!mct_buf_ok(&s->backlog)) {
        s->backlog.failed = false;
        s->backlog.len = before;
        return -1;
    }
    s->n_backlog++;
    return 0;
}

static int on_session_send(void *data, struct mct_str frame, void *lane, bool final)
{
    return lane ? lane_send(lane, frame, final) : send_unasked(data, frame);
}

static int on_stateless_send(void *data, struct mct_str frame, void *lane, bool final)
{
    (void)data;
    return lane ? lane_send(lane, frame, final) : -1;
}

static void on_lane_done(void *data, void *lane)
{
    (void)data;
    lane_end(lane);
}

const struct mct_peer_ops session_peer_ops = { .send = on_session_send, .lane_done = on_lane_done };
const struct mct_peer_ops stateless_peer_ops = { .send = on_stateless_send, .lane_done = on_lane_done };

/* Makes room by ending the session that was idle longest, one that never got going before all others.
 * Sessions with something open stay. */
static bool make_room(struct mct_front_http *f)
{
    for (int pass = 0; pass < 2; pass++) {
        MCT_LIST_EACH(it, &f->sessions) {
            struct http_session *s = MCT_CONTAINER(it, struct http_session, node);
            if (!mct_list_empty(&s->lanes) || (pass == 0 && s->peer->initialized))
                continue;
            session_free(s);
            return true;
        }
    }
    return false;
}

struct http_session *session_new(struct mct_front_http *f, struct endpoint *e)
{
    bool room = f->n_sessions < MCT_LIMIT_SESSIONS || make_room(f);
    struct http_session *s = room ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    *s = (struct http_session){ .front = f, .endpoint = e };
    mct_random_id(s->id);
    mct_list_init(&s->lanes);
    mct_list_init(&s->node);
    mct_buf_init(&s->backlog, MCT_LIMIT_HTTP_QUEUE_BYTES);
    s->peer = mct_peer_new(f->gateway, &e->view, &session_peer_ops, s);
    if (!s->peer || mct_map_put(&f->sessions_by_id, &s->by_id, mct_str_of(s->id)) < 0) {
        mct_peer_free(s->peer);
        free(s);
        return NULL;
    }
    mct_list_append(&f->sessions, &s->node);
    f->n_sessions++;
    session_touch(s);
    return s;
}

void session_free(struct http_session *s)
{
    struct mct_front_http *f = s->front;
    mct_peer_free(s->peer); /* cancels what is open */
    while (!mct_list_empty(&s->lanes))
        lane_end(MCT_CONTAINER(s->lanes.next, struct lane, node));
    mct_map_remove(&f->sessions_by_id, &s->by_id);
    mct_list_remove(&s->node);
    f->n_sessions--;
    mct_buf_done(&s->backlog);
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

void session_attach(struct http_session *s, struct lane *l)
{
    s->stream = l;
    if (s->backlog.len)
        mct_http_stream_write(l->x, mct_buf_str(&s->backlog));
    else
        lane_ping(l); /* so that the client sees the headers and a first byte at once */
    mct_buf_clear(&s->backlog);
    s->n_backlog = 0;
}

void sessions_expire(struct mct_front_http *f)
{
    uint64_t now = mct_sched_now(&f->loop->sched);
    MCT_LIST_EACH(it, &f->sessions) {
        struct http_session *s = MCT_CONTAINER(it, struct http_session, node);
        if (mct_list_empty(&s->lanes) && now - s->used_ms > MCT_LIMIT_SESSION_IDLE_MS)
            session_free(s);
    }
}
