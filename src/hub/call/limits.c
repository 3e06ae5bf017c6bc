#include "hub/call/stages.h"

enum mcti_pass mcti_limits_enter(struct mcti_call *call, struct mcti_call_start *s, struct mct_error *err)
{
    struct mcti_charge *c = s->charge;
    struct mcti_provider *p = call->provider;
    if (!c)
        return MCT_PASS;
    mcti_charge_release(c);
    c->server = p->origin ? &p->origin->payer.account : &p->payer.account;
    c->server->rule = c->rule;
    struct mcti_account *over = mcti_account_set(c->server, MCT_HELD_CALL, &c->charged, c->bytes);
    if (!over)
        return MCT_PASS;
    mcti_account_count_refusal(c->payer, MCT_HELD_CALL);
    mcti_fail(err, MCT_ERR_LIMIT, "server '%s': %s", p->name, over->rule->refusal);
    return MCT_ANSWER;
}
