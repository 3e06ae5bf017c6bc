/*
 * Plugins: shared objects with tools, resources, prompts and hooks. A plugin exports one symbol,
 * `mcptools_plugin`, and is loaded by an entry {"type": "plugin", "path": "./libmytools.so", "config": {…}}
 * of the configuration. It is built with these headers and links nothing: the functions that it calls come
 * in a table.
 *
 *     static int setup(const struct mct_plugin_api *api, void **ret_state, struct mct_error *err) { … }
 *
 *     MCT_PLUGIN_EXPORT const struct mct_plugin mcptools_plugin = {
 *         MCT_PLUGIN_HEAD, .id = "weather", .version = "1.0.0", .setup = setup };
 *
 * Everything runs on the thread that drives the instance. setup() is called in a trial first: a short-lived
 * copy of the process, in which a plugin that crashes, hangs or exits does no harm (docs/PLUGINS.md). Two
 * instances in one process may load the same plugin: they share its static data, and each has its own state
 * from setup().
 */
#ifndef MCPTOOLS_PLUGIN_H
#define MCPTOOLS_PLUGIN_H

#include <mcptools/hook.h>
#include <mcptools/json.h>
#include <mcptools/client.h>
#include <mcptools/log.h>
#include <mcptools/provide.h>

MCT_BEGIN_DECLS

/* The number changes when a plugin that was built with older headers could not run any more. Within one
 * number, tables and structs only grow at their end, and `size` tells how far. The first two members of
 * struct mct_plugin and struct mct_plugin_api never change. */
#define MCT_PLUGIN_ABI 1u
#define MCT_PLUGIN_SYMBOL "mcptools_plugin"

/* The registration of a plugin in one instance. */
struct mct_plugin_host;

/* Adds a tool for a factory. If the tool is left out, logs the reason and returns -1 with *err. */
typedef int (*mct_tool_add_fn)(void *to, const struct mct_tool_def *def, struct mct_error *err);

/* Makes tools for one caller: calls `add` with `to` for each of them, any number of times. If it returns -1
 * with *err the tools that it added are removed again, and the log says why. */
typedef int (*mct_tool_factory_fn)(const struct mct_tool_context *context, mct_tool_add_fn add, void *to, void *data,
                                   struct mct_error *err);

struct mct_tool_opts {
    size_t size;
    bool optional; /* exists only if an `allow` list names the tool, the plugin, or group:plugins */
};

#define MCT_TOOL_OPTS_INIT MCT_SIZED(struct mct_tool_opts)

/* The functions that a plugin may call. The table is valid until teardown() returns, so a plugin may keep the
 * pointer. */
struct mct_plugin_api {
    size_t size;
    unsigned abi;
    const char *host_version; /* version of mcptools */
    struct mct_plugin_host *host;
    const char *config; /* "config" of the entry with variables expanded: a JSON object that meets the plugin's
                         * config_schema */
    const struct mct_tool_context *context;
    bool trial; /* this is the trial run, in a copy of the process: changes of memory and output are discarded, and no
                 * tool is called. Skip actions that must happen only once, and return 0 */

    /* May be called in setup() only. They return -1 with *err if the tool, factory or hook is left out; setup() may
     * continue without it. Definitions are copied. `opts` may be NULL. */
    int (*add_tool)(struct mct_plugin_host *host, const struct mct_tool_def *def, const struct mct_tool_opts *opts,
                    struct mct_error *err);
    int (*add_factory)(struct mct_plugin_host *host, mct_tool_factory_fn fn, void *data,
                       const struct mct_tool_opts *opts, struct mct_error *err);
    int (*add_hook)(struct mct_plugin_host *host, const struct mct_hook_def *def, struct mct_error *err);

    /* May be called until teardown() returns. config_value returns a member of `config` as JSON, config_text the text
     * of a string. They return NULL if the member is absent; config_text also if it is not a string or contains U+0000.
     * The results are valid as long as the plugin is loaded. */
    const char *(*config_value)(struct mct_plugin_host *host, const char *name);
    const char *(*config_text)(struct mct_plugin_host *host, const char *name);
    void (*log)(struct mct_plugin_host *host, enum mct_log_level level, const char *text);

