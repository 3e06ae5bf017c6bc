#include "hub/plugin/impl.h"

#include "base/limits.h"
#include "base/sized.h"
#include "hub/local/tool.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

struct mcti_plugin_factory {
    mct_tool_factory_fn fn;
    void *data;
    bool optional;
};

static void plugin_report_phase(const struct mct_plugin_host *h, enum mcti_plugin_phase phase)
{
    if (h->on_phase)
        h->on_phase(phase, h->phase_data);
}

/* Sets *err from the error that a plugin has filled in, which may be invalid. Returns -1. */
static int fail_as_reported(struct mct_error *err, const struct mct_error *reported, const char *where)
{
    bool has_kind = reported->kind > MCT_ERR_NONE && reported->kind < MCT_ERR_N_KINDS;
    int n = (int)strnlen(reported->message, sizeof reported->message);
    return mcti_fail(err, has_kind ? reported->kind : MCT_ERR_CONNECT, "%s: %.*s", where, n ? n : INT_MAX,
                     n ? reported->message : "no reason given");
}

/* ---- tools ---- */

/* Removes all resources and prompts. */
static void plugin_remove_others(struct mct_plugin_host *h)
{
    for (int kind = 0; kind < MCT_KIND_N; kind++) {
        const struct mcti_items *items = &h->provider->items[kind];
        while (kind != MCT_TOOL && items->n)
            mcti_local_remove(h->provider, (enum mcti_kind)kind, mcti_item_id(items->v[items->n - 1]).p);
    }
}

/* Removes the newest tools until `n_stay` are left. */
static void remove_tools(struct mct_plugin_host *h, size_t n_stay)
{
    const struct mcti_items *tools = &h->provider->items[MCT_TOOL];
    while (tools->n > n_stay)
        mcti_local_remove(h->provider, MCT_TOOL, mcti_item_id(tools->v[tools->n - 1]).p);
}

/* Appends the `_meta` of a tool, which policies use (hub/policy/ruled.h). */
static void plugin_put_meta(struct mcti_buf *to, const struct mct_plugin_host *h, bool optional)
{
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "openclaw/plugin", mcti_str_of(h->plugin.id));
    if (optional)
        mcti_json_put_raw(to, "openclaw/optional", MCT_STR("true"));
    mcti_buf_addc(to, '}');
}

static int plugin_add(struct mct_plugin_host *h, const struct mct_tool_def *def, bool optional, struct mct_error *err)
{
    const struct mcti_items *tools = &h->provider->items[MCT_TOOL];
    struct mct_error why;
    struct mcti_buf meta;
    mcti_buf_init(&meta, 1024);
    plugin_put_meta(&meta, h, optional);
    int r = mcti_local_add_tool(h->provider, def, mcti_buf_str(&meta), &why);
    mcti_buf_done(&meta);
    if (r < 0) {
        mcti_log(h->provider->log, MCT_LOG_WARN, "plugin '%s': %s; tool skipped", h->plugin.id, why.message);
        if (err)
            *err = why;
    } else if (!mcti_provider_admits(h->provider, MCT_TOOL, mcti_item_id(tools->v[tools->n - 1]))) {
        remove_tools(h, tools->n - 1);
    }
    return r;
}

static int check_setup(const struct mct_plugin_host *h, const char *what, struct mct_error *err)
{
    return h->is_in_setup ? 0 : mcti_fail(err, MCT_ERR_USAGE, "%s: allowed only during setup()", what);
}

static int plugin_add_tool(struct mct_plugin_host *h, const struct mct_tool_def *def, const struct mct_tool_opts *opts,
                           struct mct_error *err)
{
    struct mct_tool_opts own;
    if (check_setup(h, "add_tool", err) < 0 || mcti_sized_copy(&own, sizeof own, opts, "struct mct_tool_opts", err) < 0)
        return -1;
    return plugin_add(h, def, own.optional, err);
}

static int plugin_add_resource(struct mct_plugin_host *h, const struct mct_resource_def *def, struct mct_error *err)
{
    return check_setup(h, "add_resource", err) < 0 ? -1 : mcti_local_add_resource(h->provider, def, err);
}

