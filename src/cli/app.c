#include "cli/command.h"

#include "base/limits.h"
#include "cli/answers.h"
#include "config/connect/hook_command.h"
#include "hub/local/demo.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { QUICK_EOF_MS = 300, QUICK_TERM_MS = 1000 };

/* ---- configuration ---- */

static int configure_adhoc(struct mcti_app *app, struct mct_error *err)
{
    struct mcti_config_server *s = mcti_config_add_server(&app->config, app->opt.url ? "url" : "stdio");
    if (!s)
        return mcti_no_memory(err);
    if (app->opt.url) {
        s->url = strdup(app->opt.url);
        return s->url ? 0 : mcti_no_memory(err);
    }
    return mcti_config_split(app->opt.stdio, s, err) < 0 ? mcti_error_wrap(err, "--stdio") : 0;
}

static int read_files(struct mcti_app *app, struct mct_error *err)
{
    const struct mcti_strings *files = &app->opt.config_files;
    for (size_t i = 0; i < files->n; i++)
        if (mcti_config_read_file(&app->config, files->v[i], err) < 0)
            return -1;
    if (!files->n)
        mcti_config_discover(&app->config);
    return 0;
}

static void report_problems(const struct mcti_app *app)
{
    for (size_t i = 0; i < app->config.n_problems; i++)
        mcti_log(&app->log, app->config.problems[i].fatal ? MCT_LOG_ERROR : MCT_LOG_WARN, "%s",
                 app->config.problems[i].text);
}

static void apply_options(struct mcti_app *app)
{
    app->config.read_only |= app->opt.read_only;
    if (!app->opt.timeout_ms)
        return;
    app->config.call_timeout_ms = app->config.start_timeout_ms = app->opt.timeout_ms;
    for (size_t i = 0; i < app->config.n_servers; i++)
        app->config.servers[i].timeout_ms = app->config.servers[i].start_timeout_ms = 0;
}

/* --as: what the client with that token is offered. */
static int take_place_of(struct mcti_app *app, struct mct_error *err)
{
    for (size_t i = 0; i < app->config.n_tokens; i++) {
        if (strcmp(app->config.tokens[i].name, app->opt.as) != 0)
            continue;
        app->offer = mcti_prefs_offer(&app->config.tokens[i].prefs, &app->offer);
        return 0;
    }
    return mcti_fail(err, MCT_ERR_USAGE, "--as '%s': no token in serve.tokens has this name", app->opt.as);
}

int mcti_app_configure(struct mcti_app *app, struct mct_error *err)
{
    if ((mcti_app_is_adhoc(app) ? configure_adhoc(app, err) : read_files(app, err)) < 0)
        return -1;
    if (mcti_memory_failures())
        return mcti_no_memory(err); /* what is missing of the configuration, nobody knows */
    if (app->config.broken)
        return mcti_fail(err, MCT_ERR_CONFIG, "the configuration cannot be used: %s",
                         app->config.problems[app->config.broken_at].text);
    app->offer = mcti_prefs_offer(&app->config.prefs, &app->offer);
    app->offer = mcti_prefs_offer(&app->opt.prefs, &app->offer);
    mcti_config_check(&app->config, &app->offer);
    if (mcti_config_make_rules(&app->config) < 0)
        return mcti_no_memory(err);
    app->offer.ruled = mcti_config_ruled(&app->config);
    if (app->opt.as && take_place_of(app, err) < 0)
        return -1;
    report_problems(app);
    if (app->config.files.n && !app->config.n_servers)
        mcti_log(&app->log, MCT_LOG_WARN, "%s names no servers: \"mcpServers\" is empty or missing",
                 app->config.files.v[0]);
    apply_options(app);
    app->demo = app->config.files.n == 0 && app->config.n_servers == 0;
    return 0;
}

