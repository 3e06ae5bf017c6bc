#include "base/limits.h"
#include "cli/input.h"
#include "cli/model.h"
#include "cli/signature.h"
#include "model/degrade.h"
#include "json/write.h"
#include "schema/schema.h"

#include <stdlib.h>

/* --args JSON or --args -: must be an object. */
static int put_json_args(struct mct_buf *to, const char *given, struct mct_error *err)
{
    bool is_input = !strcmp(given, "-");
    struct mct_str object;
    struct mct_buf text;
    mct_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    int r = is_input && mct_input_read(&text, given, err) < 0 ? mct_error_wrap(err, "--args") : 0;
    if (r == 0)
        r = mct_json_read_object(is_input ? mct_buf_str(&text) : mct_str_of(given), "--args", &object, err);
    if (r == 0)
        mct_buf_add(to, object);
    mct_buf_done(&text);
    return r;
}

/* The arguments of the command line, where the call did not bring them. */
static int take_arguments(const struct mct_app *app, struct mct_model *model, const struct mct_target *t, struct mct_error *err)
{
    struct mct_buf *to = &model->call.arguments;
    if (model->is_whole)
        return 0;
    if (app->opt.args_json && app->argc > 1)
        return mct_fail(err, MCT_ERR_USAGE, "give either --args or key=value, not both");
    mct_buf_init(to, MCT_LIMIT_MESSAGE_BYTES);
    return app->opt.args_json
               ? put_json_args(to, app->opt.args_json, err)
               : mct_arguments_put(to, app->argv + 1, app->argc - 1, mct_json_get(t->item->json, "inputSchema"), err);
}

static void print_json(const struct mct_app *app, const struct mct_model *model, struct mct_str result)
{
    struct mct_buf b;
    if (!model->format) {
        mct_out_json(app, result);
        return;
    }
    mct_buf_init(&b, (size_t)1 << 32);
    mct_model_result_put(&b, model->format, &model->call, result);
    mct_out_json(app, mct_buf_str(&b));
    mct_buf_done(&b);
}

static void print_result(const struct mct_app *app, const struct mct_model *model, struct mct_str result)
{
    struct mct_buf text;
    if (app->opt.output == MCT_OUT_JSON) {
        print_json(app, model, result);
        return;
    }
    mct_buf_init(&text, (size_t)1 << 32);
    mct_degrade_result(&text, result);
    mct_out_text(app, mct_buf_str(&text));
    if (app->opt.output != MCT_OUT_RAW && (!text.len || text.p[text.len - 1] != '\n'))
        putchar('\n');
    mct_buf_done(&text);
}

/* Whether the structured part is what the tool promises; the result has been printed anyhow. */
static int check_structure(struct mct_app *app, const char *server, struct mct_str schema, struct mct_str result)
{
    struct mct_schema_fault fault;
    struct mct_str value = mct_json_get(result, "structuredContent");
    bool is_error = mct_json_true(mct_json_get(result, "isError"));
    if (is_error || mct_json_type(schema) != '{')
        return 0;
    if (!value.p) {
        mct_log(&app->log, MCT_LOG_ERROR, "server '%s': the result has no structuredContent, which the tool's outputSchema "
                "promises", server);
        return mct_error_exit_status(MCT_ERR_SERVER);
    }
    switch (mct_schema_check(schema, value, &fault)) {
    case MCT_SCHEMA_VALID:
        return 0;
    case MCT_SCHEMA_UNUSABLE:
        mct_log(&app->log, MCT_LOG_WARN, "server '%s': structuredContent was not checked: the outputSchema cannot be used: "
                "%s", server, fault.why);
        return 0;
    case MCT_SCHEMA_INVALID:
        break;
    }
    mct_log(&app->log, MCT_LOG_ERROR, "server '%s': structuredContent is not what the tool's outputSchema says: %s %s",
            server, fault.where[0] ? fault.where : "it", fault.why);
    return mct_error_exit_status(MCT_ERR_SERVER);
}

/* What to do about a refusal by rules, behind its message. */
static void add_hint(struct mct_error *err, const char *name)
{
    size_t n = strlen(err->message);
    if (err->kind == MCT_ERR_POLICY)
        snprintf(err->message + n, sizeof err->message - n, "; 'mcptools tools --explain %s' tells more", name);
}

/* Makes the call and prints its result; returns the exit status. */
static int run(struct mct_app *app, const struct mct_model *model, const struct mct_target *t)
{
    const struct mct_wanted wanted = { .verb = MCT_VERB_TOOLS_CALL, .found = mct_view_of_item(&app->inst.view, t->item),
                                       .name = mct_str_of(model->call.name), .arguments = mct_buf_str(&model->call.arguments),
                                       .format = model->format };
    struct mct_called called;
    struct mct_error err;
    int status = mct_app_call(app, &wanted, &called, &err);
    const char *server = called.server ? called.server : t->provider->name;
    if (!called.result) {
        add_hint(&err, model->call.name);
        mct_out_fail(app, &err, server);
        mct_called_done(&called);
        return status;
    }
    struct mct_str result = mct_str_of(called.result);
    print_result(app, model, result);
    if (!status && mct_json_true(mct_json_get(result, "isError")))
        status = mct_error_exit_status(MCT_ERR_TOOL);
    else if (!status)
        status = check_structure(app, server, mct_str_of(called.output_schema), result);
    mct_called_done(&called);
    return status;
}

static int check_options(const struct mct_app *app, struct mct_error *err)
{
    if (!app->argc)
        return mct_fail(err, MCT_ERR_USAGE, "usage: mcptools call %s", app->command->args);
    if (!app->opt.profile && !strcmp(app->argv[0], "-"))
        return mct_fail(err, MCT_ERR_USAGE, "-: whose call is it? --for names the model provider");
    if (!app->opt.profile && (app->opt.prefs.mode || app->opt.servers.n))
        return mct_fail(err, MCT_ERR_USAGE, "--mode and --server of 'call' say which array of 'tools --for' the tool is in: give --for, too");
    return 0;
}

int mct_cmd_call(struct mct_app *app)
{
    struct mct_model model = { 0 };
    struct mct_target t;
    struct mct_error err;
    if (check_options(app, &err) < 0 || mct_model_open(&model, app, &err) < 0)
        return mct_out_fail(app, &err, NULL);
    app->as_served = model.format != NULL;
    app->with_hooks = true;
    int status = model.format ? mct_model_target(&model, app, &t) : mct_target_open(app, app->argv[0], MCT_TOOL, true, &t);
    if (!status && take_arguments(app, &model, &t, &err) < 0)
        status = mct_out_fail(app, &err, t.provider->name);
    if (!status)
        status = run(app, &model, &t);
    mct_model_close(&model);
    return status;
}
