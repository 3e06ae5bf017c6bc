#include "hub/local/def.h"

#include "base/limits.h"
#include "base/rand.h"
#include "hub/local/tool.h"
#include "hub/names/template.h"
#include "skills/skill.h"

#include <stdlib.h>

/* ---- capabilities ---- */

static const struct {
    enum mcti_kind kind;
    const char *capability, *value;
} capabilities[] = {
    { MCT_TOOL, "tools", "{\"listChanged\":true}" },
    { MCT_RESOURCE, "resources", "{\"subscribe\":true,\"listChanged\":true}" },
    { MCT_PROMPT, "prompts", "{\"listChanged\":true}" },
};

static void renew_capabilities(struct mcti_local *l)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1024);
    mcti_buf_addc(&b, '{');
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        if (l->offered & 1u << capabilities[i].kind)
            mcti_json_put_raw(&b, capabilities[i].capability,
                              capabilities[i].kind == MCT_RESOURCE && l->defined && !l->updates
                                  ? MCT_STR("{\"listChanged\":true}")
                                  : mcti_str_of(capabilities[i].value));
    if (l->complete || l->completes)
        mcti_json_put_raw(&b, "completions", MCT_STR("{}"));
    mcti_json_put_raw(&b, "logging", MCT_STR("{}"));
    if (l->extension)
        mcti_buf_printf(&b, ",\"extensions\":{\"%s\":%s}", l->extension->id, l->extension->settings);
    mcti_buf_addc(&b, '}');
    free(l->base.info.capabilities);
    l->base.info.capabilities = mcti_buf_take(&b);
}

int mcti_local_set_info(struct mcti_provider *p, const char *server_info, const char *instructions)
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

void mcti_local_set_complete(struct mcti_provider *p, mcti_local_fn fn, void *data)
{
    struct mcti_local *l = mcti_local_of(p);
    l->complete = fn;
    l->complete_data = data;
    renew_capabilities(l);
}

void mcti_local_set_extension(struct mcti_provider *p, const struct mcti_local_extension *x, void *data)
{
    struct mcti_local *l = mcti_local_of(p);
    l->extension = x;
    l->extension_data = data;
    renew_capabilities(l);
    p->info.skills = mcti_skills_declared(mcti_str_of(p->info.capabilities));
}

void mcti_local_note_def(const struct mcti_local_def *d)
{
    struct mcti_local *l = mcti_local_of(d->provider);
    l->defined = true;
    l->updates |= d->updates;
    l->completes |= d->complete != NULL;
    renew_capabilities(l);
}

/* ---- items ---- */

struct mcti_local_item *mcti_local_find(const struct mcti_local *l, enum mcti_kind kind, struct mcti_str id)
{
    struct mcti_map_node *n = mcti_map_get(&l->items[kind], id);
    return n ? MCT_CONTAINER(n, struct mcti_local_item, by_id) : NULL;
}

struct mcti_local_item *mcti_local_find_uri(const struct mcti_local *l, struct mcti_str uri)
{
    struct mcti_local_item *found = mcti_local_find(l, MCT_RESOURCE, uri);
    const struct mcti_items *templates = &l->base.items[MCT_TEMPLATE];
    for (size_t i = 0; !found && i < templates->n; i++)
        if (mcti_template_matches(mcti_item_id(templates->v[i]), uri))
            found = mcti_local_find(l, MCT_TEMPLATE, mcti_item_id(templates->v[i]));
    return found;
}

static void report_changed(struct mcti_local *l, enum mcti_kind kind)
{
    struct mcti_provider *p = &l->base;
    if (p->events.changed) /* before the connection only views are updated, no client is notified */
        p->events.changed(p->events.data, p, p->state == MCT_CONNECTED ? 1u << kind : 0);
}

