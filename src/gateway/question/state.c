/*
 * The requestState a 2026-07-28 server gives a client of its own era passes through, unless clients have tokens: the server
 * sees one gateway and cannot bind its state to who got it, so the gateway does, with a seal around it.
 */
#include "gateway/impl.h"

#include "base/limits.h"
#include "mcp/mrtr.h"

#define PREFIX "mct2."

static bool is_bound(const struct gw_request *r)
{
    return mct_rev_is_stateless(r->rev) && !mct_str_is(gw_principal(r), "local");
}

bool gw_state_bind(struct gw_request *r, struct mct_str result, struct mct_buf *to)
{
    struct mct_buf text, sealed;
    if (!is_bound(r) || !mct_result_asks(result))
        return false;
    struct mct_str state = mct_json_get(result, "requestState");
    if (!state.p)
        return false;
    mct_buf_init(&text, state.len + 4096);
    mct_buf_init(&sealed, 2 * state.len + 8192);
    mct_buf_add(&text, gw_principal(r));
    mct_buf_addc(&text, ' ');
    mct_buf_add(&text, state);
    mct_buf_addz(&sealed, "\"" PREFIX);
    mct_seal(&sealed, gw_seal_key(r->peer->gateway), mct_buf_str(&text));
    mct_buf_addc(&sealed, '"');
    const struct mct_json_set set = { "requestState", mct_buf_str(&sealed) };
    mct_json_put_object(to, result, &set, 1);
    to->failed |= !mct_buf_ok(&sealed);
    mct_buf_done(&text);
    mct_buf_done(&sealed);
    return true;
}

static int open_state(struct gw_request *r, struct mct_str state, struct mct_buf *text, struct mct_str *ret)
{
    static const struct mct_str prefix = { PREFIX, sizeof PREFIX - 1 };
    struct mct_str sealed, who = gw_principal(r);
    if (!mct_json_plain(state, &sealed) || !mct_str_starts(sealed, prefix) ||
        mct_unseal(text, gw_seal_key(r->peer->gateway), (struct mct_str){ sealed.p + prefix.len, sealed.len - prefix.len }) < 0)
        return -1;
    if (text->len <= who.len || !mct_str_starts(mct_buf_str(text), who) || text->p[who.len] != ' ')
        return -1;
    *ret = (struct mct_str){ text->p + who.len + 1, text->len - who.len - 1 };
    return 0;
}

int gw_state_open(struct gw_request *r, struct mct_str params, struct mct_buf *to, struct mct_error *err)
{
    struct mct_str state = mct_json_get(params, "requestState"), own;
    struct mct_buf text;
    if (!is_bound(r) || !state.p)
        return 0;
    mct_buf_init(&text, state.len + 64);
    int result = open_state(r, state, &text, &own);
    const struct mct_json_set set = { "requestState", own };
    if (result < 0)
        mct_fail(err, MCT_ERR_USAGE, "\"requestState\" is unknown or belongs to somebody else: make the request again "
                 "without it");
    else
        mct_json_put_object(to, params, &set, 1);
    mct_buf_done(&text);
    return result < 0 ? -1 : 1;
}
