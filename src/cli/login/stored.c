/* Logins in the store that belong to no server of the configuration: to URLs that were used directly, or to entries
 * that are gone. */
#include "base/clock.h"
#include "cli/login/signin.h"
#include "config/expand/expand.h"

#include <stdlib.h>

/* Adds the keys of the configured servers. */
static int stored_add_configured(const struct mcti_config *c, struct mcti_strings *keys, struct mct_error *err)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < c->n_servers; i++) {
        char key[MCT_AUTH_KEY_CHARS + 1], *url = c->servers[i].url ? mcti_expand(c->servers[i].url, NULL) : NULL;
        if (!url)
            continue;
        mcti_auth_key(key, mcti_str_of(url), MCT_STR(""));
        r = mcti_strings_add(keys, mcti_str_of(key)) < 0 ? mcti_no_memory(err) : 0;
        free(url);
    }
    return r;
}

static void stored_show(struct mcti_auth_records *records, mcti_signin_stored_fn each, void *data)
{
    const struct mcti_auth_record *r = mcti_auth_records_current(records);
    int64_t now = (int64_t)(mcti_clock_wall_ms() / 1000);
    if (!r || !r->access_token || !records->server || (records->principal && *records->principal))
        return; /* a registration without a login, or the login of a client of a gateway */
    bool expired = r->expires_at && r->expires_at <= now;
    const struct mcti_login_facts facts = {
        .state = expired && !r->refresh_token ? MCT_LOGIN_EXPIRED : MCT_LOGIN_READY,
        .issuer = r->issuer,
        .client_id = r->client_id,
        .scope = r->scope,
        .resource = r->resource,
        .grant = r->grant,
        .client_kind = r->client_kind,
        .expires_at = r->expires_at,
        .expired = expired,
        .can_refresh = r->refresh_token != NULL,
        .bound = r->dpop_key != NULL,
    };
    each(data, records->server, &facts);
}

static int stored_show_key(struct mcti_auth_store *s, const char *key, mcti_signin_stored_fn each, void *data,
                           struct mct_error *err)
{
    struct mcti_auth_records records;
    struct mcti_buf text;
    mcti_buf_init_secret(&text, MCT_LIMIT_AUTH_BYTES);
    int r = s->ops->load(s, key, &text, err);
    if (r == 0)
        r = mcti_auth_records_read(&records, mcti_buf_str(&text), err);
    if (r == 0) {
        stored_show(&records, each, data);
        mcti_auth_records_clear(&records);
    }
    mcti_buf_done(&text);
    return r;
}

int mcti_signin_each_stored(struct mcti_app *app, bool all, mcti_signin_stored_fn each, void *data,
                            struct mct_error *err)
{
    const char *kind = app->inst.config.auth_store;
    struct mcti_strings keys = { 0 }, configured = { 0 };
    struct mcti_auth_store *s = mcti_auth_store_open(kind ? kind : "file", NULL, err);
    int r = !s ? -1 : s->ops->list ? s->ops->list(s, &keys, err) : 0;
    if (r == 0 && !all)
        r = stored_add_configured(&app->inst.config, &configured, err);
    for (size_t i = 0; r == 0 && i < keys.n; i++)
        if (!mcti_strings_has(&configured, mcti_str_of(keys.v[i])))
            r = stored_show_key(s, keys.v[i], each, data, err);
    mcti_strings_clear(&keys);
    mcti_strings_clear(&configured);
    mcti_auth_store_free(s);
    return r;
}
