/*
 * Plugins: shared objects that bring tools and hooks. A plugin exports one symbol, `mcptools_plugin`, and is loaded by
 * an entry {"type": "plugin", "path": "./libmytools.so", "config": {…}} of the configuration. It needs these headers
 * and links nothing: what it calls comes in the table it is given.
 *
 *     static int setup(const struct mct_plugin_api *api, void **ret_state, struct mct_error *err) { … }
 *     MCT_PLUGIN_EXPORT const struct mct_plugin mcptools_plugin = {
 *         MCT_PLUGIN_HEAD, .id = "weather", .version = "1.0.0", .setup = setup };
 *
 * Everything runs on the one thread that drives the library. setup() is first called in a trial: a short-lived copy of
 * the process, in which a plugin that crashes, hangs or exits harms nobody (docs/PLUGINS.md). Two registries of one
 * process may load the same plugin: what is static in it they share, what setup() returns is each one's own.
 */
#ifndef MCPTOOLS_PLUGIN_H
#define MCPTOOLS_PLUGIN_H

#include <mcptools/hook.h>
#include <mcptools/log.h>
#include <mcptools/tool.h>

MCT_BEGIN_DECLS

/* Changes when a plugin built for an older one could not run. Within one number tables and structs only grow at their
 * end, which `size` tells. */
#define MCT_PLUGIN_ABI 1u
#define MCT_PLUGIN_SYMBOL "mcptools_plugin"

struct mct_plugin_host; /* the one registration */

/* -1 with *err: the tool is left out, which the log says. */
typedef int (*mct_tool_add_fn)(void *to, const struct mct_tool_def *def, struct mct_error *err);

/* Makes tools for one caller. Adds them with `add`, as many as it likes, none too. -1 with *err: the factory is left
 * out, with what it has added, and the log says why. */
typedef int (*mct_tool_factory_fn)(const struct mct_tool_context *context, mct_tool_add_fn add, void *to, void *data,
                                   struct mct_error *err);

struct mct_tool_opts {
    size_t size;
    bool optional; /* there only if an `allow` list names the tool, the plugin, or group:plugins */
};

/* Given to setup(); the table is good until teardown() returns, so a plugin may keep the pointer. */
struct mct_plugin_api {
    size_t size;
    unsigned abi;
    const char *host_version; /* of mcptools */
    struct mct_plugin_host *host;
    const char *config; /* the entry's "config" with variables expanded, a JSON object; checked against the
                         * plugin's config_schema */
    const struct mct_tool_context *context;
    bool trial; /* this is the trial: nothing that is done lasts, stdout and stderr lead nowhere, and nobody
                 * calls the tools. Leave out what must be done once only, and say yes */

    /* In setup() only. -1 with *err: it is left out (of tools the log says so), and setup() may go on. What is given is
     * copied. `opts` may be NULL. */
    int (*add_tool)(struct mct_plugin_host *host, const struct mct_tool_def *def, const struct mct_tool_opts *opts,
                    struct mct_error *err);
    int (*add_factory)(struct mct_plugin_host *host, mct_tool_factory_fn fn, void *data,
                       const struct mct_tool_opts *opts, struct mct_error *err);
    int (*add_hook)(struct mct_plugin_host *host, const struct mct_hook_def *def, struct mct_error *err);

    /* Until teardown() returns. One member of `config`: as JSON (a string keeps its quotes), and a string unescaped;
     * NULL: absent, no string, or with U+0000 in it. Good as long as the plugin. */
    const char *(*config_value)(struct mct_plugin_host *host, const char *name);
    const char *(*config_text)(struct mct_plugin_host *host, const char *name);
    void (*log)(struct mct_plugin_host *host, enum mct_log_level level, const char *text);

    /* Calls: see tool.h. */
    const char *(*call_arguments)(struct mct_tool_call *call);
    const char *(*call_argument)(struct mct_tool_call *call, const char *name);
    const char *(*call_text_argument)(struct mct_tool_call *call, const char *name);
    void *(*call_memory)(struct mct_tool_call *call, size_t size);
    void (*call_progress)(struct mct_tool_call *call, double progress, double total, const char *message);
    void (*call_later)(struct mct_tool_call *call, unsigned in_ms, mct_tool_fn fn, void *data);
    void (*call_on_cancel)(struct mct_tool_call *call, mct_tool_fn fn, void *data);
    void (*call_text)(struct mct_tool_call *call, const char *text);
    void (*call_error)(struct mct_tool_call *call, const char *text);
    void (*call_result)(struct mct_tool_call *call, const char *result);
    void (*call_fail)(struct mct_tool_call *call, int code, const char *message);

    /* Hooks: see hook.h. */
    const char *(*hook_event_json)(const struct mct_hook_event *event);
    void (*hook_decide)(struct mct_hook_event *event, const char *decision);
    void (*hook_fail)(struct mct_hook_event *event, const char *message);
};

struct mct_plugin {
    unsigned abi;
    size_t size;
    const char *id;                           /* [a-z0-9] first, then [a-z0-9._-], at most 64: what policies call it */
    const char *name, *version, *description; /* may be NULL */
    const char *config_schema;                /* JSON Schema that "config" must meet; NULL: any object */
    /* Each time it is loaded: in the trial, and here. *ret_state is handed to teardown(). -1 with *err, of which
     * `message` is told: the plugin is left out, without teardown(). */
    int (*setup)(const struct mct_plugin_api *api, void **ret_state, struct mct_error *err);
    /* Once for each setup() that returned 0, when no call and no hook of it is under way any more and its tools are
     * gone; may be NULL. */
    void (*teardown)(void *state);
};

#define MCT_PLUGIN_HEAD MCT_PLUGIN_ABI, sizeof(struct mct_plugin)

#ifdef __cplusplus
#define MCT_PLUGIN_EXPORT extern "C" MCT_API
#else
#define MCT_PLUGIN_EXPORT MCT_API
#endif

MCT_END_DECLS

#endif
