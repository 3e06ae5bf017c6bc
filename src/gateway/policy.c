/* What is refused before a server hears of it: by read-only mode, and to who is not the owner. */
#include "gateway/impl.h"

static const struct mcti_client_prefs *prefs_of(const struct mcti_gw_request *r)
{
    const struct mcti_peer *p = r->peer;
    return p->ops->prefs ? p->ops->prefs(p->data, r->in.lane) : &p->prefs;
}

static void gateway_policy_answer(struct mcti_gw_request *r, struct mcti_str result)
{
    mcti_shape_result(mcti_inbound_begin(&r->in), r->verb, result, MCT_REV_LATEST_HANDSHAKE, r->rev, MCT_STR_NONE);
    mcti_inbound_send(&r->in);
}

static void gateway_policy_refuse(struct mcti_gw_request *r, struct mcti_str name)
{
    const struct mcti_policy *policy = &r->peer->gateway->policy;
    const struct mcti_client_prefs *prefs = prefs_of(r);
    struct mcti_refusal refusal = { .tool_name = name };
    struct mcti_buf b;
    refusal.by_client = !policy->read_only && prefs->own_wish;
    refusal.entered_at_s = refusal.by_client ? prefs->since_s : policy->since_s;
    mcti_buf_init(&b, 32 * name.len + 8192);
    mcti_refusal_put_result(&b, &refusal);
    gateway_policy_answer(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
    mcti_gw_request_free(r);
}

bool mcti_gw_refuses(struct mcti_gw_request *r, const struct mcti_exposure *x, struct mcti_str name)
{
    const struct mcti_policy *policy = &r->peer->gateway->policy;
    if (r->verb != MCT_VERB_TOOLS_CALL || !(policy->read_only || prefs_of(r)->read_only) ||
        mcti_view_is_read_only(r->view, policy, x))
        return false;
    gateway_policy_refuse(r, name);
    return true;
}

bool mcti_gw_refuses_stranger(struct mcti_gw_request *r, struct mcti_str name)
{
    if (r->verb != MCT_VERB_TOOLS_CALL || !mcti_view_restricted(r->view, name))
        return false;
    struct mcti_buf b;
    mcti_buf_init(&b, 256);
    mcti_shape_tool_says(&b, MCT_STR(MCT_OWNER_ONLY_TEXT));
    gateway_policy_answer(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
    mcti_gw_request_free(r);
    return true;
}