static int plugin_add_prompt(struct mct_plugin_host *h, const struct mct_prompt_def *def, struct mct_error *err)
{
    return check_setup(h, "add_prompt", err) < 0 ? -1 : mcti_local_add_prompt(h->provider, def, err);
}

static int plugin_resource_updated(struct mct_plugin_host *h, const char *uri, struct mct_error *err)
{
    return uri ? mcti_local_resource_updated(h->provider, uri, err)
               : mcti_fail(err, MCT_ERR_USAGE, "resource_updated: the URI is NULL");
}

static int add_factory(struct mct_plugin_host *h, mct_tool_factory_fn fn, void *data, const struct mct_tool_opts *opts,
                       struct mct_error *err)
{
    struct mct_tool_opts own;
    if (check_setup(h, "add_factory", err) < 0 ||
        mcti_sized_copy(&own, sizeof own, opts, "struct mct_tool_opts", err) < 0)
        return -1;
    struct mcti_plugin_factory *v = realloc(h->factories, (h->n_factories + 1) * sizeof *v);
    if (!v)
        return mcti_no_memory(err);
    h->factories = v;
    v[h->n_factories++] = (struct mcti_plugin_factory){ fn, data, own.optional };
    return 0;
}

struct making {
    struct mct_plugin_host *host;
    bool optional;
};

static int add_made(void *to, const struct mct_tool_def *def, struct mct_error *err)
{
    const struct making *m = to;
    return plugin_add(m->host, def, m->optional, err);
}

static void run_factory(struct mct_plugin_host *h, const struct mcti_plugin_factory *f)
{
    struct making to = { h, f->optional };
    struct mct_error reported = { 0 }, why;
    size_t n_before = h->provider->items[MCT_TOOL].n;
    if (f->fn(&h->opts->context, add_made, &to, f->data, &reported) == 0)
        return;
    remove_tools(h, n_before);
    fail_as_reported(&why, &reported, "a factory");
    mcti_log(h->provider->log, MCT_LOG_WARN, "plugin tool failed (%s): %s; tools of this factory skipped", h->plugin.id,
             why.message);
}

/* ---- the remaining API ---- */

static int plugin_add_hook(struct mct_plugin_host *h, const struct mct_hook_def *def, struct mct_error *err)
{
    struct mcti_hooks *hooks = h->opts->hooks;
    if (check_setup(h, "add_hook", err) < 0)
        return -1;
    return hooks ? mcti_hooks_add(hooks, def, h, err)
                 : mcti_fail(err, MCT_ERR_UNSUPPORTED, "this program does not support hooks");
}

static const char *config_value(struct mct_plugin_host *h, const char *name)
{
    return mcti_arena_dup(&h->texts, mcti_json_get(mcti_str_of(h->opts->config), name));
}

static const char *config_text(struct mct_plugin_host *h, const char *name)
{
    char *text = mcti_json_dup(mcti_json_get(mcti_str_of(h->opts->config), name));
    const char *kept = mcti_arena_dup(&h->texts, mcti_str_of(text));
    free(text);
    return kept;
}

static void log_text(struct mct_plugin_host *h, enum mct_log_level level, const char *text)
{
    mcti_log(h->provider->log, level, "plugin '%s': %s", h->plugin.id, text ? text : "");
}

