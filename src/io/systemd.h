/* What systemd passes to a service: a listening socket, and a place to report its state. See sd_listen_fds(3) and
 * sd_notify(3); libsystemd is not needed for that. */
#ifndef MCT_IO_SYSTEMD_H
#define MCT_IO_SYSTEMD_H

#include "base/error.h"

/* Takes the listening TCP socket that this process was started with, and writes its address, HOST:PORT, to *ret_address
 * (to free). Returns the descriptor, 0 if there is none, or -1 with *err. Children do not inherit the socket. */
int mcti_systemd_take_socket(char **ret_address, struct mct_error *err);

/* Reports a state, such as "READY=1". Does nothing if nobody wants to know. */
void mcti_systemd_notify(const char *state);

/* Reports that the configuration was read again. */
void mcti_systemd_notify_reloaded(void);

#endif
