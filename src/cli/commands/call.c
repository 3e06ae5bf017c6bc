#include "cli/commands/call.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log/utf8.h"
#include "cli/input.h"
#include "cli/model.h"
#include "cli/target.h"
#include "cli/show/signature.h"
#include "cli/tasks/journal.h"
#include "mcp/task.h"
#include "model/degrade.h"
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

/* Returns true if hooks may add arguments to a call. */
static bool may_be_completed(const struct mcti_app *app)
{
    const struct mcti_config *c = &app->inst.config;
    bool has_plugins = false;
    for (size_t i = 0; i < c->n_servers; i++)
        has_plugins |= c->servers[i].plugins.n || c->servers[i].plugin_path;
    return c->n_hooks || has_plugins;
}

int mcti_call_put_arguments(const struct mcti_app *app, struct mcti_buf *to, const struct mcti_item *tool,
                            struct mct_error *err)
{
    if (app->opt.args_json && app->argc > 1)
        return mcti_fail(err, MCT_ERR_USAGE, "give either --args or key=value, not both");
    struct mcti_str schema = mcti_json_get(mcti_item_json(tool), "inputSchema");
    if (app->opt.args_json)
        return put_json_args(to, app->opt.args_json, err);
    if (mcti_arguments_put(to, app->argv + 1, app->argc - 1, schema, err) < 0)
        return -1;
    return may_be_completed(app) ? 0 : mcti_arguments_check(mcti_buf_str(to), schema, app->argv[0], err);
}

static void call_write(void *data, struct mcti_str text)
{
    if (!text.len)
        return;
    *(char *)data = text.p[text.len - 1];
    fwrite(text.p, 1, text.len, stdout);
}

