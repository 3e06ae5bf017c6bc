/* The provider that stands for one MCP server behind a transport. */
#ifndef MCT_HUB_PROVIDER_MCP_H
#define MCT_HUB_PROVIDER_MCP_H

#include "hub/provider.h"

struct mct_mcp_opts {
    /* A new transport for each attempt, not opened; NULL with *err. */
    struct mct_transport *(*connect)(void *data, struct mct_error *err);
    void (*free_data)(void *data); /* may be NULL */
    void *data;                    /* owned: freed with the provider */

    struct mct_sched *sched;
    enum mct_era era;
    enum mct_rev rev;
    unsigned start_timeout_ms; /* the handshake, and each page of a list */
    unsigned probe_timeout_ms; /* 0: MCT_PROBE_TIMEOUT_MS */
    unsigned call_timeout_ms;
    size_t message_bytes;
    const char *const *allow, *const *deny; /* globs over raw tool names, borrowed; no allow: all */
    size_t n_allow, n_deny;
    bool restart;              /* start it again, with a growing pause, when it ends */
};

/* Takes opts->data even on failure. NULL when out of memory. */
struct mct_provider *mct_provider_mcp_new(const char *name, const struct mct_mcp_opts *opts,
                                          const struct mct_log *log);

#endif
