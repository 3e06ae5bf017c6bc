/* Results that are over their budgets (hub/results). Implemented in gateway/read. */
#ifndef MCT_GATEWAY_KEPT_H
#define MCT_GATEWAY_KEPT_H

#include "gateway/impl.h"

/* Opens the store if any tool has a budget; closes it. */
void mcti_gw_results_open(struct mcti_gateway *g, const struct mcti_results_opts *opts);
void mcti_gw_results_close(struct mcti_gateway *g);

/* Answers resources/read of a kept result. */
void mcti_gw_read_result(struct mcti_gw_request *r, struct mcti_str uri);

#endif
