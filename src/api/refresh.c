/* mct_instance_refresh(): fetches the lists of servers again. */
#include "api/request.h"

#include "base/limits.h"

static void stop_refresh(struct mct_request *q, const char *reason)
{
    (void)reason;
    mcti_watcher_remove(&q->watcher);
}

static bool is_fetching(const struct mcti_provider *p)
{
    return p->state == MCT_CONNECTING || (p->ops->is_fetching && p->ops->is_fetching(p));
}

/* Finishes the request if all its servers have been fetched. */
static void refresh_check(struct mct_request *q)
{
    const struct mcti_registry *r = &q->api->inst.registry;
    struct mcti_buf b;
    for (size_t i = 0; i < r->n; i++)
        if ((!q->only || q->only == r->v[i]) && is_fetching(r->v[i]))
            return;
    stop_refresh(q, NULL);
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_api_put_servers(&b, q->api);
    mcti_api_request_finish(q, mcti_buf_str(&b), NULL);
    mcti_buf_done(&b);
}

static void refresh_on_fetched(struct mcti_watcher *w, struct mcti_provider *p)
{
    (void)p;
    refresh_check(MCT_CONTAINER(w, struct mct_request, watcher));
}

struct mct_request *mct_instance_refresh(struct mct_instance *r, const char *server, const struct mct_call_opts *opts,
                                         struct mct_error *err)
{
    struct mcti_provider *only = server ? mcti_api_find_server(r, server, err) : NULL;
    struct mct_request *q = server && !only ? NULL : mcti_api_request_new(r, opts, err);
    if (!q)
        return NULL;
    q->only = only;
    q->watcher = (struct mcti_watcher){ .fetched = refresh_on_fetched, .state = refresh_on_fetched };
    q->stop = stop_refresh;
    mcti_registry_watch(&mcti_api_of(r)->inst.registry, &q->watcher);
    for (size_t i = 0; i < mcti_api_of(r)->inst.registry.n; i++)
        if ((!only || only == mcti_api_of(r)->inst.registry.v[i]) && mcti_api_of(r)->inst.registry.v[i]->ops->refresh &&
            mcti_api_of(r)->inst.registry.v[i]->state == MCT_CONNECTED)
            mcti_api_of(r)->inst.registry.v[i]->ops->refresh(mcti_api_of(r)->inst.registry.v[i]);
    refresh_check(q);
    return q;
}
