#include "hub/view/view.h"

#include "base/limits.h"
#include "mcp/apps/ui.h"

#include <stdlib.h>

static void clear_kind(struct mcti_exposures *e)
{
    free(e->names);
    free(e->v);
    e->names = NULL;
    e->v = NULL;
    e->n = e->n_apps = e->n_named = e->n_all = 0;
    mcti_index_done(&e->by_name);
    mcti_index_done(&e->by_raw);
    mcti_map_done(&e->contested);
    mcti_contests_free(e->contests);
    free(e->items);
    e->contests = NULL;
    e->items = NULL;
}

/* ---- the servers of the view ---- */

/* Finds the servers of the view again. One that was removed, and not replaced, stays until it is `gone` (may be NULL).
 */
static void view_bind(struct mcti_view *v, const struct mcti_provider *gone)
{
    v->n_only = 0;
    for (size_t i = 0; i < v->n_members; i++) {
        struct mcti_view_member *m = &v->members[i];
        struct mcti_provider *now = mcti_registry_find(v->registry, mcti_str_of(m->name));
        if (now || m->provider == gone)
            m->provider = now;
        if (m->provider)
            v->only[v->n_only++] = m->provider;
    }
}

static void view_on_left(struct mcti_watcher *w, struct mcti_provider *p)
{
    view_bind(MCT_CONTAINER(w, struct mcti_view, watcher), p);
}

/* Takes the servers of the options, in the order of the registry. Returns -1 when out of memory. */
static int view_take_members(struct mcti_view *v, const struct mcti_view_opts *opts)
{
    struct mcti_registry *r = v->registry;
    v->members = calloc(opts->n_only, sizeof *v->members);
    v->only = calloc(opts->n_only, sizeof(struct mcti_provider *));
    for (size_t i = 0; v->members && v->only && i < r->n; i++)
        for (size_t k = 0; k < opts->n_only; k++)
            if (!strcmp(r->v[i]->name, opts->only[k]) && !(v->members[v->n_members++].name = strdup(opts->only[k])))
                return -1;
    if (!v->members || !v->only)
        return -1;
    view_bind(v, NULL);
    v->watcher.left = view_on_left;
    mcti_registry_watch_leaving(r, &v->watcher);
    return 0;
}

/* ---- life ---- */

int mcti_view_init(struct mcti_view *v, struct mcti_registry *r, const struct mcti_view_opts *opts)
{
    *v = (struct mcti_view){
        .registry = r, .naming = *opts->naming, .ruled = opts->ruled, .of = opts->of, .single = opts->single
    };
    v->apps.unique = opts->unique_uris;
    v->app_rules = opts->app_rules;
    mcti_list_init(&v->lists);
    mcti_list_init(&v->watcher.node);
    for (int k = 0; k < MCT_KIND_N; k++)
        mcti_map_init(&v->kind[k].contested);
    if ((opts->preferred && !(v->preferred = strdup(opts->preferred))) ||
        (opts->n_only && view_take_members(v, opts) < 0)) {
        mcti_view_done(v);
        return -1;
    }
    return 0;
}

void mcti_view_done(struct mcti_view *v)
{
    if (!v->registry)
        return;
    mcti_view_pages_done(v);
    mcti_app_uris_clear(&v->apps);
    for (int k = 0; k < MCT_KIND_N; k++)
        clear_kind(&v->kind[k]);
    mcti_watcher_remove(&v->watcher);
    for (size_t i = 0; i < v->n_members; i++)
        free(v->members[i].name);
    free(v->members);
    free(v->only);
    free(v->preferred);
    free(v->warned);
    if (v->own)
        v->own->free(v->own);
    for (int of = 0; of < MCT_VIEW_N; of++) {
        if (v->others[of])
            mcti_view_done(v->others[of]);
        free(v->others[of]);
    }
    *v = (struct mcti_view){ 0 };
}

size_t mcti_view_n_providers(const struct mcti_view *v)
{
    return v->members ? v->n_only : v->registry->n;
}

struct mcti_provider *mcti_view_provider(const struct mcti_view *v, size_t i)
{
    return v->members ? v->only[i] : v->registry->v[i];
}

