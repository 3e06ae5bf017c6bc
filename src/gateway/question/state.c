/*
 * The requestState that a 2026-07-28 server issues to a client of the same era. It is relayed unless clients have
 * tokens: then the gateway seals it with the principal, because the server sees one gateway and cannot bind its state
 * to a client.
 */
#include "gateway/state.h"

#include "base/limits.h"
#include "mcp/mrtr.h"

#define PREFIX "mct2."

static bool is_bound(const struct mcti_gw_request *r)
{
    return mcti_rev_is_stateless(r->rev) && !mcti_str_is(gw_principal(r), "local");
}

bool mcti_gw_state_bind(struct mcti_gw_request *r, struct mcti_str result, struct mcti_buf *to)
{
    struct mcti_buf text, sealed;
    if (!is_bound(r) || !mcti_result_asks(result))
        return false;
    struct mcti_str state = mcti_json_get(result, "requestState");
    if (!state.p)
        return false;
    mcti_buf_init(&text, state.len + 4096);
    mcti_buf_init(&sealed, 2 * state.len + 8192);
    mcti_buf_add(&text, gw_principal(r));
    mcti_buf_addc(&text, ' ');
    mcti_buf_add(&text, state);
    mcti_buf_addz(&sealed, "\"" PREFIX);
    mcti_seal(&sealed, gw_seal_key(r->peer->gateway), mcti_buf_str(&text));
    mcti_buf_addc(&sealed, '"');
    const struct mcti_json_set set = { "requestState", mcti_buf_str(&sealed) };
    mcti_json_put_object(to, result, &set, 1);
    to->failed |= !mcti_buf_ok(&sealed);
    mcti_buf_done(&text);
    mcti_buf_done(&sealed);
    return true;
}

static int state_open_state(struct mcti_gw_request *r, struct mcti_str state, struct mcti_buf *text,
                            struct mcti_str *ret)
{
    static const struct mcti_str prefix = { PREFIX, sizeof PREFIX - 1 };
    struct mcti_str sealed, who = gw_principal(r);
    if (!mcti_json_plain(state, &sealed) || !mcti_str_starts(sealed, prefix) ||
        mcti_unseal(text, gw_seal_key(r->peer->gateway),
                    (struct mcti_str){ sealed.p + prefix.len, sealed.len - prefix.len }) < 0)
        return -1;
    if (text->len <= who.len || !mcti_str_starts(mcti_buf_str(text), who) || text->p[who.len] != ' ')
        return -1;
    *ret = (struct mcti_str){ text->p + who.len + 1, text->len - who.len - 1 };
    return 0;
}

int mcti_gw_state_open(struct mcti_gw_request *r, struct mcti_str params, struct mcti_buf *to, struct mct_error *err)
{
    struct mcti_str own, state = is_bound(r) ? mcti_json_get(params, "requestState") : MCT_STR_NONE;
    struct mcti_buf text;
    if (!state.p)
        return 0;
    mcti_buf_init(&text, state.len + 64);
    int result = state_open_state(r, state, &text, &own);
    const struct mcti_json_set set = { "requestState", own };
    if (result < 0)
        mcti_fail(err, MCT_ERR_USAGE,
                  "\"requestState\" is unknown or belongs to another client; repeat the request "
                  "without it");
    else
        mcti_json_put_object(to, params, &set, 1);
    mcti_buf_done(&text);
    return result < 0 ? -1 : 1;
}
