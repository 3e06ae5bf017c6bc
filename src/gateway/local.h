/* The methods that the gateway answers itself. */
#ifndef MCT_GATEWAY_LOCAL_H
#define MCT_GATEWAY_LOCAL_H

#include "gateway/impl.h"

void mcti_gw_initialize(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_discover(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_ping(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

/* Writes the member "_meta" of a 2026-07-28 result of the gateway itself: who answers. */
void mcti_gw_put_result_meta(struct mcti_buf *to, const struct mcti_peer *peer);

/* Switches the peer to the view of its endpoint for the peer's group of clients. */
void mcti_gw_take_view(struct mcti_peer *p);

#endif
