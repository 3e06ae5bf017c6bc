/* Subscriptions to resources: resources/subscribe of a session, resourceSubscriptions of subscriptions/listen. */
#include "gateway/subscribe.h"

#include "gateway/answer.h"
#include "gateway/branch.h"
#include "gateway/call.h"
#include "gateway/fan.h"
#include "gateway/listen.h"
#include "gateway/read.h"

#include "base/limits.h"

#include <stdlib.h>

static const char updated[] = "notifications/resources/updated";

enum { OWNER = sizeof(void *), URI_COPIES = 3 /* subscription, topic, provider */ };

/* All subscriptions to one resource at one connection. */
struct gw_topic {
    struct mcti_map_node by_key; /* in gateway->topics */
    struct mcti_list subs;
    size_t len;
    char key[]; /* address of the provider, then the URI */
};

struct gw_sub {
    struct mcti_list node;       /* in peer->subs or request->subs */
    struct mcti_map_node by_key; /* in gateway->subs */
    struct mcti_subs *owner;
    struct mcti_peer *peer;
    struct mcti_gw_request *listen; /* owner of the list, for a subscriptions/listen; NULL: the peer owns it */
    struct mcti_principal *principal;
    struct mcti_account *payer;
    size_t held;
    struct mcti_provider *provider; /* connection that the server accepted it on; NULL: none so far */
    struct mcti_branch *branch;     /* branch of `provider`; NULL: the shared connection */
    struct gw_topic *topic;         /* NULL: not accepted yet */
    struct mcti_list in_topic;
    struct mcti_gw_request *request; /* request waiting for the acceptance; NULL: accepted */
    struct mcti_agreement agreement;
    struct mcti_settle wait;     /* for a connection that may fail */
    size_t next;                 /* next candidate to try */
    struct mcti_provider *asked; /* candidate tried last */
    struct mct_error *error;     /* error of the last candidate; NULL: the search is over */
    size_t len;                  /* of the key */
    char key[];                  /* address of `owner`, then the URI */
};

static struct gw_sub *gateway_subscribe_sub_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct gw_sub, node);
}

static struct mcti_str gateway_subscribe_uri_of(const struct gw_sub *s)
{
    return (struct mcti_str){ s->key + OWNER, s->len - OWNER };
}

static void gateway_subscribe_put_key(char *to, const void *owner, struct mcti_str uri)
{
    memcpy(to, &owner, OWNER);
    memcpy(to + OWNER, uri.p, uri.len);
}

static struct gw_sub *gateway_subscribe_find(struct mcti_gateway *g, const struct mcti_subs *owner, struct mcti_str uri)
{
    char key[OWNER + MCT_LIMIT_URI_BYTES];
    if (uri.len > MCT_LIMIT_URI_BYTES)
        return NULL;
    gateway_subscribe_put_key(key, owner, uri);
    struct mcti_map_node *n = mcti_map_get(&g->subs, (struct mcti_str){ key, OWNER + uri.len });
    return n ? MCT_CONTAINER(n, struct gw_sub, by_key) : NULL;
}

/* ---- topics ---- */

static struct gw_topic *topic_find(const struct mcti_gateway *g, struct mcti_str key)
{
    struct mcti_map_node *n = mcti_map_get(&g->topics, key);
    return n ? MCT_CONTAINER(n, struct gw_topic, by_key) : NULL;
}

static struct gw_topic *topic_new(struct mcti_gateway *g, const struct gw_sub *s)
{
    struct gw_topic *t = malloc(sizeof *t + s->len);
    if (!t)
        return NULL;
    t->len = s->len;
    gateway_subscribe_put_key(t->key, s->provider, gateway_subscribe_uri_of(s));
    mcti_list_init(&t->subs);
    if (mcti_map_put(&g->topics, &t->by_key, (struct mcti_str){ t->key, t->len }) == 0)
        return t;
    free(t);
    return NULL;
}

/* Adds the subscription to the topic of its resource, whose updates it receives from now on. */
static int topic_join(struct gw_sub *s)
{
    struct mcti_gateway *g = s->peer->gateway;
    char key[OWNER + MCT_LIMIT_URI_BYTES];
    gateway_subscribe_put_key(key, s->provider, gateway_subscribe_uri_of(s));
    s->topic = topic_find(g, (struct mcti_str){ key, s->len });
    if (!s->topic)
        s->topic = topic_new(g, s);
    if (!s->topic)
        return -1;
    mcti_list_append(&s->topic->subs, &s->in_topic);
    return 0;
}

