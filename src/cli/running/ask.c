/* Connects a command to the running gateway. */
#include "cli/running/running.h"

#include "json/write.h"

int mcti_running_open(struct mcti_app *app, struct mcti_control_client *c, struct mct_error *err)
{
    struct mct_error other;
    *c = (struct mcti_control_client){ .fd = -1 };
    bool is_valid = mcti_app_configure(app, err) == 0;
    if (is_valid && mcti_control_client_open(c, &app->inst.config, MCT_RUNNING_MS, err) == 0)
        return 0;
    if (is_valid && err->kind != MCT_ERR_NOT_FOUND)
        return -1;
    mcti_control_client_close(c);
    if (mcti_control_client_find(c, &app->inst.config, MCT_RUNNING_MS, &other) == 0) {
        if (!is_valid)
            mcti_say("warning: %s; the running gateway goes on with what it read before", err->message);
        return 0;
    }
    if (is_valid)
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
