/*
 * The socket of a running gateway. Each connection is either a client that uses one server, with the server's own
 * names, or a client that speaks the control protocol (method.c). Owns the socket and the connections; the instance is
 * the owner's.
 */
#ifndef MCT_CONTROL_CONTROL_H
#define MCT_CONTROL_CONTROL_H

#include "control/socket.h"
#include "instance/instance.h"

struct mcti_control {
    struct mcti_instance *inst;
    struct mcti_control_socket socket;
    uv_poll_t poll;
    struct mcti_timer pause; /* no descriptors were left: accepting pauses */
    struct mcti_list conns;  /* struct mcti_control_conn */
    size_t n_conns;
    struct mcti_watcher watcher;
    uint64_t since_ms;        /* when the gateway was started, on the wall clock */
    void (*stop)(void *data); /* a client asks the gateway to end */
    void *data;
    bool open;
};

/* Opens the socket for the gateway of `i`, which is open. Returns -1 with *err; the gateway then works without it. */
int mcti_control_open(struct mcti_control *c, struct mcti_instance *i, struct mct_error *err);

/* Moves the socket to where commands look for a gateway with the configuration that the instance has now. Does nothing
 * if it is not open. Returns -1 with *err. */
int mcti_control_move(struct mcti_control *c, struct mct_error *err);

/* Stops accepting clients. Those that have calls under way keep their connection. */
void mcti_control_drain(struct mcti_control *c);
bool mcti_control_is_drained(const struct mcti_control *c);

/* Ends all connections, before the gateway ends. The loop then closes their handles. Does nothing if it is not open. */
void mcti_control_close(struct mcti_control *c);

#endif