static void topic_leave(struct gw_sub *s)
{
    struct gw_topic *t = s->topic;
    mcti_list_remove(&s->in_topic);
    s->topic = NULL;
    if (!t || !mcti_list_empty(&t->subs))
        return;
    mcti_map_remove(&s->peer->gateway->topics, &t->by_key);
    free(t);
}

/* ---- life ---- */

static void gateway_subscribe_leave(struct gw_sub *s)
{
    topic_leave(s);
    mcti_list_remove(&s->agreement.node);
    mcti_settle_stop(&s->wait);
    if (s->provider)
        s->provider->ops->unsubscribe(s->provider, gateway_subscribe_uri_of(s));
    mcti_branch_unuse(s->branch);
    s->provider = NULL;
    s->branch = NULL;
}

static void gateway_subscribe_sub_free(struct gw_sub *s)
{
    gateway_subscribe_leave(s);
    if (s->request && s->request->sub == s)
        s->request->sub = NULL;
    mcti_map_remove(&s->peer->gateway->subs, &s->by_key);
    mcti_list_remove(&s->node);
    s->owner->n--;
    s->principal->n_subs--;
    mcti_account_put(s->payer, MCT_HELD_SUBSCRIPTION, &s->held, 0);
    free(s->error);
    free(s);
}

void mcti_gw_subs_clear(struct mcti_subs *subs)
{
    while (!mcti_list_empty(&subs->list))
        gateway_subscribe_sub_free(gateway_subscribe_sub_of(subs->list.next));
}

/* ---- searching for a server ---- */

static void gateway_subscribe_on_agreement(struct mcti_agreement *w, const struct mct_error *err);
static void gateway_subscribe_ask_next(struct gw_sub *s);
static int gateway_subscribe_ask(struct gw_sub *s, struct mcti_provider *origin);

/* Tries the same server again over its new connection. */
static void gateway_subscribe_on_connected(struct mcti_settle *w)
{
    struct gw_sub *s = MCT_CONTAINER(w, struct gw_sub, wait);
    gateway_subscribe_leave(s);
    if (gateway_subscribe_ask(s, s->asked) < 0)
        gateway_subscribe_ask_next(s);
}

static int gateway_subscribe_ask(struct gw_sub *s, struct mcti_provider *origin)
{
    struct mcti_provider *p;
    s->asked = origin;
    if (origin->retired)
        return mcti_fail(s->error, MCT_ERR_CONNECT, "server '%s' was removed", origin->name);
    if (!origin->ops->subscribe)
        return mcti_fail(s->error, MCT_ERR_UNSUPPORTED, "server '%s' does not send resource updates", origin->name);
    p = mcti_gw_connection_for(s->request, origin, &s->branch, s->error);
    if (!p)
        return -1;
    if (s->branch && s->branch->spare && !p->settled) {
        s->wait.done = gateway_subscribe_on_connected;
        mcti_branch_wait(s->branch, &s->wait, 0);
        return 0;
    }
    int r = p->ops->subscribe(p, gateway_subscribe_uri_of(s), &s->agreement, s->error);
    if (r < 0) {
        mcti_branch_unuse(s->branch);
        s->branch = NULL;
        return -1;
    }
    s->provider = p;
    if (r > 0)
        gateway_subscribe_on_agreement(&s->agreement, NULL);
    return 0;
}

/* Tries the next server that may have the resource; without one the subscription fails. */
static void gateway_subscribe_ask_next(struct gw_sub *s)
{
    struct mcti_provider *candidates[16];
    struct mcti_gw_request *r = s->request;
    size_t sure, n = mcti_view_for_uri(r->peer->view, gateway_subscribe_uri_of(s), candidates,
                                       sizeof candidates / sizeof *candidates, &sure);
    while (s->next < n)
        if (gateway_subscribe_ask(s, candidates[s->next++]) == 0)
            return;
    struct mct_error err = *s->error;
    gateway_subscribe_sub_free(s);
    mcti_gw_subscribed(r, &err);
}

static void gateway_subscribe_on_agreement(struct mcti_agreement *w, const struct mct_error *err)
{
    struct gw_sub *s = MCT_CONTAINER(w, struct gw_sub, agreement);
    struct mcti_gw_request *r = s->request;
    if (err)
        *s->error = *err;
    bool joined = !err && topic_join(s) == 0;
    if (!err && !joined)
        mcti_no_memory(s->error);
    if (!joined) {
        gateway_subscribe_leave(s);
        gateway_subscribe_ask_next(s);
        return;
    }
    if (r->sub == s)
        r->sub = NULL;
    s->request = NULL;
    free(s->error);
    s->error = NULL;
    mcti_gw_subscribed(r, NULL);
}

