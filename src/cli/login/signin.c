/* One login with the person at the terminal. */
#include "cli/login/signin.h"

#include "auth/net/browser.h"
#include "io/typed.h"

#include <unistd.h>

bool mcti_signin_has_terminal(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* ---- a question ---- */

struct signin_question {
    struct mcti_typed typed;
    bool done, yes;
};

static void signin_on_answer(void *data, struct mcti_str line)
{
    struct signin_question *q = data;
    char c = line.len ? line.p[0] : 'y';
    q->yes = c == 'y' || c == 'Y';
    q->done = q->yes || c == 'n' || c == 'N';
    if (!q->done)
        mcti_err("  y or n: ");
}

static void signin_on_no_answer(void *data)
{
    ((struct signin_question *)data)->done = true;
}

bool mcti_signin_ask(struct mcti_app *app, const char *question)
{
    struct signin_question q = { .typed = { .line = signin_on_answer, .end = signin_on_no_answer } };
    q.typed.data = &q;
    if (mcti_typed_open(&q.typed) < 0)
        return false;
    mcti_out_progress_end(app);
    mcti_err("%s [Y/n] ", question);
    if (mcti_typed_start(&q.typed, &app->inst.loop) == 0 && !mcti_app_wait(app, &q.done))
        mcti_err("\n"); /* interrupted: the next message begins on a line of its own */
    mcti_typed_close(&q.typed);
    return q.yes;
}

/* ---- the invitation ---- */

struct signin_run {
    const struct mcti_signin *what;
    struct mcti_typed typed;
    bool has_terminal, at_prompt; /* `typed` is open; the cursor stands behind a prompt */
    bool done;
    struct mct_error err;
};

static void signin_on_line(void *data, struct mcti_str line)
{
    struct signin_run *r = data;
    struct mct_error err;
    bool is_url = line.len && memmem(line.p, line.len, "://", 3), is_answer = r->at_prompt && line.len;
    if (!is_url && !is_answer)
        return; /* typed for the program that comes next */
    r->at_prompt = false;
    if (mcti_login_paste(r->what->server->login, line, &err) == 0)
        return;
    mcti_err("%s\n", err.message);
    mcti_err("Paste the whole address again, or press Ctrl-C: ");
    r->at_prompt = true;
}

static void signin_on_no_line(void *data)
{
    (void)data; /* the answer can still arrive from the browser */
}

/* Takes a URL that is typed or pasted. Returns false if there is no terminal. */
static bool signin_read_paste(struct signin_run *r)
{
    return r->has_terminal && mcti_typed_start(&r->typed, &r->what->app->inst.loop) == 0;
}

/* Prints an address or a code, between empty lines, so that it is easily copied. */
static void signin_show(const char *text)
{
    mcti_err("\n");
    mcti_err("  %s\n", text);
    mcti_err("\n");
}

static void signin_show_code(const struct signin_run *r, const struct mcti_auth_invitation *i)
{
    mcti_err("To log in to '%s', open this page on any device:\n", r->what->server->shown);
    signin_show(i->url);
    mcti_err("and enter the code\n");
    signin_show(i->user_code);
    mcti_err("Waiting for the login. Ctrl-C cancels it.\n");
}

/* Opens the browser. Returns false, with a line about the reason on the terminal, if that is impossible. */
static bool signin_open_browser(const struct signin_run *r, const char *url, const char *host)
{
    struct mct_error err;
    mcti_err("Opening the browser to log in to '%s' at %s …\n", r->what->server->shown, host);
    if (mcti_browser_open(url, &err) == 0)
        return true;
    mcti_err("That is not possible: %s\n", err.message);
    return false;
}

static void signin_show_url(struct signin_run *r, const struct mcti_auth_invitation *i)
{
    struct mcti_buf host;
    mcti_buf_init(&host, 4096);
    mcti_signin_put_host(&host, i->url);
    mcti_buf_addc(&host, '\0');
    const char *at = mcti_buf_ok(&host) ? host.p : "?";
    bool opened = !r->what->no_browser && signin_open_browser(r, i->url, at),
         pastes = i->can_paste && signin_read_paste(r);
    if (opened)
        mcti_err("If it does not open, visit:\n");
    else
        mcti_err("To log in to '%s' at %s, open this page in a browser:\n", r->what->server->shown, at);
    signin_show(i->url);
    if (!opened && pastes) {
        mcti_err("If the browser runs on another machine, it ends at a page that it cannot show.\n");
        mcti_err("Copy the address of that page, and paste it here: ");
        r->at_prompt = true;
    } else {
        mcti_err("Waiting for the login. Ctrl-C cancels it.\n");
    }
    mcti_buf_done(&host);
}

static int signin_invite(void *data, const struct mcti_auth_invitation *i, struct mct_error *err)
{
    struct signin_run *r = data;
    (void)err;
    mcti_out_progress_end(r->what->app);
    if (i->user_code)
        signin_show_code(r, i);
    else
        signin_show_url(r, i);
    return 0;
}

static void signin_over(void *data)
{
    struct signin_run *r = data;
    if (r->has_terminal)
        mcti_typed_stop(&r->typed);
    if (r->at_prompt)
        mcti_err("\n");
    r->at_prompt = false;
}

/* ---- the login ---- */

static void signin_on_done(void *data, const struct mct_error *err)
{
    struct signin_run *r = data;
    if (err)
        r->err = *err;
    r->done = true;
}

/* Waits for the end of the login; cancels it when interrupted, and waits for that. */
static void signin_await(struct signin_run *r)
{
    struct mcti_app *app = r->what->app;
    if (mcti_app_wait(app, &r->done))
        return;
    mcti_err("\n"); /* the terminal has shown ^C */
    r->at_prompt = false;
    mcti_login_cancel(r->what->server->login);
    while (!r->done)
        uv_run(&app->inst.loop.uv, UV_RUN_ONCE);
}

static int signin_end(struct signin_run *r, struct mct_error *err)
{
    const struct mcti_signin *s = r->what;
    if (r->has_terminal)
        mcti_typed_close(&r->typed);
    if (!r->err.kind)
        return 0;
    if (s->app->interrupted)
        return mcti_fail(err, MCT_ERR_CANCELLED, "interrupted");
    *err = r->err;
    return -1;
}

int mcti_signin_run(const struct mcti_signin *s, struct mct_error *err)
{
    struct signin_run r = { .what = s, .typed = { .line = signin_on_line, .end = signin_on_no_line } };
    const struct mcti_auth_person person = {
        .invite = signin_invite, .over = signin_over, .data = &r, .device = s->device, .wait_ms = s->limit_ms
    };
    const struct mcti_login_wish wish = { .scope = s->scope, .issuer = s->issuer, .person = &person };
    r.typed.data = &r;
    r.has_terminal = mcti_signin_has_terminal() && mcti_typed_open(&r.typed) == 0;
    mcti_login_begin(s->server->login, &wish, signin_on_done, &r);
    signin_await(&r);
    return signin_end(&r, err);
}
