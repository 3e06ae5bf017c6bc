/* CORS headers: only web pages of the origins in serve.origins get them. */
#include "front/http/handle.h"

#include <stdio.h>
#include <stdlib.h>

static const char vary[] = "Vary: Origin\r\n";

static const char allowed[] = "Content-Type, Accept, Authorization, Last-Event-ID, Mcp-Session-Id, "
                              "MCP-Protocol-Version, Mcp-Method, Mcp-Name";

int mcti_cors_init(struct mcti_front_http *f)
{
    const struct mcti_guard *g = &f->guard;
    f->cors = calloc(g->n_origins ? g->n_origins : 1, sizeof *f->cors);
    for (size_t i = 0; f->cors && i < g->n_origins; i++)
        if (asprintf(&f->cors[i],
                     "Access-Control-Allow-Origin: %s\r\nAccess-Control-Expose-Headers: Mcp-Session-Id, "
                     "MCP-Protocol-Version, WWW-Authenticate\r\n%s",
                     g->origins[i], vary) < 0) {
            f->cors[i] = NULL;
            return -1;
        }
    return f->cors ? 0 : -1;
}

void mcti_cors_free(struct mcti_front_http *f)
{
    for (size_t i = 0; f->cors && i < f->guard.n_origins; i++)
        free(f->cors[i]);
    free(f->cors);
}

void mcti_cors_mark(struct mcti_front_http *f, struct mcti_http_exchange *x)
{
    size_t at;
    if (f->guard.n_origins)
        mcti_http_set_headers(x, mcti_guard_cors(&f->guard, mcti_http_get(x, "origin"), &at) ? f->cors[at] : vary);
}

/* Allows each Mcp-Param-* header that the preflight names: their names are not known in advance. */
static void cors_put_params(struct mcti_buf *to, struct mcti_str requested)
{
    static const struct mcti_str prefix = { "mcp-param-", 10 };
    struct mcti_str name;
    while (mcti_str_split(&requested, ',', &name)) {
        name = mcti_str_trim(name);
        if (name.len <= prefix.len || !mcti_str_eq_nocase((struct mcti_str){ name.p, prefix.len }, prefix))
            continue;
        mcti_buf_addz(to, ", ");
        mcti_buf_add(to, name);
    }
}

bool mcti_cors_preflight(struct mcti_front_http *f, struct mcti_http_exchange *x)
{
    struct mcti_buf b;
    size_t at;
    if (!mcti_str_is(mcti_http_method(x), "OPTIONS") || !mcti_http_get(x, "access-control-request-method").p ||
        !mcti_guard_cors(&f->guard, mcti_http_get(x, "origin"), &at))
        return false;
    mcti_buf_init(&b, 65536);
    mcti_buf_addz(&b, "Access-Control-Allow-Methods: GET, POST, DELETE, OPTIONS\r\nAccess-Control-Max-Age: 7200\r\n"
                      "Access-Control-Allow-Headers: ");
    mcti_buf_addz(&b, allowed);
    cors_put_params(&b, mcti_http_get(x, "access-control-request-headers"));
    mcti_buf_addz(&b, "\r\n");
    mcti_http_reply(x, 204, NULL, mcti_buf_str(&b), MCT_STR_NONE);
    mcti_buf_done(&b);
    return true;
}
