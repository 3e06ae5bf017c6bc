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

static void face_free(struct face *f)
{
    mct_peer_free(f->stateless);
    mct_view_done(&f->view);
    mct_list_remove(&f->node);
    f->endpoint->front->n_faces--;
    free(f);
}

/* The first of each endpoint stays: it is the one most clients use. */
static bool drop_idle(struct mct_front_http *front)
{
    for (size_t i = 0; i < front->n_endpoints; i++) {
        const struct endpoint *e = &front->endpoints[i];
        MCT_LIST_EACH(it, &e->faces) {
            struct face *f = face_at(it);
            if (it == e->faces.next || f->n_sessions || f->stateless->session.n_inbound)
                continue;
            face_free(f);
            return true;
        }
    }
    return false;
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
    e->front->n_faces++;
    f->stateless = mct_peer_new(e->front->gateway, &f->view, &stateless_peer_ops, f);
    if (!f->stateless) {
        face_free(f);
        return NULL;
    }
    f->stateless->session.max_inbound = SIZE_MAX; /* each has a connection of its own, and those are counted */
    return f;
}

struct face *face_for(struct endpoint *e, const struct mct_client_prefs *prefs)
{
    static const struct mct_offer nothing = { 0 }; /* one server alone, with its own names */
    struct mct_offer offer = mct_prefs_offer(prefs, e->name ? &nothing : &e->front->gateway->offer);
    MCT_LIST_EACH(it, &e->faces) {
        struct face *f = face_at(it);
        if (f->offer.dialects == offer.dialects && f->offer.alone == offer.alone && f->offer.search == offer.search)
            return f;
    }
    return face_new(e, &offer);
}

void faces_free(struct endpoint *e)
{
    while (!mct_list_empty(&e->faces))
        face_free(face_at(e->faces.next));
}
