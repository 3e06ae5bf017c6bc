/* The offer to log in while another command runs, because a server wants a login or more scopes. */
#include "auth/wire/challenge.h"
#include "cli/login/signin.h"

#include <stdlib.h>

enum {
    OFFERS_FOR_CALL = 2,     /* step-ups of one call (docs/internals/auth.md) */
    SHOWN_SCOPE_BYTES = 100, /* in an error message, which the command follows */
};

/* What a server wants. */
struct offer {
    struct mcti_app *app;
    struct mcti_signin_server server;
    char *scope, *lacks; /* all scopes to ask for, and those that the login lacks; NULL: a login is missing */
};

static void offer_done(struct offer *o)
{
    free(o->scope);
    free(o->lacks);
}

static bool offer_asks(const struct mcti_app *app)
{
    return !app->declined_login && mcti_signin_has_terminal();
}

/* Returns the scopes of `wanted` that `have` lacks, or all of `wanted` if it lacks none; owned. The result leaves out
 * offline_access, which makes the login last: no server demands it. */
static char *offer_difference(const char *wanted, const char *have)
{
    struct mcti_str rest = mcti_str_of(wanted), word;
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 16);
    while (mcti_str_split(&rest, ' ', &word))
        if (word.len && !mcti_str_is(word, "offline_access") && !mcti_scope_covers(mcti_str_of(have), word)) {
            mcti_buf_addz(&b, b.len ? " " : "");
            mcti_buf_add(&b, word);
        }
    if (!b.len)
        mcti_buf_addz(&b, wanted);
    return mcti_buf_take(&b);
}

/* Fills *o and returns true if the server of this name wants a login or more scopes from a person. */
static bool offer_needed(struct mcti_app *app, const char *server, struct offer *o)
{
    struct mcti_login_facts facts;
    *o = (struct offer){ .app = app };
    if (mcti_signin_find(app, server, &o->server) < 0 || o->server.is_machine)
        return false;
    mcti_login_describe(o->server.login, &facts);
    if (facts.state == MCT_LOGIN_NEEDED || !facts.missing_scope)
        return facts.state == MCT_LOGIN_NEEDED;
    o->scope = strdup(facts.missing_scope);
    o->lacks = offer_difference(facts.missing_scope, facts.scope);
    return o->scope && o->lacks;
}

static const char *offer_scope_word(const struct offer *o)
{
    return strchr(o->lacks, ' ') ? "scopes" : "scope";
}

/* Fails with what the server wants and the command that gives it. */
static int offer_refer(const struct offer *o, struct mct_error *err)
{
    if (!o->scope)
        mcti_fail(err, MCT_ERR_AUTH, "needs a login");
    else if (strlen(o->lacks) <= SHOWN_SCOPE_BYTES)
        mcti_fail(err, MCT_ERR_AUTH, "needs the %s '%s'", offer_scope_word(o), o->lacks);
    else
        mcti_fail(err, MCT_ERR_AUTH, "needs more scopes");
    mcti_signin_add_command(o->app, err, o->server.name, o->scope);
    return -1;
}

/* Asks the user, who sees all scopes, however many the server wants. */
static bool offer_accepted(const struct offer *o)
{
    struct mcti_buf question;
    mcti_buf_init(&question, 1u << 16);
    if (o->scope)
        mcti_buf_printf(&question, "'%s' wants the %s '%s' for this. Log in again to allow it?", o->server.shown,
                        offer_scope_word(o), o->lacks);
    else
        mcti_buf_printf(&question, "'%s' needs a login. Log in now?", o->server.shown);
    mcti_buf_addc(&question, '\0');
    bool yes = mcti_buf_ok(&question) && mcti_signin_ask(o->app, question.p);
    mcti_buf_done(&question);
    return yes;
}

static void offer_tell_done(const struct offer *o)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 16);
    mcti_signin_put_done(&b, "Logged in to", &o->server);
    mcti_err("%.*s\n", MCT_STR_ARG(mcti_buf_str(&b)));
    mcti_err("\n");
    mcti_buf_done(&b);
}

/* Fails if the authorization server has not granted what was asked for: to repeat the request would be in vain. */
static int offer_check_granted(const struct offer *o, struct mct_error *err)
{
    struct mcti_login_facts facts;
    mcti_login_describe(o->server.login, &facts);
    if (!o->scope || !facts.scope || mcti_scope_covers(mcti_str_of(facts.scope), mcti_str_of(o->lacks)))
        return 0;
    return mcti_fail(err, MCT_ERR_AUTH, "the login was made, but without the %s '%s'", offer_scope_word(o), o->lacks);
}

/* Logs in if the user agrees. Returns 0, or -1 with *err. */
static int offer_make(const struct offer *o, struct mct_error *err)
{
    const struct mcti_signin what = { .app = o->app, .server = &o->server, .scope = o->scope };
    if (!offer_asks(o->app))
        return offer_refer(o, err);
    if (!offer_accepted(o)) {
        o->app->declined_login = true;
        return o->app->interrupted ? mcti_fail(err, MCT_ERR_CANCELLED, "interrupted") : offer_refer(o, err);
    }
    if (mcti_signin_run(&what, err) < 0)
        return err->kind == MCT_ERR_CANCELLED ? -1 : mcti_error_wrap(err, "the login failed");
    offer_tell_done(o);
    return offer_check_granted(o, err);
}

/* ---- after servers have started ---- */

/* Replaces the refusals of the server by the reason why it has no login now. */
static void offer_put_reason(struct mcti_provider *p, const struct mct_error *why)
{
    if (p->state == MCT_FAILED)
        mcti_provider_set_state(p, MCT_FAILED, why);
    for (int k = 0; k < MCT_KIND_N; k++)
        if (p->list_error[k]->kind == MCT_ERR_AUTH)
            mcti_error_keep(&p->list_error[k], why);
}

/* Offers a login for a server that wants one. Returns true if it was made; the server then starts again. */
static bool offer_after_start(struct mcti_app *app, struct mcti_provider *p)
{
    struct mct_error err;
    struct offer o;
    bool made = false;
    if (offer_needed(app, p->name, &o)) {
        made = offer_make(&o, &err) == 0;
        if (made)
            mcti_registry_restart(&app->inst.registry, p);
        else
            offer_put_reason(p, &err);
    }
    offer_done(&o);
    return made;
}

int mcti_signin_settle(struct mcti_app *app)
{
    bool again = false;
    if (mcti_app_settle(app) < 0)
        return -1;
    for (size_t i = 0; i < app->inst.registry.n && !app->interrupted; i++)
        again |= offer_after_start(app, app->inst.registry.v[i]);
    if (app->interrupted)
        return -1;
    return again ? mcti_app_wait_settled(app) : 0;
}

/* ---- after a request was refused ---- */

bool mcti_signin_retry(struct mcti_app *app, const char *server, unsigned n_retries, struct mct_error *err)
{
    struct mct_error why;
    struct offer o = { 0 };
    bool made = false;
    if (err->kind == MCT_ERR_AUTH && server && n_retries < OFFERS_FOR_CALL && offer_needed(app, server, &o)) {
        made = offer_make(&o, &why) == 0;
        if (!made && why.kind != MCT_ERR_CANCELLED)
            mcti_error_wrap(&why, "server '%s'", server);
        if (!made)
            *err = why;
    }
    offer_done(&o);
    return made;
}