static void fill_api(struct mct_plugin_host *h, bool trial)
{
    h->api = (struct mct_plugin_api){
        .size = sizeof h->api,
        .abi = MCT_PLUGIN_ABI,
        .host_version = MCT_VERSION,
        .host = h,
        .config = h->opts->config,
        .context = &h->opts->context,
        .trial = trial,
        .add_tool = plugin_add_tool,
        .add_factory = add_factory,
        .add_hook = plugin_add_hook,
        .config_value = config_value,
        .config_text = config_text,
        .log = log_text,
        .call_arguments = mct_tool_call_arguments,
        .call_argument = mct_tool_call_argument,
        .call_text_argument = mct_tool_call_text_argument,
        .call_arguments_len = mct_tool_call_arguments_len,
        .call_text_argument_len = mct_tool_call_text_argument_len,
        .call_memory = mct_tool_call_memory,
        .call_progress = mct_tool_call_progress,
        .call_later = mct_tool_call_later,
        .call_on_cancel = mct_tool_call_on_cancel,
        .call_text = mct_tool_call_text,
        .call_error = mct_tool_call_error,
        .call_result = mct_tool_call_result,
        .call_text_len = mct_tool_call_text_len,
        .call_error_len = mct_tool_call_error_len,
        .call_result_len = mct_tool_call_result_len,
        .call_fail = mct_tool_call_fail,
        .hook_event_json = mct_hook_event_json,
        .hook_decide = mct_hook_decide,
        .hook_fail = mct_hook_fail,
        .add_resource = plugin_add_resource,
        .add_prompt = plugin_add_prompt,
        .resource_updated = plugin_resource_updated,
        .call_structured = mct_tool_call_structured,
        .call_blob = mct_tool_call_blob,
        .call_uri = mct_tool_call_uri,
        .call_completed = mct_tool_call_completed,
        .call_typed = mct_tool_call_typed,
        .call_complete = mct_tool_call_complete,
        .call_not_found = mct_tool_call_not_found,
        .call_caller = mct_tool_call_caller,
        .call_ask = mct_tool_call_ask,
        .call_can_ask = mct_tool_call_can_ask,
        .call_log = mct_tool_call_log,
        .call_log_json = mct_tool_call_log_json,
        .call_hang_up = mct_tool_call_hang_up,
    };
}

/* ---- loading and unloading ---- */

static int open_object(struct mct_plugin_host *h, struct mct_error *err)
{
    plugin_report_phase(h, MCT_PLUGIN_OPENING);
    if (mcti_plugin_check_owner(h->opts->path, err) < 0)
        return -1;
    h->object = dlopen(h->opts->path, RTLD_NOW | RTLD_LOCAL);
    const char *why = h->object ? NULL : dlerror();
    const struct mct_plugin *given = h->object ? dlsym(h->object, MCT_PLUGIN_SYMBOL) : NULL;
    if (!h->object)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s", why ? why : h->opts->path);
    if (!given)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: not a plugin: it does not export \"" MCT_PLUGIN_SYMBOL "\"",
                         h->opts->path);
    return mcti_plugin_check_abi(h, given, err) < 0 ? mcti_error_wrap(err, "%s", h->opts->path) : 0;
}

static int plugin_set_up(struct mct_plugin_host *h, bool trial, struct mct_error *err)
{
    struct mct_error reported = { 0 };
    mcti_arena_init(&h->texts, MCT_LIMIT_MESSAGE_BYTES);
    fill_api(h, trial);
    plugin_report_phase(h, MCT_PLUGIN_SETUP);
    h->is_in_setup = true;
    h->is_set_up = h->plugin.setup(&h->api, &h->state, &reported) == 0;
    h->is_in_setup = false;
    if (!h->is_set_up)
        return fail_as_reported(err, &reported, "setup()");
    plugin_report_phase(h, MCT_PLUGIN_FACTORY);
    for (size_t i = 0; i < h->n_factories; i++)
        run_factory(h, &h->factories[i]);
    return 0;
}

int mcti_plugin_load(struct mct_plugin_host *h, bool trial, struct mct_error *err)
{
    int r = open_object(h, err);
    if (r == 0 && (mcti_plugin_check(h, err) < 0 || plugin_set_up(h, trial, err) < 0))
        r = mcti_error_wrap(err, "%s", h->opts->path);
    if (r == 0) {
        h->provider->plugin = h->plugin.id;
        return 0;
    }
    remove_tools(h, 0);
    plugin_remove_others(h);
    mcti_plugin_unload(h);
    return -1;
}

void mcti_plugin_unhook(struct mct_plugin_host *h)
{
    if (h->opts->hooks)
        mcti_hooks_remove(h->opts->hooks, h);
}

void mcti_plugin_unload(struct mct_plugin_host *h)
{
    mcti_plugin_unhook(h);
    h->provider->plugin = NULL;
    plugin_report_phase(h, MCT_PLUGIN_TEARDOWN);
    if (h->is_set_up && h->plugin.teardown)
        h->plugin.teardown(h->state);
    h->is_set_up = false;
    free(h->factories);
    h->factories = NULL;
    h->n_factories = 0;
    plugin_report_phase(h, MCT_PLUGIN_CLOSING);
    if (h->object)
        dlclose(h->object);
    h->object = NULL;
    mcti_arena_done(&h->texts);
}
