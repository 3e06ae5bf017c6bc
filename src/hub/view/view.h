/*
 * A view: the items of some providers under their exposed names, in configuration order, with lookup by name and URI.
 * It is rebuilt after a change of the registry; pointers into it are valid until the next turn of the loop. A view owns
 * its names and lists, not the items.
 */
#ifndef MCT_HUB_VIEW_VIEW_H
#define MCT_HUB_VIEW_VIEW_H

#include "hub/apps/rules.h"
#include "hub/apps/uris.h"
#include "hub/names/names.h"
#include "hub/view/pages.h"
#include "hub/core/registry.h"
#include "hub/policy/policy.h"
#include "hub/policy/ruled.h"

struct mcti_exposure {
    struct mcti_provider *provider;
    const struct mcti_item *item;
    struct mcti_str name; /* exposed name; for resources and templates the URI as clients see it */
    enum mcti_rev rev;    /* revision of the connection that lists it */
    enum mcti_standing standing;
};

struct mcti_exposures {
    struct mcti_exposure *v;
    char *names; /* text of all names, each NUL-terminated; owned. NULL for resources and templates */
    size_t n;
    size_t n_apps;  /* from n on: tools that are listed only for clients with apps */
    size_t n_named; /* from n_apps on: items that are not listed, but found by name */
    size_t n_all;   /* from n_named on: items for the owner only, found by mcti_view_restricted(), and quarantined ones,
                     * found by mcti_view_quarantined() only */
    struct mcti_index by_name, by_raw; /* of the first n_named */
    struct mcti_contest *contests;     /* names that several servers claim, so that no tool has them; index: in items */
    struct mcti_map contested;
    const struct mcti_item **items; /* of tools and prompts, in the order of naming */
};

/* Tools of the endpoint itself, in addition to the tools of its servers. Embedded in its owner, which `free` frees with
 * the view. */
struct mcti_view_own {
    struct mcti_provider *provider; /* provider of these tools; not in the registry */
    bool alone;                     /* the view lists no other tools */
    bool prompts;                   /* it has prompts as well */
    unsigned follows;               /* bits 1 << kind: these tools change when such items of the servers change */
    /* Updates provider->items; invalidates pointers to items. */
    void (*renew)(struct mcti_view_own *own);
    /* Returns the input for naming such a tool. */
    struct mcti_name_in (*name)(const struct mcti_view_own *own, const struct mcti_item *item);
    /* Resolves a call of a tool that calls another tool, named in the arguments. Returns the view in which to find the
     * other tool (it may be absent there), and sets the name and the arguments of the inner call. Returns NULL for any
     * other tool. */
    struct mcti_view *(*unwrap)(struct mcti_view_own *own, const struct mcti_item *item, struct mcti_str args,
                                struct mcti_str *ret_name, struct mcti_str *ret_args);
    /* Returns the view in which calls of such a tool find the others; NULL: no tool calls others. May be NULL. */
    struct mcti_view *(*inner)(struct mcti_view_own *own);
    /* Returns true if the tool is not listed for the present, but can be called. */
    bool (*is_unlisted)(const struct mcti_view_own *own, const struct mcti_item *item);
    /* Appends what the model should know about the tools, or nothing. */
    void (*instruct)(const struct mcti_view_own *own, struct mcti_buf *to);
    /* Returns true if the tool or prompt lists items of all servers, so that its call waits for those that start. */
    bool (*lists_all)(struct mcti_view_own *own, const struct mcti_item *item);
    void (*free)(struct mcti_view_own *own);
};

/* The form of tools for clients that pass them on to a model provider (model/form.h). */
struct mcti_view_form {
    const void *data;
    /* Appends a tool of tools/list. Fails if the provider accepts no form of it. */
    int (*put)(struct mcti_buf *to, const struct mcti_view_form *form, struct mcti_str tool, struct mct_error *err);
    /* Appends arguments that a model made for that form, for a tool with this inputSchema. */
    int (*restore)(struct mcti_buf *to, const struct mcti_view_form *form, struct mcti_str schema,
                   struct mcti_str arguments, struct mct_error *err);
};

