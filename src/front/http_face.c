/* Clients of one endpoint may be offered different tools: a view for each offer that is asked for. */
#include "front/http_impl.h"

#include "base/limits.h"

#include <stdlib.h>

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
    f->endpoint->front->n_faces -= !is_first(f);
    mct_peer_free(f->stateless);
    mct_view_done(&f->view);
    mct_list_remove(&f->node);
    free(f);
}

/* The first of each endpoint stays: it is the one most clients use. So does one that somebody will come back to. */
static bool is_idle(const struct face *f)
{
    return !is_first(f) && !f->n_sessions && !f->stateless->session.n_inbound && !mct_peer_has_parked(f->stateless) &&
           !mct_view_is_read(&f->view);
}

static bool drop_idle(struct mct_front_http *front)
{
    struct face *oldest = NULL;
    for (size_t i = 0; i < front->n_endpoints; i++) {
        MCT_LIST_EACH(it, &front->endpoints[i].faces) {
            struct face *f = face_at(it);
            if (is_idle(f) && (!oldest || f->used_ms < oldest->used_ms))
                oldest = f;
        }
    }
    if (oldest)
        face_free(oldest);
    return oldest != NULL;
}

void faces_expire(struct mct_front_http *front)
{
    uint64_t now = mct_sched_now(&front->loop->sched);
    for (size_t i = 0; i < front->n_endpoints; i++) {
        MCT_LIST_EACH(it, &front->endpoints[i].faces) {
            struct face *f = face_at(it);
            if (now - f->used_ms > MCT_LIMIT_FACE_IDLE_MS && is_idle(f))
                face_free(f);
        }
    }
}

static int open_view(struct face *f)
{
    const struct endpoint *e = f->endpoint;
    const struct mct_front_http *front = e->front;
    const struct mct_view_opts opts = { .naming = &front->naming, .only = e->name ? &e->name : front->only,
                                        .n_only = e->name ? 1 : front->n_only };
    return mct_gateway_view(front->gateway, &f->view, &opts, &f->offer);
}

static struct face *face_new(struct endpoint *e, const struct mct_offer *offer)
{
    bool room = mct_list_empty(&e->faces) || e->front->n_faces < MCT_LIMIT_FACES || drop_idle(e->front);
    struct face *f = room ? calloc(1, sizeof *f) : NULL;
    if (!f)
        return NULL;
    f->endpoint = e;
    f->offer = *offer;
    if (open_view(f) < 0) {
        free(f);
        return NULL;
    }
    mct_list_append(&e->faces, &f->node);
    e->front->n_faces += !is_first(f);
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

struct face *face_for(struct endpoint *e, const struct mct_client_prefs *prefs)
{
    const struct mct_offer *all = &e->front->gateway->offer;
    const struct mct_offer one = { .ruled = all->ruled }; /* one server alone, with its own names */
    struct mct_offer offer = mct_prefs_offer(prefs, e->name ? &one : all);
    struct face *f = find(e, &offer);
    if (!f)
        f = face_new(e, &offer);
    if (f)
        f->used_ms = mct_sched_now(&e->front->loop->sched);
    return f;
}

struct face *face_of(const struct visit *v, struct mct_str id)
{
    struct face *f = face_for(v->endpoint, &v->prefs);
    if (!f)
        refuse(v->x, 503, MCT_RPC_REFUSED, id, "too many clients with different dialects, modes and policies: try again later");
    return f;
}

void faces_free(struct endpoint *e)
{
    while (!mct_list_empty(&e->faces))
        face_free(face_at(e->faces.next));
}