bool mcti_view_shows(const struct mcti_view *v, const struct mcti_provider *p)
{
    for (size_t i = 0; i < mcti_view_n_providers(v); i++)
        if (mcti_view_provider(v, i) == p)
            return true;
    return false;
}

const struct mcti_provider *mcti_view_source(const struct mcti_view *v, const struct mcti_provider *p)
{
    const struct mcti_provider *other = mcti_view_matches(v->of, p) ? p->handshake : NULL;
    return other && other->state == MCT_CONNECTED && mcti_rev_is_stateless(p->info.rev) ? other : p;
}

bool mcti_view_lists(const struct mcti_view *v, const struct mcti_provider *p)
{
    if (p->origin)
        return p->origin->handshake == p && mcti_view_matches(v->of, p->origin) && mcti_view_shows(v, p->origin);
    return mcti_view_shows(v, p) && mcti_view_source(v, p) == p;
}

void mcti_view_freshen(struct mcti_view *v)
{
    for (size_t i = 0; i < mcti_view_n_providers(v); i++) {
        struct mcti_provider *p = mcti_view_provider(v, i);
        if (p->ops->freshen)
            p->ops->freshen(p);
    }
}

/* ---- building ---- */

/* Finds the pages of apps again. Without memory there are none. */
static void view_find_pages(struct mcti_view *v)
{
    int r = 0;
    mcti_app_uris_clear(&v->apps);
    for (size_t i = 0; r == 0 && i < mcti_view_n_providers(v); i++) {
        struct mcti_provider *p = mcti_view_provider(v, i);
        r = mcti_app_uris_add_all(&v->apps, p, mcti_view_source(v, p));
    }
    if (r < 0 || mcti_app_uris_settle(&v->apps) < 0)
        mcti_app_uris_clear(&v->apps);
}

/* Tools of apps keep their names where the others are hidden: apps call them, and clients show their pages. */
static bool view_hides(const struct mcti_view *v, enum mcti_kind kind)
{
    return kind == MCT_TOOL && v->own && v->own->alone &&
           (v->app_rules.modes == MCT_APP_MODES_HIDE || !v->apps.has_tools);
}

static void view_append_list(struct mcti_exposures *e, struct mcti_provider *p, enum mcti_rev rev,
                             const struct mcti_items *list, enum mcti_standing standing)
{
    for (size_t k = 0; k < list->n; k++)
        e->v[e->n++] = (struct mcti_exposure){
            .provider = p, .item = list->v[k], .name = mcti_item_id(list->v[k]), .rev = rev, .standing = standing
        };
}

/* Sets the URIs as clients see them. */
static void view_show_uris(const struct mcti_view *v, struct mcti_exposures *e)
{
    for (size_t i = 0; v->apps.n_changed && i < e->n; i++)
        e->v[i].name = mcti_app_uri_listed(&v->apps, e->v[i].provider, mcti_item_id(e->v[i].item));
}

/* Items that have names are collected even if they are quarantined. */
static bool view_has_names(enum mcti_kind kind)
{
    return kind == MCT_TOOL || kind == MCT_PROMPT;
}

static size_t view_count(const struct mcti_provider *source, enum mcti_kind kind)
{
    return source->items[kind].n + (view_has_names(kind) ? source->barred[kind].n : 0);
}

/* Appends the items of `p` as listed by `source`, `p` itself or its connection in the handshake era. */
static void view_append(struct mcti_exposures *e, struct mcti_provider *p, const struct mcti_provider *source,
                        enum mcti_kind kind)
{
    enum mcti_rev rev = source->info.rev;
    view_append_list(e, p, rev, &source->items[kind], MCT_ADMITTED);
    if (view_has_names(kind))
        view_append_list(e, p, rev, &source->barred[kind], MCT_QUARANTINED);
}

