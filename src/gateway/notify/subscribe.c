/* Subscriptions to resources: resources/subscribe of a session, resourceSubscriptions of subscriptions/listen. */
#include "gateway/subscribe.h"

#include "gateway/answer.h"
#include "gateway/apps.h"
#include "gateway/branch.h"
#include "gateway/call.h"
#include "gateway/listen.h"
#include "gateway/notify/topic.h"
#include "gateway/read.h"

#include "base/limits.h"

#include <stdlib.h>

enum { URI_COPIES = 3 /* subscription, topic, provider */ };

static struct mcti_gw_sub *gateway_subscribe_sub_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct mcti_gw_sub, node);
}

static struct mcti_gw_sub *gateway_subscribe_find(struct mcti_gateway *g, const struct mcti_subs *owner,
                                                  struct mcti_str uri)
{
    char key[GW_SUB_OWNER + MCT_LIMIT_URI_BYTES];
    if (uri.len > MCT_LIMIT_URI_BYTES)
        return NULL;
    mcti_gw_sub_put_key(key, owner, uri);
    struct mcti_map_node *n = mcti_map_get(&g->subs, (struct mcti_str){ key, GW_SUB_OWNER + uri.len });
    return n ? MCT_CONTAINER(n, struct mcti_gw_sub, by_key) : NULL;
}

/* ---- life ---- */

static void gateway_subscribe_leave(struct mcti_gw_sub *s)
{
    mcti_gw_topic_leave(s);
    mcti_list_remove(&s->agreement.node);
    mcti_settle_stop(&s->wait);
    if (s->provider)
        s->provider->ops->unsubscribe(s->provider, mcti_gw_sub_own(s));
    mcti_branch_unuse(s->branch);
    s->provider = NULL;
    s->branch = NULL;
}

static void gateway_subscribe_sub_free(struct mcti_gw_sub *s)
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
    free(s->own);
    free(s);
}

void mcti_gw_subs_clear(struct mcti_subs *subs)
{
    while (!mcti_list_empty(&subs->list))
        gateway_subscribe_sub_free(gateway_subscribe_sub_of(subs->list.next));
}

/* ---- searching for a server ---- */

static void gateway_subscribe_on_agreement(struct mcti_agreement *w, const struct mct_error *err);
static void gateway_subscribe_ask_next(struct mcti_gw_sub *s);
static int gateway_subscribe_ask(struct mcti_gw_sub *s, struct mcti_provider *origin);

/* Tries the same server again over its new connection. */
static void gateway_subscribe_on_connected(struct mcti_settle *w)
{
    struct mcti_gw_sub *s = MCT_CONTAINER(w, struct mcti_gw_sub, wait);
    gateway_subscribe_leave(s);
    if (gateway_subscribe_ask(s, s->asked) < 0)
        gateway_subscribe_ask_next(s);
}

static int gateway_subscribe_ask(struct mcti_gw_sub *s, struct mcti_provider *origin)
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
    int r = p->ops->subscribe(p, mcti_gw_sub_own(s), &s->agreement, s->error);
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

/* Returns the server of a skill that is named in the URI, and sets s->own; NULL: none is. */
static struct mcti_provider *gateway_subscribe_skill_server(struct mcti_gw_sub *s)
{
    struct mcti_buf own;
    mcti_buf_init(&own, MCT_LIMIT_URI_BYTES);
    struct mcti_provider *p = mcti_view_skill_server(s->request->peer->view, mcti_gw_sub_uri(s), &own);
    if (p && !s->own)
        s->own = mcti_buf_take(&own);
    mcti_buf_done(&own);
    return s->own ? p : NULL;
}

static struct mcti_provider *gateway_subscribe_page_server(const struct mcti_gw_sub *s)
{
    struct mcti_buf scratch;
    struct mcti_str own;
    mcti_buf_init(&scratch, MCT_LIMIT_URI_BYTES);
    struct mcti_provider *p = mcti_gw_page_server(s->request, mcti_gw_sub_uri(s), &scratch, &own);
    mcti_buf_done(&scratch);
    return p;
}

/* Finds the servers to ask: for a skill, and for the page of an app, its server alone. */
static size_t gateway_subscribe_candidates(struct mcti_gw_sub *s, struct mcti_provider **ret, size_t max)
{
    struct mcti_provider *p = gateway_subscribe_skill_server(s);
    size_t sure;
    p = p ? p : gateway_subscribe_page_server(s);
    if (!p)
        return mcti_view_for_uri(s->peer->view, mcti_gw_sub_uri(s), ret, max, &sure);
    ret[0] = p;
    return 1;
}

/* Tries the next server that may have the resource; without one the subscription fails. */
static void gateway_subscribe_ask_next(struct mcti_gw_sub *s)
{
    struct mcti_provider *candidates[16];
    struct mcti_gw_request *r = s->request;
    size_t n = gateway_subscribe_candidates(s, candidates, sizeof candidates / sizeof *candidates);
    while (s->next < n)
        if (gateway_subscribe_ask(s, candidates[s->next++]) == 0)
            return;
    struct mct_error err = *s->error;
    gateway_subscribe_sub_free(s);
    mcti_gw_subscribed(r, &err);
}

