/* Creation, configuration and start of an instance. */
#include "api/impl.h"

#include "config/import/import.h"

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

/* ---- creation ---- */

/* Reads the options of the program into a->choices and a->workspace. Returns -1 with *err. */
static int read_options(struct mct_instance *a, struct mct_error *err)
{
    struct mct_instance_opts *o = &a->opts;
    struct mcti_choices *c = &a->choices;
    *c = (struct mcti_choices){ .prefs.has_dialects = o->dialects != NULL,
                                .prefix = MCT_PREFIX_AUTO,
                                .read_only = o->read_only,
                                .stranger = o->stranger };
    if (o->mode && !mcti_prefs_mode(mcti_str_of(o->mode), &c->prefs.mode))
        return mcti_fail(err, MCT_ERR_USAGE, "mode '%s': must be " MCT_MODE_WORDS, o->mode);
    if (o->dialects && mcti_dialects_read(mcti_str_of(o->dialects), &c->prefs.dialects, err) < 0)
        return mcti_error_wrap(err, "dialects");
    if (o->prefix && mcti_prefix_find(mcti_str_of(o->prefix), &c->prefix) < 0)
        return mcti_fail(err, MCT_ERR_USAGE, "prefix '%s': must be auto, always, conflict or never", o->prefix);
    a->workspace = o->workspace_dir ? strdup(o->workspace_dir) : NULL;
    if (o->workspace_dir && !a->workspace)
        return mcti_no_memory(err);
    o->workspace_dir = o->mode = o->dialects = o->prefix = NULL; /* the program may free these texts */
    return 0;
}

static void api_start_on_wake(uv_async_t *async)
{
    (void)async; /* ends the turn, after which mct_instance_run() checks a->stopping */
}

void mcti_api_free(struct mct_instance *a)
{
    mcti_instance_done(&a->inst);
    mcti_api_auth_free(a->auth);
    free(a->workspace);
    free(a->address);
    free(a->server_info);
    free(a->instructions);
    free(a->reported);
    free(a->changed);
    while (a->n_own_names)
        mcti_text_unref(a->own_names[--a->n_own_names]);
    free(a->own_names);
    free(a);
}

