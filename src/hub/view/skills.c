/* URIs of skills at an endpoint of several servers (skills/label.h). */
#include "hub/view/view.h"

#include "skills/label.h"
#include "skills/skill.h"

static bool view_has_skills(const struct mcti_view *v, const struct mcti_provider *p)
{
    const struct mcti_provider *source = mcti_view_source(v, p);
    return source->extensions != MCT_EXTENSIONS_NONE && mcti_skills_declared(mcti_str_of(source->info.capabilities));
}

bool mcti_view_labels_skills(const struct mcti_view *v, const struct mcti_provider *p)
{
    return !v->single && mcti_view_n_servers(v) > 1 && view_has_skills(v, p);
}

size_t mcti_view_skill_servers(const struct mcti_view *v, struct mcti_provider **ret, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < mcti_view_n_providers(v) && n < max; i++)
        if (mcti_view_labels_skills(v, mcti_view_provider(v, i)))
            ret[n++] = mcti_view_provider(v, i);
    return n;
}

struct mcti_provider *mcti_view_skill_server(const struct mcti_view *v, struct mcti_str uri, struct mcti_buf *ret_own)
{
    for (size_t i = 0; mcti_skill_has_scheme(uri) && i < mcti_view_n_providers(v); i++) {
        struct mcti_provider *p = mcti_view_provider(v, i);
        if (mcti_view_labels_skills(v, p) && mcti_skill_put_unlabelled(ret_own, mcti_str_of(p->name), uri))
            return p;
    }
    return NULL;
}
