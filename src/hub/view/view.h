/*
 * What one endpoint shows: the items of some providers under their exposed names, in configuration
 * order, and the way back from a name or URI to the item. Rebuilt when the registry has changed;
 * pointers into it are good until the loop turns.
 */
#ifndef MCT_HUB_VIEW_VIEW_H
#define MCT_HUB_VIEW_VIEW_H

#include "hub/names/names.h"
#include "hub/view/pages.h"
#include "hub/core/registry.h"
#include "hub/policy/policy.h"
#include "hub/policy/ruled.h"

struct mct_exposure {
    struct mct_provider *provider;
    const struct mct_item *item;
    struct mct_str name; /* exposed name; for resources and templates the item's own id */
    enum mct_rev rev;    /* in which the server lists it */
    enum mct_standing standing;
    struct mct_map_node by_name, by_raw;
};

struct mct_exposures {
    struct mct_exposure *v;
    char **names; /* owned; NULL for resources and templates */
    size_t n;
    size_t n_all;  /* those behind the n-th are the owner's alone, and found by mct_view_restricted() only */
    struct mct_map by_name, by_raw;
    struct mct_contest *contests; /* names that tools of several servers would have, and so none has; index: place in items */
    struct mct_map contested;
    const struct mct_item **items; /* of tools and prompts: in the order in which they were named */
};

/* Tools that the endpoint itself has, beside those of its servers. Embedded in their owner, who is freed with the view. */
struct mct_view_own {
    struct mct_provider *provider; /* whose tools they are; not in the registry */
    bool alone;                    /* there are no others */
    unsigned follows;              /* bits 1 << kind: they change when these of the servers do */
    /* Brings provider->items up to date; pointers to items are gone then. */
    void (*renew)(struct mct_view_own *own);
    /* What such a tool is to be called. */
    struct mct_name_in (*name)(const struct mct_view_own *own, const struct mct_item *item);
    /* A tool of these may stand for one of another view, which its arguments name: that view, where it may be unknown, with the members of
     * the arguments that are its name and its arguments; NULL: it is to be called as it is. */
    struct mct_view *(*unwrap)(struct mct_view_own *own, const struct mct_item *item, struct mct_str args,
                               struct mct_str *ret_name, struct mct_str *ret_args);
    /* Whether it tells of all tools there are, and so waits for servers that are still starting. */
    bool (*tells_all)(struct mct_view_own *own, const struct mct_item *item);
    void (*free)(struct mct_view_own *own);
};

/* Which clients a view is of: those of 2026-07-28, or handshake clients, whose servers may have a connection in their
 * era. Where that is a process of its own (MCT_MATCH_AUTO) only those use it that can be asked. */
enum mct_view_of { MCT_VIEW_STATELESS, MCT_VIEW_HANDSHAKE, MCT_VIEW_ASKED, MCT_VIEW_N };

/* Whether such clients use a connection in the handshake era, if there is one. */
static inline bool mct_view_matches(enum mct_view_of of, const struct mct_provider *p)
{
    bool free = !p->by_process || p->isolation != MCT_SHARED || p->match == MCT_MATCH_ALL;
    return p->match != MCT_MATCH_NONE && (of == MCT_VIEW_ASKED || (of == MCT_VIEW_HANDSHAKE && free));
}

struct mct_view {
    struct mct_view_own *own; /* NULL: it has none */
    const struct mct_view *first; /* whose `others` it is in; NULL: it is in none's */
    uint64_t *warned;         /* hashes of the tools that are not called as they would be without these, sorted */
    size_t n_warned;
    struct mct_registry *registry;
    struct mct_naming naming;
    struct mct_ruled ruled;
    const struct mct_provider *preferred; /* NULL: none */
    enum mct_view_of of;
    struct mct_view *others[MCT_VIEW_N]; /* the same for handshake clients; owned. NULL: this one serves them */
    struct mct_provider **only; /* NULL: all; otherwise owned array of n_only */
    size_t n_only;
    uint64_t generation;
    struct mct_exposures kind[MCT_KIND_N];
    struct mct_list lists; /* as text, see pages.h */
};

/* What a view is of. */
struct mct_view_opts {
    const struct mct_naming *naming;
    const char *const *only; /* names, all known to the registry; none: all providers */
    size_t n_only;
    struct mct_ruled ruled;  /* which tools of servers are shown */
    enum mct_view_of of;
    const char *preferred;   /* the server asked first for a URI that none is known to have; NULL: none is */
};

/* With one provider nothing is prefixed. */
int mct_view_init(struct mct_view *v, struct mct_registry *r, const struct mct_view_opts *opts);
void mct_view_done(struct mct_view *v); /* safe on a zeroed one */

/* Whether the tool is one of the endpoint itself. */
static inline bool mct_view_is_own(const struct mct_view *v, const struct mct_exposure *x)
{
    return v->own && x->provider == v->own->provider;
}

size_t mct_view_n_providers(const struct mct_view *v);
size_t mct_view_n_servers(const struct mct_view *v); /* without tools of the program itself */
/* Has lists that have served their time fetched again. */
void mct_view_freshen(struct mct_view *v);
struct mct_provider *mct_view_provider(const struct mct_view *v, size_t i);
bool mct_view_shows(const struct mct_view *v, const struct mct_provider *p);

/* Whose lists and capabilities stand for the server: its own, or those of its connection in the handshake era. */
const struct mct_provider *mct_view_source(const struct mct_view *v, const struct mct_provider *p);

/* Whether a change of what this connection, maybe a branch, lists is one of the view. */
bool mct_view_lists(const struct mct_view *v, const struct mct_provider *p);

void mct_view_build(struct mct_view *v);

static inline const struct mct_exposures *mct_view_items(struct mct_view *v, enum mct_kind kind)
{
    if (v->generation != v->registry->generation)
        mct_view_build(v);
    return &v->kind[kind];
}

/* ---- named.c ---- */

/* Finds a tool or prompt by its exposed name, as SERVER.NAME or SERVER__NAME, or by its raw name if one server alone has it. NULL
 * with *err, which names the choices when there is none or more than one. */
const struct mct_exposure *mct_view_named(struct mct_view *v, enum mct_kind kind, struct mct_str name,
                                          struct mct_error *err);

/* Whether that is the name of a tool that is not shown because it is the owner's alone. */
bool mct_view_restricted(struct mct_view *v, struct mct_str name);

/* ---- view.c ---- */

/* How an item is exposed; NULL: it is not. */
const struct mct_exposure *mct_view_of_item(struct mct_view *v, const struct mct_item *item);

/*
 * The providers to ask for a URI, best first: those that list it, those with a matching template, the
 * preferred one, the others that have resources. Fills at most `max`, returns how many; *ret_sure: the first
 * so many are known to have it.
 */
size_t mct_view_for_uri(struct mct_view *v, struct mct_str uri, struct mct_provider **ret, size_t max,
                        size_t *ret_sure);

/* ---- tool.c ---- */

/* All names of a tool of the view, also those it has in other views; see mct_canon_find(). */
const struct mct_tool_names *mct_view_tool_names(const struct mct_view *v, const struct mct_exposure *x);

/* Whether the tool is known to change nothing; see mct_policy_is_read_only(). */
bool mct_view_is_read_only(const struct mct_view *v, const struct mct_policy *p, const struct mct_exposure *x);

#endif
