/*
 * The contents of the requestState of a parked call: id of the call, round, expiry, digest of the request, principal.
 * They are sealed. Only the newest requestState of a call is valid.
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

/* Computes the digest of a request from its method and its params without _meta, inputResponses and requestState, which
 * differ between rounds. *ret_has_state: there is a requestState. Returns -1 when the hash function fails. */
int mcti_claim_digest(enum mcti_verb verb, struct mcti_str params, unsigned char ret[32], bool *ret_has_state);

/* Writes the requestState for `c` as a JSON string, sealed with `key`. */
void mcti_claim_put(struct mcti_buf *to, struct mcti_str key, const struct mcti_claim *c);

/* Reads the id of the call from `state`. Returns false if `state` was not sealed with `key`. */
bool mcti_claim_id(struct mcti_str key, struct mcti_str state, char ret_id[MCT_CLAIM_ID_BYTES + 1]);

/* Returns whether `state` has exactly the contents of `c`; compares in constant time. */
bool mcti_claim_is(struct mcti_str key, const struct mcti_claim *c, struct mcti_str state);

#endif
