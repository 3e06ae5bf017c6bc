/* "auth" of a server: its keys, and what they mean together. */
#include "auth/auth.h"
#include "config/read_impl.h"

#include <stdlib.h>

#define OWNER struct mcti_config_server

const struct mcti_word mcti_auth_types[] = {
    { "bearer", MCT_AUTH_BEARER },
    { "api-key", MCT_AUTH_API_KEY },
    { "oauth", MCT_AUTH_OAUTH },
    { "none", MCT_AUTH_OFF },
    { 0 },
};

static const struct mcti_word grants[] = {
    { "authorization_code", 0 }, { "device_code", 0 },       { "client_credentials", 0 },
    { "enterprise", 0 },         { "workload_identity", 0 }, { 0 },
};

static const struct mcti_word dpop_wishes[] = {
    { "auto", MCT_DPOP_AUTO },
    { "required", MCT_DPOP_REQUIRED },
    { "never", MCT_DPOP_NEVER },
    { 0 },
};

static const struct mcti_word pkce_wishes[] = {
    { "required", MCT_PKCE_REQUIRED },
    { "assume", MCT_PKCE_ASSUMED },
    { 0 },
};

static const struct mcti_word callback_hosts[] = {
    { "127.0.0.1", MCT_CALLBACK_ADDRESS },
    { "localhost", MCT_CALLBACK_LOCALHOST },
    { 0 },
};

static const struct mcti_config_field idp_fields[] = {
    FIELD_STRING("issuer", oauth.idp_issuer, "The identity provider's issuer, a URL."),
    FIELD_STRING("token_endpoint", oauth.idp_token_endpoint, "Its token endpoint.",
                 .preset = "from the metadata of `issuer`"),
    FIELD_STRING("client_id", oauth.idp_client_id, "The client id there."),
    FIELD_STRING("client_secret", oauth.idp_client_secret, "The client secret there. Variables are expanded."),
    { 0 },
};

const struct mcti_config_field mcti_config_auth_fields[] = {
    FIELD_ENUM("type", auth_type, mcti_auth_types,
               "How the gateway authenticates to this server. `bearer` sends `token` in the Authorization header, "
               "`api-key` sends `key` in `header`, `oauth` logs in with the keys below. `none`: never.",
               .preset = "`oauth` with the keys below, if the server asks for a login"),
    FIELD_STRING("token", auth_token, "The token of type `bearer`. Variables are expanded."),
    FIELD_STRING("key", auth_key, "The key of type `api-key`. Variables are expanded."),
    FIELD_STRING("header", auth_header, "The header that carries `key`.", .preset = "`X-API-Key`"),
    FIELD_WORD("grant", oauth.grant, grants,
               "Type `oauth`: how tokens are obtained. A person logs in with `authorization_code` and `device_code`.",
               .preset = "`authorization_code`"),
    FIELD_STRING("client_id", oauth.client_id, "The client id, if one was registered by hand. Variables are expanded.",
                 .preset = "a client metadata document, or registration"),
    FIELD_STRING("client_secret", oauth.client_secret, "The client secret. Variables are expanded."),
    FIELD_STRING(
        "client_metadata_url", oauth.client_metadata_url,
        "URL of a client ID metadata document, which is the client id where the authorization server allows it."),
    FIELD_STRING("issuer", oauth.issuer, "The only authorization server that is used.", .preset = "as the server says"),
    FIELD_STRING("private_key", oauth.private_key,
                 "Key that the client authenticates with, PEM or JWK, instead of a secret. Variables are expanded."),
    FIELD_STRING("private_key_file", oauth.private_key_file,
                 "File with that key, relative to the folder of the configuration file."),
    FIELD_STRING("key_id", oauth.key_id, "Identifier of the key (`kid`)."),
    FIELD_STRING("alg", oauth.alg, "Algorithm of the key, such as `ES256`.", .preset = "one that fits the key"),
    FIELD_STRING("initial_access_token", oauth.initial_access_token,
                 "Token for the registration of the client at `issuer`, which must be set. Variables are expanded."),
    FIELD_STRINGS("scopes", oauth.scopes, "Scopes to ask for.", .preset = "as the server says"),
    FIELD_UINT("callback_port", oauth.callback_port, 1, 65535, "Port to which the browser returns.", .preset = "any"),
    FIELD_ENUM("callback_host", oauth.callback_host, callback_hosts,
               "Host to which the browser returns, if the client was registered with `localhost`."),
    FIELD_ENUM("dpop", oauth.dpop, dpop_wishes, "Binds tokens to a key (DPoP). `auto`: where it is supported."),
    FIELD_ENUM("pkce", oauth.pkce, pkce_wishes,
               "`assume`: the authorization server supports PKCE although its metadata does not say so."),
    FIELD_BOOL("allow_private", oauth.allow_private,
               "`true` allows authorization servers with private addresses for a server with a public one."),
    FIELD_PAIRS("extra_params", oauth.extra_params, "Further parameters of the authorization request."),
    FIELD_STRING("assertion", oauth.assertion,
                 "Grant `workload_identity`: the token of the platform. Variables are expanded for each use."),
    FIELD_STRING("assertion_file", oauth.assertion_file,
                 "File with that token, read for each use; relative to the folder of the configuration file."),
    FIELD_STRING("id_token", oauth.id_token,
                 "Grant `enterprise`: the person's ID token. Variables are expanded for each use."),
    FIELD_OBJECT("idp", idp_fields, "Grant `enterprise`: the identity provider."),
    { 0 },
};

