/*
 * The lists of a view as JSON text, in pages. A list is written once for each revision and kept: as long as it is the
 * newest, and, once it has been handed out in pages, a while longer, so that a client that is reading it gets the rest
 * of the same list whatever changes meanwhile.
 */
#ifndef MCT_HUB_VIEW_PAGES_H
#define MCT_HUB_VIEW_PAGES_H

#include "base/list.h"
#include "mcp/method.h"

struct mcti_exposure;
struct mcti_view;

struct mcti_page {
    struct mcti_str items; /* separated by commas, without brackets; borrowed until the loop turns */
    uint64_t list;         /* names the list it is of */
    size_t next;           /* where the next page begins; 0: there is none */
};

/* Appends one item as lists of that revision show it. */
void mcti_exposure_put(struct mcti_buf *to, const struct mcti_exposure *x, enum mcti_rev rev);

/* At most max items of the newest list. -1 when out of memory. */
int mcti_view_first_page(struct mcti_view *v, enum mcti_kind kind, enum mcti_rev rev, size_t max,
                         struct mcti_page *ret);

/* A later page; -1 when that list is not kept any more, or never was. */
int mcti_view_next_page(struct mcti_view *v, enum mcti_kind kind, uint64_t list, size_t from, size_t max,
                        struct mcti_page *ret);

/* Whether a list was handed out in part, and the rest may still be asked for. */
bool mcti_view_is_read(const struct mcti_view *v);

void mcti_view_pages_done(struct mcti_view *v);

#endif
