#include "hub/call/stages.h"

enum mct_pass mct_limits_enter(struct mct_call *call, struct mct_call_start *s, struct mct_error *err)
{
    struct mct_charge *c = s->charge;
    struct mct_provider *p = call->provider;
    if (!c)
        return MCT_PASS;
    mct_charge_release(c);
    c->server = p->origin ? &p->origin->account : &p->account;
    c->server->rule = c->rule;
    struct mct_account *over = mct_account_set(c->server, MCT_HELD_CALL, &c->charged, c->bytes);
    if (!over)
        return MCT_PASS;
    mct_account_count_refusal(c->payer, MCT_HELD_CALL);
    mct_fail(err, MCT_ERR_LIMIT, "server '%s': %s", p->name, over->rule->refusal);
    return MCT_ANSWER;
}
