/* Client authentication: RFC 6749 section 2.3, RFC 7523 section 2.2. */
#include "auth/grant/token.h"

#include "auth/jose/jwt.h"
#include "auth/wire/form.h"
#include "base/base64.h"

struct mcti_oauth_endpoint mcti_oauth_token_endpoint(const struct mcti_issuer_metadata *as)
{
    return (struct mcti_oauth_endpoint){
        .issuer = as->issuer,
        .url = as->token_endpoint,
        .what = "the token endpoint",
        .lists_methods = as->has_auth_methods,
        .auth_methods = &as->auth_methods,
        .auth_algs = &as->auth_algs,
    };
}

/* ---- forms ---- */

void mcti_oauth_post_init(struct mcti_oauth_post *p)
{
    *p = (struct mcti_oauth_post){ .client = NULL };
    mcti_buf_init_secret(&p->form, MCT_OAUTH_FORM_BYTES);
    mcti_headers_init(&p->headers);
    p->headers.text.secret = true;
}

void mcti_oauth_post_done(struct mcti_oauth_post *p)
{
    mcti_buf_done(&p->form);
    mcti_headers_done(&p->headers);
}

bool mcti_oauth_post_ok(const struct mcti_oauth_post *p)
{
    return mcti_buf_ok(&p->form) && mcti_buf_ok(&p->headers.text);
}

struct mcti_auth_request_opts mcti_oauth_post_request(const struct mcti_oauth_post *p,
                                                      const struct mcti_oauth_endpoint *at)
{
    return (struct mcti_auth_request_opts){
        .method = "POST",
        .url = at->url,
        .what = at->what,
        .headers = &p->headers,
        .type = "application/x-www-form-urlencoded",
        .body = mcti_buf_str(&p->form),
    };
}

/* ---- methods ---- */

static int client_put_id(const struct mcti_oauth_client *c, struct mcti_oauth_post *to)
{
    mcti_form_put(&to->form, "client_id", mcti_str_of(c->id));
    return 0;
}

static int client_put_post(const struct mcti_oauth_client *c, struct mcti_oauth_post *to)
{
    mcti_form_put(&to->form, "client_secret", mcti_str_of(c->secret));
    return client_put_id(c, to);
}

static int client_put_basic(const struct mcti_oauth_client *c, struct mcti_oauth_post *to)
{
    struct mcti_buf pair, value;
    mcti_buf_init_secret(&pair, MCT_AUTH_DOCUMENT_BYTES);
    mcti_buf_init_secret(&value, MCT_AUTH_DOCUMENT_BYTES);
    mcti_buf_add_percent(&pair, mcti_str_of(c->id));
    mcti_buf_addc(&pair, ':');
    mcti_buf_add_percent(&pair, mcti_str_of(c->secret));
    mcti_buf_addz(&value, "Basic ");
    mcti_base64_put(&value, mcti_buf_str(&pair));
    mcti_buf_mind(&value, mcti_buf_str(&pair));
    mcti_headers_add(&to->headers, "Authorization", mcti_buf_str(&value));
    mcti_buf_done(&pair);
    mcti_buf_done(&value);
    return 0;
}

/* Adds a new assertion, which is for the issuer whatever the endpoint is. */
static int client_put_assertion(const struct mcti_oauth_client *c, const struct mcti_oauth_endpoint *at, int64_t now_s,
                                struct mcti_oauth_post *to, struct mct_error *err)
{
    const char *alg = mcti_key_alg(c->key, c->alg, at->auth_algs);
    struct mcti_buf jwt;
    if (!alg && c->alg)
        return mcti_fail(err, MCT_ERR_CONFIG, "the private key cannot sign with \"%.32s\"; check \"alg\"", c->alg);
    if (!alg)
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "%s %.200s supports no signature algorithm of the private key; use a key of another kind",
                         at->what, at->url);
    const struct mcti_assertion a = {
        .client_id = c->id, .audience = at->issuer, .key_id = c->key_id, .alg = alg, .now_s = now_s
    };
    mcti_buf_init_secret(&jwt, MCT_AUTH_DOCUMENT_BYTES);
    mcti_jwt_put_assertion(&jwt, c->key, &a);
    mcti_form_put(&to->form, "client_assertion_type",
                  MCT_STR("urn:ietf:params:oauth:client-assertion-type:jwt-bearer"));
    mcti_form_put(&to->form, "client_assertion", mcti_buf_str(&jwt));
    mcti_buf_done(&jwt);
    return 0;
}

enum method { METHOD_NONE, METHOD_BASIC, METHOD_POST, METHOD_ASSERTION, N_METHODS };

