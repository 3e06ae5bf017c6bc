/*
 * `call --for PROVIDER`: the calls in a model's message, and their answers in the provider's form. What is wrong with
 * one call (its arguments, the tool, the server, the policy) is the answer to it, because the provider expects one for
 * each; the exit status tells it as well.
 */
#include "base/limits.h"
#include "cli/commands/call.h"
#include "cli/input.h"
#include "cli/model.h"
#include "cli/target.h"
#include "mcp/shape/shape.h"
#include "model/call.h"

#include <stdlib.h>

struct model_run {
    struct mcti_app *app;
    const struct mcti_array_format *format;
    struct mcti_model_calls calls;
    bool is_named;                     /* words name one tool; otherwise the calls were read from a model's output */
    struct mcti_app_outcome *outcomes; /* one for each call */
};

/* ---- reading ---- */

static int model_run_read_words(struct model_run *m, const char *word, struct mct_error *err)
{
    if (m->app->opt.args_json && m->app->argc > 1)
        return mcti_fail(err, MCT_ERR_USAGE, "give either --args or key=value, not both");
    m->is_named = true;
    m->calls.v = calloc(1, sizeof *m->calls.v);
    char *name = m->calls.v ? strdup(word) : NULL;
    if (!name)
        return mcti_no_memory(err);
    m->calls.n = 1;
    m->calls.v[0].call.name = name;
    mcti_buf_init(&m->calls.v[0].call.arguments, MCT_LIMIT_MESSAGE_BYTES);
    return 0;
}

static int model_run_read(struct model_run *m, struct mct_error *err)
{
    const char *word = m->app->argv[0];
    struct mcti_buf text;
    if (mcti_model_format(m->app, &m->format, err) < 0)
        return -1;
    if (strcmp(word, "-") != 0 && *word != '@')
        return model_run_read_words(m, word, err);
    if (m->app->argc > 1 || m->app->opt.args_json)
        return mcti_fail(err, MCT_ERR_USAGE, "'%s' contains the arguments already: give no others", word);
    mcti_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    int r = mcti_input_read(&text, *word == '@' ? word + 1 : word, err);
    if (r == 0)
        r = mcti_model_calls_read(&m->calls, m->format, mcti_buf_str(&text), err);
    mcti_buf_done(&text);
    return r;
}

/* ---- calling ---- */

/* Fails with the unknown name, and with the server that did not start, to which the tool may belong. */
static void model_run_fail_unknown(const struct model_run *m, struct mcti_model_asked *asked)
{
    const struct mcti_registry *r = &m->app->inst.registry;
    mcti_fail(&asked->fault, MCT_ERR_NOT_FOUND, "unknown tool: %s", asked->call.name);
    for (size_t i = 0; i < r->n; i++) {
        size_t n = strlen(asked->fault.message);
        if (r->v[i]->state != MCT_CONNECTED)
            snprintf(asked->fault.message + n, sizeof asked->fault.message - n, "; server '%s' is missing: %s",
                     r->v[i]->name, r->v[i]->error->message);
    }
}

/* Finds the tool of a call. A model must use a name of the array; a person may also write SERVER.TOOL or a bare name.
 */
static const struct mcti_exposure *model_run_find(struct model_run *m, struct mcti_model_asked *asked)
{
    struct mcti_view *view = &m->app->inst.view;
    struct mcti_str name = mcti_str_of(asked->call.name);
    const struct mcti_exposure *x = mcti_array_find(m->format, mcti_view_items(view, MCT_TOOL), name);
    if (!x && m->is_named)
        return mcti_view_named(view, MCT_TOOL, name, &asked->fault);
    if (!x)
        model_run_fail_unknown(m, asked);
    return x;
}

/* Makes all calls that can be made; sets the outcome of the others to what is wrong with them. Returns -1 when out of
 * memory. */
