/* Who may use the endpoint: decided by the headers, before a body is taken. */
#include "front/http/impl.h"

static bool allowed(struct mct_front_http *f, struct mct_http_exchange *x)
{
    struct mct_str host = mct_http_get(x, "host");
    if (mct_guard_host(&f->guard, host) && mct_guard_origin(&f->guard, mct_http_get(x, "origin"), host))
        return true;
    reply_plain(x, 403, MCT_STR_NONE, "policy", "this Host or Origin may not use the endpoint; see serve.hosts "
                "and serve.origins in the configuration");
    return false;
}

int principal_of(struct mct_front_http *f, const struct mct_http_exchange *x)
{
    return mct_guard_principal(&f->guard, mct_http_get(x, "authorization"));
}

static bool authorised(struct mct_front_http *f, struct mct_http_exchange *x)
{
    int who = principal_of(f, x);
    if (who >= 0) {
        access_principal(x, (unsigned)who);
        mct_http_set_account(x, &f->visitors[who].who->account);
    }
    if (who >= 0 || page_is_open(mct_http_path(x)))
        return true;
    reply_plain(x, 401, MCT_STR("WWW-Authenticate: Bearer\r\n"), "auth", "a bearer token is needed");
    return false;
}

/* Which of several counts is not for us to guess, nor for a proxy that looks at one of them. */
static bool unambiguous(struct mct_http_exchange *x)
{
    static const char *const once[] = { "origin", "authorization", "mcp-session-id" };
    for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
        if (mct_http_count(x, once[i]) > 1) {
            reply_plain(x, 400, MCT_STR_NONE, "protocol", "Origin, Authorization or Mcp-Session-Id is there twice");
            return false;
        }
    }
    return true;
}

/* The path as it is told of: what nobody serves may hold anything. */
static struct mct_str known_path(const struct mct_front_http *f, struct mct_str path)
{
    bool known = page_is_known(path);
    for (size_t i = 0; i < f->n_endpoints && !known; i++) {
        const struct endpoint *e = &f->endpoints[i];
        known = mct_str_is(path, e->path) || (e->sse_path && mct_str_is(path, e->sse_path));
    }
    return known ? path : MCT_STR("(other)");
}

void admit(void *data, struct mct_http_exchange *x)
{
    struct mct_front_http *f = data;
    access_begin(f, x, known_path(f, mct_http_path(x)));
    cors_mark(f, x);
    if (unambiguous(x) && allowed(f, x) && !cors_preflight(f, x))
        authorised(f, x);
}
