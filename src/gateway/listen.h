/* Notifies clients of changed lists, and keeps the open subscriptions of 2026-07-28 clients. */
#ifndef MCT_GATEWAY_LISTEN_H
#define MCT_GATEWAY_LISTEN_H

#include "gateway/impl.h"

void mcti_gw_listen(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

/* Returns a hash of the tools that the peer's view has of its own. */
uint64_t mcti_gw_own_tools(struct mcti_peer *p);

/* Discards the pending list changes of a client that has not listed anything yet. */
void mcti_gw_forget_changes(struct mcti_peer *p);

/* Notifies one peer of the list changes in p->dirty. */
void mcti_gw_tell_changes(struct mcti_peer *p);

/* Ends one of the r->n_pending waits for answers of servers. Acknowledges the request after the last one. */
void mcti_gw_listen_agreed(struct mcti_gw_request *r);

/* Sends a notification on the stream of a subscription; `params` may be absent. */
void mcti_gw_tell_listener(struct mcti_gw_request *r, const char *method, struct mcti_str params);

#endif
