/* The transport of a command to a server of the running gateway: MCP over a connection to the gateway's socket. */
#ifndef MCT_CONTROL_ATTACH_H
#define MCT_CONTROL_ATTACH_H

#include "control/place.h"
#include "io/loop.h"
#include "io/transport.h"

struct mcti_attach_opts {
    struct mcti_loop *loop;
    const struct mcti_control_place *place; /* outlives the transport */
    const char *server;                     /* the same */
    unsigned wait_ms;                       /* for a server that is starting */
    size_t message_bytes;
};

/* Creates the transport. Returns NULL when out of memory. If the server is down, the reason of the gateway ends the
 * connection. */
struct mcti_transport *mcti_transport_attached_new(const struct mcti_attach_opts *o);

#endif
