/* Resources a client wants to hear of: resources/subscribe of a session, resourceSubscriptions of a listen. */
#include "gateway/impl.h"

#include "base/limits.h"

#include <stdlib.h>

static const char updated[] = "notifications/resources/updated";

enum { OWNER = sizeof(void *), URI_COPIES = 3 /* here, of the topic, and of the server's provider */ };

/* All who want to hear of one resource of one connection to a server. */
struct gw_topic {
    struct mct_map_node by_key; /* in gateway->topics */
    struct mct_list subs;
    size_t len;
    char key[]; /* address of the provider, then the URI */
};

struct gw_sub {
    struct mct_list node; /* in peer->subs or request->subs */
    struct mct_map_node by_key; /* in gateway->subs */
    struct mct_subs *owner;
    struct mct_peer *peer;
    struct gw_request *listen; /* whose list it is in; NULL: the peer's */
    struct mct_principal *principal;
    struct mct_account *payer;
    size_t held;
    struct mct_provider *provider; /* NULL: none has agreed so far */
    struct mct_branch *branch; /* of which that is; NULL: of none */
    struct gw_topic *topic;    /* NULL: the server has not agreed */
    struct mct_list in_topic;
    struct gw_request *request; /* who waits for the agreement; NULL: it has been reached */
    struct mct_agreement agreement;
    struct mct_settle wait; /* for a connection that may not come about */
    size_t next;          /* of the servers that may have it: whom to ask next */
    struct mct_provider *asked; /* the server asked last */
    struct mct_error *error; /* what the last one said; NULL: the search is over */
    size_t len;           /* of the key */
    char key[];           /* address of the list it is in, then the URI */
};

static struct gw_sub *sub_of(struct mct_list *node)
{
    return MCT_CONTAINER(node, struct gw_sub, node);
}

static struct mct_str uri_of(const struct gw_sub *s)
{
    return (struct mct_str){ s->key + OWNER, s->len - OWNER };
}

static void put_key(char *to, const void *owner, struct mct_str uri)
{
    memcpy(to, &owner, OWNER);
    memcpy(to + OWNER, uri.p, uri.len);
}

static struct gw_sub *find(struct mct_gateway *g, const struct mct_subs *owner, struct mct_str uri)
{
    char key[OWNER + MCT_LIMIT_URI_BYTES];
    if (uri.len > MCT_LIMIT_URI_BYTES)
        return NULL;
    put_key(key, owner, uri);
    struct mct_map_node *n = mct_map_get(&g->subs, (struct mct_str){ key, OWNER + uri.len });
    return n ? MCT_CONTAINER(n, struct gw_sub, by_key) : NULL;
}

/* ---- topics ---- */

static struct gw_topic *topic_find(const struct mct_gateway *g, struct mct_str key)
{
    struct mct_map_node *n = mct_map_get(&g->topics, key);
    return n ? MCT_CONTAINER(n, struct gw_topic, by_key) : NULL;
}

static struct gw_topic *topic_new(struct mct_gateway *g, const struct gw_sub *s)
{
    struct gw_topic *t = malloc(sizeof *t + s->len);
    if (!t)
        return NULL;
    t->len = s->len;
    put_key(t->key, s->provider, uri_of(s));
    mct_list_init(&t->subs);
    if (mct_map_put(&g->topics, &t->by_key, (struct mct_str){ t->key, t->len }) == 0)
        return t;
    free(t);
    return NULL;
}

/* The server has agreed: from now on the subscriber is told. */
static int topic_join(struct gw_sub *s)
{
    struct mct_gateway *g = s->peer->gateway;
    char key[OWNER + MCT_LIMIT_URI_BYTES];
    put_key(key, s->provider, uri_of(s));
    s->topic = topic_find(g, (struct mct_str){ key, s->len });
    if (!s->topic)
        s->topic = topic_new(g, s);
    if (!s->topic)
        return -1;
    mct_list_append(&s->topic->subs, &s->in_topic);
    return 0;
}

static void topic_leave(struct gw_sub *s)
{
    struct gw_topic *t = s->topic;
    mct_list_remove(&s->in_topic);
    s->topic = NULL;
    if (!t || !mct_list_empty(&t->subs))
        return;
    mct_map_remove(&s->peer->gateway->topics, &t->by_key);
    free(t);
}

/* ---- life ---- */

static void leave(struct gw_sub *s)
{
    topic_leave(s);
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
    if (s->request && s->request->sub == s)
        s->request->sub = NULL;
    mct_map_remove(&s->peer->gateway->subs, &s->by_key);
    mct_list_remove(&s->node);
    s->owner->n--;
    s->principal->n_subs--;
    mct_account_put(s->payer, MCT_HELD_SUBSCRIPTION, &s->held, 0);
    free(s->error);
    free(s);
}

void gw_subs_clear(struct mct_subs *subs)
{
    while (!mct_list_empty(&subs->list))
        sub_free(sub_of(subs->list.next));
}

/* ---- finding a server that tells ---- */

