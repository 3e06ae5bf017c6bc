/* mcptools auth: shows and uses stored logins. Access tokens are printed by `auth token` alone. */
#include "base/clock.h"
#include "cli/login/signin.h"

#include <unistd.h>

/* ---- status ---- */

static const char *auth_state_words(const struct mcti_login_facts *f)
{
    static const char *const words[] = { [MCT_LOGIN_NONE] = "not logged in",
                                         [MCT_LOGIN_NEEDED] = "login needed",
                                         [MCT_LOGIN_RUNNING] = "in progress",
                                         [MCT_LOGIN_READY] = "logged in",
                                         [MCT_LOGIN_EXPIRED] = "expired" };
    return words[f->state];
}

/* Gets each login: `server` is its name for people. */
struct auth_list {
    struct mcti_app *app;
    void (*put)(struct auth_list *list, const char *server, const struct mcti_login_facts *f);
    struct mcti_buf json;
    size_t n;
    bool lacks; /* the login of a server cannot be shown, because its entry has a mistake */
};

static void auth_put_row(struct auth_list *list, const char *server, const struct mcti_login_facts *f)
{
    struct mcti_app *app = list->app;
    const char *client = mcti_signin_client_word(f->client_kind);
    struct mcti_buf host, expiry;
    mcti_buf_init(&host, 1u << 16);
    mcti_buf_init(&expiry, 256);
    mcti_signin_put_host(&host, f->issuer);
    mcti_signin_put_expiry(&expiry, f);
    if (!list->n)
        mcti_out_styled(app, MCT_DIM, "%-20s %-13s  %-24s  %-10s  %-14s  %s\n", "SERVER", "STATE", "ISSUER", "CLIENT",
                        "EXPIRES", "SCOPES");
    mcti_out_styled(app, MCT_BOLD, "%-20s", server);
    mcti_out(app, f->issuer ? " %-13s" : " %s", auth_state_words(f));
    if (f->issuer)
        mcti_out(app, "  %-24.*s  %-10s  %-14.*s  %s", MCT_STR_ARG(mcti_buf_str(&host)), client ? client : "-",
                 MCT_STR_ARG(mcti_buf_str(&expiry)), f->scope && *f->scope ? f->scope : "-");
    putchar('\n');
    if (f->why && f->why->kind)
        mcti_out(app, "    %s\n", f->why->message);
    mcti_buf_done(&host);
    mcti_buf_done(&expiry);
}

static void auth_put_json(struct auth_list *list, const char *server, const struct mcti_login_facts *f)
{
    mcti_buf_addz(&list->json, list->n ? "," : "");
    mcti_signin_put_json(&list->json, server, f);
}

static void auth_on_login(void *data, const char *server, const struct mcti_login_facts *f)
{
    struct auth_list *list = data;
    list->put(list, server, f);
    list->n++;
}

/* Lists the logins of the servers that are open; with `all` also the others in the store. Returns -1 with *err. */
static int auth_list_logins(struct auth_list *list, bool all, struct mct_error *err)
{
    const struct mcti_registry *r = &list->app->inst.registry;
    struct mcti_signin_server s;
    struct mcti_login_facts facts;
    for (size_t i = 0; i < r->n; i++) {
        facts = (struct mcti_login_facts){ .why = NULL };
        if (mcti_signin_find(list->app, r->v[i]->name, &s) == 0)
            mcti_login_describe(s.login, &facts);
        else
            facts.why = mcti_signin_fault(list->app, s.name);
        if (s.login || facts.why)
            auth_on_login(list, s.shown, &facts);
        list->lacks |= !s.login && facts.why;
    }
    return all ? mcti_signin_each_stored(list->app, false, auth_on_login, list, err) : 0;
}

static int auth_list_print(struct mcti_app *app, bool all)
{
    bool as_json = app->opt.output == MCT_OUT_JSON;
    struct auth_list list = { .app = app, .put = as_json ? auth_put_json : auth_put_row };
    struct mct_error err;
    mcti_buf_init(&list.json, 1u << 24);
    mcti_buf_addz(&list.json, "{\"logins\":[");
    int r = auth_list_logins(&list, all, &err);
    mcti_buf_addz(&list.json, "]}");
    if (r == 0 && as_json)
        mcti_out_json(app, mcti_buf_str(&list.json));
    else if (r == 0 && !list.n)
        mcti_say("mcptools: there are no logins, and no configured server can have one: each is a program, or has its "
                 "credentials in its entry");
    mcti_buf_done(&list.json);
    return r < 0 ? mcti_out_fail(app, &err, NULL) : list.lacks ? mcti_error_exit_status(MCT_ERR_PARTIAL) : 0;
}

