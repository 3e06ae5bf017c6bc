/* mcptools agent: runs the tool of the dialect "lines" (docs/RESOURCE_TOOLS.md, "lines") and prints its answer. */
#include "base/limits.h"
#include "cli/command.h"
#include "resources/lines/block.h"

#include <stdio.h>

/* Error types of a block, and the exit status of each. */
static const struct {
    const char *type;
    enum mct_error_kind kind;
} rows[] = {
    { "ConnectionFailed", MCT_ERR_CONNECT }, { "Timeout", MCT_ERR_TIMEOUT },  { "ResourceNotFound", MCT_ERR_NOT_FOUND },
    { "PermissionDenied", MCT_ERR_AUTH },    { "InvalidURI", MCT_ERR_USAGE },
};

static int fault_status(struct mcti_str text)
{
    struct mcti_block block;
    struct mcti_buf keep;
    enum mct_error_kind kind = MCT_ERR_TOOL;
    mcti_buf_init(&keep, MCT_LIMIT_MESSAGE_BYTES);
    if (mcti_block_parse(text, &keep, &block, NULL) == 0)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (mcti_str_starts(block.summary, mcti_str_of(rows[i].type)))
                kind = rows[i].kind;
    mcti_buf_done(&keep);
    return mcti_error_exit_status(kind);
}

/* Returns true if a list lacks some servers or items. With --format raw, the text is the data of the block alone. */
static bool is_partial(const struct mcti_app *app, struct mcti_str text)
{
    struct mcti_block block;
    struct mcti_buf keep;
    if (app->opt.format && !strcmp(app->opt.format, "raw"))
        return mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, NULL, NULL) && mcti_json_get(text, "failed").p;
    mcti_buf_init(&keep, MCT_LIMIT_MESSAGE_BYTES);
    bool partial = mcti_block_parse(text, &keep, &block, NULL) == 0 && block.state == MCT_BLOCK_PARTIAL;
    mcti_buf_done(&keep);
    return partial;
}

/* Returns the exit status for an answer. The text of a successful read comes from the server and is not parsed. */
static int status_of(const struct mcti_app *app, struct mcti_str result, struct mcti_str text)
{
    if (mcti_json_true(mcti_json_get(result, "isError")))
        return fault_status(text);
    return !strcmp(app->argv[0], "list") && is_partial(app, text) ? mcti_error_exit_status(MCT_ERR_PARTIAL) : 0;
}

static void put_arguments(const struct mcti_app *app, struct mcti_buf *to)
{
    bool reads = !strcmp(app->argv[0], "read");
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "action", mcti_str_of(app->argv[0]));
    if (app->argc == 2)
        mcti_json_put_member(to, reads ? "uri" : "server_name", mcti_str_of(app->argv[1]));
    if (app->opt.format)
        mcti_json_put_member(to, "format", mcti_str_of(app->opt.format));
    mcti_buf_addc(to, '}');
}

static int cmd_agent_print(const struct mcti_app *app, struct mcti_str result)
{
    struct mcti_str block = MCT_STR_NONE;
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, "content"));
    struct mcti_buf text;
    int status = mcti_error_exit_status(MCT_ERR_INTERNAL);
    mcti_buf_init(&text, result.len + 1);
    if (mcti_json_next_item(&it, &block) && mcti_json_unescape_any(mcti_json_get(block, "text"), &text) == 0) {
        status = status_of(app, result, mcti_buf_str(&text));
        mcti_buf_addc(&text, '\n');
        if (app->opt.output == MCT_OUT_JSON)
            mcti_out_json(app, result);
        else
            mcti_out_text(app, mcti_buf_str(&text));
    }
    mcti_buf_done(&text);
    return status;
}

static int open_app(struct mcti_app *app, struct mct_error *err)
{
    if (mcti_app_configure(app, err) < 0)
        return -1;
    app->inst.offer.dialects = mcti_dialect_find(MCT_STR("lines"));
    return mcti_app_open(app, NULL, false, err);
}

/* Calls the tool and prints its answer. Returns the exit status. */
static int agent_run(struct mcti_app *app, const struct mcti_exposure *tool)
{
    struct mcti_app_outcome called;
    struct mct_error err;
    struct mcti_buf arguments;
    mcti_buf_init(&arguments, MCT_LIMIT_MESSAGE_BYTES);
    put_arguments(app, &arguments);
    const struct mcti_app_call wanted = {
        .verb = MCT_VERB_TOOLS_CALL, .found = tool, .name = tool->name, .arguments = mcti_buf_str(&arguments)
    };
    int status = mcti_app_run_call(app, &wanted, &called, &err);
    mcti_buf_done(&arguments);
    if (called.result)
        status = cmd_agent_print(app, mcti_str_of(called.result));
    else
        mcti_out_fail(app, &err, NULL);
    mcti_app_outcome_done(&called);
    return status;
}

int mcti_cmd_agent(struct mcti_app *app)
{
    struct mct_error err;
    bool reads = app->argc && !strcmp(app->argv[0], "read");
    if (!app->argc || (!reads && strcmp(app->argv[0], "list")) || (reads && app->argc != 2)) {
        mcti_fail(&err, MCT_ERR_USAGE, "usage: mcptools agent %s", app->command->args);
        return mcti_out_fail(app, &err, NULL);
    }
    if (open_app(app, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    mcti_instance_start(&app->inst); /* the tool itself waits for each server, within its time limits */
    const struct mcti_exposure *tool = mcti_view_named(&app->inst.view, MCT_TOOL, MCT_STR("mcp"), &err);
    return tool ? agent_run(app, tool) : mcti_out_fail(app, &err, NULL);
}
