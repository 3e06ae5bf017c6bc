/*
 * What the requestState of a parked call says, sealed: which call it is, in which round, until when, for whom and for which
 * request it is good. Only the newest state of a call is.
 */
#ifndef MCT_GATEWAY_QUESTION_CLAIM_H
#define MCT_GATEWAY_QUESTION_CLAIM_H

#include "base/seal.h"
#include "mcp/method.h"

enum { MCT_CLAIM_ID_BYTES = 32 };

struct mct_claim {
    char id[MCT_CLAIM_ID_BYTES + 1];
    unsigned round;
    uint64_t until_ms;
    unsigned char digest[32]; /* of the request */
    char *principal;          /* owned */
};

/* The same request has the same method and params, but for what belongs to one attempt. -1 when the library fails. */
int mct_claim_digest(enum mct_verb verb, struct mct_str params, unsigned char ret[32]);

/* Writes the state as a JSON string. */
void mct_claim_put(struct mct_buf *to, struct mct_str key, const struct mct_claim *c);

/* The id of the call a state (its text) is of; false when it was not sealed here. */
bool mct_claim_id(struct mct_str key, struct mct_str state, char ret_id[MCT_CLAIM_ID_BYTES + 1]);

/* Whether the state says just what the claim does. */
bool mct_claim_is(struct mct_str key, const struct mct_claim *c, struct mct_str state);

#endif
