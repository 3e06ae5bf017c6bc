/* From configured entries to providers in a registry. */
#ifndef MCT_CONFIG_CONNECT_CONNECT_H
#define MCT_CONFIG_CONNECT_CONNECT_H

#include "config/config.h"
#include "config/connect/verdicts.h"
#include "hub/plugin/plugin.h"
#include "hub/core/registry.h"
#include "io/http/client.h"
#include "io/loop.h"
#include "io/process/reaper.h"
#include "mcp/ask.h"

struct mct_connect_env {
    struct mct_loop *loop;
    struct mct_reaper *reaper; /* may be NULL */
    const struct mct_log *log;
    struct mct_http_client *http; /* made when the first URL is met; see mct_connect_done() */
    struct mct_verdicts *verdicts; /* what is known of servers; NULL: nothing, and nothing is kept */
    const struct mct_answerer *answerer; /* what servers may ask; its roots are ignored; NULL: nothing */
    const struct mct_strings *roots; /* folders for all servers; NULL or none: each has its own cwd */
    bool asks_roots;           /* the answerer is asked for the roots: the entries' own folders are not told */
    struct mct_hooks *hooks;   /* where those of C plugins go; NULL: they can have none */
    bool restart;              /* servers that end are started again */
    unsigned stop_eof_ms, stop_term_ms; /* 0: the defaults */
};

/* Adds a provider for the entry. An entry that cannot be used becomes a provider in the state
 * "error", so that it is seen and says what to do. -1 when out of memory. */
int mct_connect_server(const struct mct_config *c, const struct mct_config_server *s,
                       struct mct_connect_env *env, struct mct_registry *r);

/* Appends a folder as a Root object (2025-11-25 "Roots"). */
void mct_put_root(struct mct_buf *to, const char *path);

/* After the registry, before the loop. */
void mct_connect_done(struct mct_connect_env *env);

#endif
