/* Who may see the status page, and what its answers have in common. */
#include "front/page/impl.h"

enum mcti_page_viewer mcti_page_viewer_of(const struct mcti_front_http *f, unsigned principal)
{
    const struct mcti_guard *g = &f->guard;
    if (!g->n_tokens)
        return g->loopback && !principal ? MCT_VIEWER_OWNER : MCT_VIEWER_NONE;
    if (!principal || principal > g->n_tokens || !g->tokens[principal - 1].token)
        return MCT_VIEWER_NONE;
    return g->tokens[principal - 1].prefs.ruled.stranger ? MCT_VIEWER_MEMBER : MCT_VIEWER_OWNER;
}

/* Returns whether the request comes from the page itself, or from no web page. serve.origins lets other pages use the
 * MCP endpoints, not this one. */
static bool page_is_same_origin(const struct mcti_http_exchange *x)
{
    struct mcti_str origin = mcti_http_get(x, "origin"), site = mcti_http_get(x, "sec-fetch-site");
    const char *scheme_end = origin.len ? memmem(origin.p, origin.len, "://", 3) : NULL;
    if (site.p && !mcti_str_is(site, "same-origin") && !mcti_str_is(site, "none"))
        return false;
    if (!origin.p)
        return true;
    return scheme_end &&
           mcti_str_eq_nocase(mcti_str_range(scheme_end + 3, origin.p + origin.len), mcti_http_get(x, "host"));
}

bool mcti_page_admit(const struct mcti_http_visit *v, const char *method, enum mcti_page_viewer least)
{
    struct mcti_str is = mcti_http_method(v->x);
    bool reads = !strcmp(method, "GET");
    if (!mcti_str_is(is, method))
        mcti_http_reply_plain(v->x, 405, reads ? MCT_STR("Allow: GET\r\n") : MCT_STR("Allow: POST\r\n"), "usage",
                              "method not allowed");
    else if (!page_is_same_origin(v->x) || (!reads && !mcti_http_get(v->x, "mcptools-page").p))
        mcti_http_reply_plain(v->x, 403, MCT_STR_NONE, "policy", "only the status page itself may send this request");
    else if (mcti_page_viewer_of(v->front, v->principal) >= least)
        return true;
    else if (least == MCT_VIEWER_OWNER && v->principal)
        mcti_http_reply_plain(v->x, 403, MCT_STR_NONE, "policy",
                              "only the owner may do this: a client whose token has \"owner\": true");
    else
        mcti_http_reply_plain(v->x, 403, MCT_STR_NONE, "policy",
                              "the status page needs a token, or a gateway that listens on loopback: set serve.tokens");
    return false;
}

void mcti_page_reply_unknown(const struct mcti_http_visit *v)
{
    mcti_http_reply_plain(v->x, 404, MCT_STR_NONE, "not_found", "unknown server; /readyz lists the servers");
}

/* Appends percent-encoded text, decoded. */
static void param_decode(struct mcti_buf *to, struct mcti_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        int byte = mcti_str_percent(text, i);
        mcti_buf_addc(to, byte >= 0 ? (char)byte : text.p[i] == '+' ? ' ' : text.p[i]);
        i += byte >= 0 ? 2 : 0;
    }
}

bool mcti_page_param(const struct mcti_http_visit *v, const char *name, struct mcti_buf *to)
{
    param_decode(to, mcti_http_query(v->x, name));
    if (to->len && mcti_buf_ok(to))
        return true;
    char why[64];
    snprintf(why, sizeof why, "the parameter %s is missing", name);
    mcti_http_reply_plain(v->x, 400, MCT_STR_NONE, "usage", why);
    return false;
}

void mcti_page_reply_json(const struct mcti_http_visit *v, struct mcti_buf *b)
{
    if (mcti_buf_ok(b))
        mcti_http_reply(v->x, 200, "application/json", MCT_STR("Cache-Control: no-store\r\n" MCT_PAGE_HEADERS),
                        mcti_buf_str(b));
    else
        mcti_http_reply_plain(v->x, 500, MCT_STR_NONE, "internal", MCT_NO_MEMORY_TEXT);
    mcti_buf_done(b);
}
