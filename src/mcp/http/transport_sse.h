/*
 * HTTP+SSE, the transport of 2024-11-05, towards a server: one GET stream whose first event names the URL
 * to POST to (of the same origin), messages as events, everything of ours as POSTs. The stream is the
 * session: when it ends, the connection has.
 */
#ifndef MCT_MCP_HTTP_TRANSPORT_SSE_H
#define MCT_MCP_HTTP_TRANSPORT_SSE_H

#include "mcp/http/transport_http.h"

/* NULL when out of memory. */
struct mcti_transport *mcti_transport_sse_new(const struct mcti_url_opts *opts);

#endif
