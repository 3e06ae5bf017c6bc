/*
 * The Streamable HTTP transport to a server, in both forms: with a session (2025-03-26 … 2025-11-25: session id, GET
 * stream, resumption, a new session when the server has lost the old one, DELETE at the end), and stateless
 * (2026-07-28: headers that repeat the message; closing a stream cancels its request). The message itself determines
 * its form, which is why this transport belongs to mcp/ and not to io/.
 */
#ifndef MCT_MCP_HTTP_TRANSPORT_HTTP_H
#define MCT_MCP_HTTP_TRANSPORT_HTTP_H

#include "mcp/http/credentials.h"
#include "io/transport.h"

struct mcti_url_opts {
    struct mcti_loop *loop;
    struct mcti_http_client *client;
    const char *url;                    /* copied */
    const struct mcti_headers *headers; /* sent with every request; copied; may be NULL */
    size_t message_bytes;               /* longest message in either direction */
    /* limit of concurrent requests, further ones are queued; 0: MCT_LIMIT_SERVER_REQUESTS */
    size_t requests;
    struct mcti_credentials *credentials; /* outlive the transport; NULL: none */
};

/* Creates a transport. Returns NULL if memory is exhausted. */
struct mcti_transport *mcti_transport_http_new(const struct mcti_url_opts *opts);

#endif
