/* Telling clients what changes: lists and resources, to sessions and to subscriptions of 2026-07-28. */
#include "gateway/impl.h"

#include "base/limits.h"

static const struct {
    enum mct_kind kind;     /* whose notification it is */
    unsigned kinds;         /* bits it stands for */
    const char *filter;     /* member of subscriptions/listen */
} changes[] = {
    { MCT_TOOL, 1u << MCT_TOOL, "toolsListChanged" },
    { MCT_RESOURCE, 1u << MCT_RESOURCE | 1u << MCT_TEMPLATE, "resourcesListChanged" },
    { MCT_PROMPT, 1u << MCT_PROMPT, "promptsListChanged" },
};
enum { N_CHANGES = sizeof changes / sizeof *changes };

/* {"io.modelcontextprotocol/subscriptionId":ID} */
static void put_subscription_meta(struct mct_buf *b, const struct gw_request *r)
{
    mct_json_put_key(b, "_meta");
    mct_buf_addz(b, "{\"" MCT_META_SUBSCRIPTION "\":");
    mct_buf_add(b, (struct mct_str){ r->in.id, r->in.id_len });
    mct_buf_addc(b, '}');
}

/* Says of which subscription it is; what the server put in `_meta` besides stays. */
void gw_tell_listener(struct gw_request *r, const char *method, struct mct_str params)
{
    const struct mct_json_set id = { MCT_META_SUBSCRIPTION, { r->in.id, r->in.id_len } };
    struct mct_buf meta, b;
    mct_buf_init(&meta, params.len + MCT_LIMIT_ID_BYTES + 256);
    mct_buf_init(&b, 2 * params.len + MCT_LIMIT_ID_BYTES + 256);
    mct_json_put_object(&meta, mct_json_get(params, "_meta"), &id, 1);
    const struct mct_json_set set = { "_meta", mct_buf_str(&meta) };
    mct_json_put_object(&b, params, &set, 1);
    mct_inbound_notify(&r->in, method, mct_buf_str(&b));
    mct_buf_done(&b);
    mct_buf_done(&meta);
}

uint64_t gw_own_tools(struct mct_peer *p)
{
    const struct mct_view_own *own = p->view->own;
    uint64_t hash = 0;
    if (!own || !own->follows)
        return 0;
    mct_view_items(p->view, MCT_TOOL); /* brings them up to date */
    for (size_t i = 0; i < own->provider->items[MCT_TOOL].n; i++)
        hash = mct_hash(hash, own->provider->items[MCT_TOOL].v[i]->json);
    return hash;
}

/* Nobody is told of a list that is as it was. */
static bool own_differ(struct mct_peer *p)
{
    uint64_t now = p->own_dirty ? gw_own_tools(p) : p->own_tools;
    bool differ = now != p->own_tools;
    p->own_dirty = false;
    p->own_tools = now;
    return differ;
}

void gw_forget_changes(struct mct_peer *p)
{
    if (!mct_list_empty(&p->listens))
        return;
    p->dirty = 0;
    own_differ(p);
}

void gw_tell_changes(struct mct_peer *p)
{
    unsigned dirty = p->dirty | (own_differ(p) ? 1u << MCT_TOOL : 0);
    p->dirty = 0;
    for (int i = 0; i < N_CHANGES; i++) {
        const char *method = mct_kind_info(changes[i].kind)->changed;
        if (!(dirty & changes[i].kinds))
            continue;
        if (gw_is_ready(p))
            mct_session_notify(&p->session, method, MCT_STR_NONE, NULL);
        MCT_LIST_EACH(it, &p->listens) {
            struct gw_request *r = MCT_CONTAINER(it, struct gw_request, listen);
            if (r->listen_kinds & changes[i].kinds)
                gw_tell_listener(r, method, MCT_STR_NONE);
        }
    }
}

static void take_lists(struct gw_request *r, struct mct_str wanted)
{
    for (int i = 0; i < N_CHANGES; i++)
        if (mct_json_true(mct_json_get(wanted, changes[i].filter)))
            r->listen_kinds |= changes[i].kinds;
}

