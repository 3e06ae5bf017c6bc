/* What is refused before a server hears of it: by read-only mode, and to who is not the owner. */
#include "gateway/impl.h"

static const struct mct_client_prefs *prefs_of(const struct gw_request *r)
{
    const struct mct_peer *p = r->peer;
    return p->ops->prefs ? p->ops->prefs(p->data, r->in.lane) : &p->prefs;
}

static void answer(struct gw_request *r, struct mct_str result)
{
    mct_shape_result(mct_inbound_begin(&r->in), r->verb, result, MCT_REV_LATEST_HANDSHAKE, r->rev, MCT_STR_NONE);
    mct_inbound_send(&r->in);
}

static void refuse(struct gw_request *r, struct mct_str name)
{
    const struct mct_policy *policy = &r->peer->gateway->policy;
    const struct mct_client_prefs *prefs = prefs_of(r);
    struct mct_refusal refusal = { .tool_name = name };
    struct mct_buf b;
    refusal.by_client = !policy->read_only && prefs->own_wish;
    refusal.entered_at_s = refusal.by_client ? prefs->since_s : policy->since_s;
    mct_buf_init(&b, 32 * name.len + 8192);
    mct_refusal_put_result(&b, &refusal);
    answer(r, mct_buf_str(&b));
    mct_buf_done(&b);
    gw_request_free(r);
}

bool gw_refuses(struct gw_request *r, const struct mct_exposure *x, struct mct_str name)
{
    const struct mct_policy *policy = &r->peer->gateway->policy;
    if (r->verb != MCT_VERB_TOOLS_CALL || !(policy->read_only || prefs_of(r)->read_only) ||
        mct_view_is_read_only(r->view, policy, x))
        return false;
    refuse(r, name);
    return true;
}

bool gw_refuses_stranger(struct gw_request *r, struct mct_str name)
{
    if (r->verb != MCT_VERB_TOOLS_CALL || !mct_view_restricted(r->view, name))
        return false;
    struct mct_buf b;
    mct_buf_init(&b, 256);
    mct_shape_tool_says(&b, MCT_STR(MCT_OWNER_ONLY_TEXT));
    answer(r, mct_buf_str(&b));
    mct_buf_done(&b);
    gw_request_free(r);
    return true;
}
