#include "base/limits.h"
#include "base/log/utf8.h"
#include "cli/input.h"
#include "cli/model.h"
#include "cli/signature.h"
#include "model/degrade.h"
#include "json/write.h"
#include "mcp/shape/shape.h"
#include "schema/schema.h"

#include <stdlib.h>

/* Appends the object of --args: `given` is the text, or "-" for stdin. */
static int put_json_args(struct mcti_buf *to, const char *given, struct mct_error *err)
{
    bool is_input = !strcmp(given, "-");
    struct mcti_str object = MCT_STR("{}"); /* if there is nothing but white space */
    struct mcti_buf text;
    mcti_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    int r = is_input && mcti_input_read(&text, given, err) < 0 ? mcti_error_wrap(err, "--args") : 0;
    struct mcti_str words = mcti_utf8_trim(is_input ? mcti_buf_str(&text) : mcti_str_of(given));
    if (r == 0 && words.len)
        r = mcti_json_read_object(words, "--args", &object, err);
    if (r == 0)
        mcti_buf_add(to, object);
    mcti_buf_done(&text);
    return r;
}

/* Reads the arguments from the command line, unless the model's call contains them. */
static int take_arguments(const struct mcti_app *app, struct mcti_model *model, const struct mcti_target *t,
                          struct mct_error *err)
{
    struct mcti_buf *to = &model->call.arguments;
    if (model->is_whole)
        return 0;
    if (app->opt.args_json && app->argc > 1)
        return mcti_fail(err, MCT_ERR_USAGE, "give either --args or key=value, not both");
    mcti_buf_init(to, MCT_LIMIT_MESSAGE_BYTES);
    return app->opt.args_json
               ? put_json_args(to, app->opt.args_json, err)
               : mcti_arguments_put(to, app->argv + 1, app->argc - 1, mcti_json_get(t->item->json, "inputSchema"), err);
}

