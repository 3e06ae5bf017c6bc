/* Connects a command to the running gateway. */
#include "cli/running/running.h"

#include "json/write.h"

int mcti_running_open(struct mcti_app *app, struct mcti_control_client *c, struct mct_error *err)
{
    *c = (struct mcti_control_client){ .fd = -1 };
    if (mcti_app_configure(app, err) < 0)
        return -1;
    if (mcti_control_client_open(c, &app->inst.config, MCT_RUNNING_MS, err) == 0)
        return 0;
    if (err->kind == MCT_ERR_NOT_FOUND)
        mcti_fail(
            err, MCT_ERR_CONNECT,
            "no gateway runs with this configuration: start one with 'mcptools daemon start' or 'mcptools serve'");
    return -1;
}

void mcti_running_put_params(struct mcti_buf *to, const char *server, const char *more)
{
    mcti_buf_init(to, 1u << 16);
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "server", mcti_str_of(server));
    mcti_buf_addz(to, more);
    mcti_buf_addc(to, '}');
}
