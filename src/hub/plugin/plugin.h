/*
 * One C plugin, as <mcptools/plugin.h> defines it: opens its shared object, checks its ABI, description and
 * configuration, runs setup() and its factories, and unloads it. Its tools become tools of a local provider. provider.h
 * decides when a plugin is loaded, and whether it is tried in another process first.
 */
#ifndef MCT_HUB_PLUGIN_PLUGIN_H
#define MCT_HUB_PLUGIN_PLUGIN_H

#include "base/arena.h"
#include "hub/hooks/hooks.h"

#include <mcptools/plugin.h>

struct mcti_plugin_opts {
    const char *path;   /* of the shared object; contains a slash */
    const char *config; /* valid JSON object, variables expanded */
    const char *place;  /* "FILE:LINE: server 'NAME'", for errors in the configuration */
    struct mct_tool_context context;
    struct mcti_hooks *hooks;             /* NULL: adding a hook fails */
    const struct mcti_registry *registry; /* plugin ids are unique in it */
};

/* Phases of a plugin, in their order. */
enum mcti_plugin_phase {
    MCT_PLUGIN_OPENING,
    MCT_PLUGIN_SETUP,
    MCT_PLUGIN_FACTORY,
    MCT_PLUGIN_TEARDOWN,
    MCT_PLUGIN_CLOSING,
    MCT_PLUGIN_DONE
};

typedef void (*mcti_plugin_phase_fn)(enum mcti_plugin_phase phase, void *data);

struct mcti_plugin_factory;

/* A plugin and its API. Zeroed before mcti_plugin_load(), except for opts, provider, on_phase and phase_data. */
struct mct_plugin_host {
    const struct mcti_plugin_opts *opts;
    struct mcti_provider *provider; /* a local provider */
    mcti_plugin_phase_fn on_phase;  /* called at the begin of each phase; may be NULL */
    void *phase_data;
    void *object; /* handle of dlopen() */
    struct mct_plugin plugin;
    struct mct_plugin_api api;
    void *state;
    bool is_in_setup, is_set_up;
    struct mcti_arena texts; /* values of its configuration that it has requested */
    struct mcti_plugin_factory *factories;
    size_t n_factories;
};

/* Loads the plugin into h->provider; opts and provider must be set. On failure unloads it again, returns -1 and sets
 * *err. */
int mcti_plugin_load(struct mct_plugin_host *h, bool trial, struct mct_error *err);

/* Removes the plugin's hooks. */
void mcti_plugin_unhook(struct mct_plugin_host *h);

/* Unloads the plugin. Its tools must be removed and its calls ended. Does nothing if nothing is loaded. */
void mcti_plugin_unload(struct mct_plugin_host *h);

#endif
