/* From a word of the command line to a server with a login. */
#include "auth/grant/grant.h"
#include "cli/login/signin.h"
#include "cli/target.h"

static void server_name_for_people(const struct mcti_app *app, struct mcti_signin_server *s)
{
    struct mcti_buf url;
    snprintf(s->shown, sizeof s->shown, "%s", s->name);
    if (!app->opt.url)
        return;
    mcti_buf_init(&url, 1u << 16);
    mcti_config_put_url(&url, app->opt.url); /* without secrets */
    if (mcti_buf_ok(&url))
        snprintf(s->shown, sizeof s->shown, "%.*s", MCT_STR_ARG(mcti_buf_str(&url)));
    mcti_buf_done(&url);
}

int mcti_signin_find(struct mcti_app *app, const char *name, struct mcti_signin_server *ret)
{
    *ret = (struct mcti_signin_server){ .name = name,
                                        .provider = mcti_registry_find(&app->inst.registry, mcti_str_of(name)),
                                        .login = mcti_connect_login(&app->inst.env, name) };
    const struct mcti_config_server *s = mcti_config_find(&app->inst.config, mcti_str_of(name));
    const struct mcti_grant_ops *grant = s ? mcti_grant_find(s->oauth.grant) : NULL;
    ret->is_machine = grant && !grant->person;
    server_name_for_people(app, ret);
    return ret->login && ret->provider ? 0 : -1;
}

static int server_check_entry(const struct mcti_config_server *s, struct mct_error *err)
{
    if (!s->enabled)
        return mcti_fail(err, MCT_ERR_CONFIG, "server '%s' is disabled in the configuration", s->name);
    if (s->untrusted) {
        *err = s->error;
        return mcti_error_wrap(err, "server '%s'", s->name);
    }
    if (!s->url)
        return mcti_fail(err, MCT_ERR_USAGE,
                         "server '%s' is not reached by a URL, so it has no login: it gets its credentials from its "
                         "configuration, for example from \"env\"",
                         s->name);
    if (!s->error.kind)
        return 0;
    *err = s->error;
    return mcti_error_wrap(err, "server '%s'", s->name);
}

/* Returns the configured server of this name, or the ad-hoc one. Returns NULL with *err. */
static const struct mcti_config_server *server_find_entry(struct mcti_app *app, const char *word, struct mct_error *err)
{
    if (mcti_is_url(word))
        app->opt.url = word;
    if (mcti_app_configure(app, err) < 0)
        return NULL;
    const char *name = mcti_is_url(word) ? "url" : word;
    const struct mcti_config_server *s = mcti_config_find(&app->inst.config, mcti_str_of(name));
    if (!s)
        mcti_target_no_server(app, word, err);
    return s && server_check_entry(s, err) == 0 ? s : NULL;
}

static bool server_has_credentials(const struct mcti_config_server *s)
{
    return s->auth_type == MCT_AUTH_BEARER || s->auth_type == MCT_AUTH_API_KEY ||
           (s->auth_type == MCT_AUTH_UNSET && mcti_config_has_header(s, "Authorization"));
}

/* A provider without its login has a mistake in its entry, with which its start fails at once. */
const struct mct_error *mcti_signin_fault(struct mcti_app *app, const char *name)
{
    struct mcti_provider *p = mcti_registry_find(&app->inst.registry, mcti_str_of(name));
    const struct mcti_config_server *s = mcti_config_find(&app->inst.config, mcti_str_of(name));
    if (!p || !s || !s->url || s->auth_type == MCT_AUTH_OFF || server_has_credentials(s))
        return NULL;
    if (p->state == MCT_DISCONNECTED)
        mcti_registry_start_one(&app->inst.registry, p);
    return p->error;
}

/* Fails with the reason why the server has no login. */
static int server_has_no_login(struct mcti_app *app, const struct mcti_config_server *s, struct mct_error *err)
{
    const struct mct_error *fault = mcti_signin_fault(app, s->name);
    if (s->auth_type == MCT_AUTH_OFF)
        return mcti_fail(err, MCT_ERR_CONFIG, "server '%s' has no login: its \"auth\" has the type \"none\"", s->name);
    if (!fault || !fault->kind)
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "server '%s' has credentials in its configuration (\"auth\" or \"headers\"), so it has no "
                         "login; remove them to log in",
                         s->name);
    *err = *fault;
    return mcti_error_wrap(err, "server '%s'", s->name);
}

int mcti_signin_open(struct mcti_app *app, const char *word, struct mcti_signin_server *ret)
{
    struct mct_error err;
    const struct mcti_config_server *s = server_find_entry(app, word, &err);
    if (!s || mcti_app_open(app, s->name, false, &err) < 0)
        return mcti_out_fail(app, &err, s ? s->name : NULL);
    if (mcti_signin_find(app, s->name, ret) == 0)
        return 0;
    server_has_no_login(app, s, &err);
    return mcti_out_fail(app, &err, s->name);
}

int mcti_signin_wait(struct mcti_app *app, const struct mcti_signin_server *s, const bool *done, const void *data)
{
    if (mcti_app_wait(app, done))
        return 0;
    mcti_login_drop_done(s->login, data);
    return mcti_out_interrupted(app);
}
