/* Methods and notifications of extensions, which the gateway does not know: what passes at the endpoint of one server.
 */
#ifndef MCT_GATEWAY_FOREIGN_H
#define MCT_GATEWAY_FOREIGN_H

#include "gateway/impl.h"

/* Passes the request on to the server that it is for, and its result back. mcti_gateway_passes() has admitted it. */
void mcti_gw_foreign(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

/* Passes a notification of a session on to the handshake server of the view, if the gateway does not know it and
 * no other client is affected. */
void mcti_gw_foreign_notification(struct mcti_peer *p, const struct mcti_msg *msg);

/* Passes a notification that came with a call on to its client. */
void mcti_gw_on_notified(struct mcti_call *call, struct mcti_str method, struct mcti_str params);

/* Writes the capabilities "extensions" and "experimental" of the view's servers for clients that speak `rev`, as far as
 * they cross. */
void mcti_gw_put_extensions(struct mcti_buf *to, struct mcti_view *v, enum mcti_rev rev);

#endif