const struct mcti_config_server *mcti_app_server(const struct mcti_app *app, const char *word, const char **ret_rest)
{
    const struct mcti_config_server *best = NULL;
    size_t best_len = 0;
    for (size_t i = 0; i < app->config.n_servers; i++) {
        const struct mcti_config_server *s = &app->config.servers[i];
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

/* ---- the hub ---- */

/* A service has no terminal. Where there is one, its hangup ends the program, unless nohup said otherwise. */
static bool stays_at_hangup(const struct mcti_app *app)
{
    struct sigaction before;
    bool ignored = sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
    return ignored || (app->command->serves && !isatty(STDIN_FILENO) && !isatty(STDERR_FILENO));
}

/* A signal that is no interruption. */
static bool is_request(struct mcti_app *app, int signum)
{
    bool hangup = signum == SIGHUP && app->stays_at_hangup;
    if (!hangup && signum != SIGUSR1)
        return false;
    if (app->reopen)
        app->reopen(app->reopen_data);
    if (hangup)
        mcti_log(&app->log, MCT_LOG_WARN,
                 "SIGHUP: log files reopened. The configuration was not reloaded: restart the gateway to "
                 "apply changes");
    return true;
}

static void app_on_signal(uv_signal_t *handle, int signum)
{
    struct mcti_app *app = handle->data;
    if (is_request(app, signum))
        return;
    if (app->interrupted)
        exit(128 + signum); /* asked twice: the reaper ends the children */
    app->interrupted = signum;
    mcti_loop_stop(&app->loop);
}

static void watch_signals(struct mcti_app *app)
{
    const int numbers[MCT_N_SIGNALS] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };
    app->stays_at_hangup = stays_at_hangup(app);
    for (int i = 0; i < MCT_N_SIGNALS; i++) {
        uv_signal_init(&app->loop.uv, &app->signals[i]);
        app->signals[i].data = app;
        if (numbers[i] != SIGHUP || app->command->serves || !app->stays_at_hangup)
            uv_signal_start(&app->signals[i], app_on_signal, numbers[i]);
        uv_unref((uv_handle_t *)&app->signals[i]);
    }
}

/* serve --server NAME: the others are not even started. */
static bool is_wanted(const struct mcti_app *app, const char *name)
{
    for (size_t i = 0; i < app->opt.servers.n; i++)
        if (!strcmp(app->opt.servers.v[i], name))
            return true;
    return !app->opt.servers.n;
}

static int add_providers(struct mcti_app *app, const char *only)
{
    if (app->demo)
        return mcti_registry_add(&app->registry, mcti_provider_builtin_new("demo", &app->loop.sched, &app->log));
    for (size_t i = 0; i < app->config.n_servers; i++) {
        const struct mcti_config_server *s = &app->config.servers[i];
        bool may_hook = s->plugins.n || s->type == MCT_SERVER_PLUGIN;
        bool is_meant = is_wanted(app, s->name) && (!only || !strcmp(only, s->name));
        if (s->enabled && may_hook && !is_meant && app->command->serves)
            mcti_log(&app->log, MCT_LOG_WARN,
                     "server '%s' is not named by --server: hooks that its plugins may have are not run", s->name);
        if (!s->enabled || (!is_meant && !(may_hook && app->with_hooks)))
            continue;
        if (mcti_connect_server(&app->config, s, &app->env, &app->registry) < 0)
            return -1;
    }
    return 0;
}

static int check_servers(const struct mcti_app *app, struct mct_error *err)
{
    for (size_t i = 0; i < app->opt.servers.n; i++)
        if (!mcti_registry_find(&app->registry, mcti_str_of(app->opt.servers.v[i])))
            return mcti_fail(err, MCT_ERR_USAGE, "--server %s: no such server is configured", app->opt.servers.v[i]);
    return 0;
}

static int open_hooks(struct mcti_app *app, struct mct_error *err)
{
    if (!app->command->serves && !app->with_hooks)
        return 0;
    if (mcti_hook_hosts_open(&app->hook_hosts, &app->registry, &app->hooks, &app->log) < 0)
        return mcti_no_memory(err);
    return mcti_config_open_hooks(&app->config, &app->env, &app->hooks, err);
}

int mcti_app_open(struct mcti_app *app, const char *only, bool restart, struct mct_error *err)
{
    struct mcti_naming naming = mcti_config_naming(&app->config, app->opt.prefix);
    app->reaper.fd = -1;
    if (!app->demo && mcti_reaper_start(&app->reaper, err) < 0)
        return -1;
    if (mcti_loop_init(&app->loop, &app->log, err) < 0)
        return -1;
    app->loop_open = true;
    mcti_reaper_watch(&app->reaper, &app->loop);
    watch_signals(app);
    if (mcti_app_open_events(app, err) < 0)
        return -1;
    mcti_registry_init(&app->registry, &app->loop.sched);
    mcti_hooks_init(&app->hooks, &app->loop.sched, &app->log);
    app->hub_open = true;
    mcti_verdicts_init(&app->verdicts);
    if (!app->command->serves && mcti_answers_new(app, &app->answers, err) < 0)
        return -1;
    app->passes_on = mcti_gateway_answerer;
    app->passes_on.data = &app->gateway;
    app->env = (struct mcti_connect_env){ .loop = &app->loop,
                                          .reaper = &app->reaper,
                                          .log = &app->log,
                                          .verdicts = &app->verdicts,
                                          .hooks = &app->hooks,
                                          .roots = &app->opt.roots,
                                          .answerer = app->command->serves ? &app->passes_on
                                                                           : mcti_answers_answerer(app->answers),
                                          .restart = restart,
                                          .stop_eof_ms = restart ? 0 : QUICK_EOF_MS,
                                          .stop_term_ms = restart ? 0 : QUICK_TERM_MS };
    const struct mcti_dialect_opts dialect = mcti_config_dialect(&app->config);
    struct mcti_view_opts view = { .naming = &naming,
                                   .preferred = app->config.preferred,
                                   .only = (const char *const *)app->opt.servers.v,
                                   .n_only = app->opt.servers.n };
    struct mcti_offer offer = app->offer;
    if (app->as_served)
        view.ruled = offer.ruled;
    if (app->command->serves) /* its clients have views of their own */
        offer.dialects = 0;
    if (app->command->serves || !app->as_served)
        offer.alone = offer.search = false;
    if (add_providers(app, only) < 0)
        return mcti_no_memory(err);
    if (check_servers(app, err) < 0)
        return -1;
    if (mcti_view_init(&app->view, &app->registry, &view) < 0 ||
        mcti_dialects_attach(&app->view, &offer, &dialect, NULL, &app->log) < 0)
        return mcti_no_memory(err);
    return open_hooks(app, err);
}

struct settled {
    struct mcti_settle wait;
    bool done;
};

static void app_on_settled(struct mcti_settle *w)
{
    MCT_CONTAINER(w, struct settled, wait)->done = true;
}

/* A command does not wait for an answer that may never come because memory for it, or for the request, was short. */
static bool is_hopeless(const struct mcti_app *app)
{
    return !app->command->serves && mcti_memory_failures();
}

bool mcti_app_wait(struct mcti_app *app, const bool *flag)
{
    while (!*flag && !app->interrupted && !is_hopeless(app))
        uv_run(&app->loop.uv, UV_RUN_ONCE);
    return *flag;
}

int mcti_app_settle(struct mcti_app *app)
{
    struct settled s = { .wait.done = app_on_settled };
    mcti_registry_start_all(&app->registry);
    /* servers have their own deadlines; this one only bounds the sum of their steps */
    mcti_registry_wait(&app->registry, &s.wait, 4 * app->config.start_timeout_ms + MCT_PROBE_TIMEOUT_MS);
    bool done = mcti_app_wait(app, &s.done);
    mcti_settle_stop(&s.wait);
    return done ? 0 : -1;
}

static void app_set_flag(void *data)
{
    *(bool *)data = true;
}

void mcti_app_learn_hooks(struct mcti_app *app)
{
    while (app->hooks.n_unknown && !app->interrupted && !is_hopeless(app))
        uv_run(&app->loop.uv, UV_RUN_ONCE);
}

void mcti_app_let_hooks_end(struct mcti_app *app, unsigned max_ms)
{
    bool late = false;
    struct mcti_timer timer;
    mcti_timer_init(&timer, app_set_flag, &late);
    if (max_ms)
        mcti_timer_set(&app->loop.sched, &timer, max_ms);
    while (!mcti_hooks_idle(&app->hooks) && !app->interrupted && !late)
        uv_run(&app->loop.uv, UV_RUN_ONCE);
    mcti_timer_stop(&app->loop.sched, &timer);
}

void mcti_app_close(struct mcti_app *app)
{
    bool stopped = false;
    if (app->hub_open) {
        mcti_app_let_hooks_end(app, 0);
        mcti_hook_hosts_close(&app->hook_hosts);
        mcti_hooks_done(&app->hooks);
        mcti_registry_stop(&app->registry, app_set_flag, &stopped);
        while (!stopped)
            uv_run(&app->loop.uv, UV_RUN_ONCE);
        mcti_view_done(&app->view);
        mcti_registry_done(&app->registry);
        mcti_connect_done(&app->env);
        mcti_answers_free(app->answers);
        mcti_verdicts_done(&app->verdicts);
    }
    mcti_app_close_events(app);
    if (app->loop_open) {
        for (int i = 0; i < MCT_N_SIGNALS; i++)
            uv_close((uv_handle_t *)&app->signals[i], NULL);
        mcti_reaper_unwatch(&app->reaper);
        mcti_loop_done(&app->loop);
        mcti_reaper_stop(&app->reaper);
    }
    struct mcti_strings *const lists[] = { &app->opt.config_files, &app->opt.servers, &app->opt.roots,
                                           &app->opt.subscribe };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        mcti_strings_clear(lists[i]);
    free(app->url_word);
}

/* ---- one call ---- */

struct running {
    struct mcti_app *app;
    struct mcti_call call;
    bool done, blocked;
    char *result;
    struct mct_error err;
};

static void app_on_progress(struct mcti_call *call, struct mcti_str params)
{
    mcti_out_progress(MCT_CONTAINER(call, struct running, call)->app, params);
}

static void app_on_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct running *r = MCT_CONTAINER(call, struct running, call);
    struct mcti_str message;
    int64_t code;
    r->done = true;
    r->blocked = o->blocked;
    if (o->result.p) {
        r->result = mcti_str_dup(o->result);
    } else if (o->failed) {
        r->err = *o->failed;
    } else {
        mcti_msg_error_parts(o->error, &code, &message);
        char *text = mcti_json_dup(message);
        mcti_fail(&r->err, MCT_ERR_SERVER, "%s (code %lld)%s", text ? text : "the server refused", (long long)code,
                  code == MCT_RPC_MISSING_CAPABILITY ? "; --elicit, --sampling-command or --root say what it "
                                                       "may ask"
                                                     : "");
        r->err.code = (int)code;
        free(text);
    }
}

