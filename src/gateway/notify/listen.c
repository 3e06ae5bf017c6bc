/* Notifies sessions and 2026-07-28 subscriptions of changed lists and resources. */
#include "gateway/listen.h"

#include "gateway/answer.h"
#include "gateway/subscribe.h"
#include "gateway/tasks.h"

#include "base/limits.h"

static const struct {
    enum mcti_kind kind; /* kind that names the notification */
    unsigned kinds;      /* kinds whose changes it announces, as bits */
    const char *filter;  /* member of the params of subscriptions/listen */
} changes[] = {
    { MCT_TOOL, 1u << MCT_TOOL, "toolsListChanged" },
    { MCT_RESOURCE, 1u << MCT_RESOURCE | 1u << MCT_TEMPLATE, "resourcesListChanged" },
    { MCT_PROMPT, 1u << MCT_PROMPT, "promptsListChanged" },
};
enum { N_CHANGES = sizeof changes / sizeof *changes };

/* Writes the member "_meta":{"io.modelcontextprotocol/subscriptionId":ID}. */
static void put_subscription_meta(struct mcti_buf *b, const struct mcti_gw_request *r)
{
    mcti_json_put_key(b, "_meta");
    mcti_buf_addz(b, "{\"" MCT_META_SUBSCRIPTION "\":");
    mcti_buf_add(b, (struct mcti_str){ r->in.id, r->in.id_len });
    mcti_buf_addc(b, '}');
}

/* Adds the id of the subscription to `_meta`; its other members stay. */
void mcti_gw_tell_listener(struct mcti_gw_request *r, const char *method, struct mcti_str params)
{
    const struct mcti_json_set id = { MCT_META_SUBSCRIPTION, { r->in.id, r->in.id_len } };
    struct mcti_buf meta, b;
    mcti_buf_init(&meta, params.len + MCT_LIMIT_ID_BYTES + 256);
    mcti_buf_init(&b, 2 * params.len + MCT_LIMIT_ID_BYTES + 256);
    mcti_json_put_object(&meta, mcti_json_get(params, "_meta"), &id, 1);
    const struct mcti_json_set set = { "_meta", mcti_buf_str(&meta) };
    mcti_json_put_object(&b, params, &set, 1);
    mcti_inbound_notify(&r->in, method, mcti_buf_str(&b));
    mcti_buf_done(&b);
    mcti_buf_done(&meta);
}

uint64_t mcti_gw_own_tools(struct mcti_peer *p)
{
    const struct mcti_view_own *own = p->view->own;
    uint64_t hash = 0;
    if (!own || !own->follows)
        return 0;
    mcti_view_items(p->view, MCT_TOOL); /* updates the tools */
    for (size_t i = 0; i < own->provider->items[MCT_TOOL].n; i++)
        hash = mcti_hash(hash, mcti_item_json(own->provider->items[MCT_TOOL].v[i]));
    return hash;
}

/* Returns whether the view's own tools differ from those of the last call. */
static bool own_differ(struct mcti_peer *p)
{
    uint64_t now = p->own_dirty ? mcti_gw_own_tools(p) : p->own_tools;
    bool differ = now != p->own_tools;
    p->own_dirty = false;
    p->own_tools = now;
    return differ;
}

void mcti_gw_forget_changes(struct mcti_peer *p)
{
    if (!mcti_list_empty(&p->listens))
        return;
    p->dirty = 0;
    own_differ(p);
}

void mcti_gw_tell_changes(struct mcti_peer *p)
{
    unsigned dirty = p->dirty | (own_differ(p) ? 1u << MCT_TOOL : 0);
    p->dirty = 0;
    for (int i = 0; i < N_CHANGES; i++) {
        const char *method = mcti_kind_info(changes[i].kind)->changed;
        if (!(dirty & changes[i].kinds))
            continue;
        if (mcti_gw_is_ready(p))
            mcti_session_notify(&p->session, method, MCT_STR_NONE, NULL);
        MCT_LIST_EACH(it, &p->listens) {
            struct mcti_gw_request *r = MCT_CONTAINER(it, struct mcti_gw_request, listen);
            if (r->listen_kinds & changes[i].kinds)
                mcti_gw_tell_listener(r, method, MCT_STR_NONE);
        }
    }
}

static void take_lists(struct mcti_gw_request *r, struct mcti_str wanted)
{
    for (int i = 0; i < N_CHANGES; i++)
        if (mcti_json_true(mcti_json_get(wanted, changes[i].filter)))
            r->listen_kinds |= changes[i].kinds;
}

/* Subscribes to each resource of the list; mcti_gw_listen_agreed() is called for each, possibly before this function
 * returns. */
