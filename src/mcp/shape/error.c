/* Converts JSON-RPC errors and progress. */
#include "mcp/shape/impl.h"

/* Special codes and their replacements. The first matching row applies. */
static const struct {
    int first, last; /* range of codes */
    bool from_handshake, from_stateless, to_handshake, to_stateless;
    enum mcti_rev before; /* applies to older revisions only; 0: to all */
    int becomes;
} rows[] = {
    { MCT_RPC_RESOURCE_NOT_FOUND, MCT_RPC_RESOURCE_NOT_FOUND, true, true, false, true, 0, MCT_RPC_INVALID_PARAMS },
    { MCT_RPC_URL_ELICITATION, MCT_RPC_URL_ELICITATION, true, false, true, false, MCT_REV_2025_11_25,
      MCT_RPC_INTERNAL },
    { MCT_RPC_MISSING_CAPABILITY, MCT_RPC_MISSING_CAPABILITY, false, true, false, true, 0, MCT_RPC_MISSING_CAPABILITY },
    { -32099, -32020, false, true, true, true, 0, MCT_RPC_INTERNAL },
    { -32099, -32020, true, false, false, true, 0, MCT_RPC_INTERNAL },
};

static bool shape_error_fits(size_t i, double code, enum mcti_rev from, enum mcti_rev to)
{
    return code >= rows[i].first && code <= rows[i].last &&
           (mcti_rev_is_stateless(from) ? rows[i].from_stateless : rows[i].from_handshake) &&
           (mcti_rev_is_stateless(to) ? rows[i].to_stateless : rows[i].to_handshake) &&
           (!rows[i].before || to < rows[i].before);
}

/* Returns the replacement of `code`; 0: it is kept. */
static int code_for(double code, enum mcti_rev from, enum mcti_rev to)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (shape_error_fits(i, code, from, to))
            return rows[i].becomes;
    return 0;
}

static void put_code(struct mcti_json_edit *e, struct mcti_str value, int code)
{
    mcti_json_edit_cut(e, value);
    mcti_buf_printf(e->to, "%d", code);
}

/* Writes the error with `code` (0: kept), and with `uri`, if present, as its data unless it has data. */
static void shape_error_put_error(struct mcti_json_edit *e, struct mcti_str error, int code, struct mcti_str uri)
{
    struct mcti_json_edit_members m = mcti_json_edit_members(error);
    bool has_data = false;
    while (mcti_json_edit_next(e, &m)) {
        if (code && mcti_json_key_is(m.now.key, "code"))
            put_code(e, m.now.value, code);
        has_data |= mcti_json_key_is(m.now.key, "data");
    }
    if (has_data || !uri.p)
        return;
    mcti_json_edit_add_key(e, &m, "data");
    mcti_buf_addz(e->to, "{\"uri\":");
    mcti_buf_add(e->to, uri);
    mcti_buf_addc(e->to, '}');
}

/* Returns true if the answer to a resources/read of a 2026-07-28 client means "not found". Handshake servers send
 * -32002, those built on an SDK -32602; a -32602 of a 2026-07-28 server is ambiguous without its data. */
static bool shape_error_is_not_found(double code, enum mcti_rev from, enum mcti_rev to)
{
    bool handshake = !mcti_rev_is_stateless(from);
    return mcti_rev_is_stateless(to) &&
           (code == MCT_RPC_RESOURCE_NOT_FOUND || (handshake && code == MCT_RPC_INVALID_PARAMS));
}

void mcti_shape_error(struct mcti_buf *to, enum mcti_verb verb, struct mcti_str error, enum mcti_rev from,
                      enum mcti_rev to_rev, struct mcti_str uri)
{
    struct mcti_json_edit e = mcti_json_edit_open(to, error);
    double said = mcti_json_double(mcti_json_get(error, "code"));
    int code = code_for(said, from, to_rev);
    bool read = verb == MCT_VERB_RESOURCES_READ, named = mcti_json_get(mcti_json_get(error, "data"), "uri").p;
    if (read && named && said == MCT_RPC_INVALID_PARAMS && mcti_rev_is_stateless(from) &&
        !mcti_rev_is_stateless(to_rev))
        code = MCT_RPC_RESOURCE_NOT_FOUND;
    shape_error_put_error(&e, error, code, read && shape_error_is_not_found(said, from, to_rev) ? uri : MCT_STR_NONE);
    mcti_json_edit_close(&e, error);
}

/* ---- progress ---- */

void mcti_shape_progress(struct mcti_buf *to, struct mcti_str params, struct mcti_str token, enum mcti_rev to_rev)
{
    struct mcti_json_edit e = mcti_json_edit_open(to, params);
    struct mcti_json_edit_members m = mcti_json_edit_members(params);
    while (mcti_json_edit_next(&e, &m)) {
        if (mcti_json_key_is(m.now.key, "progressToken"))
            mcti_json_edit_replace(&e, m.now.value, token);
        else if (mcti_json_key_is(m.now.key, "message") && to_rev < MCT_REV_2025_03_26)
            mcti_json_edit_leave_out(&e, &m);
    }
    mcti_json_edit_close(&e, params);
}