static const struct client_method {
    const char *name;
    int (*put)(const struct mcti_oauth_client *c, struct mcti_oauth_post *to); /* NULL: client_put_assertion() */
} client_methods[N_METHODS] = {
    [METHOD_NONE] = { "none", client_put_id },
    [METHOD_BASIC] = { "client_secret_basic", client_put_basic },
    [METHOD_POST] = { "client_secret_post", client_put_post },
    [METHOD_ASSERTION] = { "private_key_jwt", NULL },
};

static bool client_can(const struct mcti_oauth_client *c, enum method m)
{
    return m == METHOD_NONE || (m == METHOD_ASSERTION ? c->key != NULL : c->secret != NULL);
}

/* Returns true if the endpoint says that it supports the method. */
static bool endpoint_lists(const struct mcti_oauth_endpoint *at, enum method m)
{
    return at->lists_methods && at->auth_methods &&
           mcti_strings_has(at->auth_methods, mcti_str_of(client_methods[m].name));
}

/* Returns true if the endpoint supports the method as far as is known. */
static bool endpoint_takes(const struct mcti_oauth_endpoint *at, enum method m)
{
    return !at->lists_methods || endpoint_lists(at, m);
}

static enum method client_choose(const struct mcti_oauth_client *c, const struct mcti_oauth_endpoint *at)
{
    static const enum method order[] = { METHOD_ASSERTION, METHOD_BASIC, METHOD_POST };
    for (enum method m = 0; m < N_METHODS && c->auth_method; m++)
        if (!strcmp(c->auth_method, client_methods[m].name) && client_can(c, m) && endpoint_takes(at, m))
            return m;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (client_can(c, order[i]) && endpoint_takes(at, order[i]))
            return order[i];
    if (endpoint_lists(at, METHOD_NONE)) /* a registration returns a secret that the endpoint does not want */
        return METHOD_NONE;
    return c->key ? METHOD_ASSERTION : c->secret ? METHOD_BASIC : METHOD_NONE;
}

const char *mcti_oauth_client_method(const struct mcti_oauth_client *c, const struct mcti_oauth_endpoint *at)
{
    return client_methods[client_choose(c, at)].name;
}

int mcti_oauth_put_client(const struct mcti_oauth_client *c, const struct mcti_oauth_endpoint *at, int64_t now_s,
                          struct mcti_oauth_post *to, struct mct_error *err)
{
    to->client = c;
    if (!c || !c->id)
        return 0;
    enum method m = client_choose(c, at);
    return client_methods[m].put ? client_methods[m].put(c, to) : client_put_assertion(c, at, now_s, to, err);
}

/* ---- the client of a stored login ---- */

static int lists_split(struct mcti_strings *lists, const char *words)
{
    struct mcti_str rest = mcti_str_of(words), word;
    while (mcti_str_split(&rest, ' ', &word))
        if (word.len && mcti_strings_add(lists, word) < 0)
            return -1;
    return 0;
}

/* Returns true if the settings are those of the client of the login: their secret belongs to no other. */
static bool login_is_of(const struct mcti_auth_record *login, const struct mcti_auth_settings *settings)
{
    return login->client_kind == MCT_CLIENT_CONFIGURED && login->client_id && settings->client_id &&
           !strcmp(login->client_id, settings->client_id);
}

int mcti_oauth_of_login(const struct mcti_auth_record *login, const struct mcti_auth_settings *settings,
                        const struct mcti_key *key, struct mcti_strings *lists, struct mcti_oauth_client *ret_client,
                        struct mcti_oauth_endpoint *ret_token)
{
    bool configured = login_is_of(login, settings);
    bool has_key = configured || login->client_kind == MCT_CLIENT_DOCUMENT;
    *lists = (struct mcti_strings){ NULL };
    *ret_client = (struct mcti_oauth_client){
        .kind = login->client_kind,
        .id = login->client_id,
        .secret = configured ? settings->client_secret : login->client_secret,
        .auth_method = login->auth_method,
        .key = has_key ? key : NULL,
        .key_id = settings->key_id,
        .alg = settings->alg,
    };
    *ret_token = (struct mcti_oauth_endpoint){
        .issuer = login->issuer,
        .url = login->token_endpoint,
        .what = "the token endpoint",
        .lists_methods = login->auth_methods != NULL,
        .auth_methods = lists,
        .auth_algs = login->auth_algs ? lists : NULL,
    };
    if (lists_split(lists, login->auth_methods) == 0 && lists_split(lists, login->auth_algs) == 0)
        return 0;
    mcti_strings_clear(lists);
    return -1;
}
