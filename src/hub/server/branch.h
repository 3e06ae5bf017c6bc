/* Branches: further connections to the server of a provider, and the eras that this server speaks. */
#ifndef MCT_HUB_SERVER_BRANCH_H
#define MCT_HUB_SERVER_BRANCH_H

#include "hub/server/impl.h"

/* Creates a branch of `p`; see the operation `branch` of a provider. Returns NULL when out of memory. */
struct mcti_provider *mcti_server_branch(struct mcti_provider *p, const struct mcti_answerer *can, bool handshake);

/* Stores whether the server speaks both eras, for as long as that is trusted. */
void mcti_server_set_both(struct mcti_server *m, enum mcti_both both);

/* Checks a connection after its handshake. Returns false and sets *err for a branch in the handshake era over HTTP
 * whose server keeps no session: such a server cannot ask questions. */
bool mcti_server_handshake_serves(struct mcti_server *m, struct mct_error *err);

/* Evaluates the failure of a branch in the handshake era: the server may not speak that era. `known`: the attempt
 * before failed with the same error. */
void mcti_server_note_failure(struct mcti_server *m, const struct mct_error *err, bool known);

#endif
