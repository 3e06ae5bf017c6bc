/* The provider that stands for one MCP server behind a transport. */
#ifndef MCT_HUB_SERVER_SERVER_H
#define MCT_HUB_SERVER_SERVER_H

#include "hub/core/provider.h"
#include "mcp/ask.h"

/* What was found out about a server, worth remembering: its era, and which of its transports it speaks. */
struct mcti_verdict {
    enum mcti_era era; /* MCT_ERA_AUTO: nothing is known */
    unsigned variant;
    enum mcti_both both; /* of one that speaks 2026-07-28 */
};

struct mcti_mcp_opts {
    /* A new transport for each attempt, not opened; NULL with *err. `variant` counts from 0: a URL may
     * be spoken to in more than one way. */
    struct mcti_transport *(*connect)(void *data, unsigned variant, struct mct_error *err);
    /* It has been found out; may be NULL. */
    void (*found)(void *data, const struct mcti_verdict *verdict);
    void (*free_data)(void *data); /* may be NULL */
    void *data;                    /* owned: freed with the provider */

    struct mcti_sched *sched;
    unsigned n_variants;         /* 0 counts as 1 */
    unsigned handshake_variants; /* bit set: these know no 2026-07-28 */
    enum mcti_era era;           /* what may be tried */
    enum mcti_rev rev;
    struct mcti_verdict known; /* from an earlier time; a hint that is dropped when it proves wrong */
    unsigned start_timeout_ms; /* the handshake, and each page of a list */
    unsigned probe_timeout_ms; /* 0: MCT_PROBE_TIMEOUT_MS */
    unsigned call_timeout_ms;
    unsigned ping_ms; /* pause between pings to a handshake server; 0: none */
    size_t message_bytes;
    const char *const *allow, *const *deny; /* globs over raw tool names, borrowed; no allow: all */
    size_t n_allow, n_deny;
    const struct mcti_answerer *answerer; /* who answers what the server asks; NULL: nobody */
    enum mcti_isolation isolation;
    enum mcti_match match; /* counts where era is AUTO */
    bool by_capabilities;
    bool restart;      /* connect again, with a growing pause, when it ends */
    bool log_failures; /* as warnings: nobody else tells them */
    bool replay;       /* calls of read-only or idempotent tools are sent again after that */
};

/* Takes opts->data even on failure. NULL when out of memory. */
struct mcti_provider *mcti_provider_mcp_new(const char *name, const struct mcti_mcp_opts *opts,
                                            const struct mcti_log *log);

#endif
