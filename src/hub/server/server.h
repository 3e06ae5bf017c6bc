/*
 * The provider for one MCP server behind a transport. It owns the transport and the session of the current connection,
 * and connects again as configured.
 */
#ifndef MCT_HUB_SERVER_SERVER_H
#define MCT_HUB_SERVER_SERVER_H

#include "hub/catalogue/catalogue.h"
#include "hub/guard/gate.h"
#include "mcp/ask.h"

/* Facts about a server that are worth remembering: its era, and the transport that it accepts. */
struct mcti_verdict {
    enum mcti_era era; /* MCT_ERA_AUTO: unknown */
    unsigned variant;
    enum mcti_both both; /* whether a 2026-07-28 server also speaks a handshake revision */
};

struct mcti_mcp_opts {
    /* Creates the transport of an attempt, not opened. `variant`, from 0, selects one of several transports for a URL.
     * On failure returns NULL and sets *err. */
    struct mcti_transport *(*connect)(void *data, unsigned variant, struct mct_error *err);
    /* Reports a new verdict; may be NULL. */
    void (*found)(void *data, const struct mcti_verdict *verdict);
    /* Adds to the error of a failed attempt what the server's stderr, `said`, explains; may be NULL. */
    void (*explain)(void *data, struct mcti_str said, struct mct_error *err);
    /* Called when all lists of the connected server have been fetched; may be NULL. */
    void (*listed)(void *data, const struct mcti_provider *p);
    void (*free_data)(void *data); /* may be NULL */
    void *data;                    /* owned by the provider */

    struct mcti_sched *sched;
    unsigned n_variants;         /* 0 counts as 1 */
    unsigned handshake_variants; /* bits 1 << variant: these transports exist only before 2026-07-28 */
    enum mcti_era era;           /* eras to try */
    enum mcti_rev rev;
    struct mcti_verdict known; /* verdict of an earlier run; dropped if it turns out to be wrong */
    unsigned start_timeout_ms; /* for the handshake */
    unsigned page_timeout_ms;  /* for each page of a list; 0: start_timeout_ms */
    unsigned settle_ms;        /* after this time nobody waits for the start any more, which goes on; 0: never */
    unsigned probe_timeout_ms; /* 0: MCT_PROBE_TIMEOUT_MS */
    unsigned call_timeout_ms;
    unsigned ping_ms; /* pause between pings; 0: none */
    unsigned idle_ms; /* stop after this time without calls, subscriptions and questions; 0: never */
    bool lazy;        /* start at the first use, if it has been connected before */
    /* What it was and listed then, moved into the provider; NULL: unknown. It is shown until the server is up. */
    struct mcti_stored *stored;
    size_t message_bytes;
    const char *const *allow, *const *deny; /* globs over raw tool names, borrowed; no allow: all */
    size_t n_allow, n_deny;
    const struct mcti_answerer *answerer; /* answers the questions of the server; NULL: they are refused */
    enum mcti_isolation isolation;
    enum mcti_match match; /* used only if era is MCT_ERA_AUTO */
    bool by_capabilities;
    enum mcti_extensions extensions; /* those that cross to and from the server */
    struct mcti_gate_opts gate;
    bool restart;         /* connect again after the connection ends, with a growing pause */
    bool log_failures;    /* log failures as warnings, because the caller does not report them */
    bool retry_reads;     /* send reads, prompts and completions again after a failure of the server */
    bool replay;          /* send calls of read-only or idempotent tools again after a new connection */
    bool always_progress; /* request progress for every call, so that it extends timeouts; otherwise only if the caller
                           * has requested it */
    bool only_different;  /* report a list_changed only if the fetched list differs */
};

/* Creates the provider. Takes opts->data and the contents of opts->stored even on failure. Returns NULL when out of
 * memory. */
struct mcti_provider *mcti_provider_mcp_new(const char *name, const struct mcti_mcp_opts *opts,
                                            const struct mcti_log *log);

/* Time limits, as in struct mcti_mcp_opts. */
struct mcti_mcp_times {
    unsigned start_ms, page_ms, settle_ms, call_ms;
};

/* Sets the time limits of later starts and calls, and the limits of its gate, if `p` is the provider of an MCP server.
 */
void mcti_provider_mcp_retime(struct mcti_provider *p, const struct mcti_mcp_times *times,
                              const struct mcti_gate_opts *gate);

#endif