/* Subscribes at the connection `to`, as after a lost connection. NULL ends the subscription; the client may repeat
 * it. */
static void gateway_subscribe_move(struct gw_sub *s, struct mcti_provider *to)
{
    struct mct_error err;
    gateway_subscribe_leave(s);
    if (to && to->ops->subscribe && to->ops->subscribe(to, gateway_subscribe_uri_of(s), NULL, &err) >= 0)
        s->provider = to;
    if (!s->provider || topic_join(s) < 0)
        gateway_subscribe_sub_free(s);
}

/* ---- servers that come and go ---- */

/* Calls `fn` for the subscriptions of all clients. */
static void gateway_subscribe_each(struct mcti_gateway *g, void (*fn)(struct mcti_subs *subs, const void *data),
                                   const void *data)
{
    MCT_LIST_EACH(it, &g->peers) {
        struct mcti_peer *p = MCT_CONTAINER(it, struct mcti_peer, node);
        fn(&p->subs, data);
        MCT_LIST_EACH(one, &p->session.inbound) /* a listen that is not acknowledged yet as well */
            fn(&MCT_CONTAINER(MCT_CONTAINER(one, struct mcti_inbound, node), struct mcti_gw_request, in)->subs, data);
    }
}

/* Moves a subscription from a connection that ends to `to`; one that was not accepted there asks the next server. */
static void gateway_subscribe_part(struct gw_sub *s, struct mcti_provider *to)
{
    if (!s->request) {
        gateway_subscribe_move(s, to);
        return;
    }
    gateway_subscribe_leave(s);
    gateway_subscribe_ask_next(s);
}

static void gateway_subscribe_from_branch(struct mcti_subs *subs, const void *data)
{
    const struct mcti_branch *from = data;
    MCT_LIST_EACH(it, &subs->list) {
        struct gw_sub *s = gateway_subscribe_sub_of(it);
        if (s->branch == from)
            gateway_subscribe_part(s, from->spare ? from->origin : NULL);
    }
}

void mcti_gw_subs_move(struct mcti_gateway *g, const struct mcti_branch *from)
{
    gateway_subscribe_each(g, gateway_subscribe_from_branch, from);
}

static void gateway_subscribe_follow(struct mcti_subs *subs, const void *data)
{
    struct mcti_provider *to = (struct mcti_provider *)data;
    MCT_LIST_EACH(it, &subs->list) {
        struct gw_sub *s = gateway_subscribe_sub_of(it);
        if (s->provider && s->provider->retired && !s->branch && !s->request && !strcmp(s->provider->name, to->name))
            gateway_subscribe_move(s, to);
    }
}

void mcti_gw_subs_follow(struct mcti_gateway *g, struct mcti_provider *to)
{
    gateway_subscribe_each(g, gateway_subscribe_follow, to);
}

static void gateway_subscribe_from_server(struct mcti_subs *subs, const void *data)
{
    const struct mcti_provider *from = data;
    MCT_LIST_EACH(it, &subs->list) {
        struct gw_sub *s = gateway_subscribe_sub_of(it);
        if (s->provider == from)
            gateway_subscribe_part(s, mcti_registry_find(s->peer->gateway->registry, mcti_str_of(from->name)));
    }
}

void mcti_gw_subs_leave(struct mcti_gateway *g, struct mcti_provider *from)
{
    gateway_subscribe_each(g, gateway_subscribe_from_server, from);
}

/* ---- adding ---- */

static int check_room(const struct mcti_gw_request *r, const struct mcti_subs *subs, struct mct_error *err)
{
    size_t max = r->peer->gateway->max_subscriptions;
    if (subs->n >= MCT_LIMIT_SUBSCRIPTIONS)
        return mcti_fail(err, MCT_ERR_LIMIT, "too many subscriptions of one client (limit %d)",
                         MCT_LIMIT_SUBSCRIPTIONS);
    if (r->principal->n_subs >= max)
        return mcti_fail(err, MCT_ERR_LIMIT,
                         "all sessions with the same token have %zu subscriptions, as many as "
                         "limits.subscriptions allows",
                         max);
    return 0;
}

