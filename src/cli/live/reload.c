/* How serve reads its configuration again. */
#include "cli/command.h"
#include "config/import/import.h"
#include "instance/reload.h"
#include "io/systemd.h"

static int serve_on_read(void *data, struct mcti_config *to, struct mct_error *err)
{
    return mcti_app_read_files(data, to, err);
}

static int serve_on_places(void *data, struct mcti_strings *to)
{
    const struct mcti_app *app = data;
    const struct mcti_strings *files = &app->opt.config_files;
    int r = files->n ? 0 : mcti_config_places(to);
    char *trust = r == 0 && !files->n ? mcti_trust_file() : NULL;
    if (trust)
        r = mcti_strings_add(to, mcti_str_of(trust));
    free(trust);
    for (size_t i = 0; r == 0 && i < files->n; i++)
        r = mcti_strings_add(to, mcti_str_of(files->v[i]));
    return r;
}

static void serve_on_reloaded(void *data, const char *text)
{
    struct mcti_app *app = data;
    struct mct_error err;
    app->demo = app->demo && !app->inst.config.files.n;
    mcti_live_hide(app);
    mcti_err("%s\n", text);
    if (mcti_control_move(&app->control, &err) < 0)
        mcti_log(&app->log, MCT_LOG_INFO, "commands will not use this gateway: %s", err.message);
    mcti_systemd_notify_reloaded();
}

int mcti_app_open_reload(struct mcti_app *app, struct mct_error *err)
{
    const struct mcti_reload_opts opts = { .read = serve_on_read,
                                           .places = serve_on_places,
                                           .told = serve_on_reloaded,
                                           .data = app,
                                           .choices = mcti_app_choices(app) };
    return mcti_reload_open(&app->inst, &opts) < 0 ? mcti_no_memory(err) : 0;
}