/* The clients of a view: 2026-07-28 clients, handshake clients, or handshake clients that can be asked questions. A
 * server may have a connection in the handshake era; if that is a process of its own (MCT_MATCH_AUTO), only the last
 * group uses it. */
enum mcti_view_of { MCT_VIEW_STATELESS, MCT_VIEW_HANDSHAKE, MCT_VIEW_ASKED, MCT_VIEW_N };

/* Returns true if such clients use the connection in the handshake era, if there is one. */
static inline bool mcti_view_matches(enum mcti_view_of of, const struct mcti_provider *p)
{
    bool free = !p->by_process || p->isolation != MCT_SHARED || p->match == MCT_MATCH_ALL;
    return p->match != MCT_MATCH_NONE && (of == MCT_VIEW_ASKED || (of == MCT_VIEW_HANDSHAKE && free));
}

/* A server of a view. */
struct mcti_view_member {
    char *name;
    struct mcti_provider *provider; /* NULL: it was removed */
};

struct mcti_view {
    struct mcti_view_own *own;         /* NULL: none */
    const struct mcti_view_form *form; /* NULL: tools are listed as servers describe them */
    const struct mcti_view *first;     /* view that has this one in `others`; NULL: none */
    uint64_t *warned;                  /* sorted hashes of the tools that are renamed because of `own` */
    size_t n_warned;
    struct mcti_registry *registry;
    struct mcti_naming naming;
    struct mcti_ruled ruled;
    char *preferred; /* name of a server; NULL: none */
    enum mcti_view_of of;
    bool single; /* the endpoint of one server: its clients know that they speak with this server */
    struct mcti_app_rules app_rules;
    struct mcti_app_uris apps;            /* the pages of apps of all servers */
    struct mcti_view *others[MCT_VIEW_N]; /* views for other kinds of clients; owned. NULL: this view serves them */
    struct mcti_view_member *members; /* servers of the view by name; NULL: all. Otherwise owned array of n_members */
    size_t n_members;
    struct mcti_provider **only; /* those of `members` that there are: owned array of n_only */
    size_t n_only;
    struct mcti_watcher watcher; /* with `members` */
    uint64_t generation;
    struct mcti_exposures kind[MCT_KIND_N];
    struct mcti_list lists; /* as text, see pages.h */
};

/* Options of a view. */
struct mcti_view_opts {
    const struct mcti_naming *naming;
    const char *const *only; /* names, all known to the registry; none: all providers */
    size_t n_only;
    struct mcti_ruled ruled; /* policy over the servers' tools */
    enum mcti_view_of of;
    const char *preferred; /* server to try first for a URI that no server lists; NULL: none */
    bool single;           /* as in struct mcti_view; `only` names one server */
    bool unique_uris;      /* pages of apps that several servers have under one URI get different ones */
    struct mcti_app_rules app_rules;
};

/* Initializes the view. With the prefix "auto", a view of one server has prefixes only for tools whose names the
 * endpoint itself has. Returns -1 when out of memory. */
int mcti_view_init(struct mcti_view *v, struct mcti_registry *r, const struct mcti_view_opts *opts);
void mcti_view_done(struct mcti_view *v); /* accepts a zeroed view */

/* Returns true if the tool is one of the endpoint itself. */
static inline bool mcti_view_is_own(const struct mcti_view *v, const struct mcti_exposure *x)
{
    return v->own && x->provider == v->own->provider;
}

size_t mcti_view_n_providers(const struct mcti_view *v);

/* Returns the number of servers: providers without those of the program's own tools. */
size_t mcti_view_n_servers(const struct mcti_view *v);

/* Fetches expired lists again. */
void mcti_view_freshen(struct mcti_view *v);
struct mcti_provider *mcti_view_provider(const struct mcti_view *v, size_t i);
bool mcti_view_shows(const struct mcti_view *v, const struct mcti_provider *p);

/* Returns the connection whose lists and capabilities this view uses: `p`, or its connection in the handshake era. */
const struct mcti_provider *mcti_view_source(const struct mcti_view *v, const struct mcti_provider *p);

/* Returns true if the view shows the lists of this connection, which may be a branch. */
bool mcti_view_lists(const struct mcti_view *v, const struct mcti_provider *p);