static void cmd_call_print_json(const struct mcti_app *app, const struct mcti_model *model, struct mcti_str result)
{
    struct mcti_buf b;
    if (!model->format) {
        mcti_out_json(app, result);
        return;
    }
    mcti_buf_init(&b, (size_t)1 << 32);
    mcti_model_result_put(&b, model->format, &model->call, result);
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void print_result(const struct mcti_app *app, const struct mcti_model *model, struct mcti_str result)
{
    struct mcti_buf text;
    if (app->opt.output == MCT_OUT_JSON) {
        cmd_call_print_json(app, model, result);
        return;
    }
    mcti_buf_init(&text, (size_t)1 << 32);
    mcti_degrade_result(&text, result);
    mcti_out_text(app, mcti_buf_str(&text));
    if (app->opt.output != MCT_OUT_RAW && (!text.len || text.p[text.len - 1] != '\n'))
        putchar('\n');
    mcti_buf_done(&text);
}

/* Answers a call whose arguments cannot be read: the model gets the reason. Returns the exit status. */
static int answer_unreadable(const struct mcti_app *app, const struct mcti_model *model, const struct mct_error *err)
{
    struct mcti_buf result;
    mcti_buf_init(&result, 8192);
    mcti_shape_tool_says(&result, mcti_str_of(err->message));
    print_result(app, model, mcti_buf_str(&result));
    mcti_buf_done(&result);
    return mcti_error_exit_status(err->kind);
}

/* Checks structuredContent, already printed, against the output schema of the tool. Returns the exit status. */
static int check_structure(struct mcti_app *app, const char *server, struct mcti_str schema, struct mcti_str result)
{
    struct mcti_schema_fault fault;
    struct mcti_str value = mcti_json_get(result, "structuredContent");
    bool is_error = mcti_json_true(mcti_json_get(result, "isError"));
    if (is_error || mcti_json_type(schema) != '{')
        return 0;
    if (!value.p) {
        mcti_log(&app->log, MCT_LOG_ERROR,
                 "server '%s': the result lacks the structuredContent that the tool's outputSchema "
                 "requires",
                 server);
        return mcti_error_exit_status(MCT_ERR_SERVER);
    }
    switch (mcti_schema_check(schema, value, &fault)) {
    case MCT_SCHEMA_VALID:
        return 0;
    case MCT_SCHEMA_UNUSABLE:
        mcti_log(&app->log, MCT_LOG_WARN,
                 "server '%s': structuredContent was not checked: unusable outputSchema: "
                 "%s",
                 server, fault.why);
        return 0;
    case MCT_SCHEMA_INVALID:
        break;
    }
    mcti_log(&app->log, MCT_LOG_ERROR, "server '%s': structuredContent does not match the tool's outputSchema: %s %s",
             server, fault.where[0] ? fault.where : "the value", fault.why);
    return mcti_error_exit_status(MCT_ERR_SERVER);
}

/* Appends a hint to the message of a refusal by policy. */
static void call_add_hint(struct mct_error *err, const char *name)
{
    size_t n = strlen(err->message);
    if (err->kind == MCT_ERR_POLICY)
        snprintf(err->message + n, sizeof err->message - n, "; 'mcptools tools --explain %s' shows why", name);
}

/* Makes the call and prints its result; returns the exit status. */
static int cmd_call_run(struct mcti_app *app, const struct mcti_model *model, const struct mcti_target *t)
{
    const struct mcti_app_call wanted = { .verb = MCT_VERB_TOOLS_CALL,
                                          .found = mcti_view_of_item(&app->inst.view, t->item),
                                          .name = mcti_str_of(model->call.name),
                                          .arguments = mcti_buf_str(&model->call.arguments),
                                          .format = model->format };
    struct mcti_app_outcome called;
    struct mct_error err;
    int status = mcti_app_run_call(app, &wanted, &called, &err);
    const char *server = called.server ? called.server : t->provider->name;
    if (!called.result) {
        call_add_hint(&err, model->call.name);
        mcti_out_fail(app, &err, server);
        mcti_app_outcome_done(&called);
        return status;
    }
    struct mcti_str result = mcti_str_of(called.result);
    print_result(app, model, result);
    if (!status && mcti_json_true(mcti_json_get(result, "isError")))
        status = mcti_error_exit_status(MCT_ERR_TOOL);
    else if (!status)
        status = check_structure(app, server, mcti_str_of(called.output_schema), result);
    mcti_app_outcome_done(&called);
    return status;
}

static int cmd_call_check_options(const struct mcti_app *app, struct mct_error *err)
{
    if (!app->argc)
        return mcti_fail(err, MCT_ERR_USAGE, "usage: mcptools call %s", app->command->args);
    if (!app->opt.profile && !strcmp(app->argv[0], "-"))
        return mcti_fail(err, MCT_ERR_USAGE, "'-' reads a call that a model wrote: name the model provider with --for");
    if (!app->opt.profile && (app->opt.prefs.mode || app->opt.servers.n))
        return mcti_fail(err, MCT_ERR_USAGE,
                         "--mode and --server of 'call' need --for: they select the tools as in 'tools --for'");
    return 0;
}

int mcti_cmd_call(struct mcti_app *app)
{
    struct mcti_model model = { 0 };
    struct mcti_target t;
    struct mct_error err;
    if (cmd_call_check_options(app, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    if (mcti_model_open(&model, app, &err) < 0) {
        int failed = model.is_whole ? answer_unreadable(app, &model, &err) : mcti_out_fail(app, &err, NULL);
        mcti_model_close(&model);
        return failed;
    }
    app->as_served = model.format != NULL;
    app->with_hooks = true;
    int status =
        model.format ? mcti_model_target(&model, app, &t) : mcti_target_open(app, app->argv[0], MCT_TOOL, true, &t);
    if (!status && take_arguments(app, &model, &t, &err) < 0)
        status = mcti_out_fail(app, &err, t.provider->name);
    if (!status)
        status = cmd_call_run(app, &model, &t);
    mcti_model_close(&model);
    return status;
}