static void gateway_subscribe_on_agreement(struct mcti_agreement *w, const struct mct_error *err)
{
    struct mcti_gw_sub *s = MCT_CONTAINER(w, struct mcti_gw_sub, agreement);
    struct mcti_gw_request *r = s->request;
    if (err)
        *s->error = *err;
    bool joined = !err && mcti_gw_topic_join(s) == 0;
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
static void gateway_subscribe_move(struct mcti_gw_sub *s, struct mcti_provider *to)
{
    struct mct_error err;
    gateway_subscribe_leave(s);
    if (to && to->ops->subscribe && to->ops->subscribe(to, mcti_gw_sub_own(s), NULL, &err) >= 0)
        s->provider = to;
    if (!s->provider || mcti_gw_topic_join(s) < 0)
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
static void gateway_subscribe_part(struct mcti_gw_sub *s, struct mcti_provider *to)
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
        struct mcti_gw_sub *s = gateway_subscribe_sub_of(it);
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
        struct mcti_gw_sub *s = gateway_subscribe_sub_of(it);
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
        struct mcti_gw_sub *s = gateway_subscribe_sub_of(it);
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

/* Sets the URI as its server writes it, if clients see another one. Returns -1 when out of memory. */
static int gateway_subscribe_set_own(struct mcti_gw_sub *s)
{
    struct mcti_buf scratch;
    struct mcti_str own, uri = mcti_gw_sub_uri(s);
    mcti_buf_init(&scratch, MCT_LIMIT_URI_BYTES);
    bool differs = mcti_gw_page_server(s->request, uri, &scratch, &own) && !mcti_str_eq(own, uri);
    if (differs)
        s->own = mcti_str_dup(own);
    mcti_buf_done(&scratch);
    return differs && !s->own ? -1 : 0;
}

static struct mcti_gw_sub *gateway_subscribe_sub_new(struct mcti_gw_request *r, struct mcti_subs *subs,
                                                     struct mcti_str uri, struct mct_error *err)
{
    struct mcti_account *payer = r->payer;
    size_t size = sizeof(struct mcti_gw_sub) + GW_SUB_OWNER + URI_COPIES * uri.len;
    struct mcti_account *over = mcti_account_charge(payer, MCT_HELD_SUBSCRIPTION, size);
    if (over) {
        mcti_fail(err, MCT_ERR_LIMIT, "%s", over->rule->refusal);
        return NULL;
    }
    struct mcti_gw_sub *s = calloc(1, sizeof *s + GW_SUB_OWNER + uri.len);
    struct mct_error *error = s ? malloc(sizeof *error) : NULL;
    mcti_no_memory(err);
    if (!error) {
        free(s);
        mcti_account_release(payer, MCT_HELD_SUBSCRIPTION, size);
        return NULL;
    }
    *s = (struct mcti_gw_sub){ .owner = subs,
                               .peer = r->peer,
                               .listen = subs == &r->subs ? r : NULL,
                               .principal = r->principal,
                               .payer = payer,
                               .held = size,
                               .request = r,
                               .error = error,
                               .len = GW_SUB_OWNER + uri.len };
    mcti_gw_sub_put_key(s->key, subs, uri);
    s->agreement.done = gateway_subscribe_on_agreement;
    mcti_list_init(&s->agreement.node);
    mcti_list_init(&s->in_topic);
    mcti_list_append(&subs->list, &s->node);
    subs->n++;
    s->principal->n_subs++;
    mcti_fail(s->error, MCT_ERR_NOT_FOUND, "no server has the resource %.*s", MCT_STR_ARG(uri));
    if (gateway_subscribe_set_own(s) == 0 &&
        mcti_map_put(&r->peer->gateway->subs, &s->by_key, (struct mcti_str){ s->key, s->len }) == 0)
        return s;
    gateway_subscribe_sub_free(s);
    return NULL;
}

void mcti_gw_subs_add(struct mcti_gw_request *r, struct mcti_subs *subs, struct mcti_str uri)
{
    struct mct_error err;
    struct mcti_gw_sub *same = gateway_subscribe_find(r->peer->gateway, subs, uri);
    bool there = same && !same->request; /* one that is not accepted yet may still fail */
    bool may = there || (mcti_gw_admit_uri(r, uri, &err) == 0 && check_room(r, subs, &err) == 0);
    struct mcti_gw_sub *s = there || !may ? NULL : gateway_subscribe_sub_new(r, subs, uri, &err);
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
    *ret_uri = mcti_gw_sub_uri(gateway_subscribe_sub_of(*at));
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

static void gateway_subscribe_give_up(struct mcti_gw_sub *s)
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
    for (struct mcti_gw_sub *s; (s = gateway_subscribe_find(r->peer->gateway, &r->peer->subs, uri));)
        gateway_subscribe_give_up(s);
    mcti_buf_done(&scratch);
    mcti_gw_subscribed(r, NULL);
}