static int app_run_call(struct mcti_app *app, struct mcti_provider *p, struct running *r, char **ret_result,
                        struct mct_error *err)
{
    r->app = app;
    r->call.caller.rev = MCT_REV_LATEST;
    r->call.timeout_ms = app->opt.timeout_ms;
    r->call.interactive = true;
    r->call.events = &app->events;
    r->call.principal = MCT_STR("local");
    r->call.done = app_on_done;
    r->call.progress = app_on_progress;
    if (mcti_provider_call(p, &r->call, err) < 0)
        return mcti_error_exit_status(err->kind);
    bool done = mcti_app_wait(app, &r->done);
    mcti_out_progress_end(app);
    if (!done) {
        mcti_call_cancel(&r->call, "interrupted by the user");
        if (!app->interrupted)
            return mcti_no_memory(err), mcti_error_exit_status(err->kind);
        mcti_fail(err, MCT_ERR_CANCELLED, "interrupted");
        return 128 + app->interrupted;
    }
    if (!r->result) {
        *err = r->err;
        return mcti_error_exit_status(err->kind);
    }
    *ret_result = r->result;
    return r->blocked ? mcti_error_exit_status(MCT_ERR_POLICY) : 0;
}

int mcti_app_call(struct mcti_app *app, struct mcti_provider *p, enum mcti_verb verb, struct mcti_str params,
                  char **ret_result, struct mct_error *err)
{
    struct running r = { .call = { .verb = verb, .params = params } };
    return app_run_call(app, p, &r, ret_result, err);
}

int mcti_app_call_tool(struct mcti_app *app, struct mcti_view *view, const struct mcti_item *tool,
                       struct mcti_str params, char **ret_result, struct mct_error *err)
{
    struct running r = { .call = { .verb = MCT_VERB_TOOLS_CALL, .params = params } };
    const struct mcti_exposure *x = mcti_view_of_item(view, tool);
    struct mcti_hook_target hooks;
    if (!x) {
        mcti_fail(err, MCT_ERR_NOT_FOUND, "the tool is not there any more");
        return mcti_error_exit_status(err->kind);
    }
    if (mcti_hook_target(&app->hooks, view, x, &hooks)) {
        hooks.approver = mcti_answers_answerer(app->answers);
        r.call.hooks = &hooks;
    }
    return app_run_call(app, x->provider, &r, ret_result, err);
}
