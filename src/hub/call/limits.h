/* Bounds the memory held for the calls of one server, so that a slow server does not block the others. */
#ifndef MCT_HUB_CALL_LIMITS_H
#define MCT_HUB_CALL_LIMITS_H

#include "base/account.h"

/* The charge for a call; embedded in the owner of the call, which releases it. */
struct mcti_charge {
    size_t bytes;                         /* held by the call */
    struct mcti_account *payer;           /* account of the client, which counts refusals as well */
    const struct mcti_account_rule *rule; /* for accounts of servers */
    struct mcti_account *server;          /* account charged; NULL: none */
    size_t charged;
};

static inline void mcti_charge_release(struct mcti_charge *c)
{
    if (c->server)
        mcti_account_put(c->server, MCT_HELD_CALL, &c->charged, 0);
    c->server = NULL;
}

#endif
