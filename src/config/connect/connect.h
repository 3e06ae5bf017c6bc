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

struct mcti_connect_env {
    struct mcti_loop *loop;
    struct mcti_reaper *reaper; /* may be NULL */
    const struct mcti_log *log;
    struct mcti_http_client *http;        /* made when the first URL is met; see mcti_connect_done() */
    struct mcti_verdicts *verdicts;       /* what is known of servers; NULL: nothing, and nothing is kept */
    const struct mcti_answerer *answerer; /* what servers may ask; its roots are ignored; NULL: nothing */
    const struct mcti_strings *roots;     /* folders for all servers; NULL or none: each has its own cwd */
    bool asks_roots;                    /* the answerer is asked for the roots: the entries' own folders are not told */
    struct mcti_hooks *hooks;           /* where those of C plugins go; NULL: they can have none */
    bool restart;                       /* servers that end are started again */
    unsigned stop_eof_ms, stop_term_ms; /* 0: the defaults */
};

/* Adds a provider for the entry. An entry that cannot be used becomes a provider in the state
 * "error", so that it is seen and says what to do. -1 when out of memory. */
int mcti_connect_server(const struct mcti_config *c, const struct mcti_config_server *s, struct mcti_connect_env *env,
                        struct mcti_registry *r);

/* Appends a folder as a Root object (2025-11-25 "Roots"). */
void mcti_put_root(struct mcti_buf *to, const char *path);

/* After the registry, before the loop. */
void mcti_connect_done(struct mcti_connect_env *env);

#endif
