/* The line protocol of seed 002 on the command line: what the tool of its dialect answers. */
#include "base/limits.h"
#include "cli/command.h"
#include "hub/lines_block.h"

#include <stdlib.h>

/* What a block says, as an exit status. */
static const struct {
    const char *type;
    enum mct_error_kind kind;
} rows[] = {
    { "ConnectionFailed", MCT_ERR_CONNECT }, { "Timeout", MCT_ERR_TIMEOUT }, { "ResourceNotFound", MCT_ERR_NOT_FOUND },
    { "PermissionDenied", MCT_ERR_POLICY }, { "InvalidURI", MCT_ERR_USAGE },
};

static int fault_status(const struct mct_block *block)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mct_str_starts(block->summary, mct_str_of(rows[i].type)))
            return mct_error_exit_status(rows[i].kind);
    return mct_error_exit_status(MCT_ERR_TOOL);
}

/* A list that is partial lacks servers, a content that is partial was only cut. The raw form of a list is its data. */
static int status_of(struct mct_str text, bool reads)
{
    struct mct_block block = { .state = MCT_BLOCK_SUCCESS };
    struct mct_buf keep;
    int status = 0;
    mct_buf_init(&keep, MCT_LIMIT_MESSAGE_BYTES);
    bool parsed = mct_block_parse(text, &keep, &block, NULL) == 0;
    bool failed = !parsed && mct_json_valid(text, MCT_LIMIT_JSON_DEPTH, NULL, NULL) && mct_json_get(text, "failed").p;
    if (parsed && (block.state == MCT_BLOCK_ERROR || block.state == MCT_BLOCK_TIMEOUT))
        status = fault_status(&block);
    else if (!reads && (failed || (parsed && block.state == MCT_BLOCK_PARTIAL)))
        status = mct_error_exit_status(MCT_ERR_PARTIAL);
    mct_buf_done(&keep);
    return status;
}

static void put_params(const struct mct_app *app, struct mct_buf *to)
{
    bool reads = !strcmp(app->argv[0], "read");
    mct_buf_addz(to, "{\"name\":\"mcp\",\"arguments\":{");
    mct_json_put_member(to, "action", mct_str_of(app->argv[0]));
    if (app->argc == 2)
        mct_json_put_member(to, reads ? "uri" : "server_name", mct_str_of(app->argv[1]));
    if (app->opt.format)
        mct_json_put_member(to, "format", mct_str_of(app->opt.format));
    mct_buf_addz(to, "}}");
}

static int print(const struct mct_app *app, struct mct_str result)
{
    struct mct_str block = MCT_STR_NONE;
    struct mct_json_iter it = mct_json_open(mct_json_get(result, "content"));
    char *text = mct_json_next_item(&it, &block) ? mct_json_dup(mct_json_get(block, "text")) : NULL;
    if (!text)
        return mct_error_exit_status(MCT_ERR_INTERNAL);
    if (app->opt.output == MCT_OUT_JSON)
        mct_out_json(app, result);
    else
        puts(text);
    int status = status_of(mct_str_of(text), !strcmp(app->argv[0], "read"));
    free(text);
    return status;
}

static int open_app(struct mct_app *app, struct mct_error *err)
{
    if (mct_app_configure(app, err) < 0)
        return -1;
    app->offer.dialects = mct_dialect_find(MCT_STR("lines"));
    return mct_app_open(app, NULL, false, err);
}

int mct_cmd_agent(struct mct_app *app)
{
    struct mct_buf params;
    struct mct_error err;
    char *result = NULL;
    bool reads = app->argc && !strcmp(app->argv[0], "read");
    if (!app->argc || (!reads && strcmp(app->argv[0], "list")) || (reads && app->argc != 2)) {
        mct_fail(&err, MCT_ERR_USAGE, "usage: mcptools agent %s", app->command->args);
        return mct_out_fail(app, &err, NULL);
    }
    if (open_app(app, &err) < 0)
        return mct_out_fail(app, &err, NULL);
    if (mct_app_settle(app) < 0)
        return mct_out_interrupted(app);
    const struct mct_exposure *tool = mct_view_named(&app->view, MCT_TOOL, MCT_STR("mcp"), &err);
    if (!tool)
        return mct_out_fail(app, &err, NULL);
    mct_buf_init(&params, MCT_LIMIT_MESSAGE_BYTES);
    put_params(app, &params);
    int status = mct_app_call(app, tool->provider, MCT_VERB_TOOLS_CALL, mct_buf_str(&params), &result, &err);
    mct_buf_done(&params);
    if (result)
        status = print(app, mct_str_of(result));
    else
        mct_out_fail(app, &err, NULL);
    free(result);
    return status;
}