static struct mct_instance *new_api(const struct mct_instance_opts *opts, struct mct_error *err)
{
    struct mct_instance *a = calloc(1, sizeof *a);
    if (!a) {
        mcti_no_memory(err);
        return NULL;
    }
    if (mcti_sized_copy(&a->opts, sizeof a->opts, opts, "struct mct_instance_opts", err) == 0) {
        a->log = (struct mcti_log){ .level = a->opts.log_level, .write = a->opts.log, .data = a->opts.data };
        if (read_options(a, err) == 0 && mcti_instance_init(&a->inst, &a->log, err) == 0)
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
    a->inst.loop.outside = true;
    uv_async_init(&a->inst.loop.uv, &a->wake, api_start_on_wake);
    uv_unref((uv_handle_t *)&a->wake);
    mcti_list_init(&a->requests);
    mcti_list_init(&a->questions);
    mcti_list_init(&a->tokens);
    mcti_list_init(&a->subs);
    mcti_api_watch_init(a);
    mcti_api_report_changes(a);
    return a;
}

/* ---- configuration ---- */

/* Returns the configuration to read into: that of the instance or, once its servers exist, `later`. Returns NULL with
 * *err if the instance is being closed. */
static struct mcti_config *load_begin(struct mct_instance *a, struct mcti_config *later, struct mct_error *err)
{
    if (a->phase > API_STARTED) {
        mcti_fail(err, MCT_ERR_USAGE, "the instance is being closed");
        return NULL;
    }
    mcti_config_init(later);
    return a->prepared ? later : &a->inst.config;
}

/* Ends loading; `r` is the result so far. Servers of `later` are added, its settings are ignored. */
static int load_end(struct mct_instance *a, struct mcti_config *later, int r, struct mct_error *err)
{
    if (r == 0 && !a->prepared)
        r = mcti_instance_check(&a->inst, err);
    else if (r == 0 && later->broken)
        r = mcti_fail(err, MCT_ERR_CONFIG, "the configuration cannot be used: %s",
                      later->problems[later->broken_at].text);
    else if (r == 0)
        r = mcti_api_add_servers(a, later, err);
    if (r == 0 && later->settings_file)
        mcti_log(&a->log, MCT_LOG_WARN, "%s: \"mcptools\" is ignored: settings are loaded before the start",
                 later->settings_file);
    mcti_config_done(later);
    return r;
}

/* These functions fail if the whole configuration is unusable. Mistakes in single entries are logged at the start. */

int mct_instance_load(struct mct_instance *r, struct mct_error *err)
{
    struct mcti_config later, *c = load_begin(mcti_api_of(r), &later, err);
    if (!c)
        return -1;
    mcti_config_discover(c);
    return load_end(mcti_api_of(r), &later, 0, err);
}

int mct_instance_load_file(struct mct_instance *r, const char *path, struct mct_error *err)
{
    struct mcti_config later, *c;
    if (!path)
        return mcti_fail(err, MCT_ERR_USAGE, "the name of the file is NULL");
    c = load_begin(mcti_api_of(r), &later, err);
    return c ? load_end(mcti_api_of(r), &later, mcti_config_read_file(c, path, err), err) : -1;
}

int mct_instance_load_text(struct mct_instance *r, const char *text, struct mct_error *err)
{
    struct mcti_config later, *c;
    if (!text)
        return mcti_fail(err, MCT_ERR_USAGE, "the text is NULL");
    c = load_begin(mcti_api_of(r), &later, err);
    if (!c)
        return -1;
    mcti_config_read(c, "(text)", text, strlen(text));
    return load_end(mcti_api_of(r), &later, 0, err);
}

/* ---- questions of servers ---- */

static bool answers_roots(const struct mct_instance *a)
{
    return a->workspace || a->opts.roots;
}

static void api_start_set_answerer(struct mct_instance *a)
{
    const struct mct_instance_opts *o = &a->opts;
    a->answerer = (struct mcti_answerer){ 0 };
    if (a->serves) /* clients can answer all questions that come up in their calls */
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

static int api_start_prepare(struct mct_instance *a, struct mct_error *err)
{
    const struct mcti_connect_opts opts = { .answerer = &a->answerer,
                                            .asks_roots = answers_roots(a),
                                            .hooking = MCTI_HOOKS_OF_STARTED,
                                            .owner = mcti_api_auth_owner(a),
                                            .restart = !a->opts.no_restart,
                                            .traces = true };
    api_start_set_answerer(a);
    if (a->own && mcti_api_name_own(a, NULL) < 0)
        return mcti_no_memory(err);
    if (mcti_instance_configure(&a->inst, &a->choices, err) < 0)
        return -1;
    if (a->own)
        mcti_local_set_timeout(a->own, a->inst.config.call_timeout_ms);
    return mcti_instance_connect(&a->inst, &opts, err);
}

/* A failed preparation is not repeated: it may have stopped before the policy was in force. */
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
        return mcti_fail(err, MCT_ERR_USAGE, "the instance is already started or is being closed");
    if (mcti_api_prepare(a, err) < 0 || mcti_instance_open_view(&a->inst, true, err) < 0)
        return -1;
    a->phase = API_STARTED;
    mcti_instance_start(&a->inst);
    return 0;
}

int mct_instance_set_workspace(struct mct_instance *r, const char *dir, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    char *copy = dir ? strdup(dir) : NULL;
    if (!copy)
        return dir ? mcti_no_memory(err) : mcti_fail(err, MCT_ERR_USAGE, "the folder is NULL");
    if (a->phase != API_OPEN && !a->workspace) {
        free(copy);
        return mcti_fail(err, MCT_ERR_USAGE,
                         "the instance was started without a workspace: set the first one before "
                         "mct_instance_start()");
    }
    free(a->workspace);
    a->workspace = copy;
    mct_instance_notify_roots(r);
    return 0;
}

void mct_instance_notify_roots(struct mct_instance *r)
{
    const struct mcti_registry *servers = &r->inst.registry;
    for (size_t i = 0; i < servers->n; i++)
        if (servers->v[i]->ops->roots_changed)
            servers->v[i]->ops->roots_changed(servers->v[i]);
}
