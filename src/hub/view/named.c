/* Finds what a name means in a view: an exposed name, SERVER.NAME, SERVER__NAME, or the server's own name where one server
 * alone has it. */
#include "hub/view/view.h"

/* What follows the server in SERVER.NAME; absent: the name does not begin with that server. */
static struct mct_str rest_of(const struct mct_view *v, const struct mct_provider *p, struct mct_str name)
{
    size_t n = mct_name_server_len(&v->naming, mct_str_of(p->name), name);
    return n ? (struct mct_str){ name.p + n, name.len - n } : MCT_STR_NONE;
}

static const struct mct_exposure *item_of(const struct mct_exposures *e, const struct mct_provider *p,
                                          struct mct_str raw)
{
    for (struct mct_map_node *n = mct_map_get(&e->by_raw, raw); n; n = n->next) {
        const struct mct_exposure *x = MCT_CONTAINER(n, struct mct_exposure, by_raw);
        if (mct_str_eq(n->key, raw) && x->provider == p)
            return x;
    }
    return NULL;
}

/* Of several servers that fit, the one with the longest name is meant: no server takes over names of another by what it calls
 * its tools. */
static const struct mct_exposure *qualified(const struct mct_view *v, const struct mct_exposures *e,
                                            struct mct_str name)
{
    const struct mct_exposure *best = NULL;
    size_t n = mct_view_n_providers(v);
    struct mct_str shortest = name;
    for (size_t i = 0; i < n + (v->own != NULL); i++) {
        const struct mct_provider *p = i < n ? mct_view_provider(v, i) : v->own->provider;
        struct mct_str rest = rest_of(v, p, name);
        const struct mct_exposure *x = rest.p && rest.len < shortest.len ? item_of(e, p, rest) : NULL;
        if (!x)
            continue;
        best = x;
        shortest = rest;
    }
    return best;
}

static const struct mct_exposure *raw_owner(const struct mct_exposures *e, struct mct_str raw,
                                            enum mct_kind kind, struct mct_error *err)
{
    struct mct_map_node *first = mct_map_get(&e->by_raw, raw);
    const struct mct_exposure *one = first ? MCT_CONTAINER(first, struct mct_exposure, by_raw) : NULL;
    const char *word = mct_kind_info(kind)->word;
    if (!one) {
        mct_fail(err, MCT_ERR_NOT_FOUND, "unknown %s: %.*s", word, MCT_STR_ARG(raw));
        return NULL;
    }
    for (struct mct_map_node *n = first->next; n; n = n->next) {
        const struct mct_exposure *other = MCT_CONTAINER(n, struct mct_exposure, by_raw);
        if (n->hash == first->hash && mct_str_eq(n->key, raw) && other->provider != one->provider) {
            mct_fail(err, MCT_ERR_NOT_FOUND, "more than one server has a %s %.*s: use %.*s or %.*s",
                     word, MCT_STR_ARG(raw), MCT_STR_ARG(one->name), MCT_STR_ARG(other->name));
            return NULL;
        }
    }
    return one;
}

/* The shown item whose name is contested: the n-th, from 0. */
static const struct mct_exposure *contender(const struct mct_exposures *e, struct mct_str name, size_t n)
{
    for (struct mct_map_node *at = mct_map_get(&e->contested, name); at; at = at->next)
        if (mct_str_eq(at->key, name))
            for (size_t i = 0; i < e->n; i++)
                if (e->v[i].item == e->items[MCT_CONTAINER(at, struct mct_contest, by_name)->index] && !n--)
                    return &e->v[i];
    return NULL;
}

static void say_contested(const struct mct_exposures *e, enum mct_kind kind, struct mct_str name, struct mct_error *err)
{
    const struct mct_exposure *one = contender(e, name, 0), *other = contender(e, name, 1);
    const char *word = mct_kind_info(kind)->word;
    if (!one)
        mct_fail(err, MCT_ERR_NOT_FOUND, "unknown %s: %.*s", word, MCT_STR_ARG(name));
    else if (!other)
        mct_fail(err, MCT_ERR_NOT_FOUND, "more than one server has a %s that would be called %.*s: use %.*s", word,
                 MCT_STR_ARG(name), MCT_STR_ARG(one->name));
    else
        mct_fail(err, MCT_ERR_NOT_FOUND, "more than one server has a %s that would be called %.*s: use %.*s (of '%s') or %.*s (of '%s')",
                 word, MCT_STR_ARG(name), MCT_STR_ARG(one->name), one->provider->name, MCT_STR_ARG(other->name),
                 other->provider->name);
}

/* A server may call a tool of its own SERVER__TOOL of another server: that is no bare name. */
static bool poses(const struct mct_view *v, const struct mct_exposure *x, struct mct_str name)
{
    if (mct_view_is_own(v, x) || mct_view_n_servers(v) == 1)
        return false;
    for (size_t i = 0; i < mct_view_n_providers(v); i++) {
        const struct mct_provider *p = mct_view_provider(v, i);
        if (p != x->provider && !p->bare && mct_name_is_under(&v->naming, mct_str_of(p->name), name))
            return true;
    }
    return false;
}

const struct mct_exposure *mct_view_named(struct mct_view *v, enum mct_kind kind, struct mct_str name,
                                          struct mct_error *err)
{
    const struct mct_exposures *e = mct_view_items(v, kind);
    struct mct_map_node *n = mct_map_get(&e->by_name, name);
    if (n)
        return MCT_CONTAINER(n, struct mct_exposure, by_name);
    if (mct_map_get(&e->contested, name)) {
        say_contested(e, kind, name, err);
        return NULL;
    }
    const struct mct_exposure *x = qualified(v, e, name);
    if (x)
        return x;
    x = raw_owner(e, name, kind, err);
    if (x && poses(v, x, name)) {
        mct_fail(err, MCT_ERR_NOT_FOUND, "unknown %s: %.*s; server '%s' has one of that name, which is called %.*s here",
                 mct_kind_info(kind)->word, MCT_STR_ARG(name), x->provider->name, MCT_STR_ARG(x->name));
        return NULL;
    }
    return x;
}

bool mct_view_restricted(struct mct_view *v, struct mct_str name)
{
    const struct mct_exposures *e = mct_view_items(v, MCT_TOOL);
    for (size_t i = e->n; i < e->n_all; i++)
        if (mct_str_eq(e->v[i].name, name) || mct_str_eq(e->v[i].item->id, name) ||
            mct_str_eq(rest_of(v, e->v[i].provider, name), e->v[i].item->id))
            return true;
    return false;
}
