/* Resource subscriptions at a server: which URIs are subscribed, and whether the server has accepted each subscription.
 */
#ifndef MCT_HUB_SERVER_SUBSCRIBE_H
#define MCT_HUB_SERVER_SUBSCRIBE_H

#include "hub/server/impl.h"

/* Operations of the provider. */
int mcti_server_subscribe(struct mcti_provider *p, struct mcti_str uri, struct mcti_agreement *w,
                          struct mct_error *err);
void mcti_server_unsubscribe(struct mcti_provider *p, struct mcti_str uri);

void mcti_server_subs_init(struct mcti_server *m);

/* Sends all subscriptions on a new connection to a handshake server. */
void mcti_server_subs_begin(struct mcti_server *m);

/* Reports every subscribed resource as updated, because notifications may have been missed. */
void mcti_server_subs_touch(struct mcti_server *m);

/* Cancels pending requests for subscriptions after the connection has ended. The subscriptions are kept for the next
 * connection. */
void mcti_server_subs_stop(struct mcti_server *m);
void mcti_server_subs_done(struct mcti_server *m);

/* Appends the member `resourceSubscriptions` of a subscriptions/listen filter. */
void mcti_server_subs_put(struct mcti_server *m, struct mcti_buf *b);

/* Handles the acknowledgement of a subscriptions/listen; `uris` is the list of the accepted ones. */
void mcti_server_subs_agreed(struct mcti_server *m, struct mcti_str uris);

/* Fails the unacknowledged subscriptions of the newest subscriptions/listen. */
void mcti_server_subs_fail(struct mcti_server *m, const char *why);

#endif
