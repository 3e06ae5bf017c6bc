/*
 * The HTTP+SSE transport of 2024-11-05 to a server: one GET stream, whose first event names the URL for POST requests
 * (same origin), carries the server's messages; ours are sent as POSTs. The connection ends with the stream.
 */
#ifndef MCT_MCP_HTTP_TRANSPORT_SSE_H
#define MCT_MCP_HTTP_TRANSPORT_SSE_H

#include "mcp/http/transport_http.h"

/* Creates a transport. Returns NULL if memory is exhausted. */
struct mcti_transport *mcti_transport_sse_new(const struct mcti_url_opts *opts);

#endif
