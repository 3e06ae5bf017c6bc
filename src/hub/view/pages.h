/*
 * The lists of a view as JSON text, in pages. A list is written once per revision and kept while it is current. A list
 * that a client has read in part is kept longer, so that the client gets the remaining pages of the same list.
 */
#ifndef MCT_HUB_VIEW_PAGES_H
#define MCT_HUB_VIEW_PAGES_H

#include "base/list.h"
#include "mcp/method.h"

struct mcti_exposure;
struct mcti_view;

struct mcti_page {
    struct mcti_str items;    /* separated by commas, without brackets; borrowed until the loop turns */
    struct mcti_chunk *chunk; /* owner of the items, if they are long; borrowed, too. NULL: none */
    uint64_t list;            /* identifier of the list */
    size_t next;              /* index of the first item of the next page; 0: last page */
};

/* Appends one item in the form of that revision. */
void mcti_exposure_put(struct mcti_buf *to, const struct mcti_exposure *x, enum mcti_rev rev);

/* A list, as a client gets it. */
struct mcti_list_of {
    enum mcti_kind kind;
    enum mcti_rev rev;
    bool apps; /* with the tools that are listed only for clients with apps */
};

/* Returns the first page of the current list, with at most `max` items. Returns -1 when out of memory. */
int mcti_view_first_page(struct mcti_view *v, const struct mcti_list_of *of, size_t max, struct mcti_page *ret);

/* Returns the page that begins at item `from` of the list. Returns -1 if the list is not kept. */
int mcti_view_next_page(struct mcti_view *v, enum mcti_kind kind, uint64_t list, size_t from, size_t max,
                        struct mcti_page *ret);

/* Returns true if a client has read a list in part and may still request the rest. */
bool mcti_view_has_open_list(const struct mcti_view *v);

void mcti_view_pages_done(struct mcti_view *v);

#endif
