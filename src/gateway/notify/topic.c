/* The subscribers of each resource, and the updates that they get. */
#include "gateway/notify/topic.h"

#include "gateway/fan.h"
#include "gateway/listen.h"

#include "base/limits.h"
#include "mcp/apps/ui.h"
#include "skills/label.h"

#include <stdlib.h>

static const char updated[] = "notifications/resources/updated";

/* All subscriptions to one resource at one connection. */
struct gw_topic {
    struct mcti_map_node by_key; /* in gateway->topics */
    struct mcti_list subs;
    size_t len;
    char key[]; /* address of the provider, then the URI */
};

static struct gw_topic *topic_find(const struct mcti_gateway *g, struct mcti_str key)
{
    struct mcti_map_node *n = mcti_map_get(&g->topics, key);
    return n ? MCT_CONTAINER(n, struct gw_topic, by_key) : NULL;
}

static struct gw_topic *topic_new(struct mcti_gateway *g, const struct mcti_gw_sub *s)
{
    struct mcti_str uri = mcti_gw_sub_own(s);
    struct gw_topic *t = malloc(sizeof *t + GW_SUB_OWNER + uri.len);
    if (!t)
        return NULL;
    t->len = GW_SUB_OWNER + uri.len;
    mcti_gw_sub_put_key(t->key, s->provider, uri);
    mcti_list_init(&t->subs);
    if (mcti_map_put(&g->topics, &t->by_key, (struct mcti_str){ t->key, t->len }) == 0)
        return t;
    free(t);
    return NULL;
}

int mcti_gw_topic_join(struct mcti_gw_sub *s)
{
    struct mcti_gateway *g = s->peer->gateway;
    char key[GW_SUB_OWNER + MCT_LIMIT_URI_BYTES];
    struct mcti_str uri = mcti_gw_sub_own(s);
    mcti_gw_sub_put_key(key, s->provider, uri);
    s->topic = topic_find(g, (struct mcti_str){ key, GW_SUB_OWNER + uri.len });
    if (!s->topic)
        s->topic = topic_new(g, s);
    if (!s->topic)
        return -1;
    mcti_list_append(&s->topic->subs, &s->in_topic);
    return 0;
}

void mcti_gw_topic_leave(struct mcti_gw_sub *s)
{
    struct gw_topic *t = s->topic;
    mcti_list_remove(&s->in_topic);
    s->topic = NULL;
    if (!t || !mcti_list_empty(&t->subs))
        return;
    mcti_map_remove(&s->peer->gateway->topics, &t->by_key);
    free(t);
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
static void tell_sub(struct mcti_gw_sub *s, struct mcti_str params, struct mcti_text **text)
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

/* Writes an update with the URIs as the client knows them: that of a page if it is the subscribed one, all those of a
 * skill. */
static void topic_put_shown(struct mcti_buf *to, const struct mcti_gw_sub *s, struct mcti_str params)
{
    const struct mcti_provider *p = s->provider->origin ? s->provider->origin : s->provider;
    struct mcti_buf uri;
    if (!mcti_ui_is_uri(mcti_str_of(s->own))) {
        mcti_skill_put_result(to, mcti_str_of(p->name), MCT_RELABEL_ALL, params);
        return;
    }
    mcti_buf_init(&uri, 6 * MCT_LIMIT_URI_BYTES + 2);
    mcti_json_put_string(&uri, mcti_gw_sub_uri(s));
    const struct mcti_json_set set = { "uri", mcti_buf_str(&uri) };
    mcti_json_put_object(to, params, &set, mcti_json_is(mcti_json_get(params, "uri"), s->own) ? 1 : 0);
    mcti_buf_done(&uri);
}

/* Sends an update with the URI that the client has subscribed to. One of a sub-resource of a page keeps its URI. */
static void tell_shown(struct mcti_gw_sub *s, struct mcti_str params)
{
    struct mcti_text *text = NULL;
    struct mcti_buf told;
    mcti_buf_init(&told, 2 * params.len + 6 * MCT_LIMIT_URI_BYTES + 64);
    topic_put_shown(&told, s, params);
    if (mcti_buf_ok(&told))
        tell_sub(s, mcti_buf_str(&told), &text);
    mcti_text_unref(text);
    mcti_buf_done(&told);
}

static void tell_topic(struct gw_topic *t, struct mcti_str params, struct mcti_text **text)
{
    MCT_LIST_EACH(it, &t->subs) {
        struct mcti_gw_sub *s = MCT_CONTAINER(it, struct mcti_gw_sub, in_topic);
        if (s->own)
            tell_shown(s, params);
        else
            tell_sub(s, params, text);
    }
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
    mcti_buf_init(&key, GW_SUB_OWNER + MCT_LIMIT_URI_BYTES);
    mcti_buf_add(&key, (struct mcti_str){ (const char *)&p, GW_SUB_OWNER });
    g->n_updates++;
    bool ok = mcti_json_unescape(mcti_json_get(params, "uri"), &key) == 0 && mcti_buf_ok(&key);
    struct mcti_str uri = ok ? (struct mcti_str){ key.p + GW_SUB_OWNER, key.len - GW_SUB_OWNER } : MCT_STR_NONE;
    for (size_t len = uri.len; len && g->topics.n && n_parts < MCT_LIMIT_URI_PARTS; len--) {
        if (!ends_part(uri, len))
            continue;
        struct gw_topic *t = topic_find(g, (struct mcti_str){ key.p, GW_SUB_OWNER + len });
        if (t)
            tell_topic(t, params, &text);
        n_parts++;
    }
    mcti_text_unref(text);
    mcti_buf_done(&key);
}
