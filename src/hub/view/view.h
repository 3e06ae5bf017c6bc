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

struct mcti_exposure {
    struct mcti_provider *provider;
    const struct mcti_item *item;
    struct mcti_str name; /* exposed name; for resources and templates the item's own id */
    enum mcti_rev rev;    /* in which the server lists it */
    enum mcti_standing standing;
    struct mcti_map_node by_name, by_raw;
};

struct mcti_exposures {
    struct mcti_exposure *v;
    char **names; /* owned; NULL for resources and templates */
    size_t n;
    size_t n_all; /* those behind the n-th are the owner's alone, and found by mcti_view_restricted() only */
    struct mcti_map by_name, by_raw;
    struct mcti_contest
        *contests; /* names that tools of several servers would have, and so none has; index: place in items */
    struct mcti_map contested;
    const struct mcti_item **items; /* of tools and prompts: in the order in which they were named */
};

/* Tools that the endpoint itself has, beside those of its servers. Embedded in their owner, who is freed with the view.
 */
struct mcti_view_own {
    struct mcti_provider *provider; /* whose tools they are; not in the registry */
    bool alone;                     /* there are no others */
    unsigned follows;               /* bits 1 << kind: they change when these of the servers do */
    /* Brings provider->items up to date; pointers to items are gone then. */
    void (*renew)(struct mcti_view_own *own);
    /* What such a tool is to be called. */
    struct mcti_name_in (*name)(const struct mcti_view_own *own, const struct mcti_item *item);
    /* A tool of these may stand for one of another view, which its arguments name: that view, where it may be unknown,
     * with the members of the arguments that are its name and its arguments; NULL: it is to be called as it is. */
    struct mcti_view *(*unwrap)(struct mcti_view_own *own, const struct mcti_item *item, struct mcti_str args,
                                struct mcti_str *ret_name, struct mcti_str *ret_args);
    /* Whether it tells of all tools there are, and so waits for servers that are still starting. */
    bool (*tells_all)(struct mcti_view_own *own, const struct mcti_item *item);
    void (*free)(struct mcti_view_own *own);
};

/* Which clients a view is of: those of 2026-07-28, or handshake clients, whose servers may have a connection in their
 * era. Where that is a process of its own (MCT_MATCH_AUTO) only those use it that can be asked. */
enum mcti_view_of { MCT_VIEW_STATELESS, MCT_VIEW_HANDSHAKE, MCT_VIEW_ASKED, MCT_VIEW_N };

/* Whether such clients use a connection in the handshake era, if there is one. */
static inline bool mcti_view_matches(enum mcti_view_of of, const struct mcti_provider *p)
{
    bool free = !p->by_process || p->isolation != MCT_SHARED || p->match == MCT_MATCH_ALL;
    return p->match != MCT_MATCH_NONE && (of == MCT_VIEW_ASKED || (of == MCT_VIEW_HANDSHAKE && free));
}

struct mcti_view {
    struct mcti_view_own *own;     /* NULL: it has none */
    const struct mcti_view *first; /* whose `others` it is in; NULL: it is in none's */
    uint64_t *warned;              /* hashes of the tools that are not called as they would be without these, sorted */
    size_t n_warned;
    struct mcti_registry *registry;
    struct mcti_naming naming;
    struct mcti_ruled ruled;
    const struct mcti_provider *preferred; /* NULL: none */
    enum mcti_view_of of;
    struct mcti_view *others[MCT_VIEW_N]; /* the same for handshake clients; owned. NULL: this one serves them */
    struct mcti_provider **only;          /* NULL: all; otherwise owned array of n_only */
    size_t n_only;
    uint64_t generation;
    struct mcti_exposures kind[MCT_KIND_N];
    struct mcti_list lists; /* as text, see pages.h */
};

/* What a view is of. */
struct mcti_view_opts {
    const struct mcti_naming *naming;
    const char *const *only; /* names, all known to the registry; none: all providers */
    size_t n_only;
    struct mcti_ruled ruled; /* which tools of servers are shown */
    enum mcti_view_of of;
    const char *preferred; /* the server asked first for a URI that none is known to have; NULL: none is */
};

/* With one provider nothing is prefixed. */
int mcti_view_init(struct mcti_view *v, struct mcti_registry *r, const struct mcti_view_opts *opts);
void mcti_view_done(struct mcti_view *v); /* safe on a zeroed one */

/* Whether the tool is one of the endpoint itself. */
static inline bool mcti_view_is_own(const struct mcti_view *v, const struct mcti_exposure *x)
{
    return v->own && x->provider == v->own->provider;
}

size_t mcti_view_n_providers(const struct mcti_view *v);
size_t mcti_view_n_servers(const struct mcti_view *v); /* without tools of the program itself */
/* Has lists that have served their time fetched again. */
void mcti_view_freshen(struct mcti_view *v);
struct mcti_provider *mcti_view_provider(const struct mcti_view *v, size_t i);
bool mcti_view_shows(const struct mcti_view *v, const struct mcti_provider *p);

/* Whose lists and capabilities stand for the server: its own, or those of its connection in the handshake era. */
const struct mcti_provider *mcti_view_source(const struct mcti_view *v, const struct mcti_provider *p);

/* Whether a change of what this connection, maybe a branch, lists is one of the view. */
bool mcti_view_lists(const struct mcti_view *v, const struct mcti_provider *p);

void mcti_view_build(struct mcti_view *v);

static inline const struct mcti_exposures *mcti_view_items(struct mcti_view *v, enum mcti_kind kind)
{
    if (v->generation != v->registry->generation)
        mcti_view_build(v);
    return &v->kind[kind];
}

/* ---- named.c ---- */

/* Finds a tool or prompt by its exposed name, as SERVER.NAME or SERVER__NAME, or by its raw name if one server alone
 * has it. NULL with *err, which names the choices when there is none or more than one. */
const struct mcti_exposure *mcti_view_named(struct mcti_view *v, enum mcti_kind kind, struct mcti_str name,
                                            struct mct_error *err);

/* Whether that is the name of a tool that is not shown because it is the owner's alone. */
bool mcti_view_restricted(struct mcti_view *v, struct mcti_str name);

/* ---- view.c ---- */

/* How an item is exposed; NULL: it is not. */
const struct mcti_exposure *mcti_view_of_item(struct mcti_view *v, const struct mcti_item *item);

/*
 * The providers to ask for a URI, best first: those that list it, those with a matching template, the
 * preferred one, the others that have resources. Fills at most `max`, returns how many; *ret_sure: the first
 * so many are known to have it.
 */
size_t mcti_view_for_uri(struct mcti_view *v, struct mcti_str uri, struct mcti_provider **ret, size_t max,
                         size_t *ret_sure);

/* ---- tool.c ---- */

/* All names of a tool of the view, also those it has in other views; see mcti_canon_find(). */
const struct mcti_tool_names *mcti_view_tool_names(const struct mcti_view *v, const struct mcti_exposure *x);

/* Whether the tool is known to change nothing; see mcti_policy_is_read_only(). */
bool mcti_view_is_read_only(const struct mcti_view *v, const struct mcti_policy *p, const struct mcti_exposure *x);

#endif
