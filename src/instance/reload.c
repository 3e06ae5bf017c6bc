#include "instance/reload.h"

#include "clients/scan.h"
#include "instance/change.h"
#include "instance/replace.h"
#include "instance/same.h"
#include "instance/settings.h"
#include "instance/watch.h"

#include <stdlib.h>

struct mcti_reload {
    struct mcti_instance *instance;
    struct mcti_reload_opts opts;
    struct mcti_replacements replacements;
    struct mcti_config_watch *watch; /* NULL: the files are not watched */
    char *last;                      /* result of the last reload; NULL: none */
};

/* ---- reading ---- */

static bool knows_problem(const struct mcti_config *c, const char *text)
{
    for (size_t k = 0; k < c->n_problems; k++)
        if (!strcmp(c->problems[k].text, text))
            return true;
    return false;
}

/* Logs the problems of the new configuration that the current one does not have. */
static void log_new_problems(const struct mcti_instance *i, const struct mcti_config *fresh)
{
    for (size_t k = 0; k < fresh->n_problems; k++)
        if (!knows_problem(&i->config, fresh->problems[k].text))
            mcti_log(i->log, fresh->problems[k].fatal ? MCT_LOG_ERROR : MCT_LOG_WARN, "%s", fresh->problems[k].text);
}

/* Fails if files were read before and all are gone now: editors and tools replace files in several steps. */
static int reload_check_files(const struct mcti_instance *i, const struct mcti_config *fresh, struct mct_error *err)
{
    if (fresh->files.n || !i->config.files.n)
        return 0;
    return mcti_fail(err, MCT_ERR_CONFIG, "%s does not exist any more", i->config.files.v[0]);
}

/* Fails if a file in use is not trusted any more because it has changed: what runs was trusted and stays. A file whose
 * trust was revoked loses its servers, but not its settings, without which the gateway might allow more. */
static int reload_check_trust(const struct mcti_instance *i, const struct mcti_config *fresh, struct mct_error *err)
{
    for (size_t k = 0; k < fresh->n_distrusted; k++) {
        const struct mcti_config_distrust *now = &fresh->distrusted[k];
        const struct mcti_config *old = &i->config;
        struct mcti_buf text;
        if (!mcti_strings_has(&old->files, mcti_str_of(now->file)) || mcti_config_distrust_of(old, now->file))
            continue;
        if (now->trust == MCT_TRUST_NO && (!old->settings_file || strcmp(old->settings_file, now->file) != 0))
            continue;
        mcti_buf_init(&text, sizeof err->message);
        mcti_config_put_distrust(&text, now->file, now->trust, NULL);
        mcti_fail(err, MCT_ERR_POLICY, "%.*s", MCT_STR_ARG(mcti_buf_str(&text)));
        mcti_buf_done(&text);
        return -1;
    }
    return 0;
}

static int reload_read(struct mcti_reload *r, struct mcti_config *fresh, struct mct_error *err)
{
    struct mcti_instance *i = r->instance;
    unsigned long failures = mcti_memory_failures();
    if (r->opts.read(r->opts.data, fresh, err) < 0)
        return -1;
    if (mcti_memory_failures() != failures)
        return mcti_no_memory(err);
    if (fresh->broken)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s", fresh->problems[fresh->broken_at].text);
    if (reload_check_files(i, fresh, err) < 0)
        return -1;
    mcti_client_import(fresh);
    if (reload_check_trust(i, fresh, err) < 0)
        return -1;
    mcti_config_check(fresh, &i->offer);
    if (mcti_config_make_rules(fresh) < 0)
        return mcti_no_memory(err);
    mcti_instance_apply_choices(fresh, &r->opts.choices);
    return mcti_settings_prepare(i, fresh, err);
}

/* ---- what changes ---- */

enum step { KEEP, ADD, REMOVE, CHANGE };

/* A reload on its way: the result as text. */
struct reloading {
    struct mcti_reload *reload;
    struct mcti_config *old, *fresh;
    bool same_environment;
    struct mcti_buf text;
};

static void reloading_note(struct reloading *g, char sign, const char *name)
{
    mcti_buf_printf(&g->text, " %c%s", sign, name);
}

static void reload_on_kept(void *data, const char *key)
{
    const struct reloading *g = data;
    mcti_log(g->reload->instance->log, MCT_LOG_WARN, "mcptools.%s has changed: restart the gateway to apply that", key);
}

