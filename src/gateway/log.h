/* Log messages of servers: the level requested from servers, and the clients that receive a message. */
#ifndef MCT_GATEWAY_LOG_H
#define MCT_GATEWAY_LOG_H

#include "gateway/impl.h"

void mcti_gw_set_level(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

/* Returns the level that the text names, GW_SILENT if it names none. */
int mcti_gw_read_level(struct mcti_str level);
const char *mcti_gw_level_json(int level); /* with quotes */

/* Returns whether the client has requested log messages of this level. `params` are the params of the message. */
bool mcti_gw_admits(const struct mcti_gw_request *r, struct mcti_str params);

void mcti_gw_levels_init(struct mcti_gateway *g);

/* Sends the most verbose log level that any session requests at present to the handshake servers. */
void mcti_gw_update_levels(struct mcti_gateway *g);

/* Sets the level of a 2026-07-28 request at the handshake servers. The level counts while such a request is open and
 * for MCT_LEVEL_KEEP_MS after the newest one. GW_SILENT: does nothing. */
void mcti_gw_want_level(struct mcti_gateway *g, int level);

/* Sends a log message of a call to the client that made the call. */
void mcti_gw_on_log(struct mcti_call *call, struct mcti_str params);

/* ---- for gateway/notify/fan.c ---- */

/* Returns whether any client has a call open at the server `p`; a message may then belong to that call. */
bool mcti_gw_is_called(const struct mcti_gateway *g, const struct mcti_provider *p);

/* Returns whether `peer` receives a message of `p` with this level; `busy` is the result of mcti_gw_is_called(). */
bool mcti_gw_hears(const struct mcti_peer *peer, const struct mcti_provider *p, int level, bool busy);

/* Returns the level of a log message, -1 if it is unknown. */
int mcti_gw_level_of(struct mcti_str params);

/* Writes the params of a log message as clients of the view `v` get them. */
void mcti_gw_put_message(struct mcti_buf *to, const struct mcti_view *v, const struct mcti_provider *p,
                         struct mcti_str params);

#endif