    /* Calls: see tool.h. */
    const char *(*call_arguments)(struct mct_tool_call *call);
    const char *(*call_arguments_len)(struct mct_tool_call *call, size_t *ret_len);
    const char *(*call_argument)(struct mct_tool_call *call, const char *name);
    const char *(*call_text_argument)(struct mct_tool_call *call, const char *name);
    const char *(*call_text_argument_len)(struct mct_tool_call *call, const char *name, size_t *ret_len);
    void *(*call_memory)(struct mct_tool_call *call, size_t size);
    void (*call_progress)(struct mct_tool_call *call, double progress, double total, const char *message);
    void (*call_later)(struct mct_tool_call *call, unsigned in_ms, mct_tool_fn fn, void *data);
    void (*call_on_cancel)(struct mct_tool_call *call, mct_tool_fn fn, void *data);
    void (*call_text)(struct mct_tool_call *call, const char *text);
    void (*call_text_len)(struct mct_tool_call *call, const char *text, size_t len);
    void (*call_error)(struct mct_tool_call *call, const char *text);
    void (*call_error_len)(struct mct_tool_call *call, const char *text, size_t len);
    void (*call_result)(struct mct_tool_call *call, const char *result);
    void (*call_result_len)(struct mct_tool_call *call, const char *result, size_t len);
    void (*call_fail)(struct mct_tool_call *call, int code, const char *message);

    /* Hooks: see hook.h. */
    const char *(*hook_event_json)(const struct mct_hook_event *event);
    void (*hook_decide)(struct mct_hook_event *event, const char *decision);
    void (*hook_fail)(struct mct_hook_event *event, const char *message);

    /* A host of the first version may lack the members below: `size` tells which it has. */

    /* As add_tool, for resources, resource templates and prompts. */
    int (*add_resource)(struct mct_plugin_host *host, const struct mct_resource_def *def, struct mct_error *err);
    int (*add_prompt)(struct mct_plugin_host *host, const struct mct_prompt_def *def, struct mct_error *err);

    /* May be called until teardown() returns; see provide.h. */
    int (*resource_updated)(struct mct_plugin_host *host, const char *uri, struct mct_error *err);

    /* Calls: see tool.h, provide.h and client.h. */
    void (*call_structured)(struct mct_tool_call *call, const char *object);
    void (*call_blob)(struct mct_tool_call *call, const char *mime_type, const void *bytes, size_t len);
    const char *(*call_uri)(struct mct_tool_call *call);
    const char *(*call_completed)(struct mct_tool_call *call);
    const char *(*call_typed)(struct mct_tool_call *call);
    void (*call_complete)(struct mct_tool_call *call, const char *const *candidates);
    void (*call_not_found)(struct mct_tool_call *call);
    const struct mct_caller *(*call_caller)(struct mct_tool_call *call);
    void (*call_ask)(struct mct_tool_call *call, const char *method, const char *params, mct_answer_fn answered,
                     void *data);
    bool (*call_can_ask)(struct mct_tool_call *call, const char *method, const char *params);
    void (*call_log)(struct mct_tool_call *call, const char *level, const char *text);
    void (*call_log_json)(struct mct_tool_call *call, const char *level, const char *logger, const char *data);
    void (*call_hang_up)(struct mct_tool_call *call);
};

/* The plugin: the type of the symbol `mcptools_plugin`. */
struct mct_plugin {
    size_t size;
    unsigned abi;
    const char *id; /* at most 64 of [a-z0-9._-], beginning with [a-z0-9]: the name in policies */
    const char *name, *version, *description; /* may be NULL */
    const char *config_schema;                /* JSON Schema for "config"; NULL: any object */
    /* Called each time the plugin is loaded: in the trial, and then in the process itself. *ret_state is passed to
     * teardown(). If it returns -1 with *err the plugin is not loaded, its status shows the message, and teardown() is
     * not called. */
    int (*setup)(const struct mct_plugin_api *api, void **ret_state, struct mct_error *err);
    /* Called once for each setup() that returned 0, after the plugin's last call and hook have ended and its tools are
     * removed. May be NULL. */
    void (*teardown)(void *state);
};

/* The first two members of struct mct_plugin. */
#define MCT_PLUGIN_HEAD sizeof(struct mct_plugin), MCT_PLUGIN_ABI

#ifdef __cplusplus
#define MCT_PLUGIN_EXPORT extern "C" MCT_API
#else
#define MCT_PLUGIN_EXPORT MCT_API
#endif

MCT_END_DECLS

#endif
