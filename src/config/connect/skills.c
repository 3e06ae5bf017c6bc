/* Entries of the type "skills": a folder whose skills mcptools serves itself. */
#include "config/connect/impl.h"

#include "config/expand/expand.h"
#include "hub/skills/provider.h"

#include <stdlib.h>

static struct mcti_provider *connect_skills_make(const struct mcti_config *c, const struct mcti_config_server *s,
                                                 struct mcti_connect_env *env, const struct mcti_registry *r)
{
    struct mct_error err = s->error;
    char *path = err.kind ? NULL : mcti_expand_from(s->plugin_path, s->file, &err);
    (void)c;
    if (path)
        err.kind = MCT_ERR_NONE;
    else if (!s->error.kind)
        mcti_error_wrap(&err, "path");
    struct mcti_provider *p = mcti_provider_skills_new(s->name, r->sched, env->log, path, &err);
    free(path);
    return p;
}

const struct mcti_connect_kind mcti_connect_skills = { .make = connect_skills_make };
