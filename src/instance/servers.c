/* Creates servers and hooks from the configuration. */
#include "instance/instance.h"

#include "config/connect/outside.h"
#include "config/connect/hook_command.h"
#include "hub/local/demo.h"
#include "instance/telemetry.h"
#include "instance/vetting.h"

#include <unistd.h>

enum { QUICK_EOF_MS = 300, QUICK_TERM_MS = 1000 };

static bool names_contain(const struct mcti_strings *names, const char *name)
{
    for (size_t i = 0; names && i < names->n; i++)
        if (!strcmp(names->v[i], name))
            return true;
    return !names || !names->n;
}

bool mcti_instance_selects(const struct mcti_instance *i, const char *name)
{
    return names_contain(i->names, name);
}

static bool server_may_hook(const struct mcti_config_server *s)
{
    return s->plugins.n || s->type == MCT_SERVER_PLUGIN;
}

static bool server_is_selected(const struct mcti_config_server *s, const struct mcti_connect_opts *o)
{
    return names_contain(o->names, s->name) && (!o->only || !strcmp(o->only, s->name));
}

static bool server_is_started(const struct mcti_config_server *s, const struct mcti_connect_opts *o)
{
    return s->enabled && (server_is_selected(s, o) || (o->hooking == MCTI_HOOKS_OF_ALL && server_may_hook(s)));
}

static bool server_is_attached(const struct mcti_config_server *s, const struct mcti_connect_opts *o)
{
    bool stateless;
    return o->attach && o->attach->has(o->attach->data, s->name, &stateless);
}

static void warn_of_hooks(const struct mcti_instance *i, const struct mcti_config_server *s)
{
    mcti_log(i->log, MCT_LOG_WARN, "server '%s' is not selected by --server: hooks of its plugins will not run",
             s->name);
}

static int add_configured(struct mcti_instance *i, const struct mcti_connect_opts *o)
{
    for (size_t k = 0; k < i->config.n_servers; k++) {
        const struct mcti_config_server *s = &i->config.servers[k];
        bool started = server_is_started(s, o);
        if (s->enabled && !started && server_may_hook(s) && o->hooking == MCTI_HOOKS_OF_STARTED)
            warn_of_hooks(i, s);
        if (started && mcti_connect_server(&i->config, s, &i->env, &i->registry) < 0)
            return -1;
    }
    return 0;
}

/* Starts the reaper, if any server is to be started. */
static int start_reaper(struct mcti_instance *i, const struct mcti_connect_opts *o, struct mct_error *err)
{
    bool any = false;
    for (size_t k = 0; k < i->config.n_servers; k++)
        any |= server_is_started(&i->config.servers[k], o) && !server_is_attached(&i->config.servers[k], o);
    return any ? mcti_instance_start_reaper(i, err) : 0;
}

int mcti_instance_start_reaper(struct mcti_instance *i, struct mct_error *err)
{
    if (i->env.reaper)
        return 0;
    if (mcti_reaper_start(&i->reaper, err) < 0)
        return -1;
    mcti_reaper_watch(&i->reaper, &i->loop);
    i->env.reaper = &i->reaper;
    return 0;
}

static int open_hooks(struct mcti_instance *i, struct mct_error *err)
{
    if (mcti_hook_hosts_open(&i->hook_hosts, &i->registry, &i->hooks, i->log) < 0)
        return mcti_no_memory(err);
    return mcti_config_open_hooks(&i->config, &i->env, &i->hooks, err);
}

int mcti_instance_connect(struct mcti_instance *i, const struct mcti_connect_opts *o, struct mct_error *err)
{
    i->names = o->names;
    i->env = (struct mcti_connect_env){ .loop = &i->loop,
                                        .log = i->log,
                                        .verdicts = &i->verdicts,
                                        .catalogue = &i->catalogue,
                                        .hooks = &i->hooks,
                                        .answerer = o->answerer,
                                        .asks_roots = o->asks_roots,
                                        .roots = o->roots,
                                        .restart = o->restart,
                                        .owner = o->owner,
                                        .attach = o->attach,
                                        .auth_store = i->config.auth_store,
                                        .stop_eof_ms = o->quick_stop ? QUICK_EOF_MS : 0,
                                        .stop_term_ms = o->quick_stop ? QUICK_TERM_MS : 0 };
    i->vet.is_off = o->unvetted;
    if (mcti_config_renew_outside(&i->config, &i->outside) < 0 || mcti_vetting_renew(i) < 0)
        return mcti_no_memory(err);
    if (start_reaper(i, o, err) < 0 || (o->traces && mcti_instance_open_telemetry(i, o->variable, err) < 0))
        return -1;
    int r = o->demo ? mcti_registry_add(&i->registry, mcti_provider_builtin_new("demo", &i->loop.sched, i->log))
                    : add_configured(i, o);
    if (r < 0)
        return mcti_no_memory(err);
    return o->hooking == MCTI_NO_HOOKS ? 0 : open_hooks(i, err);
}

void mcti_instance_start(struct mcti_instance *i)
{
    long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
    i->registry.max_starting = i->config.parallel_starts ? i->config.parallel_starts
                               : n_cpus > 0              ? 8 * (size_t)n_cpus
                                                         : 8;
    mcti_registry_start_all(&i->registry);
}
