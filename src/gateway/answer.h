/* Answers requests: turns the outcome of a call into the form of the client's revision. */
#ifndef MCT_GATEWAY_ANSWER_H
#define MCT_GATEWAY_ANSWER_H

#include "gateway/impl.h"

/* The functions below take the request: they free it, or keep the answer if the call is parked. */

/* Answers with the outcome of the call. */
void mcti_gw_answer(struct mcti_call *call, const struct mcti_outcome *o);

/* Answers with a result in the form of the client's revision. */
void mcti_gw_send_result(struct mcti_gw_request *r, struct mcti_str result);

/* Answers with the result in `o`. */
void mcti_gw_answer_result(struct mcti_gw_request *r, const struct mcti_outcome *o);

/* Answers with an error. */
void mcti_gw_fail(struct mcti_gw_request *r, const struct mct_error *err);

/* Answers with an error and its data; absent: none. */
void mcti_gw_refuse(struct mcti_gw_request *r, const struct mct_error *err, struct mcti_str data);

/* Answers with an error object in the form of the client's revision. */
void mcti_gw_send_error(struct mcti_gw_request *r, struct mcti_str error);

/* Cancels the call and answers that the client lacks the capability for a question of the server (2026-07-28 "Errors",
 * -32021). */
void mcti_gw_fail_lacking(struct mcti_gw_request *r, enum mcti_ask_kind kind, struct mcti_str params);

#endif
