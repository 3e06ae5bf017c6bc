/* mcptools restart: restarts one server of the running gateway. */
#include "cli/running/running.h"
#include "json/write.h"

#include <stdlib.h>

enum { MORE_MS = 5000 };

static int cmd_restart_tell(struct mcti_app *app, struct mcti_str server)
{
    char *why = mcti_json_dup(mcti_json_get(mcti_json_get(server, "error"), "message"));
    struct mct_error err;
    int status = 0;
    if (!mcti_json_is(mcti_json_get(server, "state"), mcti_state_word(MCT_CONNECTED))) {
        mcti_fail(&err, MCT_ERR_CONNECT, "server '%s': %s", app->argv[0], why ? why : "not connected");
        status = mcti_out_fail(app, &err, app->argv[0]);
    } else if (app->opt.output == MCT_OUT_JSON) {
        mcti_out_json(app, server);
    } else {
        mcti_out(app, "%s: restarted\n", app->argv[0]);
    }
    free(why);
    return status;
}

int mcti_cmd_restart(struct mcti_app *app)
{
    struct mcti_control_client c;
    struct mct_error err;
    struct mcti_str server;
    struct mcti_buf params;
    int status;
    mcti_running_put_params(&params, app->argv[0], "");
    int r = mcti_running_open(app, &c, &err);
    unsigned limit_ms = app->opt.timeout_ms ? app->opt.timeout_ms : app->inst.config.start_timeout_ms + MORE_MS;
    if (r == 0)
        r = mcti_control_request(&c, "restart", mcti_buf_str(&params), limit_ms, &server, &err);
    status = r < 0 ? mcti_out_fail(app, &err, NULL) : cmd_restart_tell(app, server);
    mcti_buf_done(&params);
    mcti_control_client_close(&c);
    return status;
}
