/* Lookup of a tool or prompt in a view: by exposed name, SERVER.NAME, SERVER__NAME, or by raw name if only one server
 * has it. */
#include "hub/view/view.h"

#include "hub/vet/vet.h"

#include <stdio.h>

/* Returns the part of the name after the server in SERVER.NAME; absent if the name does not begin with that server. */
static struct mcti_str rest_of(const struct mcti_view *v, const struct mcti_provider *p, struct mcti_str name)
{
    size_t n = mcti_name_server_len(&v->naming, mcti_str_of(p->name), name);
    return n ? (struct mcti_str){ name.p + n, name.len - n } : MCT_STR_NONE;
}

/* ---- the indexes of a list ---- */

static const struct mcti_exposure *exposure_named_from(const struct mcti_exposures *e, uint32_t at,
                                                       struct mcti_str name)
{
    while (at != MCT_INDEX_END && !mcti_str_eq(e->v[at].name, name))
        at = mcti_index_next(&e->by_name, at);
    return at == MCT_INDEX_END ? NULL : &e->v[at];
}

const struct mcti_exposure *mcti_exposure_named(const struct mcti_exposures *e, struct mcti_str name)
{
    return exposure_named_from(e, mcti_index_first(&e->by_name, name), name);
}

const struct mcti_exposure *mcti_exposure_next_named(const struct mcti_exposures *e, const struct mcti_exposure *x)
{
    return exposure_named_from(e, mcti_index_next(&e->by_name, (uint32_t)(x - e->v)), x->name);
}

static const struct mcti_exposure *exposure_raw_from(const struct mcti_exposures *e, uint32_t at, struct mcti_str raw)
{
    while (at != MCT_INDEX_END && !mcti_str_eq(mcti_item_id(e->v[at].item), raw))
        at = mcti_index_next(&e->by_raw, at);
    return at == MCT_INDEX_END ? NULL : &e->v[at];
}

const struct mcti_exposure *mcti_exposure_raw(const struct mcti_exposures *e, struct mcti_str raw)
{
    return exposure_raw_from(e, mcti_index_first(&e->by_raw, raw), raw);
}

const struct mcti_exposure *mcti_exposure_next_raw(const struct mcti_exposures *e, const struct mcti_exposure *x)
{
    return exposure_raw_from(e, mcti_index_next(&e->by_raw, (uint32_t)(x - e->v)), mcti_item_id(x->item));
}

/* ---- other names ---- */

static const struct mcti_exposure *item_of(const struct mcti_exposures *e, const struct mcti_provider *p,
                                           struct mcti_str raw)
{
    const struct mcti_exposure *x = mcti_exposure_raw(e, raw);
    while (x && x->provider != p)
        x = mcti_exposure_next_raw(e, x);
    return x;
}

/* Finds SERVER.NAME. If several servers match, takes the one with the longest name, so that a server cannot take over
 * names of another server by its choice of raw names. */
static const struct mcti_exposure *qualified(const struct mcti_view *v, const struct mcti_exposures *e,
                                             struct mcti_str name)
{
    const struct mcti_exposure *best = NULL;
    size_t n = mcti_view_n_providers(v);
    struct mcti_str shortest = name;
    for (size_t i = 0; i < n + (v->own != NULL); i++) {
        const struct mcti_provider *p = i < n ? mcti_view_provider(v, i) : v->own->provider;
        struct mcti_str rest = rest_of(v, p, name);
        const struct mcti_exposure *x = rest.p && rest.len < shortest.len ? item_of(e, p, rest) : NULL;
        if (!x)
            continue;
        best = x;
        shortest = rest;
    }
    return best;
}

