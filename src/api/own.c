/* The program's own tools, resources and prompts, which one provider publishes, and its hooks. */
#include "api/impl.h"

#include <stdio.h>
#include <stdlib.h>

int mcti_api_name_own(struct mct_instance *a, const struct mcti_config *more)
{
    char name[32] = "local";
    struct mcti_text **former = realloc(a->own_names, (a->n_own_names + 1) * sizeof(struct mcti_text *));
    if (!former)
        return -1;
    a->own_names = former;
    for (unsigned n = 2;
         mcti_config_find(&a->inst.config, mcti_str_of(name)) || (more && mcti_config_find(more, mcti_str_of(name)));
         n++)
        snprintf(name, sizeof name, "local-%u", n);
    former[a->n_own_names++] = mcti_text_ref(a->own->label); /* an open question may refer to it */
    return mcti_provider_rename(a->own, name);
}

int mcti_api_present_own(struct mct_instance *a, struct mct_error *err)
{
    const char *info = a->server_info ? a->server_info : MCT_IMPLEMENTATION;
    return mcti_local_set_info(a->own, info, NULL) < 0 ? mcti_no_memory(err) : 0;
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
    p->bare = p->trusted = p->asks = true;
    p->answerer = &a->answerer;
    if (mcti_api_present_own(a, err) < 0)
        return NULL;
    mcti_local_set_timeout(p, a->inst.config.call_timeout_ms);
    if (a->prepared && mcti_api_name_own(a, NULL) < 0) {
        mcti_no_memory(err);
        return NULL;
    }
    if (a->phase == API_STARTED)
        mcti_registry_start_one(&a->inst.registry, p);
    return p;
}

/* Returns the provider of the program's own things, or NULL with *err if nothing can be added to it. */
static struct mcti_provider *provider_for(struct mct_instance *a, const void *def, const char *what,
                                          struct mct_error *err)
{
    if (a->phase > API_STARTED)
        mcti_fail(err, MCT_ERR_USAGE, "the instance is being closed");
    else if (!def)
        mcti_fail(err, MCT_ERR_USAGE, "the definition of the %s is NULL", what);
    else
        return own_provider(a, err);
    return NULL;
}

int mct_instance_add_tool(struct mct_instance *r, const struct mct_tool_def *def, struct mct_error *err)
{
    struct mcti_provider *own = provider_for(mcti_api_of(r), def, "tool", err);
    return own ? mcti_local_add_tool(own, def, MCT_STR_NONE, err) : -1;
}

int mct_instance_remove_tool(struct mct_instance *r, const char *name, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (a->own && name && mcti_local_remove(a->own, MCT_TOOL, name) == 0)
        return 0;
    return mcti_fail(err, MCT_ERR_NOT_FOUND, "the program has no tool '%s'", name ? name : "");
}

int mct_instance_add_resource(struct mct_instance *r, const struct mct_resource_def *def, struct mct_error *err)
{
    struct mcti_provider *own = provider_for(mcti_api_of(r), def, "resource", err);
    return own ? mcti_local_add_resource(own, def, err) : -1;
}

int mct_instance_remove_resource(struct mct_instance *r, const char *uri, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (a->own && uri && mcti_local_remove_resource(a->own, uri) == 0)
        return 0;
    return mcti_fail(err, MCT_ERR_NOT_FOUND, "the program has no resource '%s'", uri ? uri : "");
}

int mct_instance_resource_updated(struct mct_instance *r, const char *uri, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    return a->own && uri ? mcti_local_resource_updated(a->own, uri, err)
                         : mcti_fail(err, MCT_ERR_NOT_FOUND, "the program has no resource '%s'", uri ? uri : "");
}

int mct_instance_add_prompt(struct mct_instance *r, const struct mct_prompt_def *def, struct mct_error *err)
{
    struct mcti_provider *own = provider_for(mcti_api_of(r), def, "prompt", err);
    return own ? mcti_local_add_prompt(own, def, err) : -1;
}

int mct_instance_remove_prompt(struct mct_instance *r, const char *name, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (a->own && name && mcti_local_remove(a->own, MCT_PROMPT, name) == 0)
        return 0;
    return mcti_fail(err, MCT_ERR_NOT_FOUND, "the program has no prompt '%s'", name ? name : "");
}

int mct_instance_add_hook(struct mct_instance *r, const struct mct_hook_def *def, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (a->phase > API_STARTED)
        return mcti_fail(err, MCT_ERR_USAGE, "the instance is being closed");
    return def ? mcti_hooks_add(&a->inst.hooks, def, NULL, err)
               : mcti_fail(err, MCT_ERR_USAGE, "the definition of the hook is NULL");
}
