/*
 * A C plugin as a server: a local provider whose tools come from a shared object. Unless its entry says otherwise, the
 * plugin is first tried in a copy of this process (io/process/trial.h). If that succeeds it is loaded into this
 * process; a plugin that crashes after that crashes this process.
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
    const struct mcti_answerer *answerer; /* of questions in calls without an answerer; may be NULL */
    unsigned start_timeout_ms, call_timeout_ms;
    bool trial;
    bool is_outcome;                        /* the caller reports a failure to start */
    const char *const *allow, *const *deny; /* globs over tool names, borrowed; no allow: all */
    size_t n_allow, n_deny;
    struct mct_error error;        /* error of the entry; kind MCT_ERR_NONE: the entry is valid */
    void *data;                    /* owned: memory that the members above borrow from */
    void (*free_data)(void *data); /* called last, and on failure */
};

/* Creates the provider. Returns NULL when out of memory. */
struct mcti_provider *mcti_provider_plugin_new(const char *name, const struct mcti_provider_plugin_opts *opts);

#endif
