/* Snapshots of what there is: one arena each, so that they stay while servers change. */
#include "api/impl.h"

#include "base/arena.h"
#include "base/limits.h"
#include "hub/policy/ruled.h"

#include <stdlib.h>

/* ---- texts ---- */

/* A string member, unescaped; NULL: there is none. */
static const char *keep_text(struct mct_arena *a, struct mct_str object, const char *key)
{
    struct mct_str plain, value = mct_json_get(object, key);
    if (mct_json_plain(value, &plain))
        return mct_arena_dup(a, plain);
    char *text = mct_json_dup(value);
    const char *kept = mct_arena_dup(a, mct_str_of(text));
    free(text);
    return kept;
}

/* A member as JSON, if it is an object. */
static const char *keep_object(struct mct_arena *a, struct mct_str object, const char *key)
{
    struct mct_str value = mct_json_get(object, key);
    return mct_json_type(value) == '{' ? mct_arena_dup(a, value) : NULL;
}

/* ---- tools ---- */

struct tools {
    struct mct_tools base;
    struct mct_arena arena;
};

static void read_tool(const struct api *api, struct mct_arena *a, const struct mct_exposure *x, struct mct_tool *t)
{
    struct mct_str json = x->item->json, meta = mct_json_get(json, "_meta");
    bool own = x->provider == api->own || (api->inst.view.own && x->provider == api->inst.view.own->provider);
    t->name = mct_arena_dup(a, x->name);
    t->raw_name = mct_arena_dup(a, x->item->id);
    t->label = keep_text(a, json, "title");
    if (!t->label)
        t->label = keep_text(a, mct_json_get(json, "annotations"), "title"); /* 2025-03-26 */
    if (!t->label)
        t->label = t->raw_name;
    t->description = keep_text(a, json, "description");
    if (!t->description)
        t->description = "";
    t->parameters = mct_arena_dup(a, mct_json_get(json, "inputSchema"));
    t->annotations = keep_object(a, json, "annotations");
    t->output_schema = keep_object(a, json, "outputSchema");
    t->server = own ? NULL : mct_arena_dup(a, mct_str_of(x->provider->name));
    t->plugin = x->provider->hosts_plugins ? keep_text(a, meta, "openclaw/plugin") : NULL;
    t->definition = mct_arena_dup(a, json);
    t->owner_only = mct_ruled_says_owner_only(x->item);
}

static bool fill_tools(struct api *api, struct tools *list)
{
    const struct mct_exposures *e = mct_view_items(&api->inst.view, MCT_TOOL);
    struct mct_tool *all = mct_arena_get(&list->arena, (e->n ? e->n : 1) * sizeof *all);
    const struct mct_tool **v = mct_arena_get(&list->arena, (e->n ? e->n : 1) * sizeof *v);
    for (size_t i = 0; all && v && i < e->n; i++) {
        read_tool(api, &list->arena, &e->v[i], &all[i]);
        v[i] = &all[i];
    }
    list->base = (struct mct_tools){ .n = e->n, .v = v };
    return mct_arena_ok(&list->arena);
}

int api_check_started(const struct api *a, struct mct_error *err)
{
    return a->phase == API_STARTED ? 0 : mct_fail(err, MCT_ERR_USAGE, "the registry %s", a->phase == API_OPEN
                                                  ? "has not been started" : "is being closed");
}

struct mct_tools *mct_registry_tools(struct mct_registry *r, struct mct_error *err)
{
    struct api *a = api_of(r);
    if (api_check_started(a, err) < 0)
        return NULL;
    struct tools *list = calloc(1, sizeof *list);
    if (list)
        mct_arena_init(&list->arena, SIZE_MAX);
    if (list && fill_tools(a, list))
        return &list->base;
    mct_tools_free(list ? &list->base : NULL);
    mct_no_memory(err);
    return NULL;
}

void mct_tools_free(struct mct_tools *t)
{
    struct tools *list = t ? MCT_CONTAINER(t, struct tools, base) : NULL;
    if (list)
        mct_arena_done(&list->arena);
    free(list);
}

/* ---- resources, templates, prompts ---- */

struct entries {
    struct mct_entries base;
    struct mct_arena arena;
};

static void read_entry(struct mct_arena *a, const struct mct_exposure *x, struct mct_entry *t)
{
    struct mct_str json = x->item->json;
    t->id = mct_arena_dup(a, x->name);
    t->name = keep_text(a, json, "name");
    t->title = keep_text(a, json, "title");
    t->description = keep_text(a, json, "description");
    t->mime_type = keep_text(a, json, "mimeType");
    t->server = mct_arena_dup(a, mct_str_of(x->provider->name));
    t->definition = mct_arena_dup(a, json);
}

static bool fill_entries(struct api *api, enum mct_kind kind, struct entries *list)
{
    const struct mct_exposures *e = mct_view_items(&api->inst.view, kind);
    struct mct_entry *all = mct_arena_get(&list->arena, (e->n ? e->n : 1) * sizeof *all);
    const struct mct_entry **v = mct_arena_get(&list->arena, (e->n ? e->n : 1) * sizeof *v);
    for (size_t i = 0; all && v && i < e->n; i++) {
        read_entry(&list->arena, &e->v[i], &all[i]);
        v[i] = &all[i];
    }
    list->base = (struct mct_entries){ .n = e->n, .v = v };
    return mct_arena_ok(&list->arena);
}

static struct mct_entries *entries(struct mct_registry *r, enum mct_kind kind, struct mct_error *err)
{
    struct api *a = api_of(r);
    if (api_check_started(a, err) < 0)
        return NULL;
    struct entries *list = calloc(1, sizeof *list);
    if (list)
        mct_arena_init(&list->arena, SIZE_MAX);
    if (list && fill_entries(a, kind, list))
        return &list->base;
    mct_entries_free(list ? &list->base : NULL);
    mct_no_memory(err);
    return NULL;
}

struct mct_entries *mct_registry_resources(struct mct_registry *r, struct mct_error *err)
{
    return entries(r, MCT_RESOURCE, err);
}

struct mct_entries *mct_registry_templates(struct mct_registry *r, struct mct_error *err)
{
    return entries(r, MCT_TEMPLATE, err);
}

struct mct_entries *mct_registry_prompts(struct mct_registry *r, struct mct_error *err)
{
    return entries(r, MCT_PROMPT, err);
}

void mct_entries_free(struct mct_entries *e)
{
    struct entries *list = e ? MCT_CONTAINER(e, struct entries, base) : NULL;
    if (list)
        mct_arena_done(&list->arena);
    free(list);
}
