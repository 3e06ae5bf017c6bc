/* Whether a server is alive, and what a plugin host reports about its plugins. */
#ifndef MCT_HUB_SERVER_ALIVE_H
#define MCT_HUB_SERVER_ALIVE_H

#include "hub/server/impl.h"

void mcti_server_alive_init(struct mcti_server *m);
void mcti_server_alive_begin(struct mcti_server *m); /* on a new connection */
void mcti_server_alive_stop(struct mcti_server *m);

/* Logs what a plugin host has to report, if nobody else tells it. */
void mcti_server_log_hosted(struct mcti_server *m);

/* Handles notifications/openclaw/plugins. */
void mcti_server_on_hosted(struct mcti_server *m, struct mcti_str params);

/* Pings a server that has let a call time out, unless it has sent anything since that began; reports to its gate. */
void mcti_server_check(struct mcti_server *m, uint64_t since_ms);

#endif
