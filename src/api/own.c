/* The program's own tools, which one provider publishes, and its hooks. */
#include "api/impl.h"

#include <stdio.h>
#include <stdlib.h>

int mcti_api_name_own(struct mct_instance *a)
{
    char name[32] = "local";
    for (unsigned n = 2; mcti_config_find(&a->inst.config, mcti_str_of(name)); n++)
        snprintf(name, sizeof name, "local-%u", n);
    char *copy = strdup(name);
    if (copy) {
        free(a->own->name);
        a->own->name = copy;
    }
    return copy ? 0 : -1;
}

static struct mcti_provider *own_provider(struct mct_instance *a, struct mct_error *err)
{
    if (a->own)
        return a->own;
    struct mcti_provider *p = mcti_provider_local_new("local", &a->inst.loop.sched, &a->log);
    if (!p || mcti_registry_add(&a->inst.registry, p) < 0) {
        mcti_no_memory(err);
        return NULL;
    }
    a->own = p;
    p->bare = p->trusted = true;
    mcti_local_set_timeout(p, a->inst.config.call_timeout_ms);
    if (a->prepared && mcti_api_name_own(a) < 0) {
        mcti_no_memory(err);
        return NULL;
    }
    if (a->phase == API_STARTED)
        mcti_registry_start_one(&a->inst.registry, p);
    return p;
}

int mct_instance_add_tool(struct mct_instance *r, const struct mct_tool_def *def, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (a->phase > API_STARTED)
        return mcti_fail(err, MCT_ERR_USAGE, "the instance is being closed");
    struct mcti_provider *own = def ? own_provider(a, err) : NULL;
    if (!def)
        return mcti_fail(err, MCT_ERR_USAGE, "the definition of the tool is NULL");
    return own ? mcti_local_add_tool(own, def, MCT_STR_NONE, err) : -1;
}

int mct_instance_remove_tool(struct mct_instance *r, const char *name, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (a->own && mcti_local_remove(a->own, MCT_TOOL, name) == 0)
        return 0;
    return mcti_fail(err, MCT_ERR_NOT_FOUND, "the program has no tool '%s'", name);
}

int mct_instance_add_hook(struct mct_instance *r, const struct mct_hook_def *def, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (a->phase > API_STARTED)
        return mcti_fail(err, MCT_ERR_USAGE, "the instance is being closed");
    return def ? mcti_hooks_add(&a->inst.hooks, def, NULL, err)
               : mcti_fail(err, MCT_ERR_USAGE, "the definition of the hook is NULL");
}
