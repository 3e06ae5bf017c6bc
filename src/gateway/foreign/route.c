#include "gateway/foreign/route.h"

#include "base/limits.h"
#include "skills/skill.h"

#include <stdlib.h>

/* ---- what servers declare ---- */

static struct mcti_str route_extensions(const struct mcti_provider *p)
{
    struct mcti_str all = mcti_json_get(mcti_str_of(p->info.capabilities), "extensions");
    return p->extensions == MCT_EXTENSIONS_NONE || mcti_json_type(all) != '{' ? MCT_STR("{}") : all;
}

bool mcti_gw_has_extensions(const struct mcti_view *v, const struct mcti_provider *p)
{
    struct mcti_str capabilities = mcti_str_of(mcti_view_source(v, p)->info.capabilities);
    struct mcti_buf declared;
    if (p->extensions == MCT_EXTENSIONS_NONE)
        return false;
    mcti_buf_init(&declared, capabilities.len + 64);
    mcti_extensions_put(&declared, capabilities, MCT_EXTENSIONS_SINGLE);
    bool any = declared.len;
    mcti_buf_done(&declared);
    return any;
}

/* Returns what is before the slash; absent: there is none. */
static struct mcti_str route_prefix(struct mcti_str name)
{
    const char *slash = name.len ? memchr(name.p, '/', name.len) : NULL;
    return slash ? mcti_str_range(name.p, slash) : MCT_STR_NONE;
}

/* Returns the prefix of the methods of an extension: the name of an official one; absent: it has no methods. */
static struct mcti_str route_of_extension(struct mcti_str id)
{
    static const struct mcti_str official = MCT_STR("io.modelcontextprotocol/");
    if (mcti_str_starts(id, official))
        return mcti_str_range(id.p + official.len, id.p + id.len);
    return route_prefix(id);
}

/* Returns whether the server declares an extension whose methods have this prefix. */
static bool route_declares(const struct mcti_provider *p, struct mcti_str prefix)
{
    struct mcti_json_member m;
    if (!prefix.p)
        return false;
    for (struct mcti_json_iter it = mcti_json_open(route_extensions(p)); mcti_json_next_member(&it, &m);) {
        struct mcti_str own = route_of_extension(m.key);
        if (own.p && mcti_str_eq(own, prefix) && mcti_extension_crosses(m.key, MCT_EXTENSIONS_SINGLE))
            return true;
    }
    return false;
}

bool mcti_gw_declares(const struct mcti_provider *p, struct mcti_str method)
{
    bool is_directory = mcti_str_is(method, "resources/directory/read"); /* of skills, in spite of its prefix */
    return route_declares(p, is_directory ? MCT_STR("skills") : route_prefix(method));
}

/* ---- one of several ---- */

enum { MOST = 64 };

/* The servers that a method can be for. */
struct route_choice {
    struct mcti_provider *server[MOST];
    size_t n;
};

static bool route_has(const struct route_choice *c, const struct mcti_provider *p)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->server[i] == p)
            return true;
    return false;
}

static struct mcti_provider *route_by_meta(const struct route_choice *c, struct mcti_str params)
{
    struct mcti_str named = mcti_json_get(mcti_json_get(params, "_meta"), MCT_META_SERVER);
    for (size_t i = 0; i < c->n; i++)
        if (mcti_json_is(named, c->server[i]->name))
            return c->server[i];
    return NULL;
}

static struct mcti_provider *route_by_uri(struct mcti_view *v, const struct route_choice *c, struct mcti_str params)
{
    struct mcti_provider *found[MOST], *only = NULL;
    struct mcti_buf uri;
    size_t sure = 0, n = 0;
    mcti_buf_init(&uri, MCT_LIMIT_URI_BYTES);
    if (mcti_json_unescape(mcti_json_get(params, "uri"), &uri) == 0 && mcti_buf_ok(&uri))
        mcti_view_for_uri(v, mcti_buf_str(&uri), found, MOST, &sure);
    for (size_t i = 0; i < sure; i++)
        if (route_has(c, found[i])) {
            only = found[i];
            n++;
        }
    mcti_buf_done(&uri);
    return n == 1 ? only : NULL;
}

