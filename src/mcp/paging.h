/* Fetches all pages of a list, with protection against servers whose list never ends. */
#ifndef MCT_MCP_PAGING_H
#define MCT_MCP_PAGING_H

#include "mcp/method.h"
#include "mcp/session.h"

/* The pages received of one list; independent of how they are fetched. */
struct mcti_pages {
    enum mcti_kind kind;
    const char *key;             /* member of the result that is the list; NULL: that of `kind` */
    size_t max_pages, max_items; /* 0: the limits of base/limits.h */
    /* Revision that the server speaks. An empty cursor is a cursor since 2026-07-28 ("Pagination"). Before, servers
     * send it after the last page, so it ends the list. */
    enum mcti_rev rev;
    /* Receives one item as its server wrote it, valid during the call. Returns false if no further item can be stored.
     */
    bool (*on_item)(struct mcti_pages *p, struct mcti_str item);

    uint64_t *seen; /* hashes of the cursors received */
    size_t n_seen, n_items, n_bytes;
};

/* Processes a page, the result of the list method, and sets *ret_cursor to the raw cursor, absent on the last page.
 * Returns -1 and sets *err if it is not a valid page, a cursor is repeated, or there are too many pages, items or
 * bytes; earlier items remain valid. */
int mcti_pages_take(struct mcti_pages *p, struct mcti_str result, struct mcti_str *ret_cursor, struct mct_error *err);
void mcti_pages_done(struct mcti_pages *p);

struct mcti_pager {
    /* set by the caller */
    enum mcti_kind kind;
    unsigned timeout_ms;  /* per page */
    struct mcti_str meta; /* raw `_meta` of each request, absent: none; must outlive the pager */
    /* Receives one item as its server wrote it, valid during the call. */
    void (*on_item)(struct mcti_pager *p, struct mcti_str item);
    /* The pager has ended; called once, unless mcti_pager_stop() was called. `err` is NULL if the last page was read.
     * Items received before an error are valid. */
    void (*done)(struct mcti_pager *p, const struct mct_error *err);
    void *data;

    struct mcti_session *session;
    struct mcti_outbound out;
    struct mcti_pages pages;
    bool has_ttl;    /* the first page states its time to live */
    uint64_t ttl_ms; /* shortest of all pages */
    bool is_public;  /* every page is public */
};

int mcti_pager_start(struct mcti_pager *p, struct mcti_session *session, struct mct_error *err);
void mcti_pager_stop(struct mcti_pager *p); /* does nothing if the pager is not running */

#endif
