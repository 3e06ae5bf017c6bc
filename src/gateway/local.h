/* The methods that the gateway answers itself. */
#ifndef MCT_GATEWAY_LOCAL_H
#define MCT_GATEWAY_LOCAL_H

#include "gateway/impl.h"

void mcti_gw_initialize(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_discover(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_ping(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

/* Switches the peer to the view of its endpoint for the peer's group of clients. */
void mcti_gw_take_view(struct mcti_peer *p);

#endif
