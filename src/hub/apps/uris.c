#include "hub/apps/uris.h"

#include "base/limits.h"
#include "hub/names/template.h"
#include "mcp/apps/ui.h"

#include <stdlib.h>

enum { SCHEME = sizeof MCT_UI_SCHEME - 1, LABEL_BYTES = 1024 };

void mcti_app_uris_clear(struct mcti_app_uris *u)
{
    for (size_t i = 0; i < u->n; i++) {
        if (u->v[i].shown.p != u->v[i].own.p)
            free((char *)u->v[i].shown.p);
        free((char *)u->v[i].own.p);
    }
    free(u->v);
    free(u->changed);
    mcti_index_done(&u->by_own);
    mcti_index_done(&u->by_shown);
    *u = (struct mcti_app_uris){ .unique = u->unique };
}

/* ---- adding ---- */

static bool uris_have(const struct mcti_app_uris *u, const struct mcti_provider *p, struct mcti_str uri)
{
    for (const struct mcti_app_uri *at = NULL; (at = mcti_app_uri_own(u, uri, at));)
        if (at->provider == p)
            return true;
    return false;
}

static int uris_grow(struct mcti_app_uris *u)
{
    size_t cap = u->cap ? 2 * u->cap : 16;
    struct mcti_app_uri *v = realloc(u->v, cap * sizeof *v);
    if (!v)
        return -1;
    u->v = v;
    u->cap = cap;
    return 0;
}

int mcti_app_uris_add(struct mcti_app_uris *u, struct mcti_provider *p, struct mcti_str uri, bool is_template)
{
    if (!mcti_ui_is_uri(uri) || uri.len + LABEL_BYTES > MCT_LIMIT_URI_BYTES || uris_have(u, p, uri))
        return 0;
    if (u->n == u->cap && uris_grow(u) < 0)
        return -1;
    struct mcti_str own = { mcti_str_dup(uri), uri.len };
    if (!own.p)
        return -1;
    u->v[u->n] = (struct mcti_app_uri){ .provider = p, .own = own, .shown = own, .is_template = is_template };
    return mcti_index_put(&u->by_own, own, u->n++);
}

/* Adds the page that a tool names. */
static int uris_add_page(struct mcti_app_uris *u, struct mcti_provider *p, const struct mcti_item *tool)
{
    struct mcti_buf uri;
    mcti_buf_init(&uri, MCT_LIMIT_URI_BYTES);
    int r = mcti_json_unescape(mcti_ui_page_of(mcti_item_json(tool)), &uri) < 0 || !mcti_buf_ok(&uri)
                ? 0
                : mcti_app_uris_add(u, p, mcti_buf_str(&uri), false);
    mcti_buf_done(&uri);
    return r;
}

int mcti_app_uris_add_all(struct mcti_app_uris *u, struct mcti_provider *p, const struct mcti_provider *source)
{
    const struct mcti_items *tools = &source->items[MCT_TOOL], *resources = &source->items[MCT_RESOURCE];
    const struct mcti_items *templates = &source->items[MCT_TEMPLATE];
    int r = 0;
    for (size_t i = 0; r == 0 && i < tools->n; i++) {
        u->has_tools |= tools->v[i]->ui != 0;
        u->has_pages |= tools->v[i]->ui & MCT_UI_LINKED;
        if (tools->v[i]->ui & MCT_UI_LINKED)
            r = uris_add_page(u, p, tools->v[i]);
    }
    for (size_t i = 0; r == 0 && i < resources->n; i++)
        r = mcti_app_uris_add(u, p, mcti_item_id(resources->v[i]), false);
    for (size_t i = 0; r == 0 && i < templates->n; i++)
        r = mcti_app_uris_add(u, p, mcti_item_id(templates->v[i]), true);
    return r;
}

/* ---- forms ---- */