/* ---- texts ---- */

void mcti_config_auth_texts(struct mcti_config_server *s, char **ret[MCT_CONFIG_AUTH_TEXTS])
{
    struct mcti_config_oauth *o = &s->oauth;
    char **const texts[] = {
        &s->auth_token,
        &s->auth_key,
        &o->client_id,
        &o->client_secret,
        &o->client_metadata_url,
        &o->issuer,
        &o->private_key,
        &o->private_key_file,
        &o->key_id,
        &o->alg,
        &o->assertion,
        &o->assertion_file,
        &o->id_token,
        &o->idp_issuer,
        &o->idp_client_id,
        &o->idp_client_secret,
        &o->idp_token_endpoint,
        &o->initial_access_token,
        NULL,
    };
    _Static_assert(sizeof texts / sizeof *texts <= MCT_CONFIG_AUTH_TEXTS, "all texts fit");
    memcpy(ret, texts, sizeof texts);
}

void mcti_config_clear_auth(struct mcti_config_server *s)
{
    char **texts[MCT_CONFIG_AUTH_TEXTS];
    mcti_config_auth_texts(s, texts);
    for (size_t i = 0; texts[i]; i++)
        free(*texts[i]);
    free(s->auth_header);
    mcti_strings_clear(&s->oauth.scopes);
    mcti_pairs_clear(&s->oauth.extra_params);
}

/* ---- what the keys mean together ---- */

bool mcti_config_has_header(const struct mcti_config_server *s, const char *name)
{
    for (size_t i = 0; i < s->headers.n; i++)
        if (!strcasecmp(s->headers.v[i].key, name))
            return true;
    return false;
}

static bool has_oauth_keys(struct mcti_config_server *s)
{
    const struct mcti_config_oauth *o = &s->oauth;
    char **texts[MCT_CONFIG_AUTH_TEXTS];
    mcti_config_auth_texts(s, texts);
    for (size_t i = 0; texts[i]; i++)
        if (*texts[i] && *texts[i] != s->auth_token && *texts[i] != s->auth_key)
            return true;
    return o->grant || o->scopes.n || o->callback_port || o->callback_host || o->dpop || o->pkce || o->allow_private ||
           o->extra_params.n;
}

static bool is_grant(const struct mcti_config_oauth *o, const char *word)
{
    return !strcmp(o->grant ? o->grant : "authorization_code", word);
}

/* A URL with a variable is checked when its text is known. */
static bool is_no_url(const char *text)
{
    return text && !mcti_is_url(text) && !strstr(text, "${");
}

