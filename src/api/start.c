/* An instance from its options to running servers. */
#include "api/impl.h"

#include <stdlib.h>

struct mct_instance *mcti_api_of(const struct mct_instance *r)
{
    return (struct mct_instance *)r;
}

const char *mct_version(void)
{
    return MCT_VERSION;
}

void mct_free(void *p)
{
    free(p);
}

/* ---- the beginning ---- */

/* What the program wants of it that is not the configuration's to say. */
static int read_options(struct mct_instance *a, struct mct_error *err)
{
    struct mct_instance_opts *o = &a->opts;
    a->naming.prefix = MCT_PREFIX_ALWAYS;
    a->prefs.has_dialects = o->dialects != NULL;
    if (o->mode && !mcti_prefs_mode(mcti_str_of(o->mode), &a->prefs.mode))
        return mcti_fail(err, MCT_ERR_USAGE, "mode '%s': must be " MCT_MODE_WORDS, o->mode);
    if (o->dialects && mcti_dialects_read(mcti_str_of(o->dialects), &a->prefs.dialects, err) < 0)
        return mcti_error_wrap(err, "dialects");
    if (o->prefix && mcti_prefix_find(mcti_str_of(o->prefix), &a->naming.prefix) < 0)
        return mcti_fail(err, MCT_ERR_USAGE, "prefix '%s': must be always, conflict or never", o->prefix);
    a->workspace = o->workspace_dir ? strdup(o->workspace_dir) : NULL;
    if (o->workspace_dir && !a->workspace)
        return mcti_no_memory(err);
    o->workspace_dir = o->mode = o->dialects = o->prefix = NULL; /* the program's own; they are read */
    return 0;
}

static void api_start_on_wake(uv_async_t *async)
{
    (void)async; /* the turn is over: that was the purpose */
}

void mcti_api_free(struct mct_instance *a)
{
    mcti_config_done(&a->config);
    free(a->workspace);
    free(a->address);
    free(a->told);
    free(a);
}

static struct mct_instance *new_api(const struct mct_instance_opts *opts, struct mct_error *err)
{
    struct mct_instance *a = calloc(1, sizeof *a);
    if (!a) {
        mcti_no_memory(err);
        return NULL;
    }
    mcti_config_init(&a->config);
    if (mcti_sized_copy(&a->opts, sizeof a->opts, opts, "struct mct_instance_opts", err) == 0) {
        a->log = (struct mcti_log){ .level = a->opts.log_level, .write = a->opts.log, .data = a->opts.data };
        if (read_options(a, err) == 0 && mcti_loop_init(&a->loop, &a->log, err) == 0)
            return a;
    }
    mcti_api_free(a);
    return NULL;
}

struct mct_instance *mct_instance_new(const struct mct_instance_opts *opts, struct mct_error *err)
{
    struct mct_instance *a = new_api(opts, err);
    if (!a)
        return NULL;
    a->loop.outside = true;
    a->reaper.fd = -1;
    uv_async_init(&a->loop.uv, &a->wake, api_start_on_wake);
    uv_unref((uv_handle_t *)&a->wake);
    mcti_events_init(&a->events);
    mcti_hooks_init(&a->hooks, &a->loop.sched, &a->log);
    mcti_verdicts_init(&a->verdicts);
    mcti_registry_init(&a->registry, &a->loop.sched);
    mcti_list_init(&a->requests);
    mcti_list_init(&a->questions);
    mcti_list_init(&a->tokens);
    mcti_api_tell_changes(a);
    return a;
}

/* ---- what is in it ---- */

static int may_load(const struct mct_instance *a, struct mct_error *err)
{
    return !a->prepared && a->phase == API_OPEN
               ? 0
               : mcti_fail(err, MCT_ERR_USAGE, "servers are loaded before the registry is served or started");
}

/* Mistakes that cost single entries are logged when it is started; one that costs all is told here. */
static int check_whole(const struct mct_instance *a, struct mct_error *err)
{
    return !a->config.broken ? 0
                             : mcti_fail(err, MCT_ERR_CONFIG, "the configuration cannot be used: %s",
                                         a->config.problems[a->config.broken_at].text);
}

int mct_instance_load(struct mct_instance *r, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (may_load(a, err) < 0)
        return -1;
    mcti_config_discover(&a->config);
    return check_whole(a, err);
}

int mct_instance_load_file(struct mct_instance *r, const char *path, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (!path)
        return mcti_fail(err, MCT_ERR_USAGE, "no file is named");
    if (may_load(a, err) < 0 || mcti_config_read_file(&a->config, path, err) < 0)
        return -1;
    return check_whole(a, err);
}

int mct_instance_load_text(struct mct_instance *r, const char *text, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (!text || may_load(a, err) < 0)
        return text ? -1 : mcti_fail(err, MCT_ERR_USAGE, "there is no text");
    mcti_config_read(&a->config, "(text)", text, strlen(text));
    return check_whole(a, err);
}

/* ---- what servers may ask ---- */

static bool answers_roots(const struct mct_instance *a)
{
    return a->workspace || a->opts.roots;
}

static void api_start_set_answerer(struct mct_instance *a)
{
    const struct mct_instance_opts *o = &a->opts;
    a->answerer = (struct mcti_answerer){ 0 };
    if (a->has_gateway) /* its clients may be asked anything, in their calls */
        a->answerer = mcti_gateway_answerer;
    a->answerer.form |= o->elicit != NULL;
    a->answerer.url |= o->elicit_url != NULL;
    a->answerer.sampling |= o->sampling != NULL;
    a->answerer.sampling_tools = a->answerer.sampling_context = a->answerer.sampling;
    a->answerer.ask_roots |= answers_roots(a);
    a->answerer.roots_change |= answers_roots(a);
    a->answerer.ask = mcti_api_ask;
    a->answerer.withdraw = mcti_api_withdraw;
    a->answerer.data = a;
}

