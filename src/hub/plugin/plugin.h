/*
 * One C plugin, as <mcptools/plugin.h> defines it: opening its shared object, shaking hands about versions, checking
 * what it says of itself and its configuration, setup(), its factories, and the end. Its tools become those of a
 * provider_local. When that is done, and whether it is first tried elsewhere, is provider_plugin's to say.
 */
#ifndef MCT_HUB_PLUGIN_PLUGIN_H
#define MCT_HUB_PLUGIN_PLUGIN_H

#include "base/arena.h"
#include "hub/hooks/hooks.h"

#include <mcptools/plugin.h>

struct mcti_plugin_opts {
    const char *path;   /* of the shared object; with a slash in it */
    const char *config; /* valid JSON object, variables expanded */
    const char *place;  /* "FILE:LINE: server 'NAME'", for what is wrong with the configuration */
    struct mct_tool_context context;
    struct mcti_hooks *hooks;             /* NULL: there are none, and a plugin that adds some is told so */
    const struct mcti_registry *registry; /* in which no two plugins have one id */
};

/* How far it has got. Behind each stands its end. */
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

/* Zero before it is loaded. */
struct mct_plugin_host {
    const struct mcti_plugin_opts *opts;
    struct mcti_provider *provider;  /* of the local kind */
    mcti_plugin_phase_fn tell_phase; /* as each begins; NULL: nobody wants to know */
    void *phase_data;
    void *object; /* of dlopen() */
    struct mct_plugin plugin;
    struct mct_plugin_api api;
    void *state;
    bool is_in_setup, is_set_up;
    struct mcti_arena texts; /* that it has asked for */
    struct mcti_plugin_factory *factories;
    size_t n_factories;
};

/* Loads it into h->provider; opts and provider are set. -1 with *err: then it is unloaded again. */
int mcti_plugin_load(struct mct_plugin_host *h, bool trial, struct mct_error *err);

/* Its hooks are called no more. */
void mcti_plugin_unhook(struct mct_plugin_host *h);

/* When no call of it is under way and its tools are gone; fine where nothing is loaded. */
void mcti_plugin_unload(struct mct_plugin_host *h);

#endif