static int view_collect(struct mcti_view *v, enum mcti_kind kind)
{
    struct mcti_exposures *e = &v->kind[kind];
    struct mcti_provider *own = v->own ? v->own->provider : NULL;
    size_t n = own ? own->items[kind].n : 0, count = view_hides(v, kind) ? 0 : mcti_view_n_providers(v);
    for (size_t i = 0; i < count; i++)
        n += view_count(mcti_view_source(v, mcti_view_provider(v, i)), kind);
    e->v = calloc(n ? n : 1, sizeof *e->v);
    if (!e->v)
        return -1;
    for (size_t i = 0; i < count; i++)
        view_append(e, mcti_view_provider(v, i), mcti_view_source(v, mcti_view_provider(v, i)), kind);
    if (own)
        view_append(e, own, own, kind);
    if (!view_has_names(kind))
        view_show_uris(v, e);
    e->n_apps = e->n_named = e->n_all = e->n;
    return 0;
}

static struct mcti_name_in name_in(const struct mcti_view *v, const struct mcti_exposure *x)
{
    if (mcti_view_is_own(v, x))
        return v->own->name(v->own, x->item);
    return (struct mcti_name_in){ .server = mcti_str_of(x->provider->name),
                                  .raw = mcti_item_id(x->item),
                                  .bare = x->provider->bare };
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static uint64_t identity_of(const struct mcti_exposure *x)
{
    return mcti_hash(mcti_hash(0, mcti_str_of(x->provider->name)), mcti_item_id(x->item));
}

static bool has_warned(const struct mcti_view *v, uint64_t one)
{
    return v && v->n_warned && bsearch(&one, v->warned, v->n_warned, sizeof one, by_value);
}

/* Returns true if this view, or the view of the same endpoint for another era, has logged the warning. */
static bool was_warned(const struct mcti_view *v, uint64_t one)
{
    const struct mcti_view *first = v->first ? v->first : v;
    bool warned = has_warned(first, one);
    for (int of = 0; of < MCT_VIEW_N; of++)
        warned |= has_warned(first->others[of], one);
    return warned;
}

/* Logs each server tool that is renamed because its name collides with a tool of the endpoint; once while that lasts.
 */
static void warn_of_renamed(struct mcti_view *v, const struct mcti_exposures *e, const struct mcti_name_in *in,
                            const struct mcti_name_in *const *lost_to)
{
    uint64_t *renamed = calloc(e->n ? e->n : 1, sizeof *renamed);
    size_t n = 0;
    for (size_t i = 0; renamed && i < e->n; i++) {
        if (mcti_view_is_own(v, &e->v[i]) || !lost_to[i] || !mcti_view_is_own(v, &e->v[lost_to[i] - in]))
            continue;
        uint64_t one = renamed[n++] = identity_of(&e->v[i]);
        if (!was_warned(v, one))
            mcti_log(v->own->provider->log, MCT_LOG_WARN,
                     "server '%s': tool '%.*s' is renamed to %s, because %.*s is the name of a resource tool",
                     e->v[i].provider->name, MCT_STR_ARG(mcti_item_id(e->v[i].item)), e->v[i].name.p,
                     MCT_STR_ARG(lost_to[i]->raw));
    }
    if (!renamed)
        return;
    qsort(renamed, n, sizeof *renamed, by_value);
    free(v->warned);
    v->warned = renamed;
    v->n_warned = n;
}

/* Returns the number of servers. Bare providers, such as the program's own tools, are not prefixed and do not count. */
size_t mcti_view_n_servers(const struct mcti_view *v)
{
    size_t n = 0;
    for (size_t i = 0; i < mcti_view_n_providers(v); i++)
        n += !mcti_view_provider(v, i)->bare;
    return n;
}

/* Stores the contests before rules remove tools: a name is contested for all clients alike. */
static int keep_contests(struct mcti_exposures *e, struct mcti_contest *contests)
{
    e->contests = contests;
    e->items = contests ? calloc(e->n, sizeof(const struct mcti_item *)) : NULL;
    for (size_t i = 0; e->items && i < e->n; i++)
        e->items[i] = e->v[i].item;
    for (; contests; contests = contests->next)
        if (!e->items || mcti_map_put(&e->contested, &contests->by_name, mcti_str_of(contests->name)) < 0)
            return -1;
    return 0;
}

/* Moves the names, each a block of its own, to one block. Returns -1 when out of memory. */
static int view_take_names(struct mcti_exposures *e, char **names)
{
    size_t len = 0;
    for (size_t i = 0; i < e->n; i++)
        len += strlen(names[i]) + 1;
    char *to = e->names = malloc(len ? len : 1);
    for (size_t i = 0; to && i < e->n; i++) {
        struct mcti_str name = mcti_str_of(names[i]);
        memcpy(to, name.p, name.len + 1);
        e->v[i].name = (struct mcti_str){ to, name.len };
        to += name.len + 1;
    }
    for (size_t i = 0; i < e->n; i++)
        free(names[i]);
    return to ? 0 : -1;
}

static int name_all(struct mcti_view *v, struct mcti_exposures *e, enum mcti_kind kind)
{
    struct mcti_naming naming = v->naming;
    struct mcti_name_in *in = calloc(e->n ? e->n : 1, sizeof *in);
    const struct mcti_name_in **lost_to = calloc(e->n ? e->n : 1, sizeof *lost_to);
    struct mcti_name_clashes clashes = { .lost_to = lost_to };
    char **names = calloc(e->n ? e->n : 1, sizeof *names);
    if (naming.prefix == MCT_PREFIX_AUTO)
        naming.prefix = mcti_view_n_servers(v) == 1 ? MCT_PREFIX_CONFLICT : MCT_PREFIX_ALWAYS;
    int r = in && lost_to && names ? 0 : -1;
    for (size_t i = 0; r == 0 && i < e->n; i++)
        in[i] = name_in(v, &e->v[i]);
    if (r == 0)
        r = mcti_names_assign(&naming, in, e->n, names, &clashes) < 0 ? -1 : view_take_names(e, names);
    if (r == 0)
        r = keep_contests(e, clashes.contests);
    if (r == 0 && v->own && kind == MCT_TOOL)
        warn_of_renamed(v, e, in, lost_to);
    free(names);
    free(lost_to);
    free(in);
    return r;
}

/* Returns the standing of an admitted tool: the model does not see those that are for apps only. */
static enum mcti_standing standing_of_app(const struct mcti_view *v, const struct mcti_item *tool)
{
    if ((tool->ui & MCT_UI_APP_ONLY) && v->app_rules.app_only == MCT_APP_ONLY_SINGLE && !v->single)
        return MCT_REMOVED;
    if (v->own && v->own->alone)
        return tool->ui ? MCT_FOR_APPS : MCT_REMOVED;
    return tool->ui & MCT_UI_APP_ONLY ? MCT_FOR_APPS : MCT_ADMITTED;
}

static enum mcti_standing standing_of(struct mcti_view *v, const struct mcti_exposure *x, uint64_t left_out)
{
    const struct mcti_rules *rules = v->ruled.rules;
    if (x->standing == MCT_QUARANTINED)
        return MCT_QUARANTINED;
    struct mcti_rule_tool tool = { .owner_only = mcti_ruled_says_owner_only(x->item),
                                   .optional = mcti_ruled_says_optional(x->provider, x->item) };
    bool by_name = rules && (rules->n_steps || rules->n_owner_only); /* the names of a tool are expensive to compute */
    if (mcti_view_is_own(v, x))
        return rules && mcti_rules_deny_own(rules, x->name) ? MCT_REMOVED
               : v->own->is_unlisted(v->own, x->item)       ? MCT_UNLISTED
                                                            : MCT_ADMITTED;
    if (by_name && mcti_ruled_tool(v->registry, &v->naming, x->provider, x->item, &tool) < 0)
        return MCT_REMOVED;
    enum mcti_standing standing = mcti_ruled_standing(&v->ruled, left_out, &tool);
    return standing == MCT_ADMITTED ? standing_of_app(v, x->item) : standing;
}

/* Appends the tools of that standing to `to`, in their order. Returns the number of tools that `to` then has. */
static size_t view_bring(const struct mcti_exposures *e, struct mcti_exposure *to, size_t n,
                         enum mcti_standing standing)
{
    for (size_t i = 0; i < e->n; i++)
        if (e->v[i].standing == standing)
            to[n++] = e->v[i];
    return n;
}

/* Orders the tools by standing. Returns -1 when out of memory. */
static int view_order(struct mcti_exposures *e)
{
    struct mcti_exposure *to = calloc(e->n ? e->n : 1, sizeof *to);
    if (!to)
        return -1;
    size_t n = view_bring(e, to, 0, MCT_ADMITTED);
    e->n_apps = view_bring(e, to, n, MCT_FOR_APPS);
    e->n_named = view_bring(e, to, e->n_apps, MCT_UNLISTED);
    e->n_all = view_bring(e, to, view_bring(e, to, e->n_named, MCT_RESTRICTED), MCT_QUARANTINED);
    e->n = n;
    free(e->v);
    e->v = to;
    return 0;
}

/* Returns true if the rules may remove tools: by steps, or because a tool is optional or for the owner only. */
static bool takes_away(const struct mcti_view *v)
{
    const struct mcti_rules *rules = v->ruled.rules;
    bool takes = v->own || v->ruled.stranger || (rules && rules->n_steps);
    for (size_t i = 0; rules && !takes && i < v->registry->n; i++)
        takes = v->registry->v[i]->hosts_plugins;
    return takes;
}

static bool view_has_quarantined(const struct mcti_exposures *e)
{
    for (size_t i = 0; i < e->n; i++)
        if (e->v[i].standing == MCT_QUARANTINED)
            return true;
    return false;
}

/* Removes quarantined items, and tools that the rules exclude. Runs after naming, so that names depend neither on a
 * client's rules nor on judges. Returns -1 when out of memory. */
static int rule_out(struct mcti_view *v, struct mcti_exposures *e, enum mcti_kind kind)
{
    const struct mcti_rules *rules = v->ruled.rules;
    bool is_ruled = kind == MCT_TOOL && (takes_away(v) || v->apps.has_tools);
    if (!is_ruled && !view_has_quarantined(e))
        return 0;
    uint64_t left_out = is_ruled && rules && rules->n_steps ? mcti_ruled_left_out(v->registry, &v->naming, rules) : 0;
    for (size_t i = 0; is_ruled && i < e->n; i++)
        e->v[i].standing = standing_of(v, &e->v[i], left_out);
    return view_order(e);
}

/* Adds the items in reverse order, so that a lookup finds the first one in configuration order. */
static int view_index_all(struct mcti_exposures *e)
{
    if (mcti_index_reserve(&e->by_name, e->n_named) < 0 || mcti_index_reserve(&e->by_raw, e->n_named) < 0)
        return -1;
    for (size_t i = e->n_named; i-- > 0;)
        if (mcti_index_put(&e->by_name, e->v[i].name, i) < 0 ||
            mcti_index_put(&e->by_raw, mcti_item_id(e->v[i].item), i) < 0)
            return -1;
    return 0;
}

void mcti_view_build(struct mcti_view *v)
{
    v->generation = v->registry->generation;
    view_bind(v, NULL);
    if (v->own)
        v->own->renew(v->own);
    view_find_pages(v);
    for (int k = 0; k < MCT_KIND_N; k++) {
        struct mcti_exposures *e = &v->kind[k];
        bool named = view_has_names((enum mcti_kind)k);
        clear_kind(e);
        bool ok = view_collect(v, (enum mcti_kind)k) == 0 && (!named || name_all(v, e, (enum mcti_kind)k) == 0);
        ok = ok && (!named || rule_out(v, e, (enum mcti_kind)k) == 0);
        if (!ok || view_index_all(e) < 0)
            clear_kind(e);
    }
}

/* ---- looking up ---- */

const struct mcti_exposure *mcti_view_of_item(struct mcti_view *v, const struct mcti_item *item)
{
    const struct mcti_exposures *e = mcti_view_items(v, item->kind);
    for (size_t i = 0; i < e->n_named; i++)
        if (e->v[i].item == item)
            return &e->v[i];
    return NULL;
}
