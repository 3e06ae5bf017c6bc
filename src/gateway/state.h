/* Binds the requestState of a 2026-07-28 server to the client that receives it. */
#ifndef MCT_GATEWAY_STATE_H
#define MCT_GATEWAY_STATE_H

#include "gateway/impl.h"

/* Writes an input_required result whose requestState is valid for this client only. Returns false and writes nothing if
 * the result has no state or clients have no tokens. */
bool mcti_gw_state_bind(struct mcti_gw_request *r, struct mcti_str result, struct mcti_buf *to);

/* Writes the params with the requestState that the server itself sent. Returns 1 if the params were written, 0 if they
 * need no change; on failure returns -1 and sets *err. */
int mcti_gw_state_open(struct mcti_gw_request *r, struct mcti_str params, struct mcti_buf *to, struct mct_error *err);

#endif
