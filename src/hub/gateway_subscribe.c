/* Resources a client wants to hear of: resources/subscribe of a session, resourceSubscriptions of a listen. */
#include "hub/gateway_impl.h"

#include "base/limits.h"

#include <stdlib.h>

struct gw_sub {
    struct mct_list node; /* in peer->subs or request->subs */
    struct mct_provider *provider;
    size_t len;
    char uri[];
};

static struct gw_sub *sub_of(struct mct_list *node)
{
    return MCT_CONTAINER(node, struct gw_sub, node);
}

static struct mct_str uri_of(const struct gw_sub *s)
{
    return (struct mct_str){ s->uri, s->len };
}

static struct gw_sub *find(struct mct_list *subs, struct mct_str uri, size_t *ret_n)
{
    struct gw_sub *found = NULL;
    *ret_n = 0;
    MCT_LIST_EACH(it, subs) {
        ++*ret_n;
        if (mct_str_eq(uri, uri_of(sub_of(it))))
            found = sub_of(it);
    }
    return found;
}

static void sub_free(struct gw_sub *s)
{
    s->provider->ops->subscribe(s->provider, uri_of(s), false, NULL);
    mct_list_remove(&s->node);
    free(s);
}

void gw_subs_clear(struct mct_list *subs)
{
    while (!mct_list_empty(subs))
        sub_free(sub_of(subs->next));
}

static int subscribe_at(struct mct_list *subs, struct mct_provider *p, struct mct_str uri, struct mct_error *err)
{
    if (!p->ops->subscribe)
        return mct_fail(err, MCT_ERR_UNSUPPORTED, "the server does not tell when resources change");
    struct gw_sub *s = malloc(sizeof *s + uri.len);
    if (!s)
        return mct_fail(err, MCT_ERR_INTERNAL, "out of memory");
    if (p->ops->subscribe(p, uri, true, err) < 0) {
        free(s);
        return -1;
    }
    s->provider = p;
    s->len = uri.len;
    memcpy(s->uri, uri.p, uri.len);
    mct_list_append(subs, &s->node);
    return 0;
}

/* At the first server that may have it and can tell. */
int gw_subs_add(struct mct_view *v, struct mct_list *subs, struct mct_str uri, struct mct_error *err)
{
    struct mct_provider *candidates[16];
    size_t n_known, sure, n;
    if (find(subs, uri, &n_known))
        return 0;
    if (n_known >= MCT_LIMIT_SUBSCRIPTIONS)
        return mct_fail(err, MCT_ERR_LIMIT, "no more than %d resources can be subscribed to", MCT_LIMIT_SUBSCRIPTIONS);
    n = mct_view_for_uri(v, uri, candidates, sizeof candidates / sizeof *candidates, &sure);
    mct_fail(err, MCT_ERR_NOT_FOUND, "no server has the resource %.*s", MCT_STR_ARG(uri));
    for (size_t i = 0; i < n; i++)
        if (subscribe_at(subs, candidates[i], uri, err) == 0)
            return 0;
    return -1;
}

/* ---- resources/subscribe, resources/unsubscribe ---- */

static void change(struct gw_request *r, const struct mct_msg *msg, bool on)
{
    struct mct_buf scratch;
    struct mct_str uri;
    struct mct_error err;
    size_t n;
    mct_buf_init(&scratch, MCT_LIMIT_URI_BYTES);
    int result = gw_text_param(msg, "uri", MCT_LIMIT_URI_BYTES, &scratch, &uri, &err);
    if (result == 0 && on) {
        result = gw_subs_add(r->peer->view, &r->peer->subs, uri, &err);
    } else if (result == 0) {
        struct gw_sub *s = find(&r->peer->subs, uri, &n);
        if (s)
            sub_free(s);
    }
    mct_buf_done(&scratch);
    if (result < 0) {
        err.code = MCT_RPC_INVALID_PARAMS; /* the method is there, it is the resource that cannot be watched */
        gw_fail(r, &err);
        return;
    }
    mct_inbound_result(&r->in, MCT_STR("{}"));
    gw_request_free(r);
}

void gw_subscribe(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    (void)meta;
    change(r, msg, true);
}

void gw_unsubscribe(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    (void)meta;
    change(r, msg, false);
}

/* ---- a resource changed ---- */

/* The server may name a part of what was subscribed to (2025-06-18 "Subscriptions"). */
static bool covers(const struct gw_sub *s, struct mct_str uri)
{
    struct mct_str own = uri_of(s);
    if (!mct_str_starts(uri, own))
        return false;
    return uri.len == own.len || own.p[own.len - 1] == '/' || strchr("/?#", uri.p[own.len]);
}

static bool wanted(struct mct_list *subs, const struct mct_provider *p, struct mct_str uri)
{
    MCT_LIST_EACH(it, subs)
        if (sub_of(it)->provider == p && covers(sub_of(it), uri))
            return true;
    return false;
}

/* Of which subscription of ours it came is nobody else's business. */
static void tell_session(struct mct_peer *peer, const char *method, struct mct_str params)
{
    const struct mct_json_set no_id = { MCT_META_SUBSCRIPTION, MCT_STR_NONE };
    struct mct_buf meta, b;
    mct_buf_init(&meta, params.len + 16);
    mct_buf_init(&b, 2 * params.len + 64);
    mct_json_put_object(&meta, mct_json_get(params, "_meta"), &no_id, 1);
    const struct mct_json_set set = { "_meta", meta.len > 2 ? mct_buf_str(&meta) : MCT_STR_NONE };
    mct_json_put_object(&b, params, &set, 1);
    mct_session_notify(&peer->session, method, mct_buf_str(&b), NULL);
    mct_buf_done(&b);
    mct_buf_done(&meta);
}

static void tell_peer(struct mct_peer *peer, const struct mct_provider *p, struct mct_str uri, struct mct_str params)
{
    static const char method[] = "notifications/resources/updated";
    if (wanted(&peer->subs, p, uri))
        tell_session(peer, method, params);
    MCT_LIST_EACH(it, &peer->listens) {
        struct gw_request *r = MCT_CONTAINER(it, struct gw_request, listen);
        if (wanted(&r->subs, p, uri))
            gw_tell_listener(r, method, params);
    }
}

void gw_forward_update(struct mct_gateway *g, struct mct_provider *p, struct mct_str params)
{
    struct mct_buf uri;
    mct_buf_init(&uri, MCT_LIMIT_URI_BYTES);
    if (mct_json_unescape(mct_json_get(params, "uri"), &uri) == 0 && mct_buf_ok(&uri))
        MCT_LIST_EACH(it, &g->peers)
            tell_peer(MCT_CONTAINER(it, struct mct_peer, node), p, mct_buf_str(&uri), params);
    mct_buf_done(&uri);
}
