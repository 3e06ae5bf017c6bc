/*
 * Streamable HTTP towards a server, in both of its forms: with a session (2025-03-26 … 2025-11-25: session
 * id, GET stream, resumption, a session begun again when the server has forgotten it, DELETE at the end)
 * and without (2026-07-28: headers that repeat the message, closing a stream cancels). Which form a
 * message has is read from the message itself. It stands in mcp/ because of that.
 */
#ifndef MCT_MCP_HTTP_TRANSPORT_HTTP_H
#define MCT_MCP_HTTP_TRANSPORT_HTTP_H

#include "io/http/client.h"
#include "io/transport.h"

struct mcti_url_opts {
    struct mcti_loop *loop;
    struct mcti_http_client *client;
    const char *url;                    /* copied */
    const struct mcti_headers *headers; /* of every request; copied; may be NULL */
    size_t message_bytes;               /* longest message either way */
    size_t requests;                    /* under way at once; further ones wait; 0: MCT_LIMIT_SERVER_REQUESTS */
};

/* NULL when out of memory. */
struct mcti_transport *mcti_transport_http_new(const struct mcti_url_opts *opts);

#endif
