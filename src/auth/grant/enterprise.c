/*
 * The identity provider of a company authorizes (extension enterprise-managed-authorization): it exchanges the ID token
 * of the person for an assertion, an "ID-JAG" (RFC 8693), with which the authorization server of the MCP server issues
 * a token (RFC 7523). The identity provider comes from the configuration, so it may have a private address.
 */
#include "auth/grant/idp.h"
#include "auth/grant/machine.h"
#include "auth/wire/form.h"

#define GRANT_TOKEN_EXCHANGE "urn:ietf:params:oauth:grant-type:token-exchange"
#define GRANT_PROFILE "urn:ietf:params:oauth:grant-profile:id-jag"
#define TYPE_ID_TOKEN "urn:ietf:params:oauth:token-type:id_token"
#define TYPE_ID_JAG "urn:ietf:params:oauth:token-type:id-jag"

struct enterprise {
    struct mcti_machine_grant machine;
    struct mcti_auth_env idp_env;
    struct mcti_oauth_client idp_client;
    struct mcti_issuer_metadata idp_metadata; /* empty: not asked for */
    struct mcti_oauth_endpoint idp_at;
    struct mcti_idp *idp;
};

static void enterprise_done(struct mcti_machine_grant *m)
{
    struct enterprise *e = (struct enterprise *)m;
    mcti_idp_cancel(e->idp);
    mcti_issuer_metadata_clear(&e->idp_metadata);
}

/* ---- the token of the MCP server ---- */

static int enterprise_check_exchange(const struct enterprise *e, const struct mcti_token_set *t, struct mct_error *err)
{
    if (t->issued_token_type && !strcmp(t->issued_token_type, TYPE_ID_JAG))
        return 0;
    return mcti_fail(err, MCT_ERR_PROTOCOL, "%s %.150s returned a token of type \"%.64s\" instead of \"%s\"",
                     e->idp_at.what, e->idp_at.url, t->issued_token_type ? t->issued_token_type : "", TYPE_ID_JAG);
}

static int enterprise_redeem(struct enterprise *e, const struct mcti_token_set *exchanged, struct mct_error *err)
{
    struct mcti_buf form;
    if (enterprise_check_exchange(e, exchanged, err) < 0)
        return -1;
    mcti_buf_init_secret(&form, MCT_OAUTH_FORM_BYTES);
    mcti_machine_put_assertion(&form, exchanged->access_token);
    int r = mcti_machine_send(&e->machine, &form, err);
    mcti_buf_done(&form);
    return r;
}

/* ---- the assertion of the identity provider ---- */

static void enterprise_on_exchange(void *data, const struct mcti_token_outcome *o)
{
    struct enterprise *e = data;
    struct mct_error err = { MCT_ERR_NONE };
    e->machine.request = NULL;
    if (o->failed) {
        /* the errors of the identity provider say nothing about the client at the authorization server */
        mcti_machine_end(&e->machine, &(struct mcti_token_outcome){ .status = o->status, .failed = o->failed });
    } else if (enterprise_redeem(e, o->tokens, &err) < 0) {
        mcti_machine_fail(&e->machine, &err);
    }
}

static void enterprise_put_exchange(const struct enterprise *e, const char *id_token, struct mcti_buf *form)
{
    const struct mcti_grant_opts *opts = &e->machine.opts;
    mcti_form_put(form, "grant_type", MCT_STR(GRANT_TOKEN_EXCHANGE));
    mcti_form_put(form, "requested_token_type", MCT_STR(TYPE_ID_JAG));
    mcti_form_put(form, "subject_token", mcti_str_of(id_token));
    mcti_form_put(form, "subject_token_type", MCT_STR(TYPE_ID_TOKEN));
    mcti_form_put(form, "audience", mcti_str_of(opts->as->issuer));
    mcti_form_put(form, "resource", mcti_str_of(opts->resource));
    if (opts->scope && *opts->scope)
        mcti_form_put(form, "scope", mcti_str_of(opts->scope));
}

