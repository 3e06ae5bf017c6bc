/* Changes of the front while it serves: tokens, hosts and origins. */
#include "front/http/face.h"
#include "front/http/handle.h"
#include "front/http/session.h"

#include "base/limits.h"

#include <stdlib.h>

/* Ends the sessions and requests of a principal, whose token is not valid any more. */
static void update_end_clients(struct mcti_front_http *f, unsigned principal)
{
    MCT_LIST_EACH(it, &f->sessions) {
        struct mcti_http_session *s = MCT_CONTAINER(it, struct mcti_http_session, node);
        if (s->principal == principal)
            mcti_http_session_free(s);
    }
    mcti_gateway_end_tasks(f->gateway, NULL, f->visitors[principal]->principal);
    MCT_LIST_EACH(it, &f->lanes) {
        struct mcti_lane *l = MCT_CONTAINER(it, struct mcti_lane, node);
        if (l->principal != principal)
            continue;
        mcti_session_drop_lane(&l->peer->session, l);
        mcti_lane_close(l);
    }
}

/* The exchanges that run may have borrowed the old header lines. */
static int update_keep_cors(struct mcti_front_http *f)
{
    struct mcti_strings *kept = &f->cors_kept;
    size_t n = f->guard.n_origins;
    char **v = n ? realloc(kept->v, (kept->n + n) * sizeof *v) : kept->v;
    if (n && !v)
        return -1;
    kept->v = v;
    for (size_t i = 0; i < n; i++)
        v[kept->n++] = f->cors[i];
    free(f->cors);
    f->cors = NULL;
    return 0;
}

static bool same_origins(const struct mcti_guard *a, const struct mcti_guard *b)
{
    bool same = a->n_origins == b->n_origins;
    for (size_t i = 0; same && i < a->n_origins; i++)
        same = !strcmp(a->origins[i], b->origins[i]);
    return same;
}

int mcti_front_http_update(struct mcti_front_http *f, const struct mcti_guard *guard, size_t sessions,
                           bool (*same)(const void *data, size_t token), const void *data)
{
    size_t n_before = f->guard.n_tokens;
    bool cors = !same_origins(&f->guard, guard);
    bool *stays = calloc(f->n_visitors + guard->n_tokens, sizeof *stays);
    if (!stays || (cors && update_keep_cors(f) < 0) || mcti_visitors_take(f, guard) < 0) {
        free(stays);
        return -1;
    }
    f->max_sessions = sessions ? sessions : MCT_LIMIT_SESSIONS;
    for (size_t i = 0; i < guard->n_tokens; i++)
        for (size_t k = 1; k < f->n_visitors; k++)
            stays[k] |= !strcmp(f->visitors[k]->name, guard->tokens[i].name) && same(data, i);
    stays[0] = !guard->n_tokens;
    bool any = false;
    for (size_t k = 0; k < f->n_visitors; k++) {
        bool ends = !stays[k] && (k || !n_before);
        if (ends)
            update_end_clients(f, (unsigned)k);
        any |= ends;
    }
    free(stays);
    if (any)
        f->pages->end(f->page_state);
    return cors ? mcti_cors_init(f) : 0;
}
