#include "base/limits.h"
#include "cli/input.h"
#include "cli/model.h"
#include "cli/signature.h"
#include "model/degrade.h"
#include "json/write.h"
#include "schema/schema.h"

#include <stdlib.h>

/* --args JSON or --args -: must be an object. */
static int put_json_args(struct mcti_buf *to, const char *given, struct mct_error *err)
{
    bool is_input = !strcmp(given, "-");
    struct mcti_str object;
    struct mcti_buf text;
    mcti_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    int r = is_input && mcti_input_read(&text, given, err) < 0 ? mcti_error_wrap(err, "--args") : 0;
    if (r == 0)
        r = mcti_json_read_object(is_input ? mcti_buf_str(&text) : mcti_str_of(given), "--args", &object, err);
    if (r == 0)
        mcti_buf_add(to, object);
    mcti_buf_done(&text);
    return r;
}

/* The arguments of the command line, where the call did not bring them. */
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

static int cmd_call_put_params(struct mcti_buf *to, const struct mcti_model *model, const struct mcti_item *item,
                               struct mct_error *err)
{
    struct mcti_str given = mcti_buf_str(&model->call.arguments);
    mcti_buf_addz(to, "{\"name\":");
    mcti_buf_add(to, mcti_json_get(item->json, "name"));
    mcti_json_put_key(to, "arguments");
    if (model->format &&
        mcti_array_restore(to, model->format, mcti_json_get(item->json, "inputSchema"), given, err) < 0)
        return -1;
    if (!model->format)
        mcti_buf_add(to, given);
    mcti_buf_addc(to, '}');
    return 0;
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

/* Whether the structured part is what the tool promises; the result has been printed anyhow. */
static int check_structure(struct mcti_app *app, const struct mcti_target *t, struct mcti_str schema,
                           struct mcti_str result)
{
    struct mcti_schema_fault fault;
    struct mcti_str value = mcti_json_get(result, "structuredContent");
    bool is_error = mcti_json_true(mcti_json_get(result, "isError"));
    if (is_error || mcti_json_type(schema) != '{')
        return 0;
    if (!value.p) {
        mcti_log(&app->log, MCT_LOG_ERROR,
                 "server '%s': the result has no structuredContent, which the tool's outputSchema "
                 "promises",
                 t->provider->name);
        return mcti_error_exit_status(MCT_ERR_SERVER);
    }
    switch (mcti_schema_check(schema, value, &fault)) {
    case MCT_SCHEMA_VALID:
        return 0;
    case MCT_SCHEMA_UNUSABLE:
        mcti_log(&app->log, MCT_LOG_WARN,
                 "server '%s': structuredContent was not checked: the outputSchema cannot be used: "
                 "%s",
                 t->provider->name, fault.why);
        return 0;
    case MCT_SCHEMA_INVALID:
        break;
    }
    mcti_log(&app->log, MCT_LOG_ERROR, "server '%s': structuredContent is not what the tool's outputSchema says: %s %s",
             t->provider->name, fault.where[0] ? fault.where : "it", fault.why);
    return mcti_error_exit_status(MCT_ERR_SERVER);
}

/* The same way a client of serve is kept from it, with the reason. 0: it may be called. */
static int refuse_by_rules(struct mcti_app *app, const struct mcti_model *model, const struct mcti_target *t)
{
    const struct mcti_naming naming = mcti_config_naming(&app->config, app->opt.prefix);
    const struct mcti_rules *rules = app->offer.ruled.rules;
    const struct mcti_rule_step *step = NULL;
    struct mcti_rule_tool tool = { 0 };
    struct mct_error err;
    bool may_refuse = rules && (rules->n_steps || mcti_ruled_says_optional(t->provider, t->item));
    if (!may_refuse || (app->view.own && app->view.own->provider == t->provider))
        return 0;
    if (mcti_ruled_tool(&app->registry, &naming, t->provider, t->item, &tool) == 0 &&
        mcti_rules_admit(rules, 0, &tool, &step))
        return 0;
    mcti_fail(&err, MCT_ERR_POLICY, "%s in the configuration does not %s; 'mcptools tools --explain %s' tells more",
              step ? step->label : "policy",
              !step && tool.optional ? "ask for this tool, which is optional" : "let this tool through",
              model->call.name);
    return mcti_out_fail(app, &err, t->provider->name);
}

/* In read-only mode: the exit status, after what a model would be told; 0: the tool may be called. */
static int cmd_call_refuse(struct mcti_app *app, const struct mcti_model *model, const struct mcti_item *tool)
{
    const struct mcti_policy policy = mcti_config_policy(&app->config);
    const struct mcti_refusal refusal = { .tool_name = mcti_str_of(model->call.name), .entered_at_s = policy.since_s };
    const struct mcti_exposure *x = policy.read_only ? mcti_view_of_item(model->view, tool) : NULL;
    struct mcti_buf result;
    if (!policy.read_only || (x && mcti_view_is_read_only(model->view, &policy, x)))
        return 0;
    mcti_buf_init(&result, 32 * refusal.tool_name.len + 8192);
    mcti_refusal_put_result(&result, &refusal);
    print_result(app, model, mcti_buf_str(&result));
    mcti_buf_done(&result);
    return mcti_error_exit_status(MCT_ERR_POLICY);
}

/* Makes the call and prints its result; returns the exit status. */
static int cmd_call_run(struct mcti_app *app, const struct mcti_model *model, const struct mcti_target *t)
{
    struct mcti_buf params;
    struct mct_error err;
    char *result = NULL;
    mcti_buf_init(&params, MCT_LIMIT_MESSAGE_BYTES);
    char *schema = mcti_str_dup(mcti_json_get(t->item->json, "outputSchema")); /* the item may go during the call */
    int status = cmd_call_put_params(&params, model, t->item, &err) < 0
                     ? mcti_error_exit_status(err.kind)
                     : mcti_app_call_tool(app, model->view, t->item, mcti_buf_str(&params), &result, &err);
    mcti_buf_done(&params);
    if (!result) {
        mcti_out_fail(app, &err, t->provider->name);
        free(schema);
        return status;
    }
    print_result(app, model, mcti_str_of(result));
    if (!status && mcti_json_true(mcti_json_get(mcti_str_of(result), "isError")))
        status = mcti_error_exit_status(MCT_ERR_TOOL);
    else if (!status)
        status = check_structure(app, t, mcti_str_of(schema), mcti_str_of(result));
    free(schema);
    free(result);
    return status;
}

static int cmd_call_check_options(const struct mcti_app *app, struct mct_error *err)
{
    if (!app->argc)
        return mcti_fail(err, MCT_ERR_USAGE, "usage: mcptools call %s", app->command->args);
    if (!app->opt.profile && !strcmp(app->argv[0], "-"))
        return mcti_fail(err, MCT_ERR_USAGE, "-: whose call is it? --for names the model provider");
    if (!app->opt.profile && (app->opt.prefs.mode || app->opt.servers.n))
        return mcti_fail(
            err, MCT_ERR_USAGE,
            "--mode and --server of 'call' say which array of 'tools --for' the tool is in: give --for, too");
    return 0;
}

int mcti_cmd_call(struct mcti_app *app)
{
    struct mcti_model model = { 0 };
    struct mcti_target t;
    struct mct_error err;
    if (cmd_call_check_options(app, &err) < 0 || mcti_model_open(&model, app, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    app->as_served = model.format != NULL;
    app->with_hooks = true;
    int status =
        model.format ? mcti_model_target(&model, app, &t) : mcti_target_open(app, app->argv[0], MCT_TOOL, true, &t);
    if (!status && (take_arguments(app, &model, &t, &err) < 0 || mcti_model_unwrap(&model, app, &t, &err) < 0))
        status = mcti_out_fail(app, &err, t.provider->name);
    if (!status)
        status = refuse_by_rules(app, &model, &t);
    if (!status)
        status = cmd_call_refuse(app, &model, t.item);
    if (!status)
        status = cmd_call_run(app, &model, &t);
    mcti_model_close(&model);
    return status;
}
