/* The servers of a view that a URI may belong to. */
#include "hub/view/view.h"

#include "base/limits.h"
#include "hub/names/template.h"

static size_t add_once(struct mcti_provider **list, size_t n, size_t max, struct mcti_provider *p)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == p)
            return n;
    if (n < max)
        list[n++] = p;
    return n;
}

static bool has_template_for(const struct mcti_provider *p, struct mcti_str uri)
{
    for (size_t i = 0; i < p->items[MCT_TEMPLATE].n; i++)
        if (mcti_template_matches(mcti_item_id(p->items[MCT_TEMPLATE].v[i]), uri))
            return true;
    return false;
}

static bool may_have_resources(const struct mcti_provider *p)
{
    return mcti_server_can(&p->info, "resources", NULL);
}

static size_t view_owners(const struct mcti_view *v, struct mcti_str uri, struct mcti_provider **ret, size_t max)
{
    size_t n = 0;
    for (const struct mcti_app_uri *at = NULL; (at = mcti_app_uri_own(&v->apps, uri, at));)
        n = add_once(ret, n, max, at->provider);
    return n;
}

/* Finds the servers of a page: one if the URI has the form for clients, otherwise all that write it so. Another server
 * could answer with a page of its own. */
static size_t view_for_page(const struct mcti_view *v, struct mcti_str uri, struct mcti_provider **ret, size_t max)
{
    struct mcti_buf own;
    size_t n = 0;
    for (const struct mcti_app_uri *at = NULL; (at = mcti_app_uri_shown(&v->apps, uri, at));)
        n = add_once(ret, n, max, at->provider);
    if (!n)
        n = view_owners(v, uri, ret, max);
    mcti_buf_init(&own, MCT_LIMIT_URI_BYTES);
    struct mcti_provider *p = n ? NULL : mcti_app_uri_read(&v->apps, uri, &own);
    mcti_buf_done(&own);
    return p ? add_once(ret, n, max, p) : n;
}

size_t mcti_view_for_uri(struct mcti_view *v, struct mcti_str uri, struct mcti_provider **ret, size_t max,
                         size_t *ret_sure)
{
    const struct mcti_exposures *e = mcti_view_items(v, MCT_RESOURCE);
    size_t n = v->apps.n ? view_for_page(v, uri, ret, max) : 0, count = mcti_view_n_providers(v);
    if (n) {
        *ret_sure = n;
        return n;
    }
    for (const struct mcti_exposure *x = mcti_exposure_named(e, uri); x; x = mcti_exposure_next_named(e, x))
        n = add_once(ret, n, max, x->provider);
    for (size_t i = 0; i < count; i++)
        if (has_template_for(mcti_view_source(v, mcti_view_provider(v, i)), uri))
            n = add_once(ret, n, max, mcti_view_provider(v, i));
    *ret_sure = n;
    for (int pass = v->preferred ? 0 : 1; pass < 2; pass++) /* the preferred provider first */
        for (size_t i = 0; i < count; i++) {
            struct mcti_provider *p = mcti_view_provider(v, i);
            if (may_have_resources(mcti_view_source(v, p)) && (pass || !strcmp(p->name, v->preferred)))
                n = add_once(ret, n, max, p);
        }
    return n;
}