/* Each is asked for at a server; gw_listen_agreed() hears how that ended, maybe before this returns. */
static void take_resources(struct gw_request *r, struct mct_str list)
{
    struct mct_str one;
    struct mct_buf uri;
    size_t n = 0;
    for (struct mct_json_iter it = mct_json_open(list); n++ < MCT_LIMIT_SUBSCRIPTIONS && mct_json_next_item(&it, &one);) {
        mct_buf_init(&uri, MCT_LIMIT_URI_BYTES);
        if (mct_json_unescape(one, &uri) == 0 && mct_buf_ok(&uri)) {
            r->n_pending++;
            gw_subs_add(r, &r->subs, mct_buf_str(&uri));
        }
        mct_buf_done(&uri);
    }
}

static void put_honoured(struct mct_buf *to, struct gw_request *r)
{
    struct mct_list *at = NULL;
    struct mct_str uri;
    for (int i = 0; i < N_CHANGES; i++)
        if (r->listen_kinds & changes[i].kinds)
            mct_json_put_raw(to, changes[i].filter, MCT_STR("true"));
    while (gw_subs_next(&r->subs, &at, &uri)) {
        if (at == r->subs.list.next) {
            mct_json_put_key(to, "resourceSubscriptions");
            mct_buf_addc(to, '[');
        } else {
            mct_buf_addc(to, ',');
        }
        mct_json_put_string(to, uri);
    }
    if (!mct_list_empty(&r->subs.list))
        mct_buf_addc(to, ']');
}

/* Acknowledged with what is honoured, once the servers have agreed: from then on nothing is missed. */
void gw_listen_agreed(struct gw_request *r)
{
    struct mct_buf b;
    if (--r->n_pending)
        return;
    mct_buf_init(&b, MCT_LIMIT_SUBSCRIPTIONS * MCT_LIMIT_URI_BYTES);
    mct_buf_addz(&b, "{\"notifications\":{");
    put_honoured(&b, r);
    mct_buf_addc(&b, '}');
    put_subscription_meta(&b, r);
    mct_buf_addc(&b, '}');
    mct_list_append(&r->peer->listens, &r->listen);
    mct_inbound_notify(&r->in, "notifications/subscriptions/acknowledged", mct_buf_str(&b));
    mct_buf_done(&b);
}

/* 2026-07-28 "Subscriptions": open until either side ends it. */
void gw_listen(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct mct_error err = { 0 };
    struct mct_str wanted = mct_json_get(msg->params, "notifications");
    mct_capabilities_read(meta->capabilities, &r->can); /* they may decide over which connection its calls go */
    if (mct_json_type(wanted) != '{')
        mct_fail(&err, MCT_ERR_USAGE, "\"notifications\" must be an object");
    else if (r->principal->n_listens >= MCT_LIMIT_LISTENS)
        mct_fail(&err, MCT_ERR_LIMIT, "too many subscriptions are open (%d)", MCT_LIMIT_LISTENS);
    if (err.kind) {
        gw_fail(r, &err);
        return;
    }
    r->listens = true;
    r->principal->n_listens++;
    r->n_pending = 1; /* so that it is not complete before it has begun */
    take_lists(r, wanted);
    take_resources(r, mct_json_get(wanted, "resourceSubscriptions"));
    gw_listen_agreed(r);
}

void mct_peer_end_listens(struct mct_peer *p)
{
    MCT_LIST_EACH(it, &p->session.inbound) {
        struct gw_request *r = MCT_CONTAINER(MCT_CONTAINER(it, struct mct_inbound, node), struct gw_request, in);
        if (r->verb != MCT_VERB_LISTEN)
            continue;
        struct mct_buf *b = mct_inbound_begin(&r->in);
        mct_buf_addz(b, "{\"resultType\":\"complete\"");
        put_subscription_meta(b, r);
        mct_buf_addc(b, '}');
        mct_inbound_send(&r->in);
        gw_request_free(r);
    }
}
