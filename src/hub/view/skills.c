/* URIs of skills at an endpoint of several servers (skills/label.h). */
#include "hub/view/view.h"

#include "skills/label.h"

static bool view_has_several(const struct mcti_view *v)
{
    size_t n = 0;
    for (size_t i = 0; n < 2 && i < mcti_view_n_providers(v); i++)
        n += !mcti_view_provider(v, i)->bare;
    return n == 2;
}

bool mcti_view_labels_skills(const struct mcti_view *v, const struct mcti_provider *p)
{
    const struct mcti_provider *source = mcti_view_source(v, p);
    return source->info.skills && source->extensions != MCT_EXTENSIONS_NONE && !v->single && view_has_several(v);
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
