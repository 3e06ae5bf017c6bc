/*
 * The lists of a view as JSON text, in pages. A list is written once for each revision and kept: as long as it is the
 * newest, and, once it has been handed out in pages, a while longer, so that a client that is reading it gets the rest
 * of the same list whatever changes meanwhile.
 */
#ifndef MCT_HUB_VIEW_PAGES_H
#define MCT_HUB_VIEW_PAGES_H

#include "base/list.h"
#include "mcp/method.h"

struct mct_exposure;
struct mct_view;

struct mct_page {
    struct mct_str items; /* separated by commas, without brackets; borrowed until the loop turns */
    uint64_t list;        /* names the list it is of */
    size_t next;          /* where the next page begins; 0: there is none */
};

/* Appends one item as lists of that revision show it. */
void mct_exposure_put(struct mct_buf *to, const struct mct_exposure *x, enum mct_rev rev);

/* At most max items of the newest list. -1 when out of memory. */
int mct_view_first_page(struct mct_view *v, enum mct_kind kind, enum mct_rev rev, size_t max, struct mct_page *ret);

/* A later page; -1 when that list is not kept any more, or never was. */
int mct_view_next_page(struct mct_view *v, enum mct_kind kind, uint64_t list, size_t from, size_t max,
                       struct mct_page *ret);

/* Whether a list was handed out in part, and the rest may still be asked for. */
bool mct_view_is_read(const struct mct_view *v);

void mct_view_pages_done(struct mct_view *v);

#endif