/* Leaves servers with plugins as they are: their hooks are put in order when the instance opens. */
static void keep_plugins(struct reloading *g, const char *name, const struct mcti_config_server *was,
                         const struct mcti_config_server *is)
{
    bool stays = was && was->enabled;
    if (stays && is && mcti_same_server(was, is))
        return;
    mcti_log(g->reload->instance->log, MCT_LOG_WARN,
             "server '%s' has plugins: restart the gateway to apply the change of its entry", name);
    if (is && stays)
        mcti_same_exchange(g->fresh, g->old, name);
    else if (is)
        mcti_config_remove_server(g->fresh, name);
    else
        mcti_config_move_server(g->fresh, mcti_config_find(g->old, mcti_str_of(name)));
}

static bool has_plugins(const struct mcti_config_server *s)
{
    return s && s->enabled && mcti_change_has_plugins(s);
}

static void keep_all_plugins(struct reloading *g)
{
    for (size_t k = 0; k < g->old->n_servers; k++) {
        const struct mcti_config_server *was = &g->old->servers[k];
        if (has_plugins(was))
            keep_plugins(g, was->name, was, mcti_config_find(g->fresh, mcti_str_of(was->name)));
    }
    for (size_t k = 0; k < g->fresh->n_servers; k++) {
        const struct mcti_config_server *is = &g->fresh->servers[k];
        const struct mcti_config_server *was = mcti_config_find(g->old, mcti_str_of(is->name));
        if (has_plugins(is) && !has_plugins(was))
            keep_plugins(g, is->name, was, is);
    }
}

static bool is_wanted(const struct mcti_instance *i, const struct mcti_config_server *s)
{
    return s && s->enabled && mcti_instance_selects(i, s->name);
}

static enum step step_for(const struct reloading *g, const struct mcti_config_server *is, const struct mcti_provider *p)
{
    const struct mcti_config_server *was = mcti_config_find(g->old, mcti_str_of(is->name));
    if (!is_wanted(g->reload->instance, is))
        return KEEP; /* a provider without a wanted entry is removed by remove_gone() */
    if (!p || !was)
        return p ? CHANGE : ADD;
    bool inherits = is->command && !g->same_environment;
    return mcti_same_server(was, is) && !inherits ? KEEP : CHANGE;
}

/* ---- applying ---- */

static void remove_gone(struct reloading *g)
{
    struct mcti_instance *i = g->reload->instance;
    for (size_t k = i->registry.n; k-- > 0;) {
        struct mcti_provider *p = i->registry.v[k];
        if (p->bare || is_wanted(i, mcti_config_find(&i->config, mcti_str_of(p->name))))
            continue;
        mcti_replacements_drop(&g->reload->replacements, p->name);
        if (mcti_registry_retire_later(&i->registry, p, mcti_replacements_drain_ms(i)) == 0)
            reloading_note(g, '-', p->name);
    }
}

static int reload_add(struct mcti_instance *i, const struct mcti_config_server *s)
{
    struct mcti_provider *p = mcti_connect_make(&i->config, s, &i->env, &i->registry);
    return p ? mcti_registry_join(&i->registry, p) : -1;
}

static void reload_take_step(struct reloading *g, const struct mcti_config_server *is)
{
    struct mcti_instance *i = g->reload->instance;
    struct mcti_provider *p = mcti_registry_find(&i->registry, mcti_str_of(is->name));
    enum step step = step_for(g, is, p);
    int r = step == ADD      ? reload_add(i, is)
            : step == CHANGE ? mcti_replacements_begin(&g->reload->replacements, is, p)
                             : 0;
    if (r < 0)
        mcti_log(i->log, MCT_LOG_ERROR, "server '%s': " MCT_NO_MEMORY_TEXT, is->name);
    else if (step == KEEP && p)
        mcti_connect_retime(&i->config, is, i->env.restart, p);
    else if (step != KEEP)
        reloading_note(g, step == ADD ? '+' : '~', is->name);
}

static size_t place_of(const void *data, const struct mcti_provider *p)
{
    const struct mcti_config *c = data;
    const struct mcti_config_server *s = mcti_config_find(c, mcti_str_of(p->name));
    return s && !p->bare ? (size_t)(s - c->servers) + 1 : 0;
}

