/* Pages of the origins in serve.origins may use the endpoint; for all others there are no CORS headers. */
#include "front/http/impl.h"

#include <stdio.h>
#include <stdlib.h>

static const char vary[] = "Vary: Origin\r\n";

static const char allowed[] = "Content-Type, Accept, Authorization, Last-Event-ID, Mcp-Session-Id, "
                              "MCP-Protocol-Version, Mcp-Method, Mcp-Name";

int cors_init(struct mct_front_http *f)
{
    const struct mct_guard *g = &f->guard;
    f->cors = calloc(g->n_origins ? g->n_origins : 1, sizeof *f->cors);
    for (size_t i = 0; f->cors && i < g->n_origins; i++)
        if (asprintf(&f->cors[i], "Access-Control-Allow-Origin: %s\r\nAccess-Control-Expose-Headers: Mcp-Session-Id, "
                     "MCP-Protocol-Version, WWW-Authenticate\r\n%s", g->origins[i], vary) < 0) {
            f->cors[i] = NULL;
            return -1;
        }
    return f->cors ? 0 : -1;
}

void cors_free(struct mct_front_http *f)
{
    for (size_t i = 0; f->cors && i < f->guard.n_origins; i++)
        free(f->cors[i]);
    free(f->cors);
}

void cors_mark(struct mct_front_http *f, struct mct_http_exchange *x)
{
    size_t at;
    if (f->guard.n_origins)
        mct_http_set_headers(x, mct_guard_cors(&f->guard, mct_http_get(x, "origin"), &at) ? f->cors[at] : vary);
}

/* Mcp-Param-* cannot be listed beforehand: those asked about are repeated. */
static void put_params(struct mct_buf *to, struct mct_str asked)
{
    static const struct mct_str prefix = { "mcp-param-", 10 };
    struct mct_str name;
    while (mct_str_split(&asked, ',', &name)) {
        name = mct_str_trim(name);
        if (name.len <= prefix.len || !mct_str_eq_nocase((struct mct_str){ name.p, prefix.len }, prefix))
            continue;
        mct_buf_addz(to, ", ");
        mct_buf_add(to, name);
    }
}

bool cors_preflight(struct mct_front_http *f, struct mct_http_exchange *x)
{
    struct mct_buf b;
    size_t at;
    if (!mct_str_is(mct_http_method(x), "OPTIONS") || !mct_http_get(x, "access-control-request-method").p ||
        !mct_guard_cors(&f->guard, mct_http_get(x, "origin"), &at))
        return false;
    mct_buf_init(&b, 65536);
    mct_buf_addz(&b, "Access-Control-Allow-Methods: GET, POST, DELETE, OPTIONS\r\nAccess-Control-Max-Age: 7200\r\n"
                     "Access-Control-Allow-Headers: ");
    mct_buf_addz(&b, allowed);
    put_params(&b, mct_http_get(x, "access-control-request-headers"));
    mct_buf_addz(&b, "\r\n");
    mct_http_reply(x, 204, NULL, mct_buf_str(&b), MCT_STR_NONE);
    mct_buf_done(&b);
    return true;
}
