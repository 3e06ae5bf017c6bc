/* Lists of tools, resources, templates and prompts for the program. Each list is a copy in an arena of its own, which
 * stays valid when servers change. */
#include "api/impl.h"

#include "base/arena.h"
#include "base/limits.h"
#include "hub/policy/ruled.h"

#include <stdlib.h>

/* ---- texts ---- */

/* Returns a copy of a string member, unescaped; NULL: absent. */
static const char *keep_text(struct mcti_arena *a, struct mcti_str object, const char *key)
{
    struct mcti_str plain, value = mcti_json_get(object, key);
    if (mcti_json_plain(value, &plain))
        return mcti_arena_dup(a, plain);
    char *text = mcti_json_dup(value);
    const char *kept = mcti_arena_dup(a, mcti_str_of(text));
    free(text);
    return kept;
}

/* Returns a copy of a member as JSON; NULL: not an object. */
static const char *keep_object(struct mcti_arena *a, struct mcti_str object, const char *key)
{
    struct mcti_str value = mcti_json_get(object, key);
    return mcti_json_type(value) == '{' ? mcti_arena_dup(a, value) : NULL;
}

/* ---- tools ---- */

struct tools {
    struct mct_tools base;
    struct mcti_arena arena;
};

static void read_tool(const struct mct_instance *api, struct mcti_arena *a, const struct mcti_exposure *x,
                      struct mct_tool *t)
{
    struct mcti_str json = mcti_item_json(x->item), meta = mcti_json_get(json, "_meta");
    bool own = x->provider == api->own || (api->inst.view.own && x->provider == api->inst.view.own->provider);
    t->name = mcti_arena_dup(a, x->name);
    t->raw_name = mcti_arena_dup(a, mcti_item_id(x->item));
    t->label = keep_text(a, json, "title");
    if (!t->label)
        t->label = keep_text(a, mcti_json_get(json, "annotations"), "title"); /* 2025-03-26 */
    if (!t->label)
        t->label = t->raw_name;
    t->description = keep_text(a, json, "description");
    if (!t->description)
        t->description = "";
    t->parameters = mcti_arena_dup(a, mcti_json_get(json, "inputSchema"));
    t->annotations = keep_object(a, json, "annotations");
    t->output_schema = keep_object(a, json, "outputSchema");
    t->server = own ? NULL : mcti_arena_dup(a, mcti_str_of(x->provider->name));
    t->plugin = x->provider->hosts_plugins ? keep_text(a, meta, "openclaw/plugin") : NULL;
    t->definition = mcti_arena_dup(a, json);
    t->owner_only = mcti_ruled_says_owner_only(x->item);
}

static bool fill_tools(struct mct_instance *api, struct tools *list)
{
    const struct mcti_exposures *e = mcti_view_items(&api->inst.view, MCT_TOOL);
    size_t n = e->n_apps;
    struct mct_tool *all = mcti_arena_get(&list->arena, (n ? n : 1) * sizeof *all);
    const struct mct_tool **v = mcti_arena_get(&list->arena, (n ? n : 1) * sizeof *v);
    for (size_t i = 0; all && v && i < n; i++) {
        read_tool(api, &list->arena, &e->v[i], &all[i]);
        v[i] = &all[i];
    }
    list->base = (struct mct_tools){ .n = n, .v = v };
    return mcti_arena_ok(&list->arena);
}

int mcti_api_check_started(const struct mct_instance *a, struct mct_error *err)
{
    return a->phase == API_STARTED ? 0
                                   : mcti_fail(err, MCT_ERR_USAGE, "the instance %s",
                                               a->phase == API_OPEN ? "has not been started" : "is being closed");
}

struct mct_tools *mct_instance_tools(struct mct_instance *r, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (mcti_api_check_started(a, err) < 0)
        return NULL;
    struct tools *list = calloc(1, sizeof *list);
    if (list)
        mcti_arena_init(&list->arena, SIZE_MAX);
    if (list && fill_tools(a, list))
        return &list->base;
    mct_tools_free(list ? &list->base : NULL);
    mcti_no_memory(err);
    return NULL;
}

void mct_tools_free(struct mct_tools *t)
{
    struct tools *list = t ? MCT_CONTAINER(t, struct tools, base) : NULL;
    if (list)
        mcti_arena_done(&list->arena);
    free(list);
}

/* ---- resources, templates, prompts ---- */

struct entries {
    struct mct_entries base;
    struct mcti_arena arena;
};

static void read_entry(const struct mct_instance *api, struct mcti_arena *a, const struct mcti_exposure *x,
                       struct mct_entry *t)
{
    struct mcti_str json = mcti_item_json(x->item);
    t->id = mcti_arena_dup(a, x->name);
    t->name = keep_text(a, json, "name");
    t->title = keep_text(a, json, "title");
    t->description = keep_text(a, json, "description");
    t->mime_type = keep_text(a, json, "mimeType");
    t->server = x->provider == api->own ? NULL : mcti_arena_dup(a, mcti_str_of(x->provider->name));
    t->definition = mcti_arena_dup(a, json);
}

static bool fill_entries(struct mct_instance *api, enum mcti_kind kind, struct entries *list)
{
    const struct mcti_exposures *e = mcti_view_items(&api->inst.view, kind);
    struct mct_entry *all = mcti_arena_get(&list->arena, (e->n ? e->n : 1) * sizeof *all);
    const struct mct_entry **v = mcti_arena_get(&list->arena, (e->n ? e->n : 1) * sizeof *v);
    for (size_t i = 0; all && v && i < e->n; i++) {
        read_entry(api, &list->arena, &e->v[i], &all[i]);
        v[i] = &all[i];
    }
    list->base = (struct mct_entries){ .n = e->n, .v = v };
    return mcti_arena_ok(&list->arena);
}

static struct mct_entries *api_lists_entries(struct mct_instance *r, enum mcti_kind kind, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (mcti_api_check_started(a, err) < 0)
        return NULL;
    struct entries *list = calloc(1, sizeof *list);
    if (list)
        mcti_arena_init(&list->arena, SIZE_MAX);
    if (list && fill_entries(a, kind, list))
        return &list->base;
    mct_entries_free(list ? &list->base : NULL);
    mcti_no_memory(err);
    return NULL;
}

struct mct_entries *mct_instance_resources(struct mct_instance *r, struct mct_error *err)
{
    return api_lists_entries(r, MCT_RESOURCE, err);
}

struct mct_entries *mct_instance_templates(struct mct_instance *r, struct mct_error *err)
{
    return api_lists_entries(r, MCT_TEMPLATE, err);
}

struct mct_entries *mct_instance_prompts(struct mct_instance *r, struct mct_error *err)
{
    return api_lists_entries(r, MCT_PROMPT, err);
}

void mct_entries_free(struct mct_entries *e)
{
    struct entries *list = e ? MCT_CONTAINER(e, struct entries, base) : NULL;
    if (list)
        mcti_arena_done(&list->arena);
    free(list);
}
