/* The listening socket of a gateway: one for each configuration, held by a lock file. */
#ifndef MCT_CONTROL_SOCKET_H
#define MCT_CONTROL_SOCKET_H

#include "control/place.h"

struct mcti_control_socket {
    struct mcti_control_place place;
    int fd, lock_fd; /* -1: none */
};

/* Opens the socket with mode 0600 and removes those that killed gateways have left. Returns -1 with *err; its kind is
 * MCT_ERR_LIMIT if another gateway with the same configuration has the socket. */
int mcti_control_socket_open(struct mcti_control_socket *s, const struct mcti_config *c, struct mct_error *err);

/* Moves the open socket to the place of another configuration. If that is impossible, returns -1 with *err, and the
 * socket stays where it is. */
int mcti_control_socket_move(struct mcti_control_socket *s, const struct mcti_config *c, struct mct_error *err);

/* Removes and closes the socket. Does nothing if it is not open. */
void mcti_control_socket_close(struct mcti_control_socket *s);

/* Accepts a connection of this user or of root; others are closed. Returns -1 with errno if there is none. */
int mcti_control_socket_accept(const struct mcti_control_socket *s);

#endif
