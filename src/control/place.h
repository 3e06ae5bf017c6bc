/*
 * Where the socket of a running gateway lies, and what is behind it. The name of the socket is made from the identity
 * of the configuration: the version of mcptools, and the paths and contents of the files that were read.
 */
#ifndef MCT_CONTROL_PLACE_H
#define MCT_CONTROL_PLACE_H

#include "config/config.h"

#include <sys/un.h>

enum { MCT_IDENTITY_CHARS = 64 };

struct mcti_control_place {
    char identity[MCT_IDENTITY_CHARS + 1];
    char folder[sizeof((struct sockaddr_un *)0)->sun_path];
    char socket[sizeof((struct sockaddr_un *)0)->sun_path];
    char lock[sizeof((struct sockaddr_un *)0)->sun_path];
};

/* Fills *ret for this configuration. `make`: creates the folder if it is not there. Returns -1 with *err if a file
 * cannot be read, or if others than this user could write to the folder. */
int mcti_control_place(const struct mcti_config *c, bool make, struct mcti_control_place *ret, struct mct_error *err);

/* Returns true if the process at the other end of a Unix socket belongs to this user or to root. */
bool mcti_control_peer_is_ours(int fd);

#endif
