/* Changes and log messages of a server, its log level, and pings. */
#ifndef MCT_HUB_SERVER_LISTEN_H
#define MCT_HUB_SERVER_LISTEN_H

#include "hub/server/impl.h"

void mcti_server_listen_init(struct mcti_server *m);

/* Starts on a new connection: sends the log level and all subscriptions. */
void mcti_server_listen_begin(struct mcti_server *m);

/* Stops when the connection has ended. The log level and the subscriptions are kept for the next one. */
void mcti_server_listen_stop(struct mcti_server *m);
void mcti_server_listen_done(struct mcti_server *m);

/* Sends the log level that clients have requested to a handshake server. */
void mcti_server_send_level(struct mcti_server *m);

/* Handles a notification of the server, except notifications/progress. */
void mcti_server_on_notification(struct mcti_server *m, const struct mcti_msg *msg);

#endif
