#include "instance/change.h"

bool mcti_change_has_plugins(const struct mcti_config_server *s)
{
    return s->plugins.n || s->type == MCT_SERVER_PLUGIN || s->type == MCT_SERVER_OPENCLAW;
}

static bool is_new(const struct mcti_instance *i, const struct mcti_config_server *s)
{
    return !mcti_config_find(&i->config, mcti_str_of(s->name));
}

/* Hooks of plugins are put in order when the instance opens, and a plugin cannot be unloaded. */
static int check_kinds(const struct mcti_instance *i, const struct mcti_config *from, struct mct_error *err)
{
    for (size_t k = 0; k < from->n_servers; k++)
        if (is_new(i, &from->servers[k]) && mcti_change_has_plugins(&from->servers[k]))
            return mcti_fail(err, MCT_ERR_UNSUPPORTED,
                             "server '%s' has plugins: add it before the instance is served or started",
                             from->servers[k].name);
    return 0;
}

/* A bare name means a tool of the server as long as it is the only one. */
void mcti_change_update_only_one(struct mcti_registry *r)
{
    size_t n = 0;
    for (size_t k = 0; k < r->n; k++)
        n += !r->v[k]->bare;
    for (size_t k = 0; k < r->n; k++)
        r->v[k]->only_one = n == 1;
}

static int change_add(struct mcti_instance *i, struct mcti_config_server *take_s, bool start, struct mct_error *err)
{
    const struct mcti_config_server *s = mcti_config_move_server(&i->config, take_s);
    if (!s)
        return mcti_no_memory(err);
    if (!i->env.loop || !s->enabled)
        return 0;
    struct mcti_provider *p = mcti_connect_make(&i->config, s, &i->env, &i->registry);
    if (!p || (start ? mcti_registry_join(&i->registry, p) : mcti_registry_add(&i->registry, p)) < 0) {
        mcti_config_remove_server(&i->config, s->name);
        return mcti_no_memory(err);
    }
    mcti_change_update_only_one(&i->registry);
    return 0;
}

int mcti_instance_add_servers(struct mcti_instance *i, struct mcti_config *from, bool start, struct mct_error *err)
{
    if (i->env.loop && (check_kinds(i, from, err) < 0 || mcti_instance_start_reaper(i, err) < 0))
        return -1;
    for (size_t k = 0; k < from->n_problems; k++)
        mcti_log(i->log, from->problems[k].fatal ? MCT_LOG_ERROR : MCT_LOG_WARN, "%s", from->problems[k].text);
    for (size_t k = 0; k < from->n_servers; k++)
        if (is_new(i, &from->servers[k]) && change_add(i, &from->servers[k], start, err) < 0)
            return -1;
    return 0;
}

int mcti_instance_remove_server(struct mcti_instance *i, struct mcti_provider *p, struct mct_error *err)
{
    const struct mcti_config_server *s = mcti_config_find(&i->config, mcti_str_of(p->name));
    if (p->hosts_plugins || p->plugin || !s || mcti_change_has_plugins(s))
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "server '%s' has plugins, which stay until the end", p->name);
    if (mcti_registry_retire(&i->registry, p) < 0)
        return mcti_no_memory(err);
    mcti_config_remove_server(&i->config, p->name);
    mcti_change_update_only_one(&i->registry);
    return 0;
}