static int enterprise_exchange(struct enterprise *e, struct mct_error *err)
{
    const struct mcti_auth_settings *settings = e->idp_env.settings;
    char *id_token = mcti_machine_read(settings, settings->id_token, "id_token", err);
    struct mcti_buf form;
    if (!id_token)
        return -1;
    mcti_buf_init_secret(&form, MCT_OAUTH_FORM_BYTES);
    enterprise_put_exchange(e, id_token, &form);
    const struct mcti_token_request_opts request = {
        .env = &e->idp_env,
        .at = &e->idp_at,
        .client = e->idp_client.id ? &e->idp_client : NULL,
        .form = mcti_buf_str(&form),
        .token_type = "N_A",
        .done = enterprise_on_exchange,
        .data = e,
    };
    e->machine.request = mcti_token_request_start(&request, err);
    mcti_buf_done(&form);
    mcti_secret_free(id_token);
    return e->machine.request ? 0 : -1;
}

/* ---- the identity provider ---- */

static void enterprise_on_idp(void *data, struct mcti_issuer_metadata *found, const struct mct_error *err)
{
    struct enterprise *e = data;
    struct mct_error why = { MCT_ERR_NONE };
    e->idp = NULL;
    if (err) {
        mcti_machine_fail(&e->machine, err);
        return;
    }
    e->idp_metadata = *found;
    *found = (struct mcti_issuer_metadata){ NULL };
    e->idp_at = mcti_oauth_token_endpoint(&e->idp_metadata);
    e->idp_at.what = "the token endpoint of the identity provider";
    if (enterprise_exchange(e, &why) < 0)
        mcti_machine_fail(&e->machine, &why);
}

static int enterprise_begin(struct enterprise *e, struct mct_error *err)
{
    const struct mcti_auth_settings *settings = e->idp_env.settings;
    const struct mcti_issuer_metadata *as = e->machine.opts.as;
    if (as->grant_profiles.n && !mcti_strings_has(&as->grant_profiles, MCT_STR(GRANT_PROFILE)))
        return mcti_fail(
            err, MCT_ERR_UNSUPPORTED,
            "the authorization server %.200s does not support logins by the identity provider of a company",
            as->issuer);
    if (settings->idp_token_endpoint)
        return enterprise_exchange(e, err);
    if (!settings->idp_issuer)
        return mcti_fail(err, MCT_ERR_CONFIG, "this grant needs \"idp_issuer\" or \"idp_token_endpoint\" in \"auth\"");
    e->idp = mcti_idp_start(&e->idp_env.net, settings->idp_issuer, enterprise_on_idp, e, err);
    return e->idp ? 0 : -1;
}

static struct mcti_grant *enterprise_start(const struct mcti_grant_opts *opts, struct mct_error *err)
{
    const struct mcti_auth_settings *settings = opts->env->settings;
    struct enterprise *e = mcti_machine_new(sizeof *e, &mcti_grant_enterprise, opts, err);
    if (!e)
        return NULL;
    e->machine.done = enterprise_done;
    e->idp_env = *opts->env;
    e->idp_env.net.allow_private = true;
    e->idp_client = (struct mcti_oauth_client){ .kind = MCT_CLIENT_CONFIGURED,
                                                .id = settings->idp_client_id,
                                                .secret = settings->idp_client_secret };
    e->idp_at = (struct mcti_oauth_endpoint){ .issuer = settings->idp_issuer,
                                              .url = settings->idp_token_endpoint,
                                              .what = "the token endpoint of the identity provider" };
    if (enterprise_begin(e, err) == 0)
        return &e->machine.grant;
    mcti_machine_free(&e->machine);
    return NULL;
}

const struct mcti_grant_ops mcti_grant_enterprise = {
    .word = "enterprise",
    .extension = "io.modelcontextprotocol/enterprise-managed-authorization",
    .needs_client = true,
    .start = enterprise_start,
    .cancel = mcti_machine_cancel,
};