/* Returns the tool or prompt that the parameter "name" names; NULL: none. */
static const struct mcti_exposure *route_named(struct mcti_view *v, struct mcti_str params)
{
    const struct mcti_exposure *x = NULL;
    struct mcti_buf name;
    mcti_buf_init(&name, MCT_LIMIT_NAME_BYTES);
    if (mcti_json_unescape(mcti_json_get(params, "name"), &name) == 0 && mcti_buf_ok(&name)) {
        x = mcti_view_named(v, MCT_TOOL, mcti_buf_str(&name), NULL);
        if (!x)
            x = mcti_view_named(v, MCT_PROMPT, mcti_buf_str(&name), NULL);
    }
    mcti_buf_done(&name);
    return x;
}

static struct mcti_provider *route_by_name(struct mcti_view *v, const struct route_choice *c, struct mcti_str params)
{
    const struct mcti_exposure *x = c->n ? route_named(v, params) : NULL;
    return x && route_has(c, x->provider) ? x->provider : NULL;
}

static void route_explain(const struct route_choice *c, struct mct_error *err)
{
    for (size_t i = 0; i < c->n; i++) {
        size_t n = strlen(err->message);
        snprintf(err->message + n, sizeof err->message - n, "%s%s", i ? ", " : "; it may be meant for ",
                 c->server[i]->name);
    }
    size_t n = strlen(err->message);
    if (c->n)
        snprintf(err->message + n, sizeof err->message - n, ": use /mcp/SERVER, or name one in \"%s\" of _meta",
                 MCT_META_SERVER);
}

struct mcti_provider *mcti_gw_route(struct mcti_view *v, const struct mcti_msg *msg, struct mct_error *err)
{
    struct route_choice c = { .n = 0 };
    struct mcti_provider *p = NULL;
    for (size_t i = 0; i < mcti_view_n_providers(v) && c.n < MOST; i++) {
        struct mcti_provider *one = mcti_view_provider(v, i);
        if (mcti_gw_declares(mcti_view_source(v, one), msg->method))
            c.server[c.n++] = one;
    }
    if (c.n == 1)
        return c.server[0];
    p = route_by_uri(v, &c, msg->params);
    p = p ? p : route_by_name(v, &c, msg->params);
    p = p ? p : route_by_meta(&c, msg->params);
    if (!p)
        route_explain(&c, err);
    return p;
}

struct mcti_str mcti_gw_own_name(struct mcti_view *v, const struct mcti_provider *p, const struct mcti_msg *msg)
{
    const struct mcti_exposure *x = v->single ? NULL : route_named(v, msg->params);
    return x && x->provider == p ? mcti_json_get(mcti_item_json(x->item), "name") : MCT_STR_NONE;
}

/* ---- what is advertised ---- */

/* Returns whether methods of the extension, which is one of server `of`, can mean another server of the view, too. */
static bool route_is_contested(const struct mcti_view *v, size_t of, struct mcti_str id)
{
    for (size_t i = 0; i < mcti_view_n_providers(v); i++)
        if (i != of && route_declares(mcti_view_source(v, mcti_view_provider(v, i)), route_of_extension(id)))
            return true;
    return false;
}

void mcti_gw_put_routed(struct mcti_buf *to, const struct mcti_view *v, unsigned *n)
{
    struct mcti_json_member m;
    for (size_t i = 0; i < mcti_view_n_providers(v); i++) {
        const struct mcti_provider *p = mcti_view_source(v, mcti_view_provider(v, i));
        for (struct mcti_json_iter it = mcti_json_open(route_extensions(p)); mcti_json_next_member(&it, &m);) {
            bool is_routed = mcti_extension_crosses(m.key, MCT_EXTENSIONS_SINGLE) &&
                             !mcti_extension_crosses(m.key, MCT_EXTENSIONS_MEMBERS) && route_prefix(m.key).p &&
                             !(mcti_json_key_is(m.key, MCT_SKILLS_ID) && mcti_view_labels_skills(v, p));
            char *id = is_routed && !route_is_contested(v, i, m.key) ? mcti_json_dup(mcti_json_key_value(m.key)) : NULL;
            if (id)
                mcti_gw_put_extension(to, id, m.value, n);
            free(id);
        }
    }
}
