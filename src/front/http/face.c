/* Clients of one endpoint may be offered different tools: a view for each offer that is asked for. */
#include "front/http/impl.h"

#include "base/limits.h"

#include <stdlib.h>

const char mcti_faces_too_many[] = "too many clients with different dialects, modes and policies: try again later";

static struct mcti_face *face_at(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct mcti_face, node);
}

struct mcti_face *mcti_face_first(const struct mcti_http_endpoint *e)
{
    return mcti_list_empty(&e->faces) ? NULL : face_at(e->faces.next);
}

static bool face_is_first(const struct mcti_face *f)
{
    return mcti_face_first(f->endpoint) == f;
}

static void face_free(struct mcti_face *f)
{
    struct mcti_front_http *front = f->endpoint->front;
    front->n_faces -= !face_is_first(f);
    front->visitors[f->principal].n_faces -= !face_is_first(f);
    mcti_peer_free(f->stateless);
    mcti_view_done(&f->view);
    mcti_list_remove(&f->node);
    free(f);
}

/* ---- making room ---- */

static void each_face(struct mcti_front_http *front, void (*fn)(struct mcti_face *f, void *data), void *data)
{
    for (size_t i = 0; i < front->n_endpoints; i++)
        MCT_LIST_EACH(it, &front->endpoints[i].faces)
            fn(face_at(it), data);
}

static void face_unmark(struct mcti_face *f, void *data)
{
    (void)data;
    f->in_use = false;
}

static void mark_those_in_use(struct mcti_front_http *front)
{
    each_face(front, face_unmark, NULL);
    MCT_LIST_EACH(it, &front->sessions) {
        const struct mcti_http_session *s = MCT_CONTAINER(it, struct mcti_http_session, node);
        s->face->in_use |= !mcti_http_session_is_idle(s) || s->peer->session.n_inbound;
    }
}

/* The first of each endpoint stays, because most clients use it. So does one that a client will come back to. */
static bool is_idle(const struct mcti_face *f)
{
    return !face_is_first(f) && !f->in_use && !f->stateless->session.n_inbound && !mcti_peer_has_parked(f->stateless) &&
           !mcti_view_is_read(&f->view);
}

/* Its sessions, which are idle, get another when they come back. */
static void face_give_up(struct mcti_face *f)
{
    struct mcti_face *first = mcti_face_first(f->endpoint);
    MCT_LIST_EACH(it, &f->endpoint->front->sessions) {
        struct mcti_http_session *s = MCT_CONTAINER(it, struct mcti_http_session, node);
        if (s->face != f)
            continue;
        s->face = first;
        s->away = true;
        mcti_peer_move(s->peer, &first->view);
    }
    face_free(f);
}

struct choice {
    const unsigned *principal; /* NULL: any */
    struct mcti_face *oldest;
};

static void face_choose(struct mcti_face *f, void *data)
{
    struct choice *c = data;
    if ((!c->principal || f->principal == *c->principal) && is_idle(f) &&
        (!c->oldest || f->used_ms < c->oldest->used_ms))
        c->oldest = f;
}

static bool drop_idle(struct mcti_front_http *front, const unsigned *principal)
{
    struct choice c = { .principal = principal };
    each_face(front, face_choose, &c);
    if (c.oldest)
        face_give_up(c.oldest);
    return c.oldest;
}

/* Room is made by who has most, and nobody may have so many that others find none. */
static bool face_make_room(struct mcti_front_http *front, unsigned principal)
{
    size_t n = front->guard.n_tokens, share = MCT_LIMIT_FACES / (n < 1                       ? 1
                                                                 : n < MCT_LIMIT_FACE_SHARES ? n
                                                                                             : MCT_LIMIT_FACE_SHARES);
    bool over = front->visitors[principal].n_faces >= share;
    if (front->n_faces < MCT_LIMIT_FACES && !over)
        return true;
    mark_those_in_use(front);
    unsigned most = over ? principal : mcti_visitors_most(front, offsetof(struct mcti_http_visitor, n_faces));
    return drop_idle(front, &most) || (!over && drop_idle(front, NULL));
}

