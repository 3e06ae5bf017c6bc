/* Subscriptions to resources: resources/subscribe of sessions, resourceSubscriptions of subscriptions/listen. */
#ifndef MCT_GATEWAY_SUBSCRIBE_H
#define MCT_GATEWAY_SUBSCRIBE_H

#include "gateway/impl.h"

void mcti_gw_subscribe(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_unsubscribe(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

/* Adds a subscription to `subs` and searches for a server that accepts it. mcti_gw_subscribed() is called once, now or
 * later. */
void mcti_gw_subs_add(struct mcti_gw_request *r, struct mcti_subs *subs, struct mcti_str uri);

/* Ends the wait of the request for one subscription: it exists (err NULL) or every server has refused it. */
void mcti_gw_subscribed(struct mcti_gw_request *r, const struct mct_error *err);

/* Frees the subscription that the request waits for, when the request is freed first. */
void mcti_gw_subs_release(struct mcti_gw_request *r);

/* Iterates over the URIs of `subs`; *at is NULL before the first. */
bool mcti_gw_subs_next(struct mcti_subs *subs, struct mcti_list **at, struct mcti_str *ret_uri);

void mcti_gw_subs_clear(struct mcti_subs *subs);

/* Sends an update of a resource to all of its subscribers. */
void mcti_gw_forward_update(struct mcti_gateway *g, struct mcti_provider *p, struct mcti_str params);

/* Moves the subscriptions at a branch that ends to the connection that replaces the branch. */
void mcti_gw_subs_move(struct mcti_gateway *g, const struct mcti_branch *from);

/* Moves the subscriptions at a removed server to the one that has replaced it under its name. */
void mcti_gw_subs_follow(struct mcti_gateway *g, struct mcti_provider *to);

/* Moves what is left there, or ends it; a subscription that the server has not accepted yet asks the next one. */
void mcti_gw_subs_leave(struct mcti_gateway *g, struct mcti_provider *from);

#endif