/* Writes ui://NAME/; other characters than those of names are escaped (RFC 3986 section 2.1). */
static void uris_put_label(struct mcti_buf *to, const struct mcti_provider *p)
{
    mcti_buf_addz(to, MCT_UI_SCHEME);
    for (const char *c = p->name; *c; c++) {
        bool plain =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("-._~", *c);
        if (plain)
            mcti_buf_addc(to, *c);
        else
            mcti_buf_printf(to, "%%%02X", (unsigned char)*c);
    }
    mcti_buf_addc(to, '/');
}

static bool uris_is_labelled(const struct mcti_app_uri *x)
{
    return x->shown.p != x->own.p;
}

/* Records that URIs of the server are shown differently. */
static int uris_note(struct mcti_app_uris *u, struct mcti_provider *p)
{
    if (mcti_app_uris_change(u, p))
        return 0;
    struct mcti_provider **v = realloc(u->changed, (u->n_changed + 1) * sizeof(struct mcti_provider *));
    if (!v)
        return -1;
    u->changed = v;
    u->changed[u->n_changed++] = p;
    return 0;
}

static int uris_label(struct mcti_app_uris *u, struct mcti_app_uri *x)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_URI_BYTES);
    uris_put_label(&b, x->provider);
    x->label_len = b.len;
    mcti_buf_add(&b, (struct mcti_str){ x->own.p + SCHEME, x->own.len - SCHEME });
    size_t len = b.len;
    char *shown = mcti_buf_take(&b);
    mcti_buf_done(&b);
    if (!shown)
        return -1;
    x->shown = (struct mcti_str){ shown, len };
    if (x->is_template && u->n_like < MCT_APP_TEMPLATES)
        u->like[u->n_like++] = (uint32_t)(x - u->v);
    return uris_note(u, x->provider);
}

static bool uris_is_shared(const struct mcti_app_uris *u, const struct mcti_app_uri *x)
{
    const struct mcti_app_uri *first = mcti_app_uri_own(u, x->own, NULL);
    return mcti_app_uri_own(u, x->own, first) != NULL;
}

/* Returns the entry without a label whose own URI is the one that `x` is shown under; NULL: none. */
static struct mcti_app_uri *uris_robbed(struct mcti_app_uris *u, const struct mcti_app_uri *x)
{
    for (const struct mcti_app_uri *at = NULL; (at = mcti_app_uri_own(u, x->shown, at));)
        if (!uris_is_labelled(at))
            return &u->v[at - u->v];
    return NULL;
}

/* Gives a label to an entry, and to the one whose own URI is taken by that, and so on. */
static int uris_part(struct mcti_app_uris *u, struct mcti_app_uri *x)
{
    for (; x; x = uris_robbed(u, x))
        if (uris_label(u, x) < 0)
            return -1;
    return 0;
}

/* Indexes the entries downwards, so that a lookup finds them in their order. */
static int uris_index(struct mcti_app_uris *u, struct mcti_index *index, bool by_own)
{
    mcti_index_done(index);
    if (mcti_index_reserve(index, u->n) < 0)
        return -1;
    for (size_t i = u->n; i-- > 0;)
        if (mcti_index_put(index, by_own ? u->v[i].own : u->v[i].shown, i) < 0)
            return -1;
    return 0;
}

int mcti_app_uris_settle(struct mcti_app_uris *u)
{
    if (!u->n)
        return 0;
    if (uris_index(u, &u->by_own, true) < 0)
        return -1;
    for (size_t i = 0; u->unique && i < u->n; i++)
        if (!uris_is_labelled(&u->v[i]) && uris_is_shared(u, &u->v[i]) && uris_part(u, &u->v[i]) < 0)
            return -1;
    return uris_index(u, &u->by_shown, false);
}

/* ---- looking up ---- */

const struct mcti_app_uri *mcti_app_uri_own(const struct mcti_app_uris *u, struct mcti_str uri,
                                            const struct mcti_app_uri *at)
{
    uint32_t i = at ? mcti_index_next(&u->by_own, (uint32_t)(at - u->v)) : mcti_index_first(&u->by_own, uri);
    while (i != MCT_INDEX_END && !mcti_str_eq(u->v[i].own, uri))
        i = mcti_index_next(&u->by_own, i);
    return i == MCT_INDEX_END ? NULL : &u->v[i];
}

