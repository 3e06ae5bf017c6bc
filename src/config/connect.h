/* From configured entries to providers in a registry. */
#ifndef MCT_CONFIG_CONNECT_H
#define MCT_CONFIG_CONNECT_H

#include "config/config.h"
#include "hub/registry.h"
#include "io/loop.h"
#include "io/reaper.h"

struct mct_connect_env {
    struct mct_loop *loop;
    struct mct_reaper *reaper; /* may be NULL */
    const struct mct_log *log;
    bool restart;              /* servers that end are started again */
    unsigned stop_eof_ms, stop_term_ms; /* 0: the defaults */
};

/* Adds a provider for the entry. An entry that cannot be used becomes a provider in the state
 * "error", so that it is seen and says what to do. -1 when out of memory. */
int mct_connect_server(const struct mct_config *c, const struct mct_config_server *s,
                       const struct mct_connect_env *env, struct mct_registry *r);

#endif
