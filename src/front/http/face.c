/* Clients of one endpoint may be offered different tools: a view for each offer that is asked for. */
#include "front/http/impl.h"

#include "base/limits.h"

#include <stdlib.h>

const char faces_too_many[] = "too many clients with different dialects, modes and policies: try again later";

static struct face *face_at(struct mct_list *node)
{
    return MCT_CONTAINER(node, struct face, node);
}

struct face *face_first(const struct endpoint *e)
{
    return mct_list_empty(&e->faces) ? NULL : face_at(e->faces.next);
}

static bool is_first(const struct face *f)
{
    return face_first(f->endpoint) == f;
}

static void face_free(struct face *f)
{
    struct mct_front_http *front = f->endpoint->front;
    front->n_faces -= !is_first(f);
    front->visitors[f->principal].n_faces -= !is_first(f);
    mct_peer_free(f->stateless);
    mct_view_done(&f->view);
    mct_list_remove(&f->node);
    free(f);
}

/* ---- making room ---- */

static void each_face(struct mct_front_http *front, void (*fn)(struct face *f, void *data), void *data)
{
    for (size_t i = 0; i < front->n_endpoints; i++)
        MCT_LIST_EACH(it, &front->endpoints[i].faces)
            fn(face_at(it), data);
}

static void unmark(struct face *f, void *data)
{
    (void)data;
    f->in_use = false;
}

static void mark_those_in_use(struct mct_front_http *front)
{
    each_face(front, unmark, NULL);
    MCT_LIST_EACH(it, &front->sessions) {
        const struct http_session *s = MCT_CONTAINER(it, struct http_session, node);
        s->face->in_use |= !session_is_idle(s) || s->peer->session.n_inbound;
    }
}

/* The first of each endpoint stays, because most clients use it. So does one that a client will come back to. */
static bool is_idle(const struct face *f)
{
    return !is_first(f) && !f->in_use && !f->stateless->session.n_inbound && !mct_peer_has_parked(f->stateless) &&
           !mct_view_is_read(&f->view);
}

/* Its sessions, which are idle, get another when they come back. */
static void give_up(struct face *f)
{
    struct face *first = face_first(f->endpoint);
    MCT_LIST_EACH(it, &f->endpoint->front->sessions) {
        struct http_session *s = MCT_CONTAINER(it, struct http_session, node);
        if (s->face != f)
            continue;
        s->face = first;
        s->away = true;
        mct_peer_move(s->peer, &first->view);
    }
    face_free(f);
}

struct choice {
    const unsigned *principal; /* NULL: any */
    struct face *oldest;
};

static void choose(struct face *f, void *data)
{
    struct choice *c = data;
    if ((!c->principal || f->principal == *c->principal) && is_idle(f) && (!c->oldest || f->used_ms < c->oldest->used_ms))
        c->oldest = f;
}

static bool drop_idle(struct mct_front_http *front, const unsigned *principal)
{
    struct choice c = { .principal = principal };
    each_face(front, choose, &c);
    if (c.oldest)
        give_up(c.oldest);
    return c.oldest;
}

/* Room is made by who has most, and nobody may have so many that others find none. */
static bool make_room(struct mct_front_http *front, unsigned principal)
{
    size_t n = front->guard.n_tokens, share = MCT_LIMIT_FACES / (n < 1 ? 1 : n < MCT_LIMIT_FACE_SHARES ? n : MCT_LIMIT_FACE_SHARES);
    bool over = front->visitors[principal].n_faces >= share;
    if (front->n_faces < MCT_LIMIT_FACES && !over)
        return true;
    mark_those_in_use(front);
    unsigned most = over ? principal : visitor_with_most(front, offsetof(struct visitor, n_faces));
    return drop_idle(front, &most) || (!over && drop_idle(front, NULL));
}

static void expire(struct face *f, void *data)
{
    struct mct_front_http *front = data;
    if (mct_sched_now(&front->loop->sched) - f->used_ms > MCT_LIMIT_FACE_IDLE_MS && is_idle(f))
        give_up(f);
}

void faces_expire(struct mct_front_http *front)
{
    if (!front->n_faces)
        return;
    mark_those_in_use(front);
    each_face(front, expire, front);
}

static int open_view(struct face *f)
{
    const struct endpoint *e = f->endpoint;
    const struct mct_front_http *front = e->front;
    const struct mct_view_opts opts = { .naming = &front->naming, .only = e->name ? &e->name : front->only,
                                        .n_only = e->name ? 1 : front->n_only };
    return mct_gateway_view(front->gateway, &f->view, &opts, &f->offer);
}

static struct face *face_new(struct endpoint *e, const struct mct_offer *offer, unsigned principal)
{
    bool room = mct_list_empty(&e->faces) || make_room(e->front, principal);
    struct face *f = room ? calloc(1, sizeof *f) : NULL;
    if (!f)
        return NULL;
    f->endpoint = e;
    f->offer = *offer;
    f->principal = principal;
    if (open_view(f) < 0) {
        free(f);
        return NULL;
    }
    mct_list_append(&e->faces, &f->node);
    e->front->n_faces += !is_first(f);
    e->front->visitors[principal].n_faces += !is_first(f);
    f->stateless = mct_peer_new(e->front->gateway, &f->view, &stateless_peer_ops, f);
    if (!f->stateless) {
        face_free(f);
        return NULL;
    }
    f->stateless->session.max_inbound = SIZE_MAX; /* each has a connection of its own, and those are counted */
    return f;
}

static struct face *find(const struct endpoint *e, const struct mct_offer *offer)
{
    MCT_LIST_EACH(it, &e->faces) {
        struct face *f = face_at(it);
        if (mct_offer_same(&f->offer, offer))
            return f;
    }
    return NULL;
}

struct face *face_for(struct endpoint *e, const struct mct_client_prefs *prefs, unsigned principal)
{
    const struct mct_offer *all = &e->front->gateway->offer;
    const struct mct_offer one = { .ruled = all->ruled }; /* one server alone, with its own names */
    struct mct_offer offer = mct_prefs_offer(prefs, e->name ? &one : all);
    struct face *f = find(e, &offer);
    if (!f)
        f = face_new(e, &offer, principal);
    if (f)
        f->used_ms = mct_sched_now(&e->front->loop->sched);
    return f;
}

struct face *face_of(const struct visit *v, struct mct_str id)
{
    struct face *f = face_for(v->endpoint, &v->prefs, v->principal);
    if (!f)
        refuse(v->x, 503, MCT_RPC_REFUSED, id, faces_too_many);
    return f;
}

bool session_face(struct http_session *s)
{
    if (!s->away) {
        s->face->used_ms = mct_sched_now(&s->front->loop->sched);
        return true;
    }
    struct face *f = face_for(s->face->endpoint, &s->peer->prefs, s->principal);
    if (!f)
        return false;
    s->face = f;
    s->away = false;
    mct_peer_move(s->peer, &f->view);
    return true;
}

void faces_free(struct endpoint *e)
{
    while (!mct_list_empty(&e->faces))
        face_free(face_at(e->faces.next));
}
