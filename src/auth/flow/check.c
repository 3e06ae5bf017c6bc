/* Checks what the metadata of a server and of its authorization server says, before anything is sent there. */
#include "auth/flow/impl.h"

#include "auth/wire/url.h"

/* ---- the server ---- */

int mcti_check_resource(const struct mcti_resource_metadata *prm, struct mcti_str server_url, struct mct_error *err)
{
    if (mcti_auth_url_check(mcti_str_of(prm->resource), "'resource'", err) < 0)
        return -1;
    if (!mcti_auth_url_covers(mcti_str_of(prm->resource), server_url))
        return mcti_fail(err, MCT_ERR_PROTOCOL,
                         "it is about '%.150s', which is not the server %.*s: a token for one must not go to the other",
                         prm->resource, MCT_STR_ARG(mcti_auth_url_shown(server_url)));
    if (prm->bearer_methods.n && !mcti_strings_has(&prm->bearer_methods, MCT_STR("header")))
        return mcti_fail(err, MCT_ERR_UNSUPPORTED,
                         "it takes tokens in URLs or bodies only, where mcptools never puts them");
    return 0;
}

/* ---- the choice of the authorization server ---- */

const char *mcti_pinned_issuer(const struct mcti_discover_opts *opts)
{
    return opts->issuer ? opts->issuer : opts->env->settings->issuer;
}

/* An issuer has no query (RFC 8414 section 2). */
static int issuer_check(const char *issuer, struct mct_error *err)
{
    if (mcti_auth_url_check(mcti_str_of(issuer), "the authorization server", err) < 0)
        return -1;
    return strchr(issuer, '?')
               ? mcti_fail(err, MCT_ERR_PROTOCOL, "the authorization server '%.150s' has a query", issuer)
               : 0;
}

static bool issuer_is_known(const struct mcti_auth_records *known, const char *issuer)
{
    for (size_t i = 0; known && i < known->n; i++)
        if (!strcmp(known->v[i].issuer, issuer))
            return true;
    return false;
}

static int choose_pinned(const struct mcti_strings *listed, const char *pinned, struct mct_error *err)
{
    if (!mcti_strings_has(listed, mcti_str_of(pinned)))
        return mcti_fail(err, MCT_ERR_AUTH,
                         "the server does not use the authorization server '%.150s' that is set as issuer; it uses "
                         "'%.150s'",
                         pinned, listed->n ? listed->v[0] : "");
    return issuer_check(pinned, err);
}

/* Returns the first usable issuer, one with a stored login if possible. */
static const char *choose_listed(const struct mcti_strings *listed, const struct mcti_auth_records *known,
                                 struct mct_error *err)
{
    const char *first = NULL;
    for (size_t i = 0; i < listed->n; i++) {
        if (issuer_check(listed->v[i], err) < 0)
            continue;
        if (issuer_is_known(known, listed->v[i]))
            return listed->v[i];
        first = first ? first : listed->v[i];
    }
    return first;
}

int mcti_choose_issuer(const struct mcti_resource_metadata *prm, const struct mcti_discover_opts *opts,
                       struct mcti_str *ret, struct mct_error *err)
{
    const char *pinned = mcti_pinned_issuer(opts), *issuer = pinned;
    if (!prm->authorization_servers.n)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "'authorization_servers' is empty");
    if (pinned && choose_pinned(&prm->authorization_servers, pinned, err) < 0)
        return -1;
    if (!pinned)
        issuer = choose_listed(&prm->authorization_servers, opts->known, err);
    *ret = mcti_str_of(issuer);
    return issuer ? 0 : -1;
}

/* ---- the authorization server ---- */

/* Returns true if the texts are equal, but for one slash at the end. */
static bool issuer_matches_guess(struct mcti_str issuer, struct mcti_str guess)
{
    if (issuer.len && issuer.p[issuer.len - 1] == '/')
        issuer.len--;
    return mcti_str_eq(issuer, guess);
}

static int endpoints_check(const struct mcti_issuer_metadata *as, struct mct_error *err)
{
    const struct {
        const char *what, *url;
    } endpoints[] = {
        { "'authorization_endpoint'", as->authorization_endpoint },
        { "'token_endpoint'", as->token_endpoint },
        { "'registration_endpoint'", as->registration_endpoint },
        { "'revocation_endpoint'", as->revocation_endpoint },
        { "'device_authorization_endpoint'", as->device_authorization_endpoint },
    };
    for (size_t i = 0; i < sizeof endpoints / sizeof *endpoints; i++)
        if (endpoints[i].url && mcti_auth_url_check(mcti_str_of(endpoints[i].url), endpoints[i].what, err) < 0)
            return -1;
    return 0;
}

int mcti_check_issuer(const struct mcti_issuer_metadata *as, const char *issuer, bool is_guess, struct mct_error *err)
{
    const char *says = as->issuer ? as->issuer : "";
    if (strcmp(says, issuer) != 0 && !(is_guess && issuer_matches_guess(mcti_str_of(says), mcti_str_of(issuer))))
        return mcti_fail(err, MCT_ERR_PROTOCOL,
                         "it is the metadata of '%.150s', not of '%.150s': the authorization server must be the same, "
                         "character by character",
                         says, issuer);
    return endpoints_check(as, err);
}

/* ---- what a grant needs of it ---- */

static int code_check(const struct mcti_flow *f, struct mct_error *err)
{
    const struct mcti_issuer_metadata *as = &f->found.as;
    if (!as->authorization_endpoint)
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "it has no authorization endpoint");
    /* the browser would carry the request of a server elsewhere to a program on this machine */
    if (mcti_auth_url_is_loopback(mcti_str_of(as->authorization_endpoint)) && !f->env->net.allow_private)
        return mcti_fail(
            err, MCT_ERR_POLICY,
            "its authorization endpoint %.150s is on this machine, but the server is not; if that is right, "
            "set \"auth\": {\"allow_private\": true}",
            as->authorization_endpoint);
    if (!f->found.has_issuer_metadata)
        return 0;
    if (!mcti_strings_has(&as->response_types, MCT_STR("code")))
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "it does not support the response type 'code'");
    if (!mcti_strings_has(&as->pkce_methods, MCT_STR("S256")) && !f->env->settings->assume_pkce)
        return mcti_fail(err, MCT_ERR_UNSUPPORTED,
                         "it does not say that it supports PKCE with S256, without which a stolen code can be used; if "
                         "it does support it, set \"auth\": {\"pkce\": \"assume\"}");
    return 0;
}

static int device_check(const struct mcti_flow *f, struct mct_error *err)
{
    return f->found.as.device_authorization_endpoint
               ? 0
               : mcti_fail(err, MCT_ERR_UNSUPPORTED,
                           "it does not support the device flow; log in with a browser instead (without --device)");
}

static const struct {
    const struct mcti_grant_ops *grant;
    int (*check)(const struct mcti_flow *f, struct mct_error *err);
} grant_needs[] = { { &mcti_grant_code, code_check }, { &mcti_grant_device, device_check } };

int mcti_check_grant(const struct mcti_flow *f, struct mct_error *err)
{
    int r = f->found.as.token_endpoint ? 0 : mcti_fail(err, MCT_ERR_UNSUPPORTED, "it has no token endpoint");
    for (size_t i = 0; r == 0 && i < sizeof grant_needs / sizeof *grant_needs; i++)
        if (grant_needs[i].grant == f->ops)
            r = grant_needs[i].check(f, err);
    return r < 0 ? mcti_error_wrap(err, "the authorization server %s", f->found.as.issuer) : 0;
}
