#include "auth/wire/challenge.h"
#include "cli/login/signin.h"

static int login_check_options(const struct mcti_options *o, struct mct_error *err)
{
    if (!o->scope || (o->scope[strspn(o->scope, " ")] && mcti_scope_is_valid(mcti_str_of(o->scope))))
        return 0;
    return mcti_fail(err, MCT_ERR_USAGE, "--scope '%s': must be scopes, separated by spaces", o->scope);
}

/* Fails if the server cannot be asked for a login: it does not answer at all. */
static int login_check_reached(const struct mcti_signin_server *s, struct mct_error *err)
{
    const struct mcti_provider *p = s->provider;
    if (p->state == MCT_CONNECTED || p->error->kind == MCT_ERR_AUTH || mcti_login_state(s->login) == MCT_LOGIN_NEEDED)
        return 0;
    *err = *p->error;
    return mcti_error_wrap(err, "server '%s'", s->shown);
}

/* The server publishes nothing about a login. Returns 0 if it works without one; otherwise -1 with *err. */
static int login_check_needed(const struct mcti_signin_server *s, struct mct_error *err)
{
    if (s->provider->state == MCT_CONNECTED)
        return 0;
    mcti_fail(err, MCT_ERR_AUTH, "%s", s->provider->error->message);
    return mcti_error_wrap(err, "server '%s' offers no login", s->shown);
}

static int login_not_needed(struct mcti_app *app, const struct mcti_signin_server *s)
{
    if (app->opt.output == MCT_OUT_JSON)
        mcti_signin_print_done(app, "", s);
    else
        mcti_out(app, "'%s' needs no login.\n", s->shown);
    return 0;
}

/* Connects again, now with the login. Returns 0, or the exit status after printing the error. */
static int login_verify(struct mcti_app *app, const struct mcti_signin_server *s)
{
    const struct mcti_provider *p = s->provider;
    struct mct_error err;
    mcti_registry_restart(&app->inst.registry, s->provider);
    if (mcti_app_wait_settled(app) < 0)
        return mcti_out_interrupted(app);
    if (p->state == MCT_CONNECTED)
        return 0;
    err = *p->error;
    mcti_error_wrap(&err, "the login to '%s' was stored, but the server does not work with it", s->shown);
    return mcti_out_fail(app, &err, s->name);
}

/* Returns the exit status of a login that was not made. */
static int login_fail(struct mcti_app *app, const struct mcti_signin_server *s, struct mct_error *err)
{
    if (app->interrupted)
        return mcti_out_interrupted(app);
    if (err->kind == MCT_ERR_NOT_FOUND && login_check_needed(s, err) == 0)
        return login_not_needed(app, s);
    return mcti_out_fail(app, err, s->name);
}

int mcti_cmd_login(struct mcti_app *app)
{
    const struct mcti_options *o = &app->opt;
    struct mcti_signin_server s;
    struct mct_error err;
    if (login_check_options(o, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    int status = mcti_signin_open(app, app->argv[0], &s);
    if (status)
        return status;
    if (mcti_app_settle(app) < 0) /* its refusal says where to log in, and for which scopes */
        return mcti_out_interrupted(app);
    if (login_check_reached(&s, &err) < 0)
        return mcti_out_fail(app, &err, s.name);
    const struct mcti_signin what = { .app = app,
                                      .server = &s,
                                      .scope = o->scope,
                                      .issuer = o->issuer,
                                      .device = o->device,
                                      .no_browser = o->no_browser,
                                      .limit_ms = o->timeout_ms };
    if (mcti_signin_run(&what, &err) < 0)
        return login_fail(app, &s, &err);
    status = login_verify(app, &s);
    if (status == 0)
        mcti_signin_print_done(app, "Logged in to", &s);
    return status;
}
