/* Opens and closes the instance of a command, with the configured servers or the ad-hoc one of the command line. */
#include "cli/command.h"

#include "cli/answers.h"
#include "config/import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- configuration ---- */

static int configure_adhoc(struct mcti_app *app, struct mct_error *err)
{
    struct mcti_config_server *s = mcti_config_add_server(&app->inst.config, app->opt.url ? "url" : "stdio");
    if (!s)
        return mcti_no_memory(err);
    if (app->opt.url) {
        s->url = strdup(app->opt.url);
        return s->url ? 0 : mcti_no_memory(err);
    }
    return mcti_config_split(app->opt.stdio, s, err) < 0 ? mcti_error_wrap(err, "--stdio") : 0;
}

/* Returns true if the command may write this file, and it is not there so far. */
static bool app_is_new(const struct mcti_app *app, size_t i)
{
    return app->creates && i == 0 && access(app->opt.config_files.v[i], F_OK) < 0 && errno == ENOENT;
}

int mcti_app_read_files(const struct mcti_app *app, struct mcti_config *to, struct mct_error *err)
{
    const struct mcti_strings *files = &app->opt.config_files;
    for (size_t i = 0; i < files->n; i++)
        if (!app_is_new(app, i) && mcti_config_read_file(to, files->v[i], err) < 0)
            return -1;
    if (!files->n)
        mcti_config_discover(to);
    return 0;
}

struct mcti_choices mcti_app_choices(const struct mcti_app *app)
{
    return (struct mcti_choices){ .prefs = app->opt.prefs,
                                  .prefix = app->opt.prefix,
                                  .as = app->opt.as,
                                  .timeout_ms = app->opt.timeout_ms,
                                  .read_only = app->opt.read_only,
                                  .shows_servers = app->shows_servers };
}

int mcti_app_configure(struct mcti_app *app, struct mct_error *err)
{
    const struct mcti_config *c = &app->inst.config;
    const struct mcti_choices choices = mcti_app_choices(app);
    if (app->configured)
        return 0;
    if (mcti_instance_init(&app->inst, &app->log, err) < 0 ||
        (mcti_app_is_adhoc(app) ? configure_adhoc(app, err) : mcti_app_read_files(app, &app->inst.config, err)) < 0)
        return -1;
    app->inst.loop.child_core = app->core_limit;
    if (mcti_memory_failures())
        return mcti_no_memory(err); /* parts of the configuration may be missing */
    if (mcti_instance_configure(&app->inst, &choices, err) < 0)
        return -1;
    if (app->opt.timeout_ms && !app->command->serves)
        app->inst.dialect.list_ms = app->inst.dialect.read_ms = app->opt.timeout_ms;
    if (c->files.n && !c->n_servers)
        mcti_log(&app->log, MCT_LOG_WARN, "%s names no servers: \"mcpServers\" is empty or missing", c->files.v[0]);
    app->demo = c->files.n == 0 && c->n_servers == 0;
    app->configured = true;
    return 0;
}

const struct mcti_config_server *mcti_app_server(const struct mcti_app *app, const char *word, const char **ret_rest)
{
    const struct mcti_config_server *best = NULL;
    size_t best_len = 0;
    for (size_t i = 0; i < app->inst.config.n_servers; i++) {
        const struct mcti_config_server *s = &app->inst.config.servers[i];
        size_t n = strlen(s->name);
        if (n >= best_len && !strncmp(word, s->name, n) && (!word[n] || word[n] == '.')) {
            best = s;
            best_len = n;
        }
    }
    if (best && ret_rest)
        *ret_rest = word[best_len] ? word + best_len + 1 : word + best_len;
    return best;
}

/* ---- servers ---- */

static int check_servers(const struct mcti_app *app, struct mct_error *err)
{
    for (size_t i = 0; i < app->opt.servers.n; i++)
        if (!mcti_registry_find(&app->inst.registry, mcti_str_of(app->opt.servers.v[i])))
            return mcti_fail(err, MCT_ERR_USAGE, "--server %s: no such server is configured", app->opt.servers.v[i]);
    return 0;
}

static const char *app_variable(const char *name)
{
    return getenv(name);
}

int mcti_app_open(struct mcti_app *app, const char *only, bool restart, struct mct_error *err)
{
    bool serves = app->command->serves;
    mcti_signals_watch(app);
    if (mcti_app_open_events(app, err) < 0)
        return -1;
    if (!serves && mcti_answers_new(app, &app->answers, err) < 0)
        return -1;
    app->forwarder = mcti_instance_forwarder(&app->inst);
    const struct mcti_connect_opts opts = {
        .answerer = serves ? &app->forwarder : mcti_answers_answerer(app->answers),
        .roots = &app->opt.roots,
        .names = &app->opt.servers,
        .only = only,
        .attach = mcti_running_attach(app, only),
        .hooking = serves            ? MCTI_HOOKS_OF_STARTED
                   : app->with_hooks ? MCTI_HOOKS_OF_ALL
                                     : MCTI_NO_HOOKS,
        .restart = restart,
        .quick_stop = !restart,
        .demo = app->demo,
        .unvetted = app->unvetted,
        .traces = serves || app->with_hooks,
        .variable = app_variable,
    };
    if (mcti_instance_connect(&app->inst, &opts, err) < 0 || check_servers(app, err) < 0)
        return -1;
    return serves ? 0 : mcti_instance_open_view(&app->inst, app->as_served, err); /* clients have views of their own */
}

/* Runs when all servers have ended and no question or event can follow. */
static void app_on_hub_freed(void *data)
{
    struct mcti_app *app = data;
    mcti_answers_free(app->answers);
    mcti_app_close_events(app);
    mcti_signals_unwatch(app);
}

void mcti_app_close(struct mcti_app *app)
{
    unsigned drain_ms = app->command && app->command->serves ? app->inst.config.drain_ms : 0;
    const struct mcti_stop_opts opts = { .hooks_ms = app->interrupted ? drain_ms : MCTI_HOOKS_TO_THEIR_END,
                                         .hub_freed = app_on_hub_freed,
                                         .data = app };
    mcti_instance_stop(&app->inst, &opts);
    while (!mcti_instance_step(&app->inst))
        uv_run(&app->inst.loop.uv, UV_RUN_ONCE);
    mcti_instance_done(&app->inst);
    mcti_running_free(app->running);
    struct mcti_strings *const lists[] = { &app->opt.config_files, &app->opt.servers, &app->opt.roots,
                                           &app->opt.subscribe,    &app->opt.headers, &app->opt.env,
                                           &app->opt.values };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        mcti_strings_clear(lists[i]);
    free(app->socket_address);
    free(app->url_word);
}