static void on_agreement(struct mct_agreement *w, const struct mct_error *err);
static void ask_next(struct gw_sub *s);
static int ask(struct gw_sub *s, struct mct_provider *origin);

/* The same server is asked again, over the connection that there is now. */
static void on_connected(struct mct_settle *w)
{
    struct gw_sub *s = MCT_CONTAINER(w, struct gw_sub, wait);
    leave(s);
    if (ask(s, s->asked) < 0)
        ask_next(s);
}

static int ask(struct gw_sub *s, struct mct_provider *origin)
{
    struct mct_provider *p;
    s->asked = origin;
    if (!origin->ops->subscribe)
        return mct_fail(s->error, MCT_ERR_UNSUPPORTED, "server '%s' does not tell when resources change", origin->name);
    p = gw_connection_for(s->request, origin, &s->branch, s->error);
    if (!p)
        return -1;
    if (s->branch && s->branch->spare && !p->settled) {
        s->wait.done = on_connected;
        mct_branch_wait(s->branch, &s->wait, 0);
        return 0;
    }
    int r = p->ops->subscribe(p, uri_of(s), &s->agreement, s->error);
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
    struct mct_error err = *s->error;
    sub_free(s);
    gw_subscribed(r, &err);
}

static void on_agreement(struct mct_agreement *w, const struct mct_error *err)
{
    struct gw_sub *s = MCT_CONTAINER(w, struct gw_sub, agreement);
    struct gw_request *r = s->request;
    if (err)
        *s->error = *err;
    bool joined = !err && topic_join(s) == 0;
    if (!err && !joined)
        mct_no_memory(s->error);
    if (!joined) {
        leave(s);
        ask_next(s);
        return;
    }
    if (r->sub == s)
        r->sub = NULL;
    s->request = NULL;
    free(s->error);
    s->error = NULL;
    gw_subscribed(r, NULL);
}

/* ---- a connection ends ---- */

/* The one that takes its place is asked, as after a lost connection; without one the client can subscribe anew. */
static void move(struct gw_sub *s, const struct mct_branch *from)
{
    struct mct_provider *to = from->spare ? from->origin : NULL;
    struct mct_error err;
    leave(s);
    if (to && to->ops->subscribe(to, uri_of(s), NULL, &err) >= 0)
        s->provider = to;
    if (!s->provider || topic_join(s) < 0)
        sub_free(s);
}

void gw_subs_move(struct mct_gateway *g, const struct mct_branch *from)
{
    MCT_LIST_EACH(it, &g->peers) {
        struct mct_peer *p = MCT_CONTAINER(it, struct mct_peer, node);
        MCT_LIST_EACH(one, &p->subs.list)
            if (sub_of(one)->branch == from && !sub_of(one)->request)
                move(sub_of(one), from);
    }
}

static int check_room(const struct gw_request *r, const struct mct_subs *subs, struct mct_error *err)
{
    size_t max = r->peer->gateway->max_subscriptions;
    if (subs->n >= MCT_LIMIT_SUBSCRIPTIONS)
        return mct_fail(err, MCT_ERR_LIMIT, "no more than %d resources can be subscribed to", MCT_LIMIT_SUBSCRIPTIONS);
    if (r->principal->n_subs >= max)
        return mct_fail(err, MCT_ERR_LIMIT, "all sessions with the same token have %zu subscriptions, as many as "
                        "limits.subscriptions allows", max);
    return 0;
}

static struct gw_sub *sub_new(struct gw_request *r, struct mct_subs *subs, struct mct_str uri, struct mct_error *err)
{
    struct mct_account *payer = r->payer;
    size_t size = sizeof(struct gw_sub) + OWNER + URI_COPIES * uri.len;
    struct mct_account *over = mct_account_charge(payer, MCT_HELD_SUBSCRIPTION, size);
    if (over) {
        mct_fail(err, MCT_ERR_LIMIT, "%s", over->rule->refusal);
        return NULL;
    }
    struct gw_sub *s = calloc(1, sizeof *s + OWNER + uri.len);
    struct mct_error *error = s ? malloc(sizeof *error) : NULL;
    mct_no_memory(err);
    if (!error) {
        free(s);
        mct_account_release(payer, MCT_HELD_SUBSCRIPTION, size);
        return NULL;
    }
    *s = (struct gw_sub){ .owner = subs, .peer = r->peer, .listen = subs == &r->subs ? r : NULL, .principal = r->principal,
                          .payer = payer, .held = size, .request = r, .error = error, .len = OWNER + uri.len };
    put_key(s->key, subs, uri);
    s->agreement.done = on_agreement;
    mct_list_init(&s->agreement.node);
    mct_list_init(&s->in_topic);
    mct_list_append(&subs->list, &s->node);
    subs->n++;
    s->principal->n_subs++;
    mct_fail(s->error, MCT_ERR_NOT_FOUND, "no server has the resource %.*s", MCT_STR_ARG(uri));
    if (mct_map_put(&r->peer->gateway->subs, &s->by_key, (struct mct_str){ s->key, s->len }) == 0)
        return s;
    sub_free(s);
    return NULL;
}

