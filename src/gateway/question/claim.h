/*
 * What the requestState of a parked call says, sealed: which call it is, in which round, until when, for whom and for
 * which request it is good. Only the newest state of a call is.
 */
#ifndef MCT_GATEWAY_QUESTION_CLAIM_H
#define MCT_GATEWAY_QUESTION_CLAIM_H

#include "base/seal.h"
#include "mcp/method.h"

enum { MCT_CLAIM_ID_BYTES = 32 };

struct mcti_claim {
    char id[MCT_CLAIM_ID_BYTES + 1];
    unsigned round;
    uint64_t until_ms;
    unsigned char digest[32]; /* of the request */
    char *principal;          /* owned */
};

/* The same request has the same method and params, but for what belongs to one attempt. -1 when the library fails. */
int mcti_claim_digest(enum mcti_verb verb, struct mcti_str params, unsigned char ret[32]);

/* Writes the state as a JSON string. */
void mcti_claim_put(struct mcti_buf *to, struct mcti_str key, const struct mcti_claim *c);

/* The id of the call a state (its text) is of; false when it was not sealed here. */
bool mcti_claim_id(struct mcti_str key, struct mcti_str state, char ret_id[MCT_CLAIM_ID_BYTES + 1]);

/* Whether the state says just what the claim does. */
bool mcti_claim_is(struct mcti_str key, const struct mcti_claim *c, struct mcti_str state);

#endif
