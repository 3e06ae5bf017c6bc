/* Entries with a "url": Streamable HTTP, HTTP+SSE, or whichever of them the server speaks. */
#include "config/connect/impl.h"

#include "config/expand.h"
#include "mcp/http/transport_http.h"
#include "mcp/http/transport_sse.h"

#include <stdlib.h>

struct url_server {
    struct mct_target_server base;
    char *url;
    struct mct_headers headers;
};

static struct url_server *of(struct mct_target_server *t)
{
    return MCT_CONTAINER(t, struct url_server, base);
}

static void free_server(struct mct_target_server *t)
{
    struct url_server *s = of(t);
    free(s->url);
    mct_headers_done(&s->headers);
    free(s);
}

static struct mct_target_server *new_server(void)
{
    struct url_server *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->base.free = free_server;
    mct_headers_init(&s->headers);
    return &s->base;
}

/* A header whose value is made of `prefix` and the expanded text. */
static int add_header(struct url_server *to, const char *name, const char *prefix, const char *text,
                      struct mct_error *err)
{
    struct mct_buf value;
    char *expanded = mct_expand(text, err);
    if (!expanded)
        return -1;
    mct_buf_init(&value, 1u << 20);
    mct_buf_addz(&value, prefix);
    mct_buf_addz(&value, expanded);
    mct_headers_add(&to->headers, name, mct_buf_str(&value));
    mct_buf_done(&value);
    free(expanded);
    return mct_buf_ok(&to->headers.text) ? 0 : mct_fail(err, MCT_ERR_CONFIG, "is no valid HTTP header");
}

static int add_auth(struct url_server *to, const struct mct_config_server *s, struct mct_error *err)
{
    if (!s->auth_type)
        return 0;
    bool bearer = !strcmp(s->auth_type, "bearer");
    int r = bearer ? add_header(to, "Authorization", "Bearer ", s->auth_token, err)
                   : add_header(to, s->auth_header, "", s->auth_key, err);
    return r < 0 ? mct_error_wrap(err, "auth.%s", bearer ? "token" : "key") : 0;
}

static int resolve(struct mct_target_server *t, const struct mct_config_server *s, struct mct_buf *identity,
                   struct mct_error *err)
{
    struct url_server *to = of(t);
    to->url = mct_expand(s->url, err);
    if (!to->url)
        return mct_error_wrap(err, "url");
    if (!mct_is_url(to->url))
        return mct_fail(err, MCT_ERR_CONFIG, "url: must begin with http:// or https://");
    for (size_t i = 0; i < s->headers.n; i++)
        if (add_header(to, s->headers.v[i].key, "", s->headers.v[i].value, err) < 0)
            return mct_error_wrap(err, "headers.%s", s->headers.v[i].key);
    if (add_auth(to, s, err) < 0)
        return -1;
    mct_buf_printf(identity, "%s\n", to->url);
    mct_buf_add(identity, mct_buf_str(&to->headers.text)); /* becomes a hash, never readable */
    return 0;
}

static struct mct_transport *make(struct mct_target_server *t, struct mct_transport *(*new)(const struct mct_url_opts *),
                                  struct mct_error *err)
{
    struct mct_connect_env *env = (struct mct_connect_env *)(uintptr_t)t->env;
    if (!env->http)
        env->http = mct_http_client_new(env->loop, err);
    if (!env->http)
        return NULL;
    const struct mct_url_opts opts = { env->loop, env->http, of(t)->url, &of(t)->headers, t->message_bytes,
                                       t->requests };
    struct mct_transport *made = new(&opts);
    if (!made)
        mct_no_memory(err);
    return made;
}

static struct mct_transport *connect_http(struct mct_target_server *t, unsigned variant, struct mct_error *err)
{
    (void)variant;
    return make(t, mct_transport_http_new, err);
}

static struct mct_transport *connect_sse(struct mct_target_server *t, unsigned variant, struct mct_error *err)
{
    (void)variant;
    return make(t, mct_transport_sse_new, err);
}

static struct mct_transport *connect_either(struct mct_target_server *t, unsigned variant, struct mct_error *err)
{
    return variant ? connect_sse(t, 0, err) : connect_http(t, 0, err);
}

const struct mct_connect_kind mct_connect_url = {
    .new = new_server, .resolve = resolve, .connect = connect_either, .n_variants = 2, .handshake_variants = 1u << 1,
};
const struct mct_connect_kind mct_connect_http = {
    .new = new_server, .resolve = resolve, .connect = connect_http, .n_variants = 1,
};
const struct mct_connect_kind mct_connect_sse = {
    .new = new_server, .resolve = resolve, .connect = connect_sse, .n_variants = 1, .handshake_variants = 1,
};
