/*
 * The table of protocol revisions. A handshake revision (2024-11-05 … 2025-11-25) begins with initialize and keeps a
 * session; the stateless revision (2026-07-28) carries all state in each request.
 */
#ifndef MCT_MCP_ERA_H
#define MCT_MCP_ERA_H

#include "base/buf.h"

enum mcti_rev {
    MCT_REV_NONE,
    MCT_REV_2024_11_05,
    MCT_REV_2025_03_26,
    MCT_REV_2025_06_18,
    MCT_REV_2025_11_25,
    MCT_REV_2026_07_28,
    MCT_REV_N,
    MCT_REV_LATEST_HANDSHAKE = MCT_REV_2025_11_25,
    MCT_REV_LATEST = MCT_REV_2026_07_28,
};

/* Returns MCT_REV_NONE for an unsupported revision. */
enum mcti_rev mcti_rev_find(struct mcti_str text);
const char *mcti_rev_text(enum mcti_rev rev);

static inline bool mcti_rev_is_stateless(enum mcti_rev rev)
{
    return rev >= MCT_REV_2026_07_28;
}

/* Returns the revision that answers an initialize for revision `asked`: the same if it is a supported handshake
 * revision, otherwise the latest handshake revision (2025-11-25, "Version Negotiation"). */
enum mcti_rev mcti_rev_negotiate(struct mcti_str asked);

/* Returns the id of an error whose request id cannot be read. Up to 2025-06-18 it is null, which JSON-RPC 2.0 demands
 * and the schemas require. From 2025-11-25 on it is absent, as it is optional there and cannot be null. MCT_REV_NONE
 * (revision not yet known): null. */
struct mcti_str mcti_rev_unknown_id(enum mcti_rev rev);

/* Writes `["2026-07-28"]`, the revisions that server/discover and -32022 errors list. */
void mcti_rev_put_stateless(struct mcti_buf *to);

/* Reserved keys of `_meta` (2026-07-28, "Requests" and "Results"). */
#define MCT_META_VERSION "io.modelcontextprotocol/protocolVersion"
#define MCT_META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define MCT_META_CLIENT_INFO "io.modelcontextprotocol/clientInfo"
#define MCT_META_LOG_LEVEL "io.modelcontextprotocol/logLevel"
#define MCT_META_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"
#define MCT_META_SERVER_INFO "io.modelcontextprotocol/serverInfo"

/* Key of `_meta` that names the gateway where serverInfo names a server behind it. */
#define MCT_META_GATEWAY "io.github.mcptools/gateway"

/* Key of `_meta` of a result that was cut to its budget, see docs/RESULTS.md. */
#define MCT_META_RESULT "io.github.mcptools/result"

/* Keys of an error's data for a command of this user: the kind of the error, see mct_error_word(), and the last lines
 * that the server wrote to stderr, if they may explain it. */
#define MCT_DATA_KIND "io.github.mcptools/kind"
#define MCT_DATA_RETRY "retryAfterMs" /* in "data" of an error: a new attempt may succeed after this time */
#define MCT_DATA_STDERR "io.github.mcptools/stderr"

/* JSON-RPC and MCP error codes. */
enum {
    MCT_RPC_PARSE = -32700,
    MCT_RPC_INVALID_REQUEST = -32600,
    MCT_RPC_METHOD_NOT_FOUND = -32601,
    MCT_RPC_INVALID_PARAMS = -32602,
    MCT_RPC_INTERNAL = -32603,
    MCT_RPC_RESOURCE_NOT_FOUND = -32002, /* handshake revisions only */
    MCT_RPC_URL_ELICITATION = -32042,    /* 2025-11-25 only */
    MCT_RPC_BUSY = -32010,               /* of the gateway: a rate or queue is full; data has MCT_DATA_RETRY */
    MCT_RPC_HEADER_MISMATCH = -32020,    /* 2026-07-28 only, like the next two */
    MCT_RPC_MISSING_CAPABILITY = -32021,
    MCT_RPC_UNSUPPORTED_VERSION = -32022,
};

/* Returns true if a server uses this code for an unknown resource in resources/read: -32002, or -32602 (servers built
 * on an SDK, and 2026-07-28). */
static inline bool mcti_rpc_is_not_found(int64_t code)
{
    return code == MCT_RPC_RESOURCE_NOT_FOUND || code == MCT_RPC_INVALID_PARAMS;
}

#endif