static struct mcti_item *local_item_of(enum mcti_kind kind, const char *json, struct mct_error *err)
{
    static const struct mcti_json_set any = { "inputSchema", MCT_STR("{\"type\":\"object\"}") };
    struct mcti_str text = mcti_str_of(json);
    struct mcti_item *item = NULL;
    struct mcti_buf b;
    unsigned long failures = mcti_memory_failures();
    mcti_buf_init(&b, text.len + 64);
    if (mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, NULL, NULL) && mcti_json_type(mcti_json_get(text, "name")) == '"')
        mcti_json_put_object(&b, text, &any, kind == MCT_TOOL && !mcti_json_get(text, "inputSchema").p ? 1 : 0);
    if (b.len && mcti_buf_ok(&b))
        item = mcti_item_new(kind, mcti_buf_str(&b));
    mcti_buf_done(&b);
    if (!item && failures != mcti_memory_failures())
        mcti_no_memory(err);
    else if (!item)
        mcti_fail(err, MCT_ERR_USAGE, "invalid %s: %.200s", mcti_kind_info(kind)->word, json);
    return item;
}

/* Puts the item into the map; fails if its name or URI is taken. */
static int local_admit(struct mcti_local *l, struct mcti_item *item, struct mcti_local_item *x, struct mct_error *err)
{
    enum mcti_kind kind = item->kind;
    if (mcti_local_find(l, kind, mcti_item_id(item)))
        return mcti_fail(err, MCT_ERR_USAGE, "duplicate %s '%s'", mcti_kind_info(kind)->word, mcti_item_id(item).p);
    x->item = item;
    if (mcti_map_put(&l->items[kind], &x->by_id, mcti_item_id(item)) < 0)
        return mcti_no_memory(err);
    return 0;
}

void mcti_local_unuse(struct mcti_local_item *x)
{
    if (!x || --x->n_users)
        return;
    if (x->free_data)
        x->free_data(x->data);
    free(x);
}

int mcti_local_add(struct mcti_provider *p, enum mcti_kind kind, const char *json, mcti_local_fn fn, void *data,
                   struct mct_error *err)
{
    return mcti_local_add_owned(p, kind, json, fn, data, NULL, err);
}

int mcti_local_add_owned(struct mcti_provider *p, enum mcti_kind kind, const char *json, mcti_local_fn fn,
                         void *take_data, void (*free_data)(void *data), struct mct_error *err)
{
    struct mcti_local *l = mcti_local_of(p);
    struct mcti_item *item = local_item_of(kind, json, err);
    struct mcti_local_item *x = item ? calloc(1, sizeof *x) : NULL;
    int r = x ? local_admit(l, item, x, err) : -1;
    if (item && !x)
        mcti_no_memory(err);
    if (r < 0) {
        free(item);
        free(x);
        return -1;
    }
    if (mcti_items_add(&p->items[kind], item) < 0) {
        mcti_map_remove(&l->items[kind], &x->by_id);
        free(x);
        return mcti_no_memory(err);
    }
    x->fn = fn;
    x->data = take_data;
    x->free_data = free_data;
    x->n_users = 1;
    l->offered |= 1u << (kind == MCT_TEMPLATE ? MCT_RESOURCE : kind);
    renew_capabilities(l);
    report_changed(l, kind);
    return 0;
}

int mcti_local_remove(struct mcti_provider *p, enum mcti_kind kind, const char *id)
{
    struct mcti_local *l = mcti_local_of(p);
    struct mcti_items *list = &p->items[kind];
    struct mcti_map_node *n = mcti_map_get(&l->items[kind], mcti_str_of(id));
    size_t i = 0;
    if (!n)
        return -1;
    struct mcti_local_item *x = MCT_CONTAINER(n, struct mcti_local_item, by_id);
    while (list->v[i] != x->item)
        i++;
    list->n--;
    memmove(list->v + i, list->v + i + 1, (list->n - i) * sizeof *list->v);
    mcti_map_remove(&l->items[kind], n);
    report_changed(l, kind); /* views drop the item */
    free(x->item);
    mcti_local_unuse(x);
    return 0;
}

/* ---- life ---- */