static const char *enterprise_mistake(const struct mcti_config_oauth *o)
{
    if (!o->idp_client_id || (!o->idp_issuer && !o->idp_token_endpoint))
        return "\"auth\" with grant enterprise needs \"idp\" with a \"client_id\", and \"issuer\" or "
               "\"token_endpoint\"";
    if (!o->id_token)
        return "\"auth\" with grant enterprise needs an \"id_token\"";
    return o->client_id || o->client_metadata_url ? NULL : "\"auth\" with grant enterprise needs a \"client_id\"";
}

static const char *grant_mistake(const struct mcti_config_oauth *o)
{
    bool has_key = o->private_key || o->private_key_file;
    if (o->private_key && o->private_key_file)
        return "\"auth\" has both \"private_key\" and \"private_key_file\"; remove one";
    if (o->assertion && o->assertion_file)
        return "\"auth\" has both \"assertion\" and \"assertion_file\"; remove one";
    if (is_grant(o, "client_credentials") && (!o->client_id || (!o->client_secret && !has_key)))
        return "\"auth\" with grant client_credentials needs a \"client_id\", and \"client_secret\" or \"private_key\"";
    if (is_grant(o, "workload_identity") && !o->assertion && !o->assertion_file)
        return "\"auth\" with grant workload_identity needs an \"assertion\" or \"assertion_file\"";
    if ((o->client_secret || has_key) && !o->client_id)
        return "\"auth\" has a secret or key of the client but no \"client_id\"";
    return is_grant(o, "enterprise") ? enterprise_mistake(o) : NULL;
}

static const char *oauth_mistake(const struct mcti_config_server *s)
{
    const struct mcti_config_oauth *o = &s->oauth;
    if (!s->url)
        return "\"auth\" of type oauth needs a \"url\": programs get their credentials in \"env\"";
    if (s->auth_token || s->auth_key)
        return "\"auth\" of type oauth obtains its token; remove \"token\" and \"key\"";
    if (mcti_config_has_header(s, "Authorization"))
        return "\"headers\" has Authorization, which \"auth\" of type oauth sets; remove one";
    if (is_no_url(o->issuer) || is_no_url(o->idp_issuer) || is_no_url(o->idp_token_endpoint))
        return "\"auth\": \"issuer\" and \"token_endpoint\" must begin with https://";
    if (o->client_metadata_url && strncmp(o->client_metadata_url, "https://", 8) &&
        !strstr(o->client_metadata_url, "${"))
        return "\"auth\": \"client_metadata_url\" must begin with https://";
    return grant_mistake(o);
}

bool mcti_config_drop_auth(struct mcti_config_server *s)
{
    struct mcti_config_server empty = { 0 };
    if (s->url || s->auth_type != MCT_AUTH_UNSET || !has_oauth_keys(s))
        return false;
    empty.oauth = s->oauth;
    s->oauth = (struct mcti_config_oauth){ 0 };
    mcti_config_clear_auth(&empty);
    return true;
}

const char *mcti_config_settle_auth(struct mcti_config_server *s)
{
    bool has_keys = has_oauth_keys(s), implied = s->auth_type == MCT_AUTH_UNSET;
    if (has_keys && implied && !mcti_config_has_header(s, "Authorization"))
        s->auth_type = MCT_AUTH_OAUTH;
    else if (has_keys && s->auth_type != MCT_AUTH_OAUTH && !implied)
        return "\"auth\" has keys of type oauth; remove them, or write \"type\": \"oauth\"";
    switch (s->auth_type) {
    case MCT_AUTH_OAUTH:
        return oauth_mistake(s);
    case MCT_AUTH_BEARER:
        return s->auth_token ? NULL : "\"auth\" of type bearer needs a \"token\"";
    case MCT_AUTH_API_KEY:
        return s->auth_key ? NULL : "\"auth\" of type api-key needs a \"key\"";
    default:
        return s->auth_token || s->auth_key ? "\"auth\" needs a \"type\": bearer or api-key" : NULL;
    }
}