const struct mcti_app_uri *mcti_app_uri_shown(const struct mcti_app_uris *u, struct mcti_str uri,
                                              const struct mcti_app_uri *at)
{
    uint32_t i = at ? mcti_index_next(&u->by_shown, (uint32_t)(at - u->v)) : mcti_index_first(&u->by_shown, uri);
    while (i != MCT_INDEX_END && !mcti_str_eq(u->v[i].shown, uri))
        i = mcti_index_next(&u->by_shown, i);
    return i == MCT_INDEX_END ? NULL : &u->v[i];
}

/* Returns the labelled template of the server that the URI matches; NULL: none. */
static const struct mcti_app_uri *uris_template_for(const struct mcti_app_uris *u, const struct mcti_provider *p,
                                                    struct mcti_str uri)
{
    for (size_t i = 0; i < u->n_like; i++) {
        const struct mcti_app_uri *x = &u->v[u->like[i]];
        if (x->provider == p && mcti_template_matches(x->own, uri))
            return x;
    }
    return NULL;
}

struct mcti_str mcti_app_uri_listed(const struct mcti_app_uris *u, const struct mcti_provider *p, struct mcti_str uri)
{
    for (const struct mcti_app_uri *at = NULL; (at = mcti_app_uri_own(u, uri, at));)
        if (at->provider == p)
            return at->shown;
    return uri;
}

struct mcti_str mcti_app_uri_show(const struct mcti_app_uris *u, const struct mcti_provider *p, struct mcti_str uri,
                                  struct mcti_buf *scratch)
{
    if (!u->n_changed || !mcti_ui_is_uri(uri))
        return uri;
    struct mcti_str listed = mcti_app_uri_listed(u, p, uri);
    const struct mcti_app_uri *like = listed.p == uri.p ? uris_template_for(u, p, uri) : NULL;
    if (!like)
        return listed;
    mcti_buf_clear(scratch);
    mcti_buf_add(scratch, (struct mcti_str){ like->shown.p, like->label_len });
    mcti_buf_add(scratch, (struct mcti_str){ uri.p + SCHEME, uri.len - SCHEME });
    return mcti_buf_str(scratch);
}

/* Reads the form of a URI that matches a template. */
static struct mcti_provider *uris_read_like(const struct mcti_app_uris *u, struct mcti_str uri, struct mcti_buf *ret)
{
    for (size_t i = 0; i < u->n_like; i++) {
        const struct mcti_app_uri *x = &u->v[u->like[i]];
        if (!mcti_str_starts(uri, (struct mcti_str){ x->shown.p, x->label_len }))
            continue;
        mcti_buf_clear(ret);
        mcti_buf_addz(ret, MCT_UI_SCHEME);
        mcti_buf_add(ret, (struct mcti_str){ uri.p + x->label_len, uri.len - x->label_len });
        if (mcti_buf_ok(ret) && mcti_template_matches(x->own, mcti_buf_str(ret)))
            return x->provider;
    }
    return NULL;
}

struct mcti_provider *mcti_app_uri_read(const struct mcti_app_uris *u, struct mcti_str uri, struct mcti_buf *ret)
{
    if (!u->n || !mcti_ui_is_uri(uri))
        return NULL;
    const struct mcti_app_uri *x = mcti_app_uri_shown(u, uri, NULL);
    if (!x)
        return uris_read_like(u, uri, ret);
    mcti_buf_clear(ret);
    mcti_buf_add(ret, x->own);
    return mcti_buf_ok(ret) ? x->provider : NULL;
}

bool mcti_app_uris_change(const struct mcti_app_uris *u, const struct mcti_provider *p)
{
    for (size_t i = 0; i < u->n_changed; i++)
        if (u->changed[i] == p)
            return true;
    return false;
}
