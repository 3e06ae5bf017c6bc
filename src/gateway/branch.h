/* Chooses the connection to a server that a request uses: the shared one, or a branch. */
#ifndef MCT_GATEWAY_BRANCH_H
#define MCT_GATEWAY_BRANCH_H

#include "gateway/impl.h"

/* Returns the connection that the request's calls to `p` use: `p` itself, or the provider of a branch, which r->branch
 * then holds. On failure returns NULL and sets *err. */
struct mcti_provider *mcti_gw_connection(struct mcti_gw_request *r, struct mcti_provider *p, struct mct_error *err);

/* Like mcti_gw_connection(), for an owner that outlives the request: sets *ret_branch to the branch, which the caller
 * releases with mcti_branch_unuse(), or to NULL. */
struct mcti_provider *mcti_gw_connection_for(struct mcti_gw_request *r, struct mcti_provider *p,
                                             struct mcti_branch **ret_branch, struct mct_error *err);

/* At initialize: starts the connections in the client's era that need no process. */
void mcti_gw_begin_eras(struct mcti_gw_request *r);

/* Delays initialize for a moment until these connections are made, because its answer lists their capabilities. */
enum mcti_gw_step mcti_gw_wait_for_eras(struct mcti_gw_request *r, const struct mcti_msg *msg);

/* Returns whether the client can answer any kind of question. */
bool mcti_gw_can_be_asked(const struct mcti_answerer *can);

/* Returns whether the session `p` has used the branch `b`; such a branch lives as long as the session,
 * unless its server is removed. */
bool mcti_gw_holds(const struct mcti_peer *p, const struct mcti_branch *b);

/* Lets go of a branch that ends; NULL: of all that the session has used. */
void mcti_gw_holds_clear(struct mcti_peer *p, const struct mcti_branch *b);

#endif
