/* What the program brings itself: its tools, in a server of their own, and its hooks. */
#include "api/impl.h"

#include <stdio.h>
#include <stdlib.h>

/* The program's own tools have a name that no server of the configuration has. -1 when out of memory. */
int api_name_own(struct api *a)
{
    char name[32] = "local";
    for (unsigned n = 2; mct_config_find(&a->inst.config, mct_str_of(name)); n++)
        snprintf(name, sizeof name, "local-%u", n);
    char *copy = strdup(name);
    if (copy) {
        free(a->own->name);
        a->own->name = copy;
    }
    return copy ? 0 : -1;
}

static struct mct_provider *own_provider(struct api *a, struct mct_error *err)
{
    if (a->own)
        return a->own;
    struct mct_provider *p = mct_provider_local_new("local", &a->inst.loop.sched, &a->log);
    if (!p || mct_registry_add(&a->inst.registry, p) < 0) {
        mct_no_memory(err);
        return NULL;
    }
    a->own = p;
    p->bare = p->trusted = true;
    mct_local_set_timeout(p, a->inst.config.call_timeout_ms);
    if (a->prepared && api_name_own(a) < 0) {
        mct_no_memory(err);
        return NULL;
    }
    if (a->phase == API_STARTED)
        mct_registry_start_one(&a->inst.registry, p);
    return p;
}

int mct_registry_add_tool(struct mct_registry *r, const struct mct_tool_def *def, struct mct_error *err)
{
    struct api *a = api_of(r);
    if (a->phase > API_STARTED)
        return mct_fail(err, MCT_ERR_USAGE, "the registry is being closed");
    struct mct_provider *own = def ? own_provider(a, err) : NULL;
    if (!def)
        return mct_fail(err, MCT_ERR_USAGE, "there is no definition of a tool");
    return own ? mct_local_add_tool(own, def, MCT_STR_NONE, err) : -1;
}

int mct_registry_remove_tool(struct mct_registry *r, const char *name)
{
    struct api *a = api_of(r);
    return a->own ? mct_local_remove(a->own, MCT_TOOL, name) : -1;
}

int mct_registry_add_hook(struct mct_registry *r, const struct mct_hook_def *def, struct mct_error *err)
{
    struct api *a = api_of(r);
    if (a->phase > API_STARTED)
        return mct_fail(err, MCT_ERR_USAGE, "the registry is being closed");
    return def ? mct_hooks_add(&a->inst.hooks, def, NULL, err) : mct_fail(err, MCT_ERR_USAGE, "there is no definition of a hook");
}