static void take_resources(struct mcti_gw_request *r, struct mcti_str list)
{
    struct mcti_str one;
    struct mcti_buf uri;
    size_t n = 0;
    for (struct mcti_json_iter it = mcti_json_open(list);
         n++ < MCT_LIMIT_SUBSCRIPTIONS && mcti_json_next_item(&it, &one);) {
        mcti_buf_init(&uri, MCT_LIMIT_URI_BYTES);
        if (mcti_json_unescape(one, &uri) == 0 && mcti_buf_ok(&uri)) {
            r->n_pending++;
            mcti_gw_subs_add(r, &r->subs, mcti_buf_str(&uri));
        }
        mcti_buf_done(&uri);
    }
}

static void put_honoured(struct mcti_buf *to, struct mcti_gw_request *r)
{
    struct mcti_list *at = NULL;
    struct mcti_str uri;
    for (int i = 0; i < N_CHANGES; i++)
        if (r->listen_kinds & changes[i].kinds)
            mcti_json_put_raw(to, changes[i].filter, MCT_STR("true"));
    while (mcti_gw_subs_next(&r->subs, &at, &uri)) {
        if (at == r->subs.list.next) {
            mcti_json_put_key(to, "resourceSubscriptions");
            mcti_buf_addc(to, '[');
        } else {
            mcti_buf_addc(to, ',');
        }
        mcti_json_put_string(to, uri);
    }
    if (!mcti_list_empty(&r->subs.list))
        mcti_buf_addc(to, ']');
    mcti_gw_watch_put(to, r->watch);
}

void mcti_gw_listen_agreed(struct mcti_gw_request *r)
{
    struct mcti_buf b;
    if (--r->n_pending)
        return;
    mcti_buf_init(&b, MCT_LIMIT_SUBSCRIPTIONS * MCT_LIMIT_URI_BYTES);
    mcti_buf_addz(&b, "{\"notifications\":{");
    put_honoured(&b, r);
    mcti_buf_addc(&b, '}');
    put_subscription_meta(&b, r);
    mcti_buf_addc(&b, '}');
    mcti_list_append(&r->peer->listens, &r->listen);
    r->connection = NULL;
    mcti_lease_end(&r->lease);
    mcti_inbound_notify(&r->in, "notifications/subscriptions/acknowledged", mcti_buf_str(&b));
    mcti_buf_done(&b);
    mcti_gw_watch_start(r->watch);
}

/* Refuses a subscription to tasks of a client that does not declare them. */
static enum mcti_gw_step listen_refuse_tasks(struct mcti_gw_request *r, struct mcti_str wanted,
                                             const struct mcti_msg_meta *meta)
{
    struct mct_error err;
    struct mcti_buf data;
    if (!mcti_json_get(wanted, "taskIds").p || !mcti_gw_offers_tasks(r->peer->view))
        return GO_ON;
    mcti_buf_init(&data, 1024);
    bool refused = mcti_gw_needs_tasks(MCT_STR("taskIds"), meta, &data, &err) < 0;
    if (refused)
        mcti_gw_refuse(r, &err, mcti_buf_str(&data));
    mcti_buf_done(&data);
    return refused ? TAKEN : GO_ON;
}

/* The request stays open until either side ends it (2026-07-28 "Subscriptions"). */
void mcti_gw_listen(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mct_error err = { 0 };
    struct mcti_str wanted = mcti_json_get(msg->params, "notifications");
    mcti_capabilities_read(meta->capabilities, &r->can); /* they may select the connection */
    if (mcti_json_type(wanted) != '{')
        mcti_fail(&err, MCT_ERR_USAGE, "\"notifications\" must be an object");
    else if (r->principal->n_listens >= MCT_LIMIT_LISTENS)
        mcti_fail(&err, MCT_ERR_LIMIT, "too many open subscriptions (limit %d)", MCT_LIMIT_LISTENS);
    if (err.kind) {
        mcti_gw_fail(r, &err);
        return;
    }
    if (listen_refuse_tasks(r, wanted, meta) == TAKEN)
        return;
    r->listens = true;
    r->principal->n_listens++;
    r->n_pending = 1; /* prevents an acknowledgement before all subscriptions are added */
    take_lists(r, wanted);
    mcti_gw_watch_take(r, mcti_json_get(wanted, "taskIds"));
    take_resources(r, mcti_json_get(wanted, "resourceSubscriptions"));
    mcti_gw_listen_agreed(r);
}

void mcti_peer_end_listens(struct mcti_peer *p)
{
    MCT_LIST_EACH(it, &p->session.inbound) {
        struct mcti_gw_request *r =
            MCT_CONTAINER(MCT_CONTAINER(it, struct mcti_inbound, node), struct mcti_gw_request, in);
        if (r->verb != MCT_VERB_LISTEN)
            continue;
        struct mcti_buf *b = mcti_inbound_begin(&r->in);
        mcti_buf_addz(b, "{\"resultType\":\"complete\"");
        put_subscription_meta(b, r);
        mcti_buf_addc(b, '}');
        mcti_inbound_send(&r->in);
        mcti_gw_request_free(r);
    }
}
