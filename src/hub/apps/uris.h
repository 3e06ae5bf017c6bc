/*
 * The pages of apps (resources with the scheme ui:) at one endpoint: which server has which, and under which URI
 * clients see them. Servers list such a resource, or only name it in a tool. If several servers have the same URI, each
 * of them is shown with the name of its server in front: ui://a/b of the server "s" as ui://s/a/b. The form depends on
 * the set of servers and their lists only. Owns all of its texts; providers are borrowed and compared.
 */
#ifndef MCT_HUB_APPS_URIS_H
#define MCT_HUB_APPS_URIS_H

#include "base/table/index.h"
#include "hub/core/provider.h"

enum { MCT_APP_TEMPLATES = 32 };

/* One URI, or URI template, of one server. */
struct mcti_app_uri {
    struct mcti_provider *provider;
    struct mcti_str own, shown; /* as the server writes it, and as clients see it; shown.p == own.p: the same */
    bool is_template;
    size_t label_len; /* of what stands in `shown` before the rest of `own` */
};

struct mcti_app_uris {
    struct mcti_app_uri *v;
    size_t n, cap;
    struct mcti_index by_own, by_shown;
    bool unique;                    /* URIs that several servers have are shown differently */
    bool has_tools;                 /* a tool has a page, or is for apps only */
    bool has_pages;                 /* a tool has a page */
    struct mcti_provider **changed; /* servers whose URIs are shown differently; owned */
    size_t n_changed;
    uint32_t like[MCT_APP_TEMPLATES]; /* templates that are shown differently; more are matched as they are written */
    size_t n_like;
};

void mcti_app_uris_clear(struct mcti_app_uris *u);

/* Adds a URI or template; another URI than one of the scheme ui:, a very long one and one that is there already are
 * left out. Returns -1 when out of memory. */
int mcti_app_uris_add(struct mcti_app_uris *u, struct mcti_provider *p, struct mcti_str uri, bool is_template);

/* Adds the URIs that `source`, the connection of `p` whose lists are shown, lists and that its tools name. Returns -1
 * when out of memory. */
int mcti_app_uris_add_all(struct mcti_app_uris *u, struct mcti_provider *p, const struct mcti_provider *source);

/* Determines the forms, after all were added. Returns -1 when out of memory. */
int mcti_app_uris_settle(struct mcti_app_uris *u);

/* Return the next entry after `at` (NULL: the first one) that its server writes, or that clients see, as `uri`, in the
 * order in which they were added; NULL: no more. */
const struct mcti_app_uri *mcti_app_uri_own(const struct mcti_app_uris *u, struct mcti_str uri,
                                            const struct mcti_app_uri *at);
const struct mcti_app_uri *mcti_app_uri_shown(const struct mcti_app_uris *u, struct mcti_str uri,
                                              const struct mcti_app_uri *at);

/* Returns a URI or template that the server lists as clients see it; otherwise `uri` itself. */
struct mcti_str mcti_app_uri_listed(const struct mcti_app_uris *u, const struct mcti_provider *p, struct mcti_str uri);

/* Returns any URI of the server as clients see it; one that matches a template has the form of the template, and is a
 * text of `scratch`, which is cleared first. */
struct mcti_str mcti_app_uri_show(const struct mcti_app_uris *u, const struct mcti_provider *p, struct mcti_str uri,
                                  struct mcti_buf *scratch);

/* Returns the server that a URI in the form for clients belongs to, and writes the server's own URI to `ret`, which is
 * cleared first; NULL: it is in no such form. */
struct mcti_provider *mcti_app_uri_read(const struct mcti_app_uris *u, struct mcti_str uri, struct mcti_buf *ret);

/* Returns whether URIs of the server are shown differently. */
bool mcti_app_uris_change(const struct mcti_app_uris *u, const struct mcti_provider *p);

#endif
