/* Subscriptions of the program to resources. */
#include "api/request.h"

#include <mcptools/watch.h>
#include <stdlib.h>

/* One subscription, accepted or requested. */
struct api_sub {
    struct mcti_list node; /* in instance->subs */
    struct mcti_provider *provider;
    char *uri;
};

static void subscribe_free(struct api_sub *s)
{
    mcti_list_remove(&s->node);
    free(s->uri);
    free(s);
}

static void sub_end(struct api_sub *s)
{
    s->provider->ops->unsubscribe(s->provider, mcti_str_of(s->uri));
    subscribe_free(s);
}

/* Takes the subscription from its request. */
static struct api_sub *sub_take(struct mct_request *q)
{
    struct api_sub *s = q->sub;
    mcti_list_remove(&q->agreement.node);
    q->sub = NULL;
    return s;
}

static void sub_stop(struct mct_request *q, const char *reason)
{
    (void)reason;
    sub_end(sub_take(q));
}

static void sub_finish(struct mct_request *q)
{
    struct api_sub *s = sub_take(q);
    struct mcti_buf b;
    mcti_buf_init(&b, 6 * strlen(s->provider->name) + 32);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "server", mcti_str_of(s->provider->name));
    mcti_buf_addc(&b, '}');
    mcti_list_append(&q->api->subs, &s->node);
    mcti_api_request_finish(q, mcti_buf_str(&b), NULL);
    mcti_buf_done(&b);
}

static void sub_fail(struct mct_request *q, const struct mct_error *err)
{
    struct mct_error why = *err;
    mcti_error_wrap(&why, "server '%s'", q->sub->provider->name);
    mcti_api_name_server(q->api, q->sub->provider, &why);
    sub_end(sub_take(q));
    mcti_api_request_finish(q, MCT_STR_NONE, &why);
}

void mcti_api_forget_subs(struct mct_instance *a, const struct mcti_provider *p)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_CONNECT, "it was removed");
    MCT_LIST_EACH(it, &a->subs) {
        struct api_sub *s = MCT_CONTAINER(it, struct api_sub, node);
        if (!p || s->provider == p)
            subscribe_free(s);
    }
    MCT_LIST_EACH(it, &a->requests) {
        struct mct_request *q = MCT_CONTAINER(it, struct mct_request, node);
        if (p && q->sub && q->sub->provider == p)
            sub_fail(q, &err);
    }
}

static void sub_on_agreed(struct mcti_agreement *w, const struct mct_error *err)
{
    struct mct_request *q = MCT_CONTAINER(w, struct mct_request, agreement);
    if (err)
        sub_fail(q, err);
    else
        sub_finish(q);
}

static struct mcti_provider *subscribe_find(struct mct_instance *a, const char *server, const char *uri,
                                            struct mct_error *err)
{
    struct mcti_provider *p = NULL;
    size_t sure;
    if (server)
        return mcti_api_find_server(a, server, err);
    if (!mcti_view_for_uri(&a->inst.view, mcti_str_of(uri), &p, 1, &sure))
        mcti_fail(err, MCT_ERR_NOT_FOUND, "no connected server has the resource %s", uri);
    return p;
}

static int sub_start(struct mct_request *q, struct mcti_provider *p, const char *uri, struct mct_error *err)
{
    if (!p->ops->subscribe)
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "server '%s' has no resource subscriptions", p->name);
    struct api_sub *s = calloc(1, sizeof *s);
    if (s)
        *s = (struct api_sub){ .provider = p, .uri = strdup(uri) };
    if (!s || !s->uri) {
        free(s);
        return mcti_no_memory(err);
    }
    mcti_list_init(&s->node);
    mcti_list_init(&q->agreement.node);
    q->agreement.done = sub_on_agreed;
    int r = p->ops->subscribe(p, mcti_str_of(uri), &q->agreement, err);
    if (r < 0) {
        mcti_error_wrap(err, "server '%s'", p->name);
        mcti_api_name_server(q->api, p, err);
        subscribe_free(s);
        return -1;
    }
    q->sub = s;
    q->stop = sub_stop;
    if (r)
        sub_finish(q);
    return 0;
}

struct mct_request *mct_instance_subscribe(struct mct_instance *a, const char *server, const char *uri,
                                           const struct mct_call_opts *opts, struct mct_error *err)
{
    struct mct_request *q = NULL;
    if (!uri)
        mcti_fail(err, MCT_ERR_USAGE, "the URI is NULL");
    else
        q = mcti_api_request_new(a, opts, err);
    struct mcti_provider *p = q ? subscribe_find(a, server, uri, err) : NULL;
    return api_request_started(q, p ? sub_start(q, p, uri, err) : -1);
}

int mct_instance_unsubscribe(struct mct_instance *a, const char *server, const char *uri, struct mct_error *err)
{
    MCT_LIST_EACH(it, &a->subs) {
        struct api_sub *s = MCT_CONTAINER(it, struct api_sub, node);
        if (!uri || strcmp(s->uri, uri) != 0 || (server && strcmp(s->provider->name, server) != 0))
            continue;
        sub_end(s);
        return 0;
    }
    return mcti_fail(err, MCT_ERR_NOT_FOUND, "no subscription to %s", uri ? uri : "(NULL)");
}