static void apply_servers(struct reloading *g)
{
    struct mcti_instance *i = g->reload->instance;
    struct mct_error err;
    if (i->config.n_servers && mcti_instance_start_reaper(i, &err) < 0)
        mcti_log(i->log, MCT_LOG_ERROR, "%s", err.message);
    remove_gone(g);
    for (size_t k = 0; k < i->config.n_servers; k++)
        if (mcti_config_find(&i->config, mcti_str_of(i->config.servers[k].name)) == &i->config.servers[k])
            reload_take_step(g, &i->config.servers[k]);
    mcti_registry_sort(&i->registry, place_of, &i->config);
    mcti_change_update_only_one(&i->registry);
}

static void reload_tell(struct mcti_reload *r, struct mcti_buf *text)
{
    mcti_buf_addz(text, mcti_buf_last(text) == ':' ? " no server has changed" : "");
    char *told = mcti_buf_take(text);
    free(r->last);
    r->last = told;
    if (told && r->opts.told)
        r->opts.told(r->opts.data, told);
}

int mcti_instance_reload(struct mcti_instance *i, struct mct_error *err)
{
    struct mcti_reload *r = i->reload;
    struct mcti_config fresh;
    if (!r)
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "the configuration cannot be reloaded");
    if (i->ending.has_begun)
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "the gateway is ending");
    mcti_config_init(&fresh);
    struct reloading g = { .reload = r, .old = &i->config, .fresh = &fresh };
    if (reload_read(r, &fresh, err) < 0) {
        mcti_log(i->log, MCT_LOG_ERROR, "the configuration was not reloaded; the old one stays in use: %s",
                 err->message);
        mcti_config_done(&fresh);
        return -1;
    }
    log_new_problems(i, &fresh);
    g.same_environment = mcti_config_same_strings(&i->config.env_inherit, &fresh.env_inherit);
    mcti_same_keep(&fresh, &i->config, reload_on_kept, &g);
    keep_all_plugins(&g);
    struct mcti_config old = i->config;
    i->config = fresh;
    g.old = &old;
    g.fresh = &i->config;
    if (mcti_settings_apply(i, &old) < 0)
        mcti_log(i->log, MCT_LOG_ERROR, "the settings of mcptools could not be applied: " MCT_NO_MEMORY_TEXT);
    mcti_buf_init(&g.text, 1u << 20);
    mcti_buf_addz(&g.text, "configuration reloaded:");
    apply_servers(&g);
    mcti_config_done(&old);
    reload_tell(r, &g.text);
    return 0;
}

const char *mcti_reload_last(const struct mcti_instance *i)
{
    return i->reload ? i->reload->last : NULL;
}

/* ---- watching ---- */

static void reload_on_change(void *data)
{
    struct mct_error err;
    mcti_instance_reload(((struct mcti_reload *)data)->instance, &err);
}

/* Lists the files to watch: those that were read, and the places of others. */
static int reload_on_places(void *data, struct mcti_strings *to)
{
    const struct mcti_reload *r = data;
    const struct mcti_strings *files = &r->instance->config.files;
    for (size_t k = 0; k < files->n; k++)
        if (mcti_strings_add(to, mcti_str_of(files->v[k])) < 0)
            return -1;
    return r->opts.places(r->opts.data, to);
}

static const struct mcti_config_watch_ops reload_watch_ops = { reload_on_places, reload_on_change };

/* Watches the files as the configuration has it now. */
static int reload_watch(struct mcti_reload *r)
{
    if (!r->instance->config.watch) {
        mcti_config_watch_free(r->watch);
        r->watch = NULL;
        return 0;
    }
    mcti_config_watch_renew(r->watch);
    if (!r->watch)
        r->watch = mcti_config_watch_new(&r->instance->loop, &reload_watch_ops, r);
    return r->watch ? 0 : -1;
}

/* ---- life ---- */

int mcti_reload_open(struct mcti_instance *i, const struct mcti_reload_opts *o)
{
    struct mcti_reload *r = calloc(1, sizeof *r);
    if (!r)
        return -1;
    r->instance = i;
    r->opts = *o;
    mcti_replacements_init(&r->replacements, i);
    i->reload = r;
    return reload_watch(r);
}

void mcti_reload_close(struct mcti_instance *i)
{
    if (!i->reload)
        return;
    mcti_config_watch_free(i->reload->watch);
    i->reload->watch = NULL;
    mcti_replacements_drop(&i->reload->replacements, NULL);
}

void mcti_reload_free(struct mcti_instance *i)
{
    struct mcti_reload *r = i->reload;
    if (!r)
        return;
    free(r->last);
    free(r);
    i->reload = NULL;
}
