#include "hub/local/impl.h"

#include "base/limits.h"
#include "base/rand.h"
#include "hub/local/tool.h"
#include "hub/names/template.h"

#include <stdlib.h>

/* ---- what it can ---- */

static const struct {
    enum mct_kind kind;
    const char *capability, *value;
} capabilities[] = {
    { MCT_TOOL, "tools", "{\"listChanged\":true}" },
    { MCT_RESOURCE, "resources", "{\"subscribe\":true,\"listChanged\":true}" },
    { MCT_PROMPT, "prompts", "{\"listChanged\":true}" },
};

static void renew_capabilities(struct local *l)
{
    struct mct_buf b;
    mct_buf_init(&b, 1024);
    mct_buf_addc(&b, '{');
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        if (l->offered & 1u << capabilities[i].kind)
            mct_json_put_raw(&b, capabilities[i].capability, mct_str_of(capabilities[i].value));
    if (l->complete)
        mct_json_put_raw(&b, "completions", MCT_STR("{}"));
    mct_json_put_raw(&b, "logging", MCT_STR("{}"));
    mct_buf_addc(&b, '}');
    free(l->base.info.capabilities);
    l->base.info.capabilities = mct_buf_take(&b);
}

int mct_local_set_info(struct mct_provider *p, const char *server_info, const char *instructions)
{
    char *info = strdup(server_info), *text = instructions ? strdup(instructions) : NULL;
    if (!info || (instructions && !text)) {
        free(info);
        free(text);
        return -1;
    }
    free(p->info.server_info);
    free(p->info.instructions);
    p->info.server_info = info;
    p->info.instructions = text;
    return 0;
}

void mct_local_set_complete(struct mct_provider *p, mct_local_fn fn, void *data)
{
    struct local *l = local_of(p);
    l->complete = fn;
    l->complete_data = data;
    renew_capabilities(l);
}

/* ---- items ---- */

struct local_item *local_find(const struct local *l, enum mct_kind kind, struct mct_str id)
{
    struct mct_map_node *n = mct_map_get(&l->items[kind], id);
    return n ? MCT_CONTAINER(n, struct local_item, by_id) : NULL;
}

struct local_item *local_find_uri(const struct local *l, struct mct_str uri)
{
    struct local_item *found = local_find(l, MCT_RESOURCE, uri);
    const struct mct_items *templates = &l->base.items[MCT_TEMPLATE];
    for (size_t i = 0; !found && i < templates->n; i++)
        if (mct_template_matches(templates->v[i]->id, uri))
            found = local_find(l, MCT_TEMPLATE, templates->v[i]->id);
    return found;
}

static void tell_changed(struct local *l, enum mct_kind kind)
{
    struct mct_provider *p = &l->base;
    if (p->events.changed) /* before it is connected there is nobody to tell, but views see it */
        p->events.changed(p->events.data, p, p->state == MCT_CONNECTED ? 1u << kind : 0);
}

static struct mct_item *item_of(enum mct_kind kind, const char *json, struct mct_error *err)
{
    static const struct mct_json_set any = { "inputSchema", MCT_STR("{\"type\":\"object\"}") };
    struct mct_str text = mct_str_of(json);
    struct mct_item *item = NULL;
    struct mct_buf b;
    unsigned long failures = mct_memory_failures();
    mct_buf_init(&b, text.len + 64);
    if (mct_json_valid(text, MCT_LIMIT_JSON_DEPTH, NULL, NULL) && mct_json_type(mct_json_get(text, "name")) == '"')
        mct_json_put_object(&b, text, &any, kind == MCT_TOOL && !mct_json_get(text, "inputSchema").p ? 1 : 0);
    if (b.len && mct_buf_ok(&b))
        item = mct_item_new(kind, mct_buf_str(&b));
    mct_buf_done(&b);
    if (!item && failures != mct_memory_failures())
        mct_no_memory(err);
    else if (!item)
        mct_fail(err, MCT_ERR_USAGE, "this is no %s: %.200s", mct_kind_info(kind)->word, json);
    return item;
}

/* Puts the item into the list and the map. */
static int admit(struct local *l, struct mct_item *item, struct local_item *x, struct mct_error *err)
{
    enum mct_kind kind = item->kind;
    if (local_find(l, kind, item->id))
        return mct_fail(err, MCT_ERR_USAGE, "there is a %s %s already", mct_kind_info(kind)->word, item->id.p);
    x->item = item;
    if (mct_map_put(&l->items[kind], &x->by_id, item->id) < 0)
        return mct_no_memory(err);
    return 0;
}

void local_unuse(struct local_item *x)
{
    if (!x || --x->n_users)
        return;
    if (x->free_data)
        x->free_data(x->data);
    free(x);
}

int mct_local_add(struct mct_provider *p, enum mct_kind kind, const char *json, mct_local_fn fn, void *data,
                  struct mct_error *err)
{
    return mct_local_add_owned(p, kind, json, fn, data, NULL, err);
}

int mct_local_add_owned(struct mct_provider *p, enum mct_kind kind, const char *json, mct_local_fn fn, void *take_data,
                        void (*free_data)(void *data), struct mct_error *err)
{
    struct local *l = local_of(p);
    struct mct_item *item = item_of(kind, json, err);
    struct local_item *x = item ? calloc(1, sizeof *x) : NULL;
    int r = x ? admit(l, item, x, err) : -1;
    if (item && !x)
        mct_no_memory(err);
    if (r < 0) {
        free(item);
        free(x);
        return -1;
    }
    if (mct_items_add(&p->items[kind], item) < 0) {
        mct_map_remove(&l->items[kind], &x->by_id);
        free(x);
        return mct_no_memory(err);
    }
    x->fn = fn;
    x->data = take_data;
    x->free_data = free_data;
    x->n_users = 1;
    l->offered |= 1u << (kind == MCT_TEMPLATE ? MCT_RESOURCE : kind);
    renew_capabilities(l);
    tell_changed(l, kind);
    return 0;
}