static int auth_status(struct mcti_app *app)
{
    struct mcti_signin_server s;
    struct mct_error err;
    if (app->argc > 1) {
        int status = mcti_signin_open(app, app->argv[1], &s);
        return status ? status : auth_list_print(app, false);
    }
    if (mcti_app_configure(app, &err) < 0 || mcti_app_open(app, NULL, false, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    return auth_list_print(app, true);
}

/* ---- refresh ---- */

struct auth_renewal {
    struct mct_error err;
    bool done;
};

static void auth_on_renewed(void *data, const struct mct_error *err)
{
    struct auth_renewal *r = data;
    if (err)
        r->err = *err;
    r->done = true;
}

/* Prints an error, with the command that logs in if only that helps. Returns the exit status. */
static int auth_fail(struct mcti_app *app, const struct mcti_signin_server *s, struct mct_error *err)
{
    struct mcti_login_facts facts;
    mcti_login_describe(s->login, &facts);
    if (s->is_machine && facts.why)
        *err = *facts.why;
    mcti_error_wrap(err, "server '%s'", s->shown);
    if (err->kind == MCT_ERR_AUTH && !s->is_machine)
        mcti_signin_add_command(app, err, s->name, NULL);
    return mcti_out_fail(app, err, s->name);
}

static int auth_renew(struct mcti_app *app, const struct mcti_signin_server *s)
{
    struct auth_renewal r = { .done = false };
    mcti_login_refresh(s->login, auth_on_renewed, &r);
    int status = mcti_signin_wait(app, s, &r.done, &r);
    return status || !r.err.kind ? status : auth_fail(app, s, &r.err);
}

static int auth_refresh(struct mcti_app *app)
{
    struct mcti_signin_server s;
    int status = mcti_signin_open(app, app->argv[1], &s);
    if (status == 0)
        status = auth_renew(app, &s);
    if (status == 0)
        mcti_signin_print_done(app, "Renewed the login to", &s);
    return status;
}

/* ---- token ---- */

enum { TOKEN_SPARE_S = 30 }; /* a token that expires earlier is renewed first */

static bool auth_is_stale(const struct mcti_login_facts *f)
{
    int64_t now = (int64_t)(mcti_clock_wall_ms() / 1000);
    return f->expired || (f->expires_at && f->expires_at < now + TOKEN_SPARE_S);
}

/* Makes a usable token if possible without a person: renews it, or lets the server ask for one, which is enough for
 * grants of machines. Returns 0 or the exit status. */
static int auth_freshen(struct mcti_app *app, const struct mcti_signin_server *s)
{
    struct mcti_login_facts facts;
    mcti_login_describe(s->login, &facts);
    if (facts.issuer && !auth_is_stale(&facts))
        return 0;
    if (facts.can_refresh)
        return auth_renew(app, s);
    return mcti_app_settle(app) < 0 ? mcti_out_interrupted(app) : 0;
}

static int auth_print_token(struct mcti_app *app, const struct mcti_signin_server *s)
{
    struct mcti_login_facts facts;
    struct mct_error err;
    struct mcti_buf token;
    mcti_buf_init_secret(&token, 1u << 20);
    int r = mcti_login_put_token(s->login, &token, &err);
    if (r == 0 && !mcti_buf_ok(&token))
        r = mcti_no_memory(&err);
    mcti_login_describe(s->login, &facts);
    if (r == 0) {
        mcti_buf_addc(&token, '\n');
        fwrite(token.p, 1, token.len, stdout);
        if (facts.bound)
            mcti_err("mcptools: the token is bound to a key (DPoP): other programs cannot use it\n");
    }
    mcti_buf_done(&token);
    return r == 0 ? 0 : auth_fail(app, s, &err);
}

static int auth_token(struct mcti_app *app)
{
    struct mcti_signin_server s;
    struct mct_error err;
    if (app->terminal && !app->opt.yes) {
        mcti_fail(&err, MCT_ERR_USAGE,
                  "the token would be shown on the terminal: send it to a program through a pipe, or give --yes");
        return mcti_out_fail(app, &err, NULL);
    }
    int status = mcti_signin_open(app, app->argv[1], &s);
    if (status == 0)
        status = auth_freshen(app, &s);
    return status ? status : auth_print_token(app, &s);
}

int mcti_cmd_auth(struct mcti_app *app)
{
    static const struct {
        const char *word;
        int min_args;
        int (*run)(struct mcti_app *app);
    } rows[] = { { "status", 1, auth_status }, { "token", 2, auth_token }, { "refresh", 2, auth_refresh } };
    struct mct_error err;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(app->argv[0], rows[i].word) && app->argc >= rows[i].min_args)
            return rows[i].run(app);
    mcti_command_usage(app->command, &err);
    return mcti_out_fail(app, &err, NULL);
}