static void face_expire(struct mcti_face *f, void *data)
{
    struct mcti_front_http *front = data;
    if (mcti_sched_now(&front->loop->sched) - f->used_ms > MCT_LIMIT_FACE_IDLE_MS && is_idle(f))
        face_give_up(f);
}

void mcti_faces_expire(struct mcti_front_http *front)
{
    if (!front->n_faces)
        return;
    mark_those_in_use(front);
    each_face(front, face_expire, front);
}

static int face_open_view(struct mcti_face *f)
{
    const struct mcti_http_endpoint *e = f->endpoint;
    const struct mcti_front_http *front = e->front;
    const struct mcti_view_opts opts = { .naming = &front->naming,
                                         .only = e->name ? &e->name : front->only,
                                         .n_only = e->name ? 1 : front->n_only };
    return mcti_gateway_view(front->gateway, &f->view, &opts, &f->offer);
}

static struct mcti_face *face_new(struct mcti_http_endpoint *e, const struct mcti_offer *offer, unsigned principal)
{
    bool room = mcti_list_empty(&e->faces) || face_make_room(e->front, principal);
    struct mcti_face *f = room ? calloc(1, sizeof *f) : NULL;
    if (!f)
        return NULL;
    f->endpoint = e;
    f->offer = *offer;
    f->principal = principal;
    if (face_open_view(f) < 0) {
        free(f);
        return NULL;
    }
    mcti_list_append(&e->faces, &f->node);
    e->front->n_faces += !face_is_first(f);
    e->front->visitors[principal].n_faces += !face_is_first(f);
    f->stateless = mcti_peer_new(e->front->gateway, &f->view, &mcti_http_stateless_peer_ops, f);
    if (!f->stateless) {
        face_free(f);
        return NULL;
    }
    f->stateless->session.max_inbound = SIZE_MAX; /* each has a connection of its own, and those are counted */
    return f;
}

static struct mcti_face *face_find(const struct mcti_http_endpoint *e, const struct mcti_offer *offer)
{
    MCT_LIST_EACH(it, &e->faces) {
        struct mcti_face *f = face_at(it);
        if (mcti_offer_same(&f->offer, offer))
            return f;
    }
    return NULL;
}

struct mcti_face *mcti_face_for(struct mcti_http_endpoint *e, const struct mcti_client_prefs *prefs, unsigned principal)
{
    const struct mcti_offer *all = &e->front->gateway->offer;
    const struct mcti_offer one = { .ruled = all->ruled }; /* one server alone, with its own names */
    struct mcti_offer offer = mcti_prefs_offer(prefs, e->name ? &one : all);
    struct mcti_face *f = face_find(e, &offer);
    if (!f)
        f = face_new(e, &offer, principal);
    if (f)
        f->used_ms = mcti_sched_now(&e->front->loop->sched);
    return f;
}

struct mcti_face *mcti_face_of(const struct mcti_http_visit *v, struct mcti_str id)
{
    struct mcti_face *f = mcti_face_for(v->endpoint, &v->prefs, v->principal);
    if (!f)
        mcti_http_post_refuse(v->x, 503, MCT_RPC_REFUSED, id, mcti_faces_too_many);
    return f;
}

bool mcti_http_session_face(struct mcti_http_session *s)
{
    if (!s->away) {
        s->face->used_ms = mcti_sched_now(&s->front->loop->sched);
        return true;
    }
    struct mcti_face *f = mcti_face_for(s->face->endpoint, &s->peer->prefs, s->principal);
    if (!f)
        return false;
    s->face = f;
    s->away = false;
    mcti_peer_move(s->peer, &f->view);
    return true;
}

void mcti_faces_free(struct mcti_http_endpoint *e)
{
    while (!mcti_list_empty(&e->faces))
        face_free(face_at(e->faces.next));
}