static struct gw_sub *gateway_subscribe_sub_new(struct mcti_gw_request *r, struct mcti_subs *subs, struct mcti_str uri,
                                                struct mct_error *err)
{
    struct mcti_account *payer = r->payer;
    size_t size = sizeof(struct gw_sub) + OWNER + URI_COPIES * uri.len;
    struct mcti_account *over = mcti_account_charge(payer, MCT_HELD_SUBSCRIPTION, size);
    if (over) {
        mcti_fail(err, MCT_ERR_LIMIT, "%s", over->rule->refusal);
        return NULL;
    }
    struct gw_sub *s = calloc(1, sizeof *s + OWNER + uri.len);
    struct mct_error *error = s ? malloc(sizeof *error) : NULL;
    mcti_no_memory(err);
    if (!error) {
        free(s);
        mcti_account_release(payer, MCT_HELD_SUBSCRIPTION, size);
        return NULL;
    }
    *s = (struct gw_sub){ .owner = subs,
                          .peer = r->peer,
                          .listen = subs == &r->subs ? r : NULL,
                          .principal = r->principal,
                          .payer = payer,
                          .held = size,
                          .request = r,
                          .error = error,
                          .len = OWNER + uri.len };
    gateway_subscribe_put_key(s->key, subs, uri);
    s->agreement.done = gateway_subscribe_on_agreement;
    mcti_list_init(&s->agreement.node);
    mcti_list_init(&s->in_topic);
    mcti_list_append(&subs->list, &s->node);
    subs->n++;
    s->principal->n_subs++;
    mcti_fail(s->error, MCT_ERR_NOT_FOUND, "no server has the resource %.*s", MCT_STR_ARG(uri));
    if (mcti_map_put(&r->peer->gateway->subs, &s->by_key, (struct mcti_str){ s->key, s->len }) == 0)
        return s;
    gateway_subscribe_sub_free(s);
    return NULL;
}

void mcti_gw_subs_add(struct mcti_gw_request *r, struct mcti_subs *subs, struct mcti_str uri)
{
    struct mct_error err;
    struct gw_sub *same = gateway_subscribe_find(r->peer->gateway, subs, uri);
    bool there = same && !same->request; /* one that is not accepted yet may still fail */
    bool may = there || (mcti_gw_admit_uri(r, uri, &err) == 0 && check_room(r, subs, &err) == 0);
    struct gw_sub *s = there || !may ? NULL : gateway_subscribe_sub_new(r, subs, uri, &err);
    if (!s) {
        mcti_gw_subscribed(r, there ? NULL : &err);
        return;
    }
    if (!s->listen)
        r->sub = s;
    gateway_subscribe_ask_next(s);
}

bool mcti_gw_subs_next(struct mcti_subs *subs, struct mcti_list **at, struct mcti_str *ret_uri)
{
    *at = *at ? (*at)->next : subs->list.next;
    if (*at == &subs->list)
        return false;
    *ret_uri = gateway_subscribe_uri_of(gateway_subscribe_sub_of(*at));
    return true;
}

void mcti_gw_subs_release(struct mcti_gw_request *r)
{
    if (r->sub)
        gateway_subscribe_sub_free(r->sub);
}

/* ---- resources/subscribe, resources/unsubscribe ---- */

void mcti_gw_subscribed(struct mcti_gw_request *r, const struct mct_error *err)
{
    struct mct_error why;
    if (r->verb == MCT_VERB_LISTEN) {
        mcti_gw_listen_agreed(r);
        return;
    }
    if (err) {
        why = *err;
        why.code = MCT_RPC_INVALID_PARAMS; /* not "method not found": only this resource has no updates */
        mcti_gw_fail(r, &why);
        return;
    }
    mcti_inbound_result(&r->in, MCT_STR("{}"));
    mcti_gw_request_free(r);
}

/* Reads the parameter "uri". TAKEN: there is none, and the request has been answered. */
static enum mcti_gw_step subscribe_read_uri(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                            struct mcti_buf *scratch, struct mcti_str *ret)
{
    struct mct_error err;
    mcti_buf_init(scratch, MCT_LIMIT_URI_BYTES);
    if (mcti_gw_text_param(msg, "uri", MCT_LIMIT_URI_BYTES, scratch, ret, &err) == 0)
        return GO_ON;
    mcti_buf_done(scratch);
    mcti_gw_fail(r, &err);
    return TAKEN;
}

void mcti_gw_subscribe(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mcti_buf scratch;
    struct mcti_str uri;
    (void)meta;
    if (subscribe_read_uri(r, msg, &scratch, &uri) == TAKEN)
        return;
    mcti_gw_subs_add(r, &r->peer->subs, uri);
    mcti_buf_done(&scratch);
}

