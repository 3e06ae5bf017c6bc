/* Faces: clients of one endpoint may have different offers, and each offer has a view of its own. */
#include "front/http/face.h"
#include "front/http/handle.h"
#include "front/http/session.h"

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
    front->visitors[f->principal]->n_faces -= !face_is_first(f);
    mcti_peer_free(f->stateless);
    mcti_gateway_end_tasks(front->gateway, &f->view, NULL);
    mcti_view_done(&f->view);
    mcti_list_remove(&f->node);
    free(f);
}

/* ---- making room ---- */

static void each_face(struct mcti_front_http *front, void (*fn)(struct mcti_face *f, void *data), void *data)
{
    for (size_t i = 0; i < front->n_endpoints; i++)
        MCT_LIST_EACH(it, &front->endpoints[i]->faces)
            fn(face_at(it), data);
}

static void face_unmark(struct mcti_face *f, void *data)
{
    (void)data;
    f->in_use = false;
}

static void face_mark_used(struct mcti_front_http *front)
{
    each_face(front, face_unmark, NULL);
    MCT_LIST_EACH(it, &front->sessions) {
        const struct mcti_http_session *s = MCT_CONTAINER(it, struct mcti_http_session, node);
        s->face->in_use |= !mcti_http_session_is_idle(s) || s->peer->session.n_inbound;
    }
}

/* Returns true if the face may be freed: it is not the first of its endpoint, and no client will return to it. */
static bool face_is_idle(const struct mcti_face *f)
{
    return !face_is_first(f) && !f->in_use && !f->stateless->session.n_inbound && !mcti_peer_has_parked(f->stateless) &&
           !mcti_gateway_has_tasks(f->endpoint->front->gateway, &f->view) && !mcti_view_has_open_list(&f->view);
}

/* Frees the face. Its sessions, which are idle, get a new one with their next request. */
static void face_drop(struct mcti_face *f)
{
    struct mcti_face *first = mcti_face_first(f->endpoint);
    MCT_LIST_EACH(it, &f->endpoint->front->sessions) {
        struct mcti_http_session *s = MCT_CONTAINER(it, struct mcti_http_session, node);
        if (s->face != f)
            continue;
        s->face = first;
        s->face_dropped = true;
        mcti_peer_move(s->peer, &first->view);
    }
    face_free(f);
}

struct face_choice {
    const unsigned *principal; /* NULL: any */
    struct mcti_face *oldest;
};

static void face_choose(struct mcti_face *f, void *data)
{
    struct face_choice *c = data;
    if ((!c->principal || f->principal == *c->principal) && face_is_idle(f) &&
        (!c->oldest || f->used_ms < c->oldest->used_ms))
        c->oldest = f;
}

static bool face_drop_idle(struct mcti_front_http *front, const unsigned *principal)
{
    struct face_choice c = { .principal = principal };
    each_face(front, face_choose, &c);
    if (c.oldest)
        face_drop(c.oldest);
    return c.oldest;
}

/* Frees an idle face if necessary: one of `principal` if it has used up its share, otherwise one of the principal with
 * the most faces. Returns false if there is no room for another face. */
static bool face_make_room(struct mcti_front_http *front, unsigned principal)
{
    size_t n = front->guard.n_tokens, share = MCT_LIMIT_FACES / (n < 1                       ? 1
                                                                 : n < MCT_LIMIT_FACE_SHARES ? n
                                                                                             : MCT_LIMIT_FACE_SHARES);
    bool over = front->visitors[principal]->n_faces >= share;
    if (front->n_faces < MCT_LIMIT_FACES && !over)
        return true;
    face_mark_used(front);
    unsigned most = over ? principal : mcti_visitors_most(front, offsetof(struct mcti_http_visitor, n_faces));
    return face_drop_idle(front, &most) || (!over && face_drop_idle(front, NULL));
}

static void face_expire(struct mcti_face *f, void *data)
{
    struct mcti_front_http *front = data;
    if (mcti_sched_now(&front->loop->sched) - f->used_ms > MCT_LIMIT_FACE_IDLE_MS && face_is_idle(f))
        face_drop(f);
}

void mcti_faces_expire(struct mcti_front_http *front)
{
    if (!front->n_faces)
        return;
    face_mark_used(front);
    each_face(front, face_expire, front);
}

static int face_open_view(struct mcti_face *f)
{
    const struct mcti_http_endpoint *e = f->endpoint;
    const struct mcti_front_http *front = e->front;
    struct mcti_naming naming = front->naming;
    if (e->name)
        naming.prefix = MCT_PREFIX_AUTO; /* the endpoint of one server shows its own names */
    const struct mcti_view_opts opts = { .naming = &naming,
                                         .only = e->name ? (const char *const *)&e->name : front->only,
                                         .n_only = e->name ? 1 : front->n_only,
                                         .single = e->name != NULL };
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
    e->front->visitors[principal]->n_faces += !face_is_first(f);
    f->stateless = mcti_peer_new(e->front->gateway, &f->view, &mcti_http_stateless_peer_ops, f);
    if (!f->stateless) {
        face_free(f);
        return NULL;
    }
    f->stateless->session.max_inbound = SIZE_MAX; /* limited by the number of connections instead */
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
    const struct mcti_offer one = { .ruled = all->ruled }; /* /mcp/NAME: no dialects or modes by default */
    struct mcti_offer offer = mcti_prefs_offer(prefs, e->name ? &one : all);
    struct mcti_face *f = face_find(e, &offer);
    if (!f)
        f = face_new(e, &offer, principal);
    if (f)
        f->used_ms = mcti_sched_now(&e->front->loop->sched);
    return f;
}

struct mcti_face *mcti_face_for_visit(const struct mcti_http_visit *v, struct mcti_str id)
{
    struct mcti_face *f = mcti_face_for(v->endpoint, &v->prefs, v->principal);
    if (!f)
        mcti_http_post_refuse(v->x, 503, MCT_RPC_REFUSED, id, mcti_faces_too_many);
    return f;
}

bool mcti_http_session_restore_face(struct mcti_http_session *s)
{
    if (!s->face_dropped) {
        s->face->used_ms = mcti_sched_now(&s->front->loop->sched);
        return true;
    }
    struct mcti_face *f = mcti_face_for(s->face->endpoint, &s->peer->prefs, s->principal);
    if (!f)
        return false;
    s->face = f;
    s->face_dropped = false;
    mcti_peer_move(s->peer, &f->view);
    return true;
}

void mcti_faces_free(struct mcti_http_endpoint *e)
{
    while (!mcti_list_empty(&e->faces))
        face_free(face_at(e->faces.next));
}
