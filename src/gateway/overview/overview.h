/* What a running gateway knows, as one JSON object for people: for the status page and the control socket. */
#ifndef MCT_GATEWAY_OVERVIEW_H
#define MCT_GATEWAY_OVERVIEW_H

#include "gateway/gateway.h"

/* What is written; zero: everything. */
struct mcti_overview_opts {
    uint64_t after;            /* only what has changed after the change of this number */
    bool all_clients;          /* all clients, even if `after` is set */
    bool quiet;                /* what servers wrote to stderr is left out */
    struct mcti_str principal; /* clients and recent calls of this principal only; absent: of all */
};

/*
 * Appends the overview of `g`, which is observed from then on (mcti_gateway_observe()). Members:
 *
 * at: number of the latest change; pass it as `after` the next time.
 * name, version, pid, uptimeMs, endpoint (absent without HTTP): only if `after` is 0.
 * ready
 * calls {total, failed, running, p50Ms, p90Ms, p99Ms}: of all servers; percentiles are absent without calls.
 * servers [members of mcti_provider_put_status(); tools, resources, resourceTemplates, prompts: numbers; listed: number
 *   of the latest change of these lists; calls as above; stderr: last lines, if the server is not connected]. One that
 *   was removed after `after` has only name and "gone": true.
 * clients [id, name, version, principal, protocolVersion, transport, connectedMs, calls, lastMs (time of the latest
 *   call, in ms since 1970)]: sessions, at most MCT_OVERVIEW_SESSIONS, the newest; and clients without a session, which
 *   have no transport and no connectedMs. Unknown members are absent.
 * whole: true if `clients` is complete; otherwise it has those that have changed.
 * nSessions: number of all sessions.
 * recent [time (ms since 1970), client, principal, server, method, tool, ms, outcome]: the latest calls, newest first.
 *   Arguments and results are not kept.
 */
void mcti_overview_put(struct mcti_buf *to, struct mcti_gateway *g, const struct mcti_overview_opts *opts);

enum { MCT_OVERVIEW_SESSIONS = 200, MCT_OVERVIEW_STDERR_BYTES = 4096 };

/* Appends the tools of a server that were called: [{name, calls, failed, meanMs, longestMs}]. */
void mcti_overview_put_tools(struct mcti_buf *to, const struct mcti_gateway *g, struct mcti_str server);

#endif