void gw_subs_add(struct gw_request *r, struct mct_subs *subs, struct mct_str uri)
{
    struct mct_error err;
    struct gw_sub *same = find(r->peer->gateway, subs, uri);
    bool there = same && !same->request; /* one that is not agreed to yet says nothing */
    struct gw_sub *s = there || check_room(r, subs, &err) < 0 ? NULL : sub_new(r, subs, uri, &err);
    if (!s) {
        gw_subscribed(r, there ? NULL : &err);
        return;
    }
    if (!s->listen)
        r->sub = s;
    ask_next(s);
}

bool gw_subs_next(struct mct_subs *subs, struct mct_list **at, struct mct_str *ret_uri)
{
    *at = *at ? (*at)->next : subs->list.next;
    if (*at == &subs->list)
        return false;
    *ret_uri = uri_of(sub_of(*at));
    return true;
}

/* The request goes, what it subscribed its session to does not. */
void gw_subs_release(struct gw_request *r)
{
    if (r->sub)
        sub_free(r->sub);
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
    (void)meta;
    if (read_uri(r, msg, &scratch, &uri) < 0)
        return;
    for (struct gw_sub *s; (s = find(r->peer->gateway, &r->peer->subs, uri));)
        give_up(s);
    mct_buf_done(&scratch);
    gw_subscribed(r, NULL);
}

/* ---- a resource changed ---- */

/* What a session gets: of which subscription of ours it came is nobody else's business. */
static struct mct_text *make_update(struct mct_gateway *g, struct mct_str params)
{
    const struct mct_json_set no_id = { MCT_META_SUBSCRIPTION, MCT_STR_NONE };
    struct mct_buf meta, told, b;
    mct_buf_init(&meta, params.len + 16);
    mct_buf_init(&told, 2 * params.len + 64);
    mct_buf_init(&b, 2 * params.len + 256);
    mct_json_put_object(&meta, mct_json_get(params, "_meta"), &no_id, 1);
    const struct mct_json_set set = { "_meta", meta.len > 2 ? mct_buf_str(&meta) : MCT_STR_NONE };
    mct_json_put_object(&told, params, &set, 1);
    gw_put_notification(&b, updated, mct_buf_str(&told));
    struct mct_text *t = mct_buf_ok(&told) && mct_buf_ok(&b) ? mct_text_new(mct_buf_str(&b), &g->memory.whole, NULL) : NULL;
    mct_buf_done(&b);
    mct_buf_done(&told);
    mct_buf_done(&meta);
    return t;
}

/* Nobody is told twice of one change, however many of his subscriptions it is in. */
static void tell_sub(struct gw_sub *s, struct mct_str params, struct mct_text **text)
{
    struct mct_gateway *g = s->peer->gateway;
    if (s->owner->n_updates == g->n_updates || (s->listen && mct_list_empty(&s->listen->listen)))
        return;
    s->owner->n_updates = g->n_updates;
    if (s->listen) {
        gw_tell_listener(s->listen, updated, params);
        return;
    }
    if (!*text)
        *text = make_update(g, params);
    if (*text)
        gw_tell_peer(s->peer, *text, true);
}

static void tell_topic(struct gw_topic *t, struct mct_str params, struct mct_text **text)
{
    MCT_LIST_EACH(it, &t->subs)
        tell_sub(MCT_CONTAINER(it, struct gw_sub, in_topic), params, text);
}

/* Whether a URI that ends there is one that a client may have subscribed to: the server may name a part of that
 * (2025-06-18 "Subscriptions"). */
static bool ends_part(struct mct_str uri, size_t len)
{
    return len == uri.len || uri.p[len - 1] == '/' || (uri.p[len] && strchr("/?#", uri.p[len]));
}

void gw_forward_update(struct mct_gateway *g, struct mct_provider *p, struct mct_str params)
{
    struct mct_text *text = NULL;
    struct mct_buf key;
    unsigned n_parts = 0;
    mct_buf_init(&key, OWNER + MCT_LIMIT_URI_BYTES);
    mct_buf_add(&key, (struct mct_str){ (const char *)&p, OWNER });
    g->n_updates++;
    bool ok = mct_json_unescape(mct_json_get(params, "uri"), &key) == 0 && mct_buf_ok(&key);
    struct mct_str uri = ok ? (struct mct_str){ key.p + OWNER, key.len - OWNER } : MCT_STR_NONE;
    for (size_t len = uri.len; len && g->topics.n && n_parts < MCT_LIMIT_URI_PARTS; len--) {
        if (!ends_part(uri, len))
            continue;
        struct gw_topic *t = topic_find(g, (struct mct_str){ key.p, OWNER + len });
        if (t)
            tell_topic(t, params, &text);
        n_parts++;
    }
    mct_text_unref(text);
    mct_buf_done(&key);
}
