/* Results that are over their budgets (hub/results). Implemented in gateway/read. */
#ifndef MCT_GATEWAY_KEPT_H
#define MCT_GATEWAY_KEPT_H

#include "gateway/impl.h"

/* Opens the store; closes it. */
void mcti_gw_results_open(struct mcti_gateway *g, const struct mcti_results_opts *opts);
void mcti_gw_results_close(struct mcti_gateway *g);

/* Sets other budgets and limits of the store. */
void mcti_gw_results_update(struct mcti_gateway *g, const struct mcti_results_opts *opts);

/* Offers the peer the tool that reads kept results, if a tool has a budget and the views of the peer have no tools of
 * their own: those that have are made with it. */
void mcti_gw_results_offer(struct mcti_peer *p);

/* Attaches the tools of an offer to a view. Returns -1 when out of memory. */
int mcti_gw_attach(struct mcti_gateway *g, struct mcti_view *v, const struct mcti_offer *offer);

/* Answers resources/read of a kept result. */
void mcti_gw_read_result(struct mcti_gw_request *r, struct mcti_str uri);

#endif
