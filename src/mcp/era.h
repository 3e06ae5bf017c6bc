/*
 * The revisions of the protocol as a table. "Handshake" revisions (2024-11-05 … 2025-11-25) begin with
 * initialize and keep a session; the stateless one (2026-07-28) carries everything in each request.
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

/* MCT_REV_NONE for a text that names no revision we speak. */
enum mcti_rev mcti_rev_find(struct mcti_str text);
const char *mcti_rev_text(enum mcti_rev rev);

static inline bool mcti_rev_is_stateless(enum mcti_rev rev)
{
    return rev >= MCT_REV_2026_07_28;
}

/* What an initialize for `asked` is answered with: the same if we speak it, else the latest
 * handshake revision (2025-11-25, "Version Negotiation"). */
enum mcti_rev mcti_rev_negotiate(struct mcti_str asked);

/* Returns what an error has as its id when that of the request cannot be read: null, as JSON-RPC 2.0 has it and the
 * schemas up to 2025-06-18 require the member; absent from 2025-11-25 on, where it is optional and cannot be null.
 * MCT_REV_NONE, the revision is not known yet: null. */
struct mcti_str mcti_rev_unknown_id(enum mcti_rev rev);

/* `["2026-07-28"]`: what server/discover and -32022 errors name, from one place. */
void mcti_rev_put_stateless(struct mcti_buf *to);

/* Reserved keys of `_meta` (2026-07-28, "Requests", "Results"). */
#define MCT_META_VERSION "io.modelcontextprotocol/protocolVersion"
#define MCT_META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define MCT_META_CLIENT_INFO "io.modelcontextprotocol/clientInfo"
#define MCT_META_LOG_LEVEL "io.modelcontextprotocol/logLevel"
#define MCT_META_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"
#define MCT_META_SERVER_INFO "io.modelcontextprotocol/serverInfo"

/* JSON-RPC and MCP error codes. */
enum {
    MCT_RPC_PARSE = -32700,
    MCT_RPC_INVALID_REQUEST = -32600,
    MCT_RPC_METHOD_NOT_FOUND = -32601,
    MCT_RPC_INVALID_PARAMS = -32602,
    MCT_RPC_INTERNAL = -32603,
    MCT_RPC_RESOURCE_NOT_FOUND = -32002, /* handshake revisions only */
    MCT_RPC_URL_ELICITATION = -32042,    /* 2025-11-25 only */
    MCT_RPC_HEADER_MISMATCH = -32020,    /* 2026-07-28 only, as the next two */
    MCT_RPC_MISSING_CAPABILITY = -32021,
    MCT_RPC_UNSUPPORTED_VERSION = -32022,
};

/* Whether a server answers resources/read with this code when it does not have the resource: -32002, or
 * -32602 as SDK servers and 2026-07-28 say it. */
static inline bool mcti_rpc_is_not_found(int64_t code)
{
    return code == MCT_RPC_RESOURCE_NOT_FOUND || code == MCT_RPC_INVALID_PARAMS;
}

#endif