static void gateway_subscribe_give_up(struct gw_sub *s)
{
    struct mcti_gw_request *waiting = s->request;
    struct mct_error err;
    gateway_subscribe_sub_free(s);
    mcti_fail(&err, MCT_ERR_CANCELLED, "the client unsubscribed before the server accepted the subscription");
    if (waiting)
        mcti_gw_subscribed(waiting, &err);
}

void mcti_gw_unsubscribe(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mcti_buf scratch;
    struct mcti_str uri;
    (void)meta;
    if (subscribe_read_uri(r, msg, &scratch, &uri) == TAKEN)
        return;
    for (struct gw_sub *s; (s = gateway_subscribe_find(r->peer->gateway, &r->peer->subs, uri));)
        gateway_subscribe_give_up(s);
    mcti_buf_done(&scratch);
    mcti_gw_subscribed(r, NULL);
}

/* ---- updates ---- */

/* Makes the notification for sessions, without the id of the gateway's own subscription at the server. */
static struct mcti_text *make_update(struct mcti_gateway *g, struct mcti_str params)
{
    const struct mcti_json_set no_id = { MCT_META_SUBSCRIPTION, MCT_STR_NONE };
    struct mcti_buf meta, told, b;
    mcti_buf_init(&meta, params.len + 16);
    mcti_buf_init(&told, 2 * params.len + 64);
    mcti_buf_init(&b, 2 * params.len + 256);
    mcti_json_put_object(&meta, mcti_json_get(params, "_meta"), &no_id, 1);
    const struct mcti_json_set set = { "_meta", meta.len > 2 ? mcti_buf_str(&meta) : MCT_STR_NONE };
    mcti_json_put_object(&told, params, &set, 1);
    mcti_gw_put_notification(&b, updated, mcti_buf_str(&told));
    struct mcti_text *t =
        mcti_buf_ok(&told) && mcti_buf_ok(&b) ? mcti_text_new(mcti_buf_str(&b), &g->memory.whole, NULL) : NULL;
    mcti_buf_done(&b);
    mcti_buf_done(&told);
    mcti_buf_done(&meta);
    return t;
}

/* Sends an update to the owner of the subscription, once for all subscriptions that it matches. */
static void tell_sub(struct gw_sub *s, struct mcti_str params, struct mcti_text **text)
{
    struct mcti_gateway *g = s->peer->gateway;
    if (s->owner->n_updates == g->n_updates || (s->listen && mcti_list_empty(&s->listen->listen)))
        return;
    s->owner->n_updates = g->n_updates;
    if (s->listen) {
        mcti_gw_tell_listener(s->listen, updated, params);
        return;
    }
    if (!*text)
        *text = make_update(g, params);
    if (*text)
        mcti_gw_tell_peer(s->peer, *text, true);
}

static void tell_topic(struct gw_topic *t, struct mcti_str params, struct mcti_text **text)
{
    MCT_LIST_EACH(it, &t->subs)
        tell_sub(MCT_CONTAINER(it, struct gw_sub, in_topic), params, text);
}

/* Returns whether the first `len` bytes of the URI may be a subscribed URI: the server may report a sub-resource of it
 * (2025-06-18 "Subscriptions"). */
static bool ends_part(struct mcti_str uri, size_t len)
{
    return len == uri.len || uri.p[len - 1] == '/' || (uri.p[len] && strchr("/?#", uri.p[len]));
}

void mcti_gw_forward_update(struct mcti_gateway *g, struct mcti_provider *p, struct mcti_str params)
{
    struct mcti_text *text = NULL;
    struct mcti_buf key;
    unsigned n_parts = 0;
    mcti_buf_init(&key, OWNER + MCT_LIMIT_URI_BYTES);
    mcti_buf_add(&key, (struct mcti_str){ (const char *)&p, OWNER });
    g->n_updates++;
    bool ok = mcti_json_unescape(mcti_json_get(params, "uri"), &key) == 0 && mcti_buf_ok(&key);
    struct mcti_str uri = ok ? (struct mcti_str){ key.p + OWNER, key.len - OWNER } : MCT_STR_NONE;
    for (size_t len = uri.len; len && g->topics.n && n_parts < MCT_LIMIT_URI_PARTS; len--) {
        if (!ends_part(uri, len))
            continue;
        struct gw_topic *t = topic_find(g, (struct mcti_str){ key.p, OWNER + len });
        if (t)
            tell_topic(t, params, &text);
        n_parts++;
    }
    mcti_text_unref(text);
    mcti_buf_done(&key);
}
