/* Entries with a "url": Streamable HTTP or HTTP+SSE, as `type` says or, without it, as the server supports. */
#include "config/connect/impl.h"

#include "config/expand/expand.h"
#include "mcp/http/transport_http.h"
#include "mcp/http/transport_sse.h"

#include <stdlib.h>

struct url_server {
    struct mcti_target_server base;
    char *url;
    struct mcti_headers headers;
};

static struct url_server *connect_http_of(struct mcti_target_server *t)
{
    return MCT_CONTAINER(t, struct url_server, base);
}

static void connect_http_free_server(struct mcti_target_server *t)
{
    struct url_server *s = connect_http_of(t);
    mcti_connect_login_end(t->login);
    free(s->url);
    mcti_headers_done(&s->headers);
    free(s);
}

static struct mcti_target_server *new_server(void)
{
    struct url_server *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->base.free = connect_http_free_server;
    mcti_headers_init(&s->headers);
    return &s->base;
}

/* Adds a header with `prefix` and the expanded text as its value. */
static int add_header(struct url_server *to, const char *name, const char *prefix, const char *text,
                      struct mct_error *err)
{
    struct mcti_buf value;
    char *expanded = mcti_expand(text, err);
    if (!expanded)
        return -1;
    if (!mcti_is_header_value(mcti_str_of(expanded))) {
        free(expanded);
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "has a character that HTTP headers must not have; only ASCII without control characters is "
                         "allowed");
    }
    mcti_buf_init(&value, 1u << 20);
    mcti_buf_addz(&value, prefix);
    mcti_buf_addz(&value, expanded);
    mcti_headers_add(&to->headers, name, mcti_buf_str(&value));
    mcti_buf_done(&value);
    free(expanded);
    return mcti_buf_ok(&to->headers.text) ? 0 : mcti_fail(err, MCT_ERR_CONFIG, "is not a valid HTTP header");
}

/* A header that the entry names itself wins. */
static int add_auth(struct url_server *to, const struct mcti_config_server *s, struct mct_error *err)
{
    if (s->auth_type != MCT_AUTH_BEARER && s->auth_type != MCT_AUTH_API_KEY)
        return 0;
    bool bearer = s->auth_type == MCT_AUTH_BEARER;
    const char *name = bearer ? "Authorization" : s->auth_header ? s->auth_header : "X-API-Key";
    if (mcti_config_has_header(s, name))
        return 0;
    int r = add_header(to, name, bearer ? "Bearer " : "", bearer ? s->auth_token : s->auth_key, err);
    return r < 0 ? mcti_error_wrap(err, "auth.%s", bearer ? "token" : "key") : 0;
}

static int connect_http_resolve(struct mcti_target_server *t, const struct mcti_config_server *s,
                                struct mcti_buf *identity, struct mct_error *err)
{
    struct url_server *to = connect_http_of(t);
    to->url = mcti_expand(s->url, err);
    if (!to->url)
        return mcti_error_wrap(err, "url");
    if (!mcti_is_url(to->url))
        return mcti_fail(err, MCT_ERR_CONFIG, "url: must begin with http:// or https://");
    for (size_t i = 0; i < s->headers.n; i++)
        if (add_header(to, s->headers.v[i].key, "", s->headers.v[i].value, err) < 0)
            return mcti_error_wrap(err, "headers.%s", s->headers.v[i].key);
    if (add_auth(to, s, err) < 0)
        return -1;
    mcti_buf_printf(identity, "%s\n", to->url);
    mcti_buf_add(identity, mcti_buf_str(&to->headers.text)); /* stored as part of a hash only */
    return mcti_connect_login_new(t, s, to->url, err);
}

struct mcti_http_client *mcti_connect_client(const struct mcti_connect_env *shared, struct mct_error *err)
{
    struct mcti_connect_env *env = (struct mcti_connect_env *)(uintptr_t)shared;
    if (!env->http)
        env->http = mcti_http_client_new(env->loop, err);
    return env->http;
}

static struct mcti_transport *connect_http_make(struct mcti_target_server *t,
                                                struct mcti_transport *(*new)(const struct mcti_url_opts *),
                                                struct mct_error *err)
{
    struct url_server *s = connect_http_of(t);
    struct mcti_http_client *client = mcti_connect_client(t->env, err);
    if (!client)
        return NULL;
    const struct mcti_url_opts opts = {
        .loop = t->env->loop,
        .client = client,
        .url = s->url,
        .headers = &s->headers,
        .message_bytes = t->message_bytes,
        .requests = t->requests,
        .credentials = mcti_connect_login_credentials(t->login),
    };
    struct mcti_transport *made = new (&opts);
    if (!made)
        mcti_no_memory(err);
    return made;
}

static struct mcti_transport *connect_http(struct mcti_target_server *t, unsigned variant, struct mct_error *err)
{
    (void)variant;
    return connect_http_make(t, mcti_transport_http_new, err);
}

static struct mcti_transport *connect_sse(struct mcti_target_server *t, unsigned variant, struct mct_error *err)
{
    (void)variant;
    return connect_http_make(t, mcti_transport_sse_new, err);
}

static struct mcti_transport *connect_either(struct mcti_target_server *t, unsigned variant, struct mct_error *err)
{
    return variant ? connect_sse(t, 0, err) : connect_http(t, 0, err);
}

const struct mcti_connect_kind mcti_connect_url = {
    .new = new_server,
    .resolve = connect_http_resolve,
    .connect = connect_either,
    .n_variants = 2,
    .handshake_variants = 1u << 1,
};
const struct mcti_connect_kind mcti_connect_http = {
    .new = new_server,
    .resolve = connect_http_resolve,
    .connect = connect_http,
    .n_variants = 1,
};
const struct mcti_connect_kind mcti_connect_sse = {
    .new = new_server,
    .resolve = connect_http_resolve,
    .connect = connect_sse,
    .n_variants = 1,
    .handshake_variants = 1,
};
