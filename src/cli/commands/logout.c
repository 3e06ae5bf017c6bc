#include "cli/login/signin.h"
#include "json/write.h"

/* The end of a login: what there was, and how it ended. */
struct logout {
    struct mcti_signin_server server;
    struct mcti_buf host; /* of the authorization server; empty: nothing was stored */
    bool had_tokens, had_refresh_token, can_revoke;
    bool done;
    struct mct_error err;
};

static void logout_on_done(void *data, const struct mct_error *err)
{
    struct logout *l = data;
    if (err)
        l->err = *err;
    l->done = true;
}

static void logout_note(struct logout *l)
{
    struct mcti_login_facts facts;
    mcti_login_describe(l->server.login, &facts);
    mcti_signin_put_host(&l->host, facts.issuer);
    l->had_tokens = facts.issuer && facts.state != MCT_LOGIN_NONE;
    l->had_refresh_token = facts.can_refresh;
    l->can_revoke = facts.can_revoke;
}

static const char *logout_tokens(const struct logout *l)
{
    return l->had_refresh_token ? "the refresh token and the access token" : "the access token";
}

static void logout_print(const struct mcti_app *app, const struct logout *l)
{
    struct mcti_str host = mcti_buf_str(&l->host);
    if (l->had_tokens && !l->can_revoke)
        mcti_out(app,
                 "Logged out of '%s'. %.*s revokes no tokens: they are forgotten here, and end when they expire.\n",
                 l->server.shown, MCT_STR_ARG(host));
    else if (l->had_tokens)
        mcti_out(app, "Logged out of '%s': revoked %s at %.*s.\n", l->server.shown, logout_tokens(l),
                 MCT_STR_ARG(host));
    if (app->opt.all)
        mcti_out(app, "Forgot all logins to '%s', and the client registrations.\n", l->server.shown);
    else if (!l->had_tokens)
        mcti_out(app, "There is no login to '%s'.\n", l->server.shown);
}

static void logout_print_json(const struct mcti_app *app, const struct logout *l)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 16);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "server", mcti_str_of(l->server.shown));
    if (l->host.len)
        mcti_json_put_member(&b, "issuer", mcti_buf_str(&l->host));
    mcti_json_put_raw(&b, "forgotten", mcti_str_of(l->had_tokens || app->opt.all ? "true" : "false"));
    mcti_json_put_raw(&b, "revoked", mcti_str_of(l->had_tokens && l->can_revoke ? "true" : "false"));
    mcti_buf_addc(&b, '}');
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* Returns the exit status after the login has ended with l->err. */
static int logout_finish(struct mcti_app *app, struct logout *l)
{
    if (l->err.kind) {
        mcti_error_wrap(&l->err, "server '%s'", l->server.shown);
        return mcti_out_fail(app, &l->err, l->server.name);
    }
    if (app->opt.output == MCT_OUT_JSON)
        logout_print_json(app, l);
    else
        logout_print(app, l);
    return 0;
}

static int logout_run(struct mcti_app *app, struct logout *l)
{
    logout_note(l);
    if (!l->had_tokens && !app->opt.all)
        return logout_finish(app, l);
    mcti_login_end(l->server.login, app->opt.all, logout_on_done, l);
    int status = mcti_signin_wait(app, &l->server, &l->done, l);
    return status ? status : logout_finish(app, l);
}

int mcti_cmd_logout(struct mcti_app *app)
{
    struct logout l = { .done = false };
    int status = mcti_signin_open(app, app->argv[0], &l.server);
    if (status)
        return status;
    mcti_buf_init(&l.host, 1u << 16);
    status = logout_run(app, &l);
    mcti_buf_done(&l.host);
    return status;
}