static const struct mcti_exposure *raw_owner(const struct mcti_exposures *e, struct mcti_str raw, enum mcti_kind kind,
                                             struct mct_error *err)
{
    const struct mcti_exposure *one = mcti_exposure_raw(e, raw);
    const char *word = mcti_kind_info(kind)->word;
    if (!one) {
        mcti_fail(err, MCT_ERR_NOT_FOUND, "unknown %s: %.*s", word, MCT_STR_ARG(raw));
        return NULL;
    }
    const struct mcti_exposure *other = mcti_exposure_next_raw(e, one);
    while (other && other->provider == one->provider)
        other = mcti_exposure_next_raw(e, other);
    if (!other)
        return one;
    mcti_fail(err, MCT_ERR_NOT_FOUND, "ambiguous %s %.*s, listed by several servers: use %.*s or %.*s", word,
              MCT_STR_ARG(raw), MCT_STR_ARG(one->name), MCT_STR_ARG(other->name));
    return NULL;
}

/* Returns the n-th (from 0) listed item that claims the contested name; NULL: no more. */
static const struct mcti_exposure *contender(const struct mcti_exposures *e, struct mcti_str name, size_t n)
{
    for (struct mcti_map_node *at = mcti_map_get(&e->contested, name); at; at = at->next)
        if (mcti_str_eq(at->key, name))
            for (size_t i = 0; i < e->n_apps; i++)
                if (e->v[i].item == e->items[MCT_CONTAINER(at, struct mcti_contest, by_name)->index] && !n--)
                    return &e->v[i];
    return NULL;
}

static void fail_contested(const struct mcti_exposures *e, enum mcti_kind kind, struct mcti_str name,
                           struct mct_error *err)
{
    const struct mcti_exposure *one = contender(e, name, 0), *other = contender(e, name, 1);
    const char *word = mcti_kind_info(kind)->word;
    if (!one)
        mcti_fail(err, MCT_ERR_NOT_FOUND, "unknown %s: %.*s", word, MCT_STR_ARG(name));
    else if (!other)
        mcti_fail(err, MCT_ERR_NOT_FOUND, "ambiguous %s %.*s, claimed by several servers: use %.*s", word,
                  MCT_STR_ARG(name), MCT_STR_ARG(one->name));
    else
        mcti_fail(err, MCT_ERR_NOT_FOUND,
                  "ambiguous %s %.*s, claimed by several servers: use %.*s (of '%s') or %.*s (of '%s')", word,
                  MCT_STR_ARG(name), MCT_STR_ARG(one->name), one->provider->name, MCT_STR_ARG(other->name),
                  other->provider->name);
}

bool mcti_view_is_foreign(const struct mcti_view *v, const struct mcti_exposure *x, struct mcti_str name)
{
    if (mcti_view_is_own(v, x) || mcti_view_n_servers(v) == 1)
        return false;
    for (size_t i = 0; i < mcti_view_n_providers(v); i++) {
        const struct mcti_provider *p = mcti_view_provider(v, i);
        if (p != x->provider && !p->bare && mcti_name_is_under(&v->naming, mcti_str_of(p->name), name))
            return true;
    }
    return false;
}

/* ---- names of servers that are down ---- */

/* Returns whether the server's lack of such items may be due to its state. */
static bool view_may_miss(const struct mcti_provider *p, enum mcti_kind kind)
{
    return !p->bare && (p->state != MCT_CONNECTED || p->list_error[kind]->kind);
}

/* Returns the server whose state may be the reason why the name is unknown: the one that the name begins with (the
 * longest, if there are several), or the only one. NULL: none. */
static const struct mcti_provider *view_absent_owner(const struct mcti_view *v, enum mcti_kind kind,
                                                     struct mcti_str name)
{
    const struct mcti_provider *best = NULL;
    for (size_t i = 0; i < mcti_view_n_providers(v); i++) {
        const struct mcti_provider *p = mcti_view_provider(v, i);
        struct mcti_str server = mcti_str_of(p->name);
        bool is_under = mcti_name_server_len(&v->naming, server, name) || mcti_name_is_under(&v->naming, server, name);
        if ((is_under || (!p->bare && mcti_view_n_servers(v) == 1)) && (!best || server.len > strlen(best->name)))
            best = p;
    }
    return best && view_may_miss(best, kind) ? best : NULL;
}

