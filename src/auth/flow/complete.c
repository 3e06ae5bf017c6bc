/* Completes a login: the tokens, and what a refresh or a revocation needs without discovery. */
#include "auth/flow/impl.h"

enum { TEXT_BYTES = 1 << 20 };

/* Replaces a text of the login by a copy. Returns false when out of memory. */
static bool complete_text(char **to, const char *text)
{
    mcti_secret_free(*to);
    *to = text ? mcti_str_dup(mcti_str_of(text)) : NULL;
    return *to || !text;
}

/* Replaces a text of the login by that of a buffer. */
static bool complete_from(char **to, struct mcti_buf *take_text)
{
    mcti_secret_free(*to);
    *to = mcti_buf_take(take_text);
    return *to != NULL;
}

/* Replaces a text of the login by the items of a list, with spaces between them. */
static bool complete_list(char **to, const struct mcti_strings *list)
{
    struct mcti_buf text;
    mcti_buf_init(&text, TEXT_BYTES);
    for (size_t i = 0; i < list->n; i++)
        mcti_buf_printf(&text, "%s%s", i ? " " : "", list->v[i]);
    return complete_from(to, &text);
}

static void complete_secret(char **to, char **from)
{
    mcti_secret_free(*to);
    *to = *from;
    *from = NULL;
}

static bool complete_server(struct mcti_flow *f)
{
    const struct mcti_issuer_metadata *as = &f->found.as;
    struct mcti_auth_record *r = &f->login;
    bool has_lists = complete_list(&r->auth_methods, &as->auth_methods) && complete_list(&r->auth_algs, &as->auth_algs);
    if (!as->has_auth_methods)
        complete_text(&r->auth_methods, NULL);
    if (!as->auth_algs.n)
        complete_text(&r->auth_algs, NULL);
    return has_lists && complete_text(&r->issuer, as->issuer) && complete_text(&r->resource, f->found.resource) &&
           complete_text(&r->grant, f->ops->word) && complete_text(&r->redirect_uri, f->redirect_uri) &&
           complete_text(&r->token_endpoint, as->token_endpoint) &&
           complete_text(&r->revocation_endpoint, as->revocation_endpoint);
}

/* A token without a scope has all scopes that were asked for (RFC 6749 section 5.1). */
static bool complete_scopes(struct mcti_flow *f, const char *granted)
{
    const struct mcti_auth_record *before = f->opts.only_wanted ? NULL : mcti_flow_known(f);
    struct mcti_buf asked;
    mcti_buf_init(&asked, TEXT_BYTES);
    mcti_scope_put_union(&asked, mcti_str_of(before && before->asked ? before->asked : ""), mcti_str_of(f->scope));
    return complete_from(&f->login.asked, &asked) && complete_text(&f->login.scope, granted ? granted : f->scope);
}

/* Keeps the key if the tokens are bound to it. */
static bool complete_key(struct mcti_flow *f)
{
    struct mcti_buf jwk;
    mcti_buf_init_secret(&jwk, TEXT_BYTES);
    if (!f->dpop || !mcti_str_eq_nocase(mcti_str_of(f->login.token_type), MCT_STR("DPoP")))
        return complete_text(&f->login.dpop_key, NULL);
    mcti_key_put_private(&jwk, f->dpop);
    return complete_from(&f->login.dpop_key, &jwk);
}

int mcti_flow_complete(struct mcti_flow *f, struct mcti_token_set *tokens)
{
    struct mcti_auth_record *r = &f->login;
    complete_secret(&r->access_token, &tokens->access_token);
    complete_secret(&r->token_type, &tokens->token_type);
    complete_secret(&r->refresh_token, &tokens->refresh_token);
    r->obtained_at = f->env->now_s();
    r->expires_at = tokens->expires_in_s < 0 ? 0 : r->obtained_at + tokens->expires_in_s;
    return complete_server(f) && complete_scopes(f, tokens->scope) && complete_key(f) ? 0 : -1;
}
