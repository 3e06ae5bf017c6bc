/* Sends notifications to very many clients in portions, one portion in each turn of the loop. */
#ifndef MCT_GATEWAY_FAN_H
#define MCT_GATEWAY_FAN_H

#include "gateway/impl.h"

void mcti_gw_fan_init(struct mcti_gateway *g);
void mcti_gw_fan_done(struct mcti_gateway *g);

/* Sends a log message of a server that belongs to no call. It goes to the sessions that have, or had a moment ago, a
 * call open at this server, because it may belong to that call; if there is no such session, to all. */
void mcti_gw_forward_message(struct mcti_gateway *g, struct mcti_provider *p, struct mcti_str params);

/* Writes {"jsonrpc":"2.0","method":…,"params":…} on one line. */
void mcti_gw_put_notification(struct mcti_buf *to, const char *name, struct mcti_str params);
void mcti_gw_tell_peer(struct mcti_peer *p, struct mcti_text *frame, bool wanted); /* see struct mcti_peer_ops */

/* Returns the account of a server, with its ceiling. */
static inline struct mcti_text_payer *gw_server_payer(struct mcti_gateway *g, struct mcti_provider *p)
{
    struct mcti_text_payer *payer = p->origin ? &p->origin->payer : &p->payer;
    payer->account.rule = &g->memory.rules[MCT_LEVEL_SERVER];
    return payer;
}

/* Takes `work` from the work of this turn. Returns false if not enough is left; `tick` then follows. */
bool mcti_gw_fan_spend(struct mcti_gateway *g, unsigned work);

/* Removes a peer that is freed. */
void mcti_gw_fan_skip(struct mcti_peer *p);

/* Drops the messages of a connection that ends. */
void mcti_gw_fan_forget(struct mcti_gateway *g, struct mcti_provider *p);

#endif