/* ---- servers ---- */

static int read_configuration(struct mct_instance *a, struct mct_error *err)
{
    struct mcti_config *c = &a->config;
    a->offer = mcti_prefs_offer(&c->prefs, &a->offer);
    a->offer = mcti_prefs_offer(&a->prefs, &a->offer);
    mcti_config_check(c, &a->offer);
    if (mcti_config_make_rules(c) < 0)
        return mcti_no_memory(err);
    for (size_t i = 0; i < c->n_problems; i++)
        mcti_log(&a->log, c->problems[i].fatal ? MCT_LOG_ERROR : MCT_LOG_WARN, "%s", c->problems[i].text);
    if (check_whole(a, err) < 0)
        return -1;
    c->read_only |= a->opts.read_only;
    a->offer.ruled = mcti_config_ruled(c);
    a->offer.ruled.stranger |= a->opts.stranger;
    a->naming = mcti_config_naming(c, a->naming.prefix);
    a->dialect = mcti_config_dialect(c);
    a->policy = mcti_config_policy(c);
    return 0;
}

static int add_servers(struct mct_instance *a, struct mct_error *err)
{
    bool any = false;
    for (size_t i = 0; i < a->config.n_servers; i++)
        any |= a->config.servers[i].enabled;
    if (any && mcti_reaper_start(&a->reaper, err) < 0)
        return -1;
    mcti_reaper_watch(&a->reaper, &a->loop);
    a->env = (struct mcti_connect_env){ .loop = &a->loop,
                                        .reaper = any ? &a->reaper : NULL,
                                        .log = &a->log,
                                        .verdicts = &a->verdicts,
                                        .hooks = &a->hooks,
                                        .answerer = &a->answerer,
                                        .roots_from_answerer = answers_roots(a),
                                        .restart = !a->opts.no_restart };
    for (size_t i = 0; i < a->config.n_servers; i++)
        if (a->config.servers[i].enabled &&
            mcti_connect_server(&a->config, &a->config.servers[i], &a->env, &a->registry) < 0)
            return mcti_no_memory(err);
    if (mcti_hook_hosts_open(&a->hook_hosts, &a->registry, &a->hooks, &a->log) < 0)
        return mcti_no_memory(err);
    return mcti_config_open_hooks(&a->config, &a->env, &a->hooks, err);
}

static int api_start_open_view(struct mct_instance *a, struct mct_error *err)
{
    const struct mcti_view_opts view = { .naming = &a->naming,
                                         .preferred = a->config.preferred,
                                         .ruled = a->offer.ruled };
    if (mcti_view_init(&a->view, &a->registry, &view) < 0 ||
        mcti_dialects_attach(&a->view, &a->offer, &a->dialect, NULL, &a->log) < 0)
        return mcti_no_memory(err);
    a->reach = (struct mcti_reach){ .view = &a->view,
                                    .uri_allow = a->dialect.uri_allow,
                                    .n_uri_allow = a->dialect.n_uri_allow,
                                    .settle_ms = a->dialect.settle_ms };
    return 0;
}

static int api_start_prepare(struct mct_instance *a, struct mct_error *err)
{
    api_start_set_answerer(a);
    if (a->own && mcti_api_name_own(a) < 0)
        return mcti_no_memory(err);
    if (read_configuration(a, err) < 0)
        return -1;
    if (a->own)
        mcti_local_set_timeout(a->own, a->config.call_timeout_ms);
    return add_servers(a, err);
}

/* What failed half-way is not tried again: policy may not have been read yet. */
int mcti_api_prepare(struct mct_instance *a, struct mct_error *err)
{
    if (!a->prepared && api_start_prepare(a, &a->failure) == 0)
        a->failure.kind = MCT_ERR_NONE;
    a->prepared = true;
    if (a->failure.kind && err)
        *err = a->failure;
    return a->failure.kind ? -1 : 0;
}

int mct_instance_start(struct mct_instance *r, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (a->phase != API_OPEN)
        return mcti_fail(err, MCT_ERR_USAGE, "the registry has been started already, or is being closed");
    if (mcti_api_prepare(a, err) < 0 || api_start_open_view(a, err) < 0)
        return -1;
    a->has_view = true;
    a->phase = API_STARTED;
    mcti_registry_start_all(&a->registry);
    return 0;
}

int mct_instance_set_workspace(struct mct_instance *r, const char *dir, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    char *copy = dir ? strdup(dir) : NULL;
    if (!copy)
        return mcti_fail(err, dir ? MCT_ERR_INTERNAL : MCT_ERR_USAGE, dir ? "out of memory" : "a folder is needed");
    if (a->phase != API_OPEN && !a->workspace) {
        free(copy);
        return mcti_fail(err, MCT_ERR_USAGE,
                         "servers have not been told that there is a workspace: set one before the "
                         "registry is started");
    }
    free(a->workspace);
    a->workspace = copy;
    mct_instance_roots_changed(r);
    return 0;
}

void mct_instance_roots_changed(struct mct_instance *r)
{
    for (size_t i = 0; i < mcti_api_of(r)->registry.n; i++)
        if (mcti_api_of(r)->registry.v[i]->ops->roots_changed)
            mcti_api_of(r)->registry.v[i]->ops->roots_changed(mcti_api_of(r)->registry.v[i]);
}