void mcti_view_build(struct mcti_view *v);

/* Returns the items of a kind; rebuilds the view first if the registry has changed. */
static inline const struct mcti_exposures *mcti_view_items(struct mcti_view *v, enum mcti_kind kind)
{
    if (v->generation != v->registry->generation)
        mcti_view_build(v);
    return &v->kind[kind];
}

/* Returns false for a tool that the model does not get, only apps and clients that show them. */
static inline bool mcti_view_is_for_model(const struct mcti_exposure *x)
{
    return x->standing != MCT_FOR_APPS;
}

/* ---- named.c ---- */

/* Returns the first item of the list with that exposed name; NULL: there is none. */
const struct mcti_exposure *mcti_exposure_named(const struct mcti_exposures *e, struct mcti_str name);

/* Returns the next one of the same name after `x`. */
const struct mcti_exposure *mcti_exposure_next_named(const struct mcti_exposures *e, const struct mcti_exposure *x);

/* Return the items with that raw name, one after the other; NULL: no more. */
const struct mcti_exposure *mcti_exposure_raw(const struct mcti_exposures *e, struct mcti_str raw);
const struct mcti_exposure *mcti_exposure_next_raw(const struct mcti_exposures *e, const struct mcti_exposure *x);

/* Finds a tool or prompt by its exposed name, by SERVER.NAME or SERVER__NAME, or by its raw name if only one server has
 * it. If there is none, or more than one, returns NULL and sets *err, which names the choices. `err` may be NULL. */
const struct mcti_exposure *mcti_view_named(struct mcti_view *v, enum mcti_kind kind, struct mcti_str name,
                                            struct mct_error *err);

/* Returns true if the raw name of an item looks like a prefixed name of another server; it is not accepted as a bare
 * name. */
bool mcti_view_is_foreign(const struct mcti_view *v, const struct mcti_exposure *x, struct mcti_str name);

/* Returns true if this is the name of a tool that is hidden because it is for the owner only. */
bool mcti_view_restricted(struct mcti_view *v, struct mcti_str name);

/* Returns the quarantined tool or prompt with this name; NULL: there is none. */
const struct mcti_exposure *mcti_view_quarantined(struct mcti_view *v, enum mcti_kind kind, struct mcti_str name);

/* ---- view.c ---- */

/* Returns the exposure of an item; NULL if the view does not show it. */
const struct mcti_exposure *mcti_view_of_item(struct mcti_view *v, const struct mcti_item *item);

/* ---- uri.c ---- */

/*
 * Finds the providers to try for a URI, best first. For the page of an app these are the servers that list it or whose
 * tools name it, and no others. Otherwise: those that list it, those with a matching template, the preferred
 * one, the others that have resources. Stores at most `max` in `ret` and returns their number. Sets *ret_sure to the
 * number of leading entries that are known to have the URI.
 */
size_t mcti_view_for_uri(struct mcti_view *v, struct mcti_str uri, struct mcti_provider **ret, size_t max,
                         size_t *ret_sure);

/* ---- skills.c ---- */

/* Returns whether URIs of skills of this server have its name in front at this view: it declares skills, and the view
 * has more than one server. */
bool mcti_view_labels_skills(const struct mcti_view *v, const struct mcti_provider *p);

/* Stores the servers of which that is so, at most `max`, and returns their number. */
size_t mcti_view_skill_servers(const struct mcti_view *v, struct mcti_provider **ret, size_t max);

/* Returns the server whose name is in the URI, and appends its own URI; NULL: there is no such name in it. */
struct mcti_provider *mcti_view_skill_server(const struct mcti_view *v, struct mcti_str uri, struct mcti_buf *ret_own);

/* ---- tool.c ---- */

/* Returns all names of a tool of the view, including those in other views; see mcti_canon_find(). */
const struct mcti_tool_names *mcti_view_tool_names(const struct mcti_view *v, const struct mcti_exposure *x);

/* Returns true if the tool is known to be read-only; see mcti_policy_is_read_only(). */
bool mcti_view_is_read_only(const struct mcti_view *v, const struct mcti_policy *p, const struct mcti_exposure *x);

#endif
