/* mcptools agent: runs the tool of the dialect "lines" (docs/RESOURCE_TOOLS.md, "lines") and prints its answer. */
#include "base/clock.h"
#include "base/limits.h"
#include "base/log/utf8.h"
#include "cli/agent/agent.h"
#include "resources/lines/answer.h"

#include <stdlib.h>
#include <time.h>

/* ---- language ---- */

static enum mcti_language locale_language(void)
{
    static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };
    const char *value = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !(value && *value); i++)
        value = getenv(names[i]);
    return mcti_language_of_locale(value);
}

enum mcti_language mcti_agent_language(const struct mcti_app *app)
{
    enum mcti_language configured = app->inst.config.dialect.language;
    return app->opt.language ? app->opt.language : configured ? configured : locale_language();
}

/* ---- failures of the command itself ---- */

/* Returns the URI that an error is about; absent: it is about something else. */
static struct mcti_str failed_uri(const struct mcti_app *app, const struct mct_error *err)
{
    if (!app->argc || strcmp(app->argv[0], "read") != 0)
        return MCT_STR_NONE;
    if (app->argc == 1 && mcti_str_starts(mcti_str_of(err->message), MCT_STR("usage:"))) /* a wrong option is not */
        return MCT_STR("");
    return app->argc == 1 || err->kind == MCT_ERR_USAGE ? MCT_STR_NONE : mcti_str_of(app->argv[1]);
}

static bool agent_installs(const struct mcti_app *app)
{
    return app->argc && !strcmp(app->argv[0], "install");
}

void mcti_cmd_agent_put_failure(struct mcti_app *app, const struct mct_error *err)
{
    const struct mcti_dialect_opts *o = &app->inst.dialect;
    struct mcti_str uri = failed_uri(app, err);
    struct mcti_block_error e = { mcti_block_fault_of(err, uri), uri, mcti_str_of(err->message), .n_available = 0 };
    struct mcti_block_style style = { .language = mcti_agent_language(app),
                                      .one_line = o->lines_short,
                                      .kernel = o->lines_kernel,
                                      .limit_ms = uri.p ? o->read_ms : o->list_ms,
                                      .took_ms = mcti_clock_since_us() / 1000 - app->started_ms,
                                      .now_s = time(NULL) };
    struct mcti_buf b;
    if (agent_installs(app))
        return;
    if (app->opt.format && !strcmp(app->opt.format, "summary"))
        style.format = MCT_BLOCK_SUMMARY;
    mcti_buf_init(&b, 65536);
    if (mcti_block_put_error(&b, &e, &style) == 0)
        mcti_out_text(app, mcti_buf_str(&b));
    else
        fputs("❌ mcp InternalError: " MCT_NO_MEMORY_TEXT "\n  state: error", stdout);
    putchar('\n');
    mcti_buf_done(&b);
}

/* ---- exit status ---- */

static int fault_status(struct mcti_str text)
{
    struct mcti_block block;
    struct mcti_buf keep;
    enum mct_error_kind kind = MCT_ERR_TOOL;
    mcti_buf_init(&keep, MCT_LIMIT_MESSAGE_BYTES);
    if (mcti_block_parse(text, &keep, &block, NULL) == 0)
        for (int i = 0; i < MCT_FAULT_N; i++) {
            const struct mcti_block_fault_row *row = mcti_block_fault_row((enum mcti_block_fault)i);
            if (mcti_str_starts(block.summary, mcti_str_of(row->type)))
                kind = row->kind;
        }
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

/* Returns true if the answer is an error because the configuration does not allow the URI. */
static bool is_barred(const struct mcti_app *app)
{
    const struct mcti_dialect_opts *o = &app->inst.dialect;
    const struct mcti_reach reach = { .uri_allow = o->uri_allow, .n_uri_allow = o->n_uri_allow };
    return !strcmp(app->argv[0], "read") &&
           mcti_reach_admits(&reach, mcti_utf8_trim(mcti_str_of(app->argv[1])), NULL) < 0;
}

/* Returns the exit status for an answer. The text of a successful read comes from the server and is not parsed. */
static int status_of(const struct mcti_app *app, struct mcti_str result, struct mcti_str text)
{
    if (mcti_json_true(mcti_json_get(result, "isError")))
        return is_barred(app) ? mcti_error_exit_status(MCT_ERR_POLICY) : fault_status(text);
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

/* ---- output ---- */

/* Prints one content block of the answer: a block or a text, or with --format raw the bytes of a blob. Returns false if
 * it is neither, or a blob that cannot be shown. Only a text that is the whole answer gets a line end. */
static bool print_content(const struct mcti_app *app, struct mcti_str content, bool alone, struct mcti_buf *text)
{
    struct mcti_str blob = mcti_json_get(mcti_json_get(content, "resource"), "blob");
    mcti_buf_clear(text);
    if (blob.p)
        return mcti_out_blob(app, blob) == 0;
    if (mcti_json_unescape_any(mcti_json_get(content, "text"), text) == 0) {
        mcti_out_text(app, mcti_buf_str(text));
        if (alone)
            putchar('\n');
    }
    return mcti_buf_ok(text);
}

static int cmd_agent_print(const struct mcti_app *app, struct mcti_str result)
{
    struct mcti_str content = MCT_STR_NONE, next;
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, "content"));
    struct mcti_buf text;
    int status = mcti_error_exit_status(MCT_ERR_INTERNAL);
    bool json = app->opt.output == MCT_OUT_JSON;
    mcti_buf_init(&text, result.len + 1);
    if (json)
        mcti_out_json(app, result);
    bool more = mcti_json_next_item(&it, &content), first = true;
    while (more) {
        more = mcti_json_next_item(&it, &next);
        bool alone = first && !more;
        bool good = json ? mcti_json_unescape_any(mcti_json_get(content, "text"), &text) == 0
                         : print_content(app, content, alone, &text);
        if (good)
            status = alone ? status_of(app, result, mcti_buf_str(&text)) : 0;
        first = false;
        content = next;
    }
    mcti_buf_done(&text);
    return status;
}

/* ---- the call ---- */

static int open_app(struct mcti_app *app, struct mct_error *err)
{
    if (mcti_app_configure(app, err) < 0)
        return -1;
    app->inst.dialect.language = mcti_agent_language(app);
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
    if (called.result.p)
        status = cmd_agent_print(app, called.result);
    else
        mcti_out_fail(app, &err, NULL);
    mcti_app_outcome_done(&called);
    return status;
}

int mcti_cmd_agent(struct mcti_app *app)
{
    struct mct_error err;
    bool reads = app->argc && !strcmp(app->argv[0], "read");
    if (agent_installs(app))
        return mcti_agent_install(app);
    if (!app->argc || (!reads && strcmp(app->argv[0], "list")) || (reads && app->argc != 2)) {
        mcti_command_usage(app->command, &err);
        return mcti_out_fail(app, &err, NULL);
    }
    if (open_app(app, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    mcti_instance_start(&app->inst); /* the tool itself waits for each server, within its time limits */
    const struct mcti_exposure *tool = mcti_view_named(&app->inst.view, MCT_TOOL, MCT_STR("mcp"), &err);
    return tool ? agent_run(app, tool) : mcti_out_fail(app, &err, NULL);
}
