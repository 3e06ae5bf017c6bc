#include "cli/packages/bundle.h"

#include <stdlib.h>
#include <unistd.h>

static bool add_ends_in(const char *word, const char *ending)
{
    size_t n = strlen(word), len = strlen(ending);
    return n > len && !strcasecmp(word + n - len, ending);
}

/* Adds from the registry: the name, or a choice among the matches of words. */
static int add_read_registry(struct mcti_adding *a, struct mct_error *err)
{
    const struct mcti_app *app = a->app;
    struct mcti_str version = MCT_STR_NONE,
                    name = app->argc == 1 ? mcti_package_name(mcti_str_of(app->argv[0]), &version) : MCT_STR_NONE;
    if (name.p && mcti_package_name_is_valid(name))
        return mcti_adding_read_registry(a, name, version, err);
    char *chosen = mcti_adding_choose(a, app->argv, (size_t)app->argc, err);
    int r = chosen ? mcti_adding_read_registry(a, mcti_str_of(chosen), MCT_STR_NONE, err) : -1;
    free(chosen);
    return r;
}

/* Makes the plan. */
static int add_read_source(struct mcti_adding *a, struct mct_error *err)
{
    const struct mcti_app *app = a->app;
    const char *word = app->argc == 1 ? app->argv[0] : "";
    if (app->literal_at == 0 && app->argc)
        return mcti_adding_take_command(a, app->argv, (size_t)app->argc, err);
    if (app->literal_at >= 0)
        return mcti_fail(err, MCT_ERR_USAGE,
                         "write the command behind '--' alone: mcptools add --name NAME -- COMMAND");
    if (add_ends_in(word, ".mcpb") || add_ends_in(word, ".dxt"))
        return mcti_adding_read_bundle(a, word, NULL, err);
    if (mcti_is_url(word))
        return mcti_adding_take_url(a, word, err);
    if (add_ends_in(word, ".json"))
        return mcti_adding_read_file(a, word, err);
    return add_read_registry(a, err);
}

/* Tries the server. Returns 0 if the entry is to be written. */
static int add_try(struct mcti_adding *a, struct mct_error *err)
{
    struct mcti_app *app = a->app;
    if (app->opt.no_check || app->opt.dry_run)
        return 0;
    if (mcti_adding_try(a, err) == 0)
        return 0;
    if (err->kind == MCT_ERR_CANCELLED)
        return -1;
    if (a->prompt.is_open) {
        mcti_out_fail(app, err, a->name);
        if (mcti_prompt_yes(&a->prompt, false, "It does not work. Add it anyway?"))
            return 0;
        return mcti_fail(err, app->interrupted ? MCT_ERR_CANCELLED : MCT_ERR_CONNECT, "not added");
    }
    mcti_error_wrap(err, "not added, because the server does not work (--no-check adds it untried)");
    return -1;
}

static int add_command_run(struct mcti_adding *a, struct mct_error *err)
{
    if (add_read_source(a, err) < 0 || mcti_adding_take_options(a, err) < 0 || mcti_adding_ask(a, err) < 0 ||
        mcti_adding_finish(a, err) < 0)
        return -1;
    mcti_adding_show(a);
    if (mcti_adding_confirm(a, err) < 0)
        return -1;
    if (a->app->opt.dry_run)
        return mcti_adding_write(a, err);
    int r = mcti_secret_write(a, err);
    r = r < 0 ? r : mcti_adding_unpack(a, err);
    r = r < 0 ? r : add_try(a, err);
    r = r < 0 ? r : mcti_adding_write(a, err);
    mcti_secret_end(a, r < 0);
    if (r < 0)
        mcti_adding_undo_bundle(a);
    return r;
}

int mcti_cmd_add(struct mcti_app *app)
{
    struct mcti_adding a;
    struct mct_error err;
    int status = 0;
    app->creates = true;
    if (mcti_app_configure(app, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    mcti_signals_watch(app);
    if (mcti_adding_init(&a, app, &err) < 0 || add_command_run(&a, &err) < 0)
        status = app->interrupted ? mcti_out_interrupted(app) : mcti_out_fail(app, &err, a.name);
    else if (a.needs_login)
        mcti_err("It needs a login: mcptools login %s\n", a.name);
    mcti_adding_done(&a);
    return status;
}
