/* JSON-RPC errors and progress. */
#include "mcp/shape/impl.h"

/* Codes with a meaning of their own, and what they are for others. The first row that fits counts. */
static const struct {
    int first, last;             /* codes */
    bool from_handshake, from_stateless, to_handshake, to_stateless;
    enum mct_rev before;         /* only for older revisions; 0: for all */
    int becomes;
} rows[] = {
    { MCT_RPC_RESOURCE_NOT_FOUND, MCT_RPC_RESOURCE_NOT_FOUND, true, true, false, true, 0, MCT_RPC_INVALID_PARAMS },
    { MCT_RPC_URL_ELICITATION, MCT_RPC_URL_ELICITATION, true, false, true, false, MCT_REV_2025_11_25,
      MCT_RPC_INTERNAL },
    { MCT_RPC_MISSING_CAPABILITY, MCT_RPC_MISSING_CAPABILITY, false, true, false, true, 0,
      MCT_RPC_MISSING_CAPABILITY },
    { -32099, -32020, false, true, true, true, 0, MCT_RPC_INTERNAL },
    { -32099, -32020, true, false, false, true, 0, MCT_RPC_INTERNAL },
};

static bool fits(size_t i, double code, enum mct_rev from, enum mct_rev to)
{
    return code >= rows[i].first && code <= rows[i].last &&
           (mct_rev_is_stateless(from) ? rows[i].from_stateless : rows[i].from_handshake) &&
           (mct_rev_is_stateless(to) ? rows[i].to_stateless : rows[i].to_handshake) &&
           (!rows[i].before || to < rows[i].before);
}

/* 0: it stays. */
static int code_for(double code, enum mct_rev from, enum mct_rev to)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fits(i, code, from, to))
            return rows[i].becomes;
    return 0;
}

static void put_code(struct mct_json_edit *e, struct mct_str value, int code)
{
    mct_json_edit_cut(e, value);
    mct_buf_printf(e->to, "%d", code);
}

/* A code of 0 stays. `uri`, if it is there, is added as the data of an error that has none. */
static void put_error(struct mct_json_edit *e, struct mct_str error, int code, struct mct_str uri)
{
    struct mct_json_edit_members m = mct_json_edit_members(error);
    bool has_data = false;
    while (mct_json_edit_next(e, &m)) {
        if (code && mct_json_key_is(m.now.key, "code"))
            put_code(e, m.now.value, code);
        has_data |= mct_json_key_is(m.now.key, "data");
    }
    if (has_data || !uri.p)
        return;
    mct_json_edit_add_key(e, &m, "data");
    mct_buf_addz(e->to, "{\"uri\":");
    mct_buf_add(e->to, uri);
    mct_buf_addc(e->to, '}');
}

/* Whether an answer to resources/read that goes to a 2026-07-28 client means "not found". Handshake servers have -32002 for
 * it, and those made with an SDK -32602; what a 2026-07-28 server means by -32602 only its data tells. */
static bool is_not_found(double code, enum mct_rev from, enum mct_rev to)
{
    bool handshake = !mct_rev_is_stateless(from);
    return mct_rev_is_stateless(to) &&
           (code == MCT_RPC_RESOURCE_NOT_FOUND || (handshake && code == MCT_RPC_INVALID_PARAMS));
}

void mct_shape_error(struct mct_buf *to, enum mct_verb verb, struct mct_str error, enum mct_rev from,
                     enum mct_rev to_rev, struct mct_str uri)
{
    struct mct_json_edit e = mct_json_edit_open(to, error);
    double said = mct_json_double(mct_json_get(error, "code"));
    int code = code_for(said, from, to_rev);
    bool read = verb == MCT_VERB_RESOURCES_READ, named = mct_json_get(mct_json_get(error, "data"), "uri").p;
    if (read && named && said == MCT_RPC_INVALID_PARAMS && mct_rev_is_stateless(from) && !mct_rev_is_stateless(to_rev))
        code = MCT_RPC_RESOURCE_NOT_FOUND;
    put_error(&e, error, code, read && is_not_found(said, from, to_rev) ? uri : MCT_STR_NONE);
    mct_json_edit_close(&e, error);
}

/* ---- progress ---- */

void mct_shape_progress(struct mct_buf *to, struct mct_str params, struct mct_str token, enum mct_rev to_rev)
{
    struct mct_json_edit e = mct_json_edit_open(to, params);
    struct mct_json_edit_members m = mct_json_edit_members(params);
    while (mct_json_edit_next(&e, &m)) {
        if (mct_json_key_is(m.now.key, "progressToken"))
            mct_json_edit_replace(&e, m.now.value, token);
        else if (mct_json_key_is(m.now.key, "message") && to_rev < MCT_REV_2025_03_26)
            mct_json_edit_leave_out(&e, &m);
    }
    mct_json_edit_close(&e, params);
}
