/* The lists of servers anew, whatever is known of them. */
#include "api/impl.h"

#include "base/limits.h"

static void stop_refresh(struct mct_request *q, const char *reason)
{
    (void)reason;
    mct_watcher_remove(&q->watcher);
}

static bool is_fetching(const struct mct_provider *p)
{
    return p->state == MCT_CONNECTING || (p->ops->is_fetching && p->ops->is_fetching(p));
}

static void look(struct mct_request *q)
{
    const struct mct_registry *r = &q->api->inst.registry;
    struct mct_buf b;
    for (size_t i = 0; i < r->n; i++)
        if ((!q->only || q->only == r->v[i]) && is_fetching(r->v[i]))
            return;
    stop_refresh(q, NULL);
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    api_put_servers(&b, q->api);
    api_request_finish(q, mct_buf_str(&b), NULL);
    mct_buf_done(&b);
}

static void on_fetched(struct mct_watcher *w, struct mct_provider *p)
{
    (void)p;
    look(MCT_CONTAINER(w, struct mct_request, watcher));
}

struct mct_request *mct_registry_refresh(struct mct_registry *r, const char *server, const struct mct_call_opts *opts,
                                         struct mct_error *err)
{
    struct mct_provider *only = server ? api_find_server(r, server, err) : NULL;
    struct mct_request *q = server && !only ? NULL : api_request_new(r, opts, err);
    if (!q)
        return NULL;
    q->only = only;
    q->watcher = (struct mct_watcher){ .fetched = on_fetched, .state = on_fetched };
    q->stop = stop_refresh;
    mct_registry_watch(r, &q->watcher);
    for (size_t i = 0; i < r->n; i++)
        if ((!only || only == r->v[i]) && r->v[i]->ops->refresh && r->v[i]->state == MCT_CONNECTED)
            r->v[i]->ops->refresh(r->v[i]);
    look(q);
    return q;
}
