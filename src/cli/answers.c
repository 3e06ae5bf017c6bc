#include "cli/answers.h"

#include "base/limits.h"
#include "mcp/elicit.h"

#include <stdlib.h>
#include <unistd.h>

struct mct_answers {
    struct mct_app *app;
    struct mct_answerer answerer;
    struct mct_terminal *terminal; /* NULL: --elicit answers */
    bool decline;
    struct mct_str content;        /* of --elicit JSON; absent: the defaults alone */
};

/* --elicit: the content with defaults filled in, if that is what the server asks for. */
static void answer_form(struct mct_answers *s, struct mct_ask *a)
{
    struct mct_error err;
    struct mct_buf b;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_elicit_put_accept(&b, a->params, s->content);
    if (mct_elicit_check(a->params, mct_json_get(mct_buf_str(&b), "content"), &err) == 0) {
        mct_ask_answer(a, mct_buf_str(&b));
    } else {
        mct_error_wrap(&err, "--elicit does not give what %s%s%s", a->server ? "server '" : "is asked for an approval",
                       a->server ? a->server : "", a->server ? "' asks for" : "");
        mct_log(&s->app->log, MCT_LOG_WARN, "%s", err.message);
        mct_ask_fail(a, &err);
    }
    mct_buf_done(&b);
}

static void on_ask(void *data, struct mct_ask *a)
{
    struct mct_answers *s = data;
    if (a->kind == MCT_ASK_SAMPLING)
        mct_sampling_ask(s->app, s->app->opt.sampling_command, a);
    else if (s->decline)
        mct_ask_answer(a, MCT_STR("{\"action\":\"decline\"}"));
    else if (s->terminal)
        mct_terminal_ask(s->terminal, a);
    else
        answer_form(s, a);
}

static void on_withdraw(void *data, struct mct_ask *a)
{
    struct mct_answers *s = data;
    if (a->kind == MCT_ASK_SAMPLING)
        mct_sampling_withdraw(a);
    else if (s->terminal)
        mct_terminal_withdraw(s->terminal, a);
}

static int read_elicit(struct mct_answers *s, const char *word, struct mct_error *err)
{
    struct mct_json_top top;
    s->answerer.form = true;
    if (!strcmp(word, "accept-defaults"))
        return 0;
    s->decline = s->answerer.url = !strcmp(word, "decline");
    if (s->decline)
        return 0;
    if (!mct_json_valid(mct_str_of(word), MCT_LIMIT_JSON_DEPTH, &top, NULL) || mct_json_type(top.value) != '{')
        return mct_fail(err, MCT_ERR_USAGE, "--elicit: must be accept-defaults, decline or a JSON object with the "
                        "answers");
    s->content = top.value;
    return 0;
}

static void open_terminal(struct mct_answers *s)
{
    const struct mct_app *app = s->app;
    bool takes_stdin = (app->opt.args_json && !strcmp(app->opt.args_json, "-")) || (app->opt.profile && !strcmp(app->argv[0], "-"));
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || takes_stdin)
        return;
    s->terminal = mct_terminal_new(s->app);
    s->answerer.form = s->answerer.url = s->terminal != NULL;
}

int mct_answers_new(struct mct_app *app, struct mct_answers **ret, struct mct_error *err)
{
    struct mct_answers *s = calloc(1, sizeof *s);
    if (!s)
        return mct_no_memory(err);
    s->app = app;
    s->answerer = (struct mct_answerer){ .sampling = app->opt.sampling_command != NULL, .ask = on_ask,
                                         .withdraw = on_withdraw, .data = s,
                                         .instead = "--elicit '{\"decision\":\"allow-once\"}' approves of it" };
    *ret = s;
    if (app->opt.elicit)
        return read_elicit(s, app->opt.elicit, err);
    open_terminal(s);
    return 0;
}

void mct_answers_free(struct mct_answers *s)
{
    if (s)
        mct_terminal_free(s->terminal);
    free(s);
}

const struct mct_answerer *mct_answers_answerer(const struct mct_answers *s)
{
    return s ? &s->answerer : NULL;
}
