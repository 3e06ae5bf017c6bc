/* Resources a client wants to hear of: resources/subscribe of a session, resourceSubscriptions of a listen. */
#include "hub/gateway_impl.h"

#include "base/limits.h"

#include <stdlib.h>

struct gw_sub {
    struct mct_list node; /* in peer->subs or request->subs */
    struct mct_provider *provider; /* NULL: none has agreed so far */
    struct mct_branch *branch; /* of which that is; NULL: of none */
    struct gw_request *request; /* who waits for the agreement; NULL: it has been reached */
    struct mct_agreement agreement;
    struct mct_settle wait; /* for a connection that may not come about */
    size_t next;          /* of the servers that may have it: whom to ask next */
    struct mct_error error; /* what the last one said */
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

static void leave(struct gw_sub *s)
{
    mct_list_remove(&s->agreement.node);
    mct_settle_stop(&s->wait);
    if (s->provider)
        s->provider->ops->unsubscribe(s->provider, uri_of(s));
    mct_branch_unuse(s->branch);
    s->provider = NULL;
    s->branch = NULL;
}

static void sub_free(struct gw_sub *s)
{
    leave(s);
    mct_list_remove(&s->node);
    free(s);
}

void gw_subs_clear(struct mct_list *subs)
{
    while (!mct_list_empty(subs))
        sub_free(sub_of(subs->next));
}

/* ---- finding a server that tells ---- */

static void on_agreement(struct mct_agreement *w, const struct mct_error *err);
static void ask_next(struct gw_sub *s);

/* The same server is asked again, over the connection that there is now. */
static void on_connected(struct mct_settle *w)
{
    struct gw_sub *s = MCT_CONTAINER(w, struct gw_sub, wait);
    leave(s);
    s->next--;
    ask_next(s);
}

static int ask(struct gw_sub *s, struct mct_provider *origin)
{
    struct mct_provider *p;
    if (!origin->ops->subscribe)
        return mct_fail(&s->error, MCT_ERR_UNSUPPORTED, "server '%s' does not tell when resources change", origin->name);
    p = gw_connection_for(s->request, origin, &s->branch, &s->error);
    if (!p)
        return -1;
    if (s->branch && s->branch->spare && !p->settled) {
        s->wait.done = on_connected;
        mct_branch_wait(s->branch, &s->wait, 0);
        return 0;
    }
    int r = p->ops->subscribe(p, uri_of(s), &s->agreement, &s->error);
    if (r < 0) {
        mct_branch_unuse(s->branch);
        s->branch = NULL;
        return -1;
    }
    s->provider = p;
    if (r > 0)
        on_agreement(&s->agreement, NULL);
    return 0;
}

/* The next server that may have the resource is asked; if there is none, that is the end of it. */
static void ask_next(struct gw_sub *s)
{
    struct mct_provider *candidates[16];
    struct gw_request *r = s->request;
    size_t sure, n = mct_view_for_uri(r->peer->view, uri_of(s), candidates, sizeof candidates / sizeof *candidates, &sure);
    while (s->next < n)
        if (ask(s, candidates[s->next++]) == 0)
            return;
    struct mct_error err = s->error;
    sub_free(s);
    gw_subscribed(r, &err);
}

static void on_agreement(struct mct_agreement *w, const struct mct_error *err)
{
    struct gw_sub *s = MCT_CONTAINER(w, struct gw_sub, agreement);
    struct gw_request *r = s->request;
    if (err) {
        s->error = *err;
        leave(s);
        ask_next(s);
        return;
    }
    s->request = NULL;
    gw_subscribed(r, NULL);
}

void gw_subs_add(struct gw_request *r, struct mct_list *subs, struct mct_str uri)
{
    size_t n;
    struct mct_error err;
    struct gw_sub *same = find(subs, uri, &n);
    bool there = same && !same->request; /* one that is not agreed to yet says nothing */
    struct gw_sub *s = there || n >= MCT_LIMIT_SUBSCRIPTIONS ? NULL : calloc(1, sizeof *s + uri.len);
    if (!s) {
        mct_fail(&err, MCT_ERR_LIMIT, "no more than %d resources can be subscribed to", MCT_LIMIT_SUBSCRIPTIONS);
        gw_subscribed(r, there ? NULL : &err);
        return;
    }
    s->request = r;
    s->agreement.done = on_agreement;
    mct_list_init(&s->agreement.node);
    s->len = uri.len;
    memcpy(s->uri, uri.p, uri.len);
    mct_fail(&s->error, MCT_ERR_NOT_FOUND, "no server has the resource %.*s", MCT_STR_ARG(uri));
    mct_list_append(subs, &s->node);
    ask_next(s);
}

bool gw_subs_next(struct mct_list *subs, struct mct_list **at, struct mct_str *ret_uri)
{
    *at = *at ? (*at)->next : subs->next;
    if (*at == subs)
        return false;
    *ret_uri = uri_of(sub_of(*at));
    return true;
}

/* The request goes, what it subscribed its session to does not. */
void gw_subs_release(struct gw_request *r)
{
    MCT_LIST_EACH(it, &r->peer->subs)
        if (sub_of(it)->request == r)
            sub_free(sub_of(it));
}

/* ---- resources/subscribe, resources/unsubscribe ---- */

/* The agreement to what this request asked for, or the end of the search. */
void gw_subscribed(struct gw_request *r, const struct mct_error *err)
{
    struct mct_error why;
    if (r->verb == MCT_VERB_LISTEN) {
        gw_listen_agreed(r);
        return;
    }
    if (err) {
        why = *err;
        why.code = MCT_RPC_INVALID_PARAMS; /* the method is there, it is the resource that cannot be watched */
        gw_fail(r, &why);
        return;
    }
    mct_inbound_result(&r->in, MCT_STR("{}"));
    gw_request_free(r);
}

static int read_uri(struct gw_request *r, const struct mct_msg *msg, struct mct_buf *scratch, struct mct_str *ret)
{
    struct mct_error err;
    mct_buf_init(scratch, MCT_LIMIT_URI_BYTES);
    if (gw_text_param(msg, "uri", MCT_LIMIT_URI_BYTES, scratch, ret, &err) == 0)
        return 0;
    mct_buf_done(scratch);
    gw_fail(r, &err);
    return -1;
}

void gw_subscribe(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct mct_buf scratch;
    struct mct_str uri;
    (void)meta;
    if (read_uri(r, msg, &scratch, &uri) < 0)
        return;
    gw_subs_add(r, &r->peer->subs, uri);
    mct_buf_done(&scratch);
}

static void give_up(struct gw_sub *s)
{
    struct gw_request *waiting = s->request;
    struct mct_error err;
    sub_free(s);
    mct_fail(&err, MCT_ERR_CANCELLED, "the client has unsubscribed meanwhile");
    if (waiting)
        gw_subscribed(waiting, &err);
}

void gw_unsubscribe(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct mct_buf scratch;
    struct mct_str uri;
    size_t n;
    (void)meta;
    if (read_uri(r, msg, &scratch, &uri) < 0)
        return;
    for (struct gw_sub *s; (s = find(&r->peer->subs, uri, &n));)
        give_up(s);
    mct_buf_done(&scratch);
    gw_subscribed(r, NULL);
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
        if (sub_of(it)->provider == p && !sub_of(it)->request && covers(sub_of(it), uri))
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
