/*
 * A C plugin as a server: a provider_local whose tools a shared object brings. It is first tried in a copy of this
 * process (io/process/trial.h), unless its entry says otherwise, and loaded when it has come through; from then on it
 * runs in this process, and what it does wrong in a call this process does.
 */
#ifndef MCT_HUB_PLUGIN_PROVIDER_H
#define MCT_HUB_PLUGIN_PROVIDER_H

#include "hub/plugin/plugin.h"
#include "io/loop.h"
#include "io/process/reaper.h"

struct mcti_provider_plugin_opts {
    struct mcti_plugin_opts plugin;
    struct mcti_loop *loop;
    struct mcti_reaper *reaper; /* may be NULL */
    const struct mcti_log *log;
    unsigned start_timeout_ms, call_timeout_ms;
    bool trial;
    bool is_outcome;                        /* somebody else tells of a failure to start */
    const char *const *allow, *const *deny; /* globs over its tools' names, borrowed; no allow: all */
    size_t n_allow, n_deny;
    struct mct_error error;        /* why the entry cannot be used; kind NONE: it can */
    void *data;                    /* what the above borrows from, */
    void (*free_data)(void *data); /* freed last, or if it cannot be made */
};

/* NULL when out of memory. */
struct mcti_provider *mcti_provider_plugin_new(const char *name, const struct mcti_provider_plugin_opts *opts);

#endif
