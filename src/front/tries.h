/*
 * Wrong bearer tokens: how many an address may try. A principal that has used the gateway from an address before is not
 * disturbed by others who try tokens there, for addresses are shared (loopback, NAT). Knows numbers and time only.
 */
#ifndef MCT_FRONT_TRIES_H
#define MCT_FRONT_TRIES_H

#include "hub/guard/rate.h"

enum { MCT_TRIES_ADDRESSES = 256, MCT_TRIES_KNOWN = 1024 };

/* Zeroed: nobody has tried anything. An address is a keyed hash, and never 0. */
struct mcti_tries {
    struct mcti_tries_address {
        uint64_t address;
        struct mcti_rate rate;
    } v[MCT_TRIES_ADDRESSES]; /* an address with this hash, as long as its rate matters; others share it meanwhile */
    uint64_t known[MCT_TRIES_KNOWN]; /* principals at addresses */
};

/* Counts a wrong token. Returns 0, or the milliseconds for which the address has to wait. */
unsigned mcti_tries_fail(struct mcti_tries *t, uint64_t address, uint64_t now_ms);

/* Notes the right token of a principal. Returns 0, or the milliseconds for which it has to wait: too many wrong tokens
 * have come from the address, and the principal is new there. */
unsigned mcti_tries_pass(struct mcti_tries *t, uint64_t address, unsigned principal, uint64_t now_ms);

#endif
