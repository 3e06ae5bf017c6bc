/* Answers resources/read, from the cache or from the first server that has the resource, and completion/complete. */
#ifndef MCT_GATEWAY_READ_H
#define MCT_GATEWAY_READ_H

#include "gateway/impl.h"

void mcti_gw_read(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_complete(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

/* Tries the next candidate if the outcome says that this server lacks the resource or cannot be reached. Returns GO_ON
 * if the outcome is the answer. */
enum mcti_gw_step mcti_gw_retry_read(struct mcti_gw_request *r, const struct mcti_outcome *o);

/* Checks the URI against resource_uri_allowlist, which restricts resource tools in the same way. Returns -1 with *err if
 * it may not be read. */
int mcti_gw_admit_uri(const struct mcti_gw_request *r, struct mcti_str uri, struct mct_error *err);

/* Answers from the cache. Returns GO_ON if the request must be sent over r->connection; r->place is then the answer's
 * place in the cache. */
enum mcti_gw_step mcti_gw_recall(struct mcti_gw_request *r, const struct mcti_msg *msg);

#endif
