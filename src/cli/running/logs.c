/* mcptools logs: what a server writes to stderr, and what the gateway says of it. */
#include "base/limits.h"
#include "cli/running/running.h"
#include "cli/target.h"
#include "json/write.h"

#include <signal.h>
#include <unistd.h>

static void cmd_logs_print_lines(struct mcti_app *app, struct mcti_str lines)
{
    struct mcti_json_iter it = mcti_json_open(lines);
    struct mcti_str line;
    while (mcti_json_next_item(&it, &line))
        mcti_running_print_line(app, line);
    fflush(stdout);
}

/* Prints lines as they come, until the gateway ends or stdout has no reader. Ctrl-C ends the program. */
static int cmd_logs_follow(struct mcti_app *app, struct mcti_control_client *c)
{
    struct mcti_str line;
    struct mct_error err;
    int r = 1;
    while (!ferror(stdout) && (r = mcti_control_next(c, 0, &line, &err)) == 1) {
        mcti_running_print_line(app, mcti_json_get(line, "params"));
        fflush(stdout);
    }
    if (r == 0)
        mcti_fail(&err, MCT_ERR_CONNECT, "the running gateway has ended");
    return r == 1 ? 0 : mcti_out_fail(app, &err, NULL);
}

static int cmd_logs_of_gateway(struct mcti_app *app, struct mcti_control_client *c)
{
    struct mcti_buf params;
    struct mcti_str result;
    struct mct_error err;
    mcti_running_put_params(&params, app->argv[0], app->opt.follow ? ",\"follow\":true" : "");
    int r = mcti_control_request(c, "logs", mcti_buf_str(&params), MCT_RUNNING_MS, &result, &err);
    mcti_buf_done(&params);
    if (r < 0)
        return mcti_out_fail(app, &err, NULL);
    cmd_logs_print_lines(app, mcti_json_get(result, "lines"));
    return app->opt.follow ? cmd_logs_follow(app, c) : 0;
}

/* ---- without a gateway ---- */

static void cmd_logs_print_own(void *data, const struct mcti_journal_line *line)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_journal_put_line(&b, line);
    mcti_running_print_line(data, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* Starts the server, and prints what it says until it is connected or has failed. */
static int cmd_logs_of_start(struct mcti_app *app, const struct mct_error *why)
{
    struct mct_error err;
    const struct mcti_config_server *s = mcti_config_find(&app->inst.config, mcti_str_of(app->argv[0]));
    if (!s && !app->demo)
        return mcti_target_no_server(app, app->argv[0], &err), mcti_out_fail(app, &err, NULL);
    if (app->opt.follow)
        return mcti_out_fail(app, why, NULL);
    mcti_log(&app->log, MCT_LOG_WARN, "%s. This is the log of a start for this command", why->message);
    if (mcti_app_open(app, app->demo ? NULL : app->argv[0], false, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    if (mcti_app_settle(app) < 0)
        return mcti_out_interrupted(app);
    for (size_t i = 0; i < app->inst.registry.n; i++)
        mcti_journal_each(&app->inst.registry.v[i]->journal, 0, cmd_logs_print_own, app);
    return mcti_out_failure_status(app);
}

int mcti_cmd_logs(struct mcti_app *app)
{
    struct mcti_control_client c;
    struct mct_error err;
    int status = mcti_running_open(app, &c, &err) == 0 ? cmd_logs_of_gateway(app, &c)
                 : err.kind == MCT_ERR_CONNECT         ? cmd_logs_of_start(app, &err)
                                                       : mcti_out_fail(app, &err, NULL);
    mcti_control_client_close(&c);
    return status;
}
