/* Finds the client id for an authorization server, from the first of client_sources that has one. */
#include "auth/flow/impl.h"

#include "auth/wire/url.h"

/* ---- configured ---- */

/* Returns the issuer at which the configured client was used, or NULL; the one that was found counts first. */
static const char *configured_issuer(const struct mcti_flow *f)
{
    const struct mcti_auth_records *known = f->opts.known;
    const char *issuer = NULL;
    for (size_t i = 0; known && i < known->n; i++) {
        const struct mcti_auth_record *r = &known->v[i];
        if (r->client_kind == MCT_CLIENT_CONFIGURED && r->client_id &&
            !strcmp(r->client_id, f->env->settings->client_id) && (!issuer || r == mcti_flow_known(f)))
            issuer = r->issuer;
    }
    return issuer;
}

/* A configured secret belongs to one authorization server (2026-07-28 "Authorization Server Binding"): to the
 * configured issuer, otherwise to the first one that got it. */
static int configured_check(const struct mcti_flow *f, struct mct_error *err)
{
    const struct mcti_auth_settings *s = f->env->settings;
    const char *first = s->client_secret && !s->issuer && !f->issuer ? configured_issuer(f) : NULL;
    return !first || !strcmp(first, f->found.as.issuer)
               ? 0
               : mcti_fail(err, MCT_ERR_AUTH,
                           "the client secret was used at %.150s until now, but the server names the authorization "
                           "server %.150s: if that is right, set it with \"auth\": {\"issuer\": …}",
                           first, f->found.as.issuer);
}

static int take_configured(struct mcti_flow *f, struct mct_error *err)
{
    const struct mcti_auth_settings *s = f->env->settings;
    if (!s->client_id)
        return 0;
    if (configured_check(f, err) < 0)
        return -1;
    if (mcti_flow_listen(f, s->callback_port, s->callback_localhost, err) < 0)
        return -1;
    f->key = s->private_key ? mcti_key_read(mcti_str_of(s->private_key), err) : NULL;
    if (s->private_key && !f->key)
        return mcti_error_wrap(err, "auth.private_key");
    f->login.client_kind = MCT_CLIENT_CONFIGURED;
    f->login.client_id = mcti_str_dup(mcti_str_of(s->client_id));
    return f->login.client_id ? 1 : mcti_no_memory(err);
}

/* ---- stored ---- */

/* Opens the listener at the redirect URI that was registered. Returns false and sets *err if that is impossible: the
 * port is in use, or another one is configured. */
static bool stored_listens(struct mcti_flow *f, const char *uri, struct mct_error *err)
{
    const struct mcti_auth_person *person = f->env->person;
    unsigned wanted = f->env->settings->callback_port, port;
    struct mcti_str origin = mcti_auth_url_origin(mcti_str_of(uri));
    bool says_localhost = mcti_str_starts(origin, MCT_STR("http://localhost:"));
    const char *colon = origin.p ? memrchr(origin.p, ':', origin.len) : NULL;
    if (f->ops != &mcti_grant_code)
        return true;
    if (!uri || (person && person->redirect_uri))
        return uri && !strcmp(uri, person->redirect_uri) && mcti_flow_listen(f, 0, false, err) == 0;
    port = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
    return port && (!wanted || wanted == port) && mcti_flow_listen(f, port, says_localhost, err) == 0 &&
           !strcmp(uri, f->redirect_uri);
}

static bool stored_is_usable(struct mcti_flow *f, const struct mcti_auth_record *r, struct mct_error *err)
{
    return r && !f->opts.forget_registration && !f->forgets_registration && r->client_kind == MCT_CLIENT_REGISTERED &&
           r->client_id && r->grant && !strcmp(r->grant, f->ops->word) &&
           (!r->secret_expires_at || r->secret_expires_at > f->env->now_s()) && stored_listens(f, r->redirect_uri, err);
}

static int take_stored(struct mcti_flow *f, struct mct_error *err)
{
    const struct mcti_auth_record *r = mcti_flow_known(f);
    struct mct_error why = { MCT_ERR_NONE };
    if (!f->ops->registers || !stored_is_usable(f, r, &why))
        return why.kind == MCT_ERR_NO_MEMORY ? mcti_no_memory(err) : 0;
    f->is_stored = true;
    return mcti_auth_record_copy(&f->login, r) < 0 ? mcti_no_memory(err) : 1;
}

/* ---- a document, a registration ---- */

static int take_document(struct mcti_flow *f, struct mct_error *err)
{
    const char *url = f->env->settings->client_metadata_url;
    if (!f->ops->registers || !url || !f->found.as.takes_client_id_documents)
        return 0;
    if (!mcti_auth_url_is_client_id(mcti_str_of(url)))
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "auth.client_metadata_url must be an https URL with a path, without fragment, credentials and "
                         "dot segments");
    f->login.client_kind = MCT_CLIENT_DOCUMENT;
    f->login.client_id = mcti_str_dup(mcti_str_of(url));
    if (!f->login.client_id)
        return mcti_no_memory(err);
    return mcti_flow_listen_anywhere(f, err) < 0 ? -1 : 1;
}

static int take_registration(struct mcti_flow *f, struct mct_error *err)
{
    if (!f->ops->registers || !f->found.as.registration_endpoint)
        return 0;
    return mcti_flow_listen_anywhere(f, err) < 0 || mcti_flow_register(f, err) < 0 ? -1 : 2;
}

static int take_nothing(struct mcti_flow *f, struct mct_error *err)
{
    return f->ops->needs_client ? mcti_flow_lacks_client(f, "does not register clients", err) : 1;
}

int mcti_flow_lacks_client(const struct mcti_flow *f, const char *why, struct mct_error *err)
{
    bool takes_document = f->ops->registers && f->found.as.takes_client_id_documents;
    return mcti_fail(
        err, MCT_ERR_AUTH,
        "the authorization server %.150s %s: register a client there and set \"auth\": {\"client_id\": …}, "
        "with \"client_secret\" if it has one%s",
        f->found.as.issuer, why, takes_document ? ", or set \"client_metadata_url\"" : "");
}

/* Each returns 1 if the client is found, 2 if it is being registered, 0 to try the next one, -1 with *err. */
static int (*const client_sources[])(struct mcti_flow *f, struct mct_error *err) = {
    take_configured, take_stored, take_document, take_registration, take_nothing,
};

static void client_forget(struct mcti_flow *f)
{
    mcti_auth_record_clear(&f->login);
    mcti_key_free(f->key);
    f->key = NULL;
    f->is_stored = false;
}

int mcti_flow_choose_client(struct mcti_flow *f, struct mct_error *err)
{
    int r = 0;
    client_forget(f);
    for (size_t i = 0; r == 0 && i < sizeof client_sources / sizeof *client_sources; i++)
        r = client_sources[i](f, err);
    return r == 2 ? 0 : r;
}

struct mcti_oauth_client mcti_flow_client(const struct mcti_flow *f)
{
    const struct mcti_auth_settings *s = f->env->settings;
    const struct mcti_auth_record *r = &f->login;
    bool is_configured = r->client_kind == MCT_CLIENT_CONFIGURED;
    return (struct mcti_oauth_client){ .kind = r->client_kind,
                                       .id = r->client_id,
                                       .secret = is_configured ? s->client_secret : r->client_secret,
                                       .auth_method = r->auth_method,
                                       .key = f->key,
                                       .key_id = s->key_id,
                                       .alg = s->alg };
}
