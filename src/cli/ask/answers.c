#include "cli/answers.h"

#include "base/limits.h"
#include "mcp/elicit.h"

#include <stdlib.h>
#include <unistd.h>

struct mcti_answers {
    struct mcti_app *app;
    struct mcti_answerer answerer;
    struct mcti_terminal *terminal; /* NULL: --elicit answers */
    bool decline;
    struct mcti_str content; /* JSON object of --elicit; absent: only defaults are sent */
};

/* Answers with the content of --elicit and the defaults of the form, if they match the form. */
static void answer_form(struct mcti_answers *s, struct mcti_ask *a)
{
    struct mct_error err;
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_elicit_put_accept(&b, a->params, s->content);
    if (mcti_elicit_check(a->params, mcti_json_get(mcti_buf_str(&b), "content"), &err) == 0) {
        mcti_ask_answer(a, mcti_buf_str(&b));
    } else {
        mcti_error_wrap(&err, "--elicit does not match the form of %s%s%s", a->server ? "server '" : "an approval",
                        a->server ? a->server : "", a->server ? "'" : "");
        mcti_log(&s->app->log, MCT_LOG_WARN, "%s", err.message);
        mcti_ask_fail(a, &err);
    }
    mcti_buf_done(&b);
}

static void answers_on_ask(void *data, struct mcti_ask *a)
{
    struct mcti_answers *s = data;
    if (a->kind == MCT_ASK_SAMPLING)
        mcti_sampling_ask(s->app, s->app->opt.sampling_command, a);
    else if (s->decline)
        mcti_ask_answer(a, MCT_STR("{\"action\":\"decline\"}"));
    else if (s->terminal)
        mcti_terminal_ask(s->terminal, a);
    else
        answer_form(s, a);
}

static void answers_on_withdraw(void *data, struct mcti_ask *a)
{
    struct mcti_answers *s = data;
    if (a->kind == MCT_ASK_SAMPLING)
        mcti_sampling_withdraw(a);
    else if (s->terminal)
        mcti_terminal_withdraw(s->terminal, a);
}

static int read_elicit(struct mcti_answers *s, const char *word, struct mct_error *err)
{
    struct mcti_json_top top;
    s->answerer.form = true;
    if (!strcmp(word, "accept-defaults"))
        return 0;
    s->decline = s->answerer.url = !strcmp(word, "decline");
    if (s->decline)
        return 0;
    if (!mcti_json_valid(mcti_str_of(word), MCT_LIMIT_JSON_DEPTH, &top, NULL) || mcti_json_type(top.value) != '{')
        return mcti_fail(err, MCT_ERR_USAGE,
                         "--elicit: must be accept-defaults, decline or a JSON object with the "
                         "answers");
    s->content = top.value;
    return 0;
}

static void open_terminal(struct mcti_answers *s)
{
    const struct mcti_app *app = s->app;
    bool takes_stdin =
        (app->opt.args_json && !strcmp(app->opt.args_json, "-")) || (app->opt.profile && !strcmp(app->argv[0], "-"));
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || takes_stdin)
        return;
    s->terminal = mcti_terminal_new(s->app);
    s->answerer.form = s->answerer.url = s->terminal != NULL;
}

int mcti_answers_new(struct mcti_app *app, struct mcti_answers **ret, struct mct_error *err)
{
    struct mcti_answers *s = calloc(1, sizeof *s);
    if (!s)
        return mcti_no_memory(err);
    s->app = app;
    s->answerer = (struct mcti_answerer){ .sampling = app->opt.sampling_command != NULL,
                                          .ask = answers_on_ask,
                                          .withdraw = answers_on_withdraw,
                                          .data = s,
                                          .instead = "--elicit '{\"decision\":\"allow-once\"}' approves it" };
    *ret = s;
    if (app->opt.elicit)
        return read_elicit(s, app->opt.elicit, err);
    open_terminal(s);
    return 0;
}

void mcti_answers_free(struct mcti_answers *s)
{
    if (s)
        mcti_terminal_free(s->terminal);
    free(s);
}

const struct mcti_answerer *mcti_answers_answerer(const struct mcti_answers *s)
{
    return s ? &s->answerer : NULL;
}