void mcti_local_set_life(struct mcti_provider *p, const struct mcti_local_life *life, void *data)
{
    mcti_local_of(p)->life = life;
    mcti_local_of(p)->life_data = data;
}

void mcti_local_set_timeout(struct mcti_provider *p, unsigned timeout_ms)
{
    mcti_local_of(p)->timeout_ms = timeout_ms;
}

void mcti_local_ready(struct mcti_provider *p)
{
    mcti_provider_set_state(p, MCT_CONNECTED, NULL);
    if (p->events.changed)
        p->events.changed(p->events.data, p, (1u << MCT_KIND_N) - 1);
}

static void local_on_ready(void *data)
{
    struct mcti_local *l = data;
    if (l->life)
        l->life->start(l->life_data);
    else
        mcti_local_ready(&l->base);
}

static void local_start(struct mcti_provider *p)
{
    struct mcti_local *l = mcti_local_of(p);
    p->state = MCT_CONNECTING;
    mcti_task_post(p->sched, &l->ready);
}

static void local_stop(struct mcti_provider *p)
{
    struct mcti_local *l = mcti_local_of(p);
    mcti_task_stop(&l->ready);
    if (l->life)
        l->life->stop(l->life_data);
    mcti_provider_set_state(p, MCT_DISCONNECTED, NULL);
    p->events.stopped(p->events.data, p);
}

static void local_free(struct mcti_provider *p)
{
    struct mcti_local *l = mcti_local_of(p);
    struct mcti_map_node *n;
    struct mct_error why;
    mcti_fail(&why, MCT_ERR_CONNECT, "the server is shutting down");
    mcti_local_end_all(l, &why);
    mcti_local_tools_settle(&l->cancelled);
    mcti_task_stop(&l->ready);
    for (int k = 0; k < MCT_KIND_N; k++) {
        while ((n = mcti_map_any(&l->items[k]))) {
            mcti_map_remove(&l->items[k], n);
            mcti_local_unuse(MCT_CONTAINER(n, struct mcti_local_item, by_id));
        }
        mcti_map_done(&l->items[k]);
    }
    mcti_local_subs_free(l);
    if (l->life)
        l->life->gone(l->life_data);
    mcti_provider_done(p);
    free(l);
}

static const struct mcti_provider_ops ops = {
    .type = "local",
    .start = local_start,
    .call = mcti_local_op_call,
    .cancel = mcti_local_cancel,
    .subscribe = mcti_local_subscribe,
    .unsubscribe = mcti_local_unsubscribe,
    .stop = local_stop,
    .free = local_free,
};

static char *default_info(const char *name)
{
    struct mcti_buf b;
    mcti_buf_init(&b, strlen(name) * 6 + 128);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "name", mcti_str_of(name));
    mcti_json_put_member(&b, "version", MCT_STR(MCT_VERSION));
    mcti_buf_addc(&b, '}');
    return mcti_buf_take(&b);
}

struct mcti_provider *mcti_provider_local_new(const char *name, struct mcti_sched *sched, const struct mcti_log *log)
{
    struct mcti_local *l = calloc(1, sizeof *l);
    if (!l || mcti_provider_init(&l->base, &ops, name, sched, log) < 0) {
        free(l);
        return NULL;
    }
    mcti_list_init(&l->calls);
    mcti_list_init(&l->cancelled);
    mcti_map_init(&l->subs);
    mcti_list_init(&l->changed_subs);
    mcti_timer_init(&l->report_subs, mcti_local_report_subs, l);
    mcti_task_init(&l->ready, local_on_ready, l);
    for (int k = 0; k < MCT_KIND_N; k++)
        mcti_map_init(&l->items[k]);
    mcti_random(l->key, sizeof l->key);
    l->base.info.rev = MCT_REV_LATEST;
    l->base.info.server_info = default_info(name);
    renew_capabilities(l);
    if (l->base.info.server_info && l->base.info.capabilities)
        return &l->base;
    local_free(&l->base);
    return NULL;
}