static int model_run_calls(struct model_run *m)
{
    size_t n = m->calls.n, n_made = 0;
    struct mcti_app_call *wanted = calloc(n, sizeof *wanted);
    struct mcti_app_outcome *made = calloc(n, sizeof *made);
    m->outcomes = calloc(n, sizeof *m->outcomes);
    bool good = wanted && made && m->outcomes;
    for (size_t i = 0; good && i < n; i++) {
        struct mcti_model_asked *asked = &m->calls.v[i];
        const struct mcti_exposure *x = asked->fault.kind ? NULL : model_run_find(m, asked);
        if (x)
            asked->fault.kind = MCT_ERR_NONE;
        if (x && m->is_named)
            mcti_call_put_arguments(m->app, &asked->call.arguments, x->item, &asked->fault);
        if (!asked->fault.kind)
            wanted[n_made++] = (struct mcti_app_call){ .verb = MCT_VERB_TOOLS_CALL,
                                                       .found = x,
                                                       .name = mcti_str_of(asked->call.name),
                                                       .arguments = mcti_buf_str(&asked->call.arguments),
                                                       .format = m->format };
    }
    if (good)
        mcti_app_run_calls(m->app, wanted, n_made, made);
    for (size_t i = 0, k = 0; good && i < n; i++) {
        const struct mct_error *fault = &m->calls.v[i].fault;
        m->outcomes[i] = fault->kind
                             ? (struct mcti_app_outcome){ .err = *fault, .status = mcti_error_exit_status(fault->kind) }
                             : made[k++];
    }
    free(wanted);
    free(made);
    return good ? 0 : -1;
}

/* ---- answering ---- */

static void model_run_put_answer(struct model_run *m, size_t i, struct mcti_buf *to)
{
    const struct mcti_app_outcome *o = &m->outcomes[i];
    struct mcti_buf failure;
    mcti_buf_init(&failure, 8192);
    if (!o->result.p) /* a failure as a result, which a model can read */
        mcti_shape_tool_says(&failure, mcti_str_of(o->err.message));
    mcti_model_result_put(to, m->format, &m->calls.v[i].call, o->result.p ? o->result : mcti_buf_str(&failure));
    mcti_buf_done(&failure);
}

static void model_run_print_json(struct model_run *m)
{
    struct mcti_buf b;
    mcti_buf_init(&b, (size_t)1 << 32);
    mcti_buf_addz(&b, m->calls.is_list ? "[" : "");
    for (size_t i = 0; i < m->calls.n; i++) {
        mcti_buf_addz(&b, i ? "," : "");
        model_run_put_answer(m, i, &b);
    }
    mcti_buf_addz(&b, m->calls.is_list ? "]" : "");
    mcti_out_json(m->app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void model_run_print_text(struct model_run *m)
{
    for (size_t i = 0; i < m->calls.n; i++) {
        struct mcti_app_outcome *o = &m->outcomes[i];
        if (o->result.p) {
            mcti_call_print_text(m->app, o->result);
            continue;
        }
        mcti_call_add_hint(&o->err, m->calls.v[i].call.name ? m->calls.v[i].call.name : "");
        mcti_out_fail(m->app, &o->err, o->server);
    }
}

/* Prints the answers. Returns the exit status: that of all calls if it is the same, else "partly failed". */
static int model_run_answer(struct model_run *m)
{
    int status = 0;
    if (m->app->opt.output == MCT_OUT_JSON)
        model_run_print_json(m);
    else
        model_run_print_text(m);
    for (size_t i = 0; i < m->calls.n; i++) {
        const struct mcti_app_outcome *o = &m->outcomes[i];
        int one = o->result.p ? mcti_call_judge(m->app, o, o->server ? o->server : "") : o->status;
        status = i && one != status ? mcti_error_exit_status(MCT_ERR_PARTIAL) : one;
        if (i && status != one)
            break;
    }
    return status;
}

static int model_run_done(struct model_run *m, int status)
{
    for (size_t i = 0; m->outcomes && i < m->calls.n; i++)
        mcti_app_outcome_done(&m->outcomes[i]);
    free(m->outcomes);
    mcti_model_calls_done(&m->calls);
    return status;
}

int mcti_model_call_run(struct mcti_app *app)
{
    struct model_run m = { .app = app };
    struct mcti_target t;
    struct mct_error err;
    app->as_served = true;
    if (model_run_read(&m, &err) < 0)
        return model_run_done(&m, mcti_out_fail(app, &err, NULL));
    int status = mcti_target_open(app, NULL, MCT_TOOL, false, &t);
    if (status)
        return model_run_done(&m, status);
    if (model_run_calls(&m) < 0)
        return model_run_done(&m, mcti_out_no_memory(app, 0));
    return model_run_done(&m, model_run_answer(&m));
}
