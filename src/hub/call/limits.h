/* What one server's calls make the gateway hold is bounded, so that others are served while that server is slow. */
#ifndef MCT_HUB_CALL_LIMITS_H
#define MCT_HUB_CALL_LIMITS_H

#include "base/account.h"

/* What a call is charged for; embedded in the owner of the call, who releases it. */
struct mcti_charge {
    size_t bytes;                         /* that the call holds */
    struct mcti_account *payer;           /* of the client: where refusals are counted, too */
    const struct mcti_account_rule *rule; /* of accounts of servers */
    struct mcti_account *server;          /* that is charged; NULL: none */
    size_t charged;
};

static inline void mcti_charge_release(struct mcti_charge *c)
{
    if (c->server)
        mcti_account_put(c->server, MCT_HELD_CALL, &c->charged, 0);
    c->server = NULL;
}

#endif