int mct_local_remove(struct mct_provider *p, enum mct_kind kind, const char *id)
{
    struct local *l = local_of(p);
    struct mct_items *list = &p->items[kind];
    struct mct_map_node *n = mct_map_get(&l->items[kind], mct_str_of(id));
    size_t i = 0;
    if (!n)
        return -1;
    struct local_item *x = MCT_CONTAINER(n, struct local_item, by_id);
    while (list->v[i] != x->item)
        i++;
    list->n--;
    memmove(list->v + i, list->v + i + 1, (list->n - i) * sizeof *list->v);
    mct_map_remove(&l->items[kind], n);
    tell_changed(l, kind); /* views let go of the item */
    free(x->item);
    local_unuse(x);
    return 0;
}

/* ---- subscriptions ---- */

void mct_local_updated(struct mct_provider *p, const char *uri)
{
    struct mct_buf b;
    if (!p->events.updated)
        return;
    mct_buf_init(&b, MCT_LIMIT_URI_BYTES * 6 + 64);
    mct_buf_addc(&b, '{');
    mct_json_put_member(&b, "uri", mct_str_of(uri));
    mct_buf_addc(&b, '}');
    if (mct_buf_ok(&b))
        p->events.updated(p->events.data, p, mct_buf_str(&b));
    mct_buf_done(&b);
}

/* Every change is told anyway: who has subscribed need not be remembered here. */
static int local_subscribe(struct mct_provider *p, struct mct_str uri, struct mct_agreement *w, struct mct_error *err)
{
    (void)w;
    if (local_find_uri(local_of(p), uri))
        return 1;
    return mct_fail(err, MCT_ERR_NOT_FOUND, "no such resource: %.*s", MCT_STR_ARG(uri));
}

static void local_unsubscribe(struct mct_provider *p, struct mct_str uri)
{
    (void)p;
    (void)uri;
}

/* ---- life ---- */

void mct_local_set_life(struct mct_provider *p, const struct mct_local_life *life, void *data)
{
    local_of(p)->life = life;
    local_of(p)->life_data = data;
}

void mct_local_set_timeout(struct mct_provider *p, unsigned timeout_ms)
{
    local_of(p)->timeout_ms = timeout_ms;
}

void mct_local_ready(struct mct_provider *p)
{
    mct_provider_set_state(p, MCT_CONNECTED, NULL);
    if (p->events.changed)
        p->events.changed(p->events.data, p, (1u << MCT_KIND_N) - 1);
}

static void on_ready(void *data)
{
    struct local *l = data;
    if (l->life)
        l->life->start(l->life_data);
    else
        mct_local_ready(&l->base);
}

static void local_start(struct mct_provider *p)
{
    struct local *l = local_of(p);
    p->state = MCT_CONNECTING;
    mct_task_post(p->sched, &l->ready);
}

static void local_stop(struct mct_provider *p)
{
    struct local *l = local_of(p);
    mct_task_stop(&l->ready);
    if (l->life)
        l->life->stop(l->life_data);
    mct_provider_set_state(p, MCT_DISCONNECTED, NULL);
    p->events.stopped(p->events.data, p);
}

static void local_free(struct mct_provider *p)
{
    struct local *l = local_of(p);
    struct mct_map_node *n;
    struct mct_error why;
    mct_fail(&why, MCT_ERR_CONNECT, "the server is shutting down");
    local_end_all(l, &why);
    mct_local_tools_settle(&l->cancelled);
    mct_task_stop(&l->ready);
    for (int k = 0; k < MCT_KIND_N; k++) {
        while ((n = mct_map_any(&l->items[k]))) {
            mct_map_remove(&l->items[k], n);
            local_unuse(MCT_CONTAINER(n, struct local_item, by_id));
        }
        mct_map_done(&l->items[k]);
    }
    if (l->life)
        l->life->gone(l->life_data);
    mct_provider_done(p);
    free(l);
}

static const struct mct_provider_ops ops = {
    .type = "local",
    .start = local_start,
    .call = local_call,
    .cancel = local_cancel,
    .subscribe = local_subscribe,
    .unsubscribe = local_unsubscribe,
    .stop = local_stop,
    .free = local_free,
};

static char *default_info(const char *name)
{
    struct mct_buf b;
    mct_buf_init(&b, strlen(name) * 6 + 128);
    mct_buf_addc(&b, '{');
    mct_json_put_member(&b, "name", mct_str_of(name));
    mct_json_put_member(&b, "version", MCT_STR(MCT_VERSION));
    mct_buf_addc(&b, '}');
    return mct_buf_take(&b);
}

struct mct_provider *mct_provider_local_new(const char *name, struct mct_sched *sched, const struct mct_log *log)
{
    struct local *l = calloc(1, sizeof *l);
    if (!l || mct_provider_init(&l->base, &ops, name, sched, log) < 0) {
        free(l);
        return NULL;
    }
    mct_list_init(&l->calls);
    mct_list_init(&l->cancelled);
    mct_task_init(&l->ready, on_ready, l);
    for (int k = 0; k < MCT_KIND_N; k++)
        mct_map_init(&l->items[k]);
    mct_random(l->key, sizeof l->key);
    l->base.info.rev = MCT_REV_LATEST;
    l->base.info.server_info = default_info(name);
    renew_capabilities(l);
    if (l->base.info.server_info && l->base.info.capabilities)
        return &l->base;
    local_free(&l->base);
    return NULL;
}