/* Fails because the server of the name is down. */
static void fail_absent(const struct mcti_provider *p, enum mcti_kind kind, struct mcti_str name, struct mct_error *err)
{
    const struct mct_error *why = p->state == MCT_CONNECTED ? p->list_error[kind] : p->error;
    const char *word = mcti_kind_info(kind)->word;
    enum mct_error_kind error_kind = why->kind ? why->kind : MCT_ERR_CONNECT;
    if (p->state == MCT_CONNECTED)
        mcti_fail(err, error_kind, "unknown %s: %.*s; server '%s' did not list its %ss: %s", word, MCT_STR_ARG(name),
                  p->name, word, why->message);
    else
        mcti_fail(err, error_kind, "unknown %s: %.*s; server '%s' is %s%s%s", word, MCT_STR_ARG(name), p->name,
                  p->state == MCT_CONNECTING ? "still connecting" : "not connected", why->kind ? ": " : "",
                  why->kind ? why->message : "");
    if (err)
        snprintf(err->server, sizeof err->server, "%s", p->name);
}

const struct mcti_exposure *mcti_view_named(struct mcti_view *v, enum mcti_kind kind, struct mcti_str name,
                                            struct mct_error *err)
{
    const struct mcti_exposures *e = mcti_view_items(v, kind);
    const struct mcti_exposure *x = mcti_exposure_named(e, name);
    if (x)
        return x;
    if (mcti_map_get(&e->contested, name)) {
        fail_contested(e, kind, name, err);
        return NULL;
    }
    x = qualified(v, e, name);
    if (x)
        return x;
    bool may_bar = e->n_all > e->n_named && !mcti_exposure_raw(e, name);
    const struct mcti_exposure *barred = may_bar ? mcti_view_quarantined(v, kind, name) : NULL;
    if (barred) {
        mcti_vet_refuse(mcti_view_source(v, barred->provider), (enum mcti_subject)kind, mcti_item_id(barred->item),
                        err);
        return NULL;
    }
    x = raw_owner(e, name, kind, err);
    const struct mcti_provider *absent = x || mcti_exposure_raw(e, name) ? NULL : view_absent_owner(v, kind, name);
    if (absent)
        fail_absent(absent, kind, name, err);
    if (x && mcti_view_is_foreign(v, x, name)) {
        mcti_fail(err, MCT_ERR_NOT_FOUND, "unknown %s: %.*s; use %.*s for that of server '%s'",
                  mcti_kind_info(kind)->word, MCT_STR_ARG(name), MCT_STR_ARG(x->name), x->provider->name);
        return NULL;
    }
    return x;
}

/* Finds one of the items behind the named ones by any of its names. The name SERVER.NAME comes before a raw name. */
static const struct mcti_exposure *view_kept_back(const struct mcti_view *v, const struct mcti_exposures *e,
                                                  struct mcti_str name, enum mcti_standing standing)
{
    for (int by_raw = 0; by_raw < 2; by_raw++)
        for (size_t i = e->n_named; i < e->n_all; i++) {
            const struct mcti_exposure *x = &e->v[i];
            bool is = by_raw ? mcti_str_eq(mcti_item_id(x->item), name)
                             : mcti_str_eq(x->name, name) ||
                                   mcti_str_eq(rest_of(v, x->provider, name), mcti_item_id(x->item));
            if (x->standing == standing && is)
                return x;
        }
    return NULL;
}

bool mcti_view_restricted(struct mcti_view *v, struct mcti_str name)
{
    const struct mcti_exposures *e = mcti_view_items(v, MCT_TOOL);
    return view_kept_back(v, e, name, MCT_RESTRICTED) != NULL;
}

const struct mcti_exposure *mcti_view_quarantined(struct mcti_view *v, enum mcti_kind kind, struct mcti_str name)
{
    return view_kept_back(v, mcti_view_items(v, kind), name, MCT_QUARANTINED);
}
