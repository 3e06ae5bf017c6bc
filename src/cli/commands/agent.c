/* The line protocol of seed 002 on the command line: what the tool of its dialect answers. */
#include "base/limits.h"
#include "cli/command.h"
#include "resources/lines/block.h"

#include <stdio.h>

/* What a block says, as an exit status. */
static const struct {
    const char *type;
    enum mct_error_kind kind;
} rows[] = {
    { "ConnectionFailed", MCT_ERR_CONNECT }, { "Timeout", MCT_ERR_TIMEOUT }, { "ResourceNotFound", MCT_ERR_NOT_FOUND },
    { "PermissionDenied", MCT_ERR_AUTH }, { "InvalidURI", MCT_ERR_USAGE },
};

static int fault_status(struct mct_str text)
{
    struct mct_block block;
    struct mct_buf keep;
    enum mct_error_kind kind = MCT_ERR_TOOL;
    mct_buf_init(&keep, MCT_LIMIT_MESSAGE_BYTES);
    if (mct_block_parse(text, &keep, &block, NULL) == 0)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (mct_str_starts(block.summary, mct_str_of(rows[i].type)))
                kind = rows[i].kind;
    mct_buf_done(&keep);
    return mct_error_exit_status(kind);
}

/* Whether a list lacks servers, or a part of one. Its raw form is its data. */
static bool is_partial(const struct mct_app *app, struct mct_str text)
{
    struct mct_block block;
    struct mct_buf keep;
    if (app->opt.format && !strcmp(app->opt.format, "raw"))
        return mct_json_valid(text, MCT_LIMIT_JSON_DEPTH, NULL, NULL) && mct_json_get(text, "failed").p;
    mct_buf_init(&keep, MCT_LIMIT_MESSAGE_BYTES);
    bool partial = mct_block_parse(text, &keep, &block, NULL) == 0 && block.state == MCT_BLOCK_PARTIAL;
    mct_buf_done(&keep);
    return partial;
}

/* The text of a read that succeeded is the server's: it may look like anything. */
static int status_of(const struct mct_app *app, struct mct_str result, struct mct_str text)
{
    if (mct_json_true(mct_json_get(result, "isError")))
        return fault_status(text);
    return !strcmp(app->argv[0], "list") && is_partial(app, text) ? mct_error_exit_status(MCT_ERR_PARTIAL) : 0;
}

static void put_arguments(const struct mct_app *app, struct mct_buf *to)
{
    bool reads = !strcmp(app->argv[0], "read");
    mct_buf_addc(to, '{');
    mct_json_put_member(to, "action", mct_str_of(app->argv[0]));
    if (app->argc == 2)
        mct_json_put_member(to, reads ? "uri" : "server_name", mct_str_of(app->argv[1]));
    if (app->opt.format)
        mct_json_put_member(to, "format", mct_str_of(app->opt.format));
    mct_buf_addc(to, '}');
}

static int print(const struct mct_app *app, struct mct_str result)
{
    struct mct_str block = MCT_STR_NONE;
    struct mct_json_iter it = mct_json_open(mct_json_get(result, "content"));
    struct mct_buf text;
    int status = mct_error_exit_status(MCT_ERR_INTERNAL);
    mct_buf_init(&text, result.len + 1);
    if (mct_json_next_item(&it, &block) && mct_json_unescape_any(mct_json_get(block, "text"), &text) == 0) {
        status = status_of(app, result, mct_buf_str(&text));
        mct_buf_addc(&text, '\n');
        if (app->opt.output == MCT_OUT_JSON)
            mct_out_json(app, result);
        else
            mct_out_text(app, mct_buf_str(&text));
    }
    mct_buf_done(&text);
    return status;
}

static int open_app(struct mct_app *app, struct mct_error *err)
{
    if (mct_app_configure(app, err) < 0)
        return -1;
    app->inst.offer.dialects = mct_dialect_find(MCT_STR("lines"));
    return mct_app_open(app, NULL, false, err);
}

/* Calls the tool and prints its answer; returns the exit status. */
static int ask(struct mct_app *app, const struct mct_exposure *tool)
{
    struct mct_called called;
    struct mct_error err;
    struct mct_buf arguments;
    mct_buf_init(&arguments, MCT_LIMIT_MESSAGE_BYTES);
    put_arguments(app, &arguments);
    const struct mct_wanted wanted = { .verb = MCT_VERB_TOOLS_CALL, .found = tool, .name = tool->name,
                                       .arguments = mct_buf_str(&arguments) };
    int status = mct_app_call(app, &wanted, &called, &err);
    mct_buf_done(&arguments);
    if (called.result)
        status = print(app, mct_str_of(called.result));
    else
        mct_out_fail(app, &err, NULL);
    mct_called_done(&called);
    return status;
}

int mct_cmd_agent(struct mct_app *app)
{
    struct mct_error err;
    bool reads = app->argc && !strcmp(app->argv[0], "read");
    if (!app->argc || (!reads && strcmp(app->argv[0], "list")) || (reads && app->argc != 2)) {
        mct_fail(&err, MCT_ERR_USAGE, "usage: mcptools agent %s", app->command->args);
        return mct_out_fail(app, &err, NULL);
    }
    if (open_app(app, &err) < 0)
        return mct_out_fail(app, &err, NULL);
    mcti_instance_start(&app->inst); /* the tool waits for each server as long as its own time limits say */
    const struct mct_exposure *tool = mct_view_named(&app->inst.view, MCT_TOOL, MCT_STR("mcp"), &err);
    return tool ? ask(app, tool) : mct_out_fail(app, &err, NULL);
}
