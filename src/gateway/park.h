/*
 * Questions to a 2026-07-28 client. Such a client cannot be sent requests: the gateway answers its call with an
 * input_required result, parks the call and resumes it with the client's next request, which brings the answers.
 */
#ifndef MCT_GATEWAY_PARK_H
#define MCT_GATEWAY_PARK_H

#include "gateway/impl.h"

/* Prepares a call that may have to be parked: records the digest of the request and the questions that the client can
 * answer. On failure returns -1 and sets *err. */
int mcti_gw_park_prepare(struct mcti_gw_request *r, struct mcti_str params, struct mcti_str capabilities,
                         struct mct_error *err);

/* Resumes the parked call that the requestState of `msg` names and hands the answers to its server. Returns 1 if the
 * call was resumed, and frees `r`; 0 if the request names no parked call; -1 with *err if its requestState is not
 * valid. */
int mcti_gw_park_resume(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta,
                        struct mct_error *err);

/* Keep the outcome, or a notification, of a parked call until the client comes back. Return GO_ON if the client is
 * waiting for it now. */
enum mcti_gw_step mcti_gw_park_keep(struct mcti_gw_request *r, struct mcti_str member, struct mcti_str value);
enum mcti_gw_step mcti_gw_park_notify(struct mcti_gw_request *r, const char *method, struct mcti_str params);

void mcti_gw_park_free(struct mcti_gw_request *r); /* r->park may be NULL */

/* Cancels the parked calls of a peer that disconnects. */
void mcti_gw_parks_drop(struct mcti_peer *p);

#endif