void mcti_call_print_text(const struct mcti_app *app, struct mcti_str result)
{
    struct mcti_buf text;
    char last = '\0';
    if (!app->terminal) {
        mcti_degrade_write(result, call_write, &last);
        if (app->opt.output != MCT_OUT_RAW && last != '\n')
            putchar('\n');
        return;
    }
    mcti_buf_init(&text, (size_t)1 << 32);
    mcti_degrade_result(&text, result);
    mcti_out_text(app, mcti_buf_str(&text));
    if (app->opt.output != MCT_OUT_RAW && (!text.len || text.p[text.len - 1] != '\n'))
        putchar('\n');
    mcti_buf_done(&text);
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

int mcti_call_judge(struct mcti_app *app, const struct mcti_app_outcome *o, const char *server)
{
    struct mcti_str result = o->result;
    if (o->status)
        return o->status;
    if (mcti_json_true(mcti_json_get(result, "isError")))
        return mcti_error_exit_status(MCT_ERR_TOOL);
    return check_structure(app, server, mcti_str_of(o->output_schema), result);
}

void mcti_call_add_hint(struct mct_error *err, const char *name)
{
    size_t n = strlen(err->message);
    if (err->kind == MCT_ERR_POLICY)
        snprintf(err->message + n, sizeof err->message - n, "; 'mcptools tools --explain %s' shows why", name);
}

/* Returns the URL without the user and the password in it, to free(): they are not kept in files. */
static char *call_url_to_keep(const char *url)
{
    char *kept = NULL;
    const char *host = strstr(url, "://") + 3, *at = memrchr(host, '@', strcspn(host, "/?#"));
    if (asprintf(&kept, "%.*s%s", (int)(host - url), url, at ? at + 1 : host) < 0)
        return NULL;
    return kept;
}

/* Records the task that the call has become, and prints its number. */
static int call_put_task(struct mcti_app *app, const struct mcti_app_outcome *called, const char *server)
{
    struct mcti_task_state task;
    struct mct_error err;
    struct mcti_task_note note = { .created_s = mcti_clock_wall_ms() / 1000 };
    int r = mcti_task_read(called->result, &task, &err);
    if (r == 0) {
        note.id = mcti_str_dup(task.id);
        note.server = mcti_is_url(app->opt.url) ? call_url_to_keep(app->opt.url) : strdup(server);
        note.tool = strdup(called->item ? called->item : app->argv[0]);
        note.status = strdup(mcti_task_status_word(task.status));
        note.has_ttl = task.has_ttl;
        note.ttl_ms = task.ttl_ms;
        bool is_whole = note.id && note.server && note.tool && note.status;
        r = is_whole ? mcti_task_note_add(&note, &err) : mcti_no_memory(&err);
    }
    if (r < 0)
        mcti_out_fail(app, &err, server);
    else if (app->opt.output == MCT_OUT_JSON)
        mcti_out_json(app, called->result);
    else
        mcti_out(app, "%llu\n", (unsigned long long)note.number);
    mcti_task_note_done(&note);
    return r < 0 ? mcti_error_exit_status(err.kind) : 0;
}

/* Returns whether the server ends with this command, and its tasks with it. */
static bool call_ends_server(const struct mcti_target *t)
{
    return t->provider->by_process && !t->provider->is_attached;
}

/* Makes the call and prints its result; returns the exit status. */
static int cmd_call_run(struct mcti_app *app, const struct mcti_target *t, struct mcti_str arguments)
{
    const struct mcti_app_call wanted = { .verb = MCT_VERB_TOOLS_CALL,
                                          .found = mcti_view_of_item(&app->inst.view, t->item),
                                          .name = mcti_str_of(app->argv[0]),
                                          .arguments = arguments,
                                          .detaches = app->opt.task };
    struct mcti_app_outcome called;
    struct mct_error err;
    int status = mcti_app_run_call(app, &wanted, &called, &err);
    const char *server = called.server ? called.server : t->provider->name;
    if (!called.result.p) {
        mcti_call_add_hint(&err, app->argv[0]);
        mcti_out_fail(app, &err, server);
    } else if (app->opt.task && mcti_result_is_task(called.result)) {
        status = call_put_task(app, &called, server);
    } else if (app->opt.output == MCT_OUT_JSON) {
        mcti_out_json(app, called.result);
        status = mcti_call_judge(app, &called, server);
    } else {
        mcti_call_print_text(app, called.result);
        status = mcti_call_judge(app, &called, server);
    }
    mcti_app_outcome_done(&called);
    return status;
}

static int cmd_call_check_options(const struct mcti_app *app, struct mct_error *err)
{
    if (!app->argc)
        return mcti_command_usage(app->command, err);
    if (!app->opt.profile && !strcmp(app->argv[0], "-"))
        return mcti_fail(err, MCT_ERR_USAGE, "'-' reads a call that a model wrote: name the model provider with --for");
    if (!app->opt.profile && (app->opt.prefs.mode || app->opt.servers.n))
        return mcti_fail(err, MCT_ERR_USAGE,
                         "--mode and --server of 'call' need --for: they select the tools as in 'tools --for'");
    return 0;
}

int mcti_cmd_call(struct mcti_app *app)
{
    struct mcti_buf arguments;
    struct mcti_target t;
    struct mct_error err;
    if (cmd_call_check_options(app, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    app->with_hooks = true;
    if (app->opt.profile)
        return mcti_model_call_run(app);
    mcti_buf_init(&arguments, MCT_LIMIT_MESSAGE_BYTES);
    int status = mcti_target_open(app, app->argv[0], MCT_TOOL, true, &t);
    if (!status && app->opt.task && call_ends_server(&t)) {
        mcti_fail(&err, MCT_ERR_USAGE,
                  "--task: the server ends with this command, and its tasks with it; 'mcptools daemon start' keeps it "
                  "running");
        status = mcti_out_fail(app, &err, t.provider->name);
    }
    if (!status && mcti_call_put_arguments(app, &arguments, t.item, &err) < 0)
        status = mcti_out_fail(app, &err, t.provider->name);
    if (!status)
        status = cmd_call_run(app, &t, mcti_buf_str(&arguments));
    mcti_buf_done(&arguments);
    return status;
}
