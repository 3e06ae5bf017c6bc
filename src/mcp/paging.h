/* Fetching one list to its last page, with a guard against servers that never end it. */
#ifndef MCT_MCP_PAGING_H
#define MCT_MCP_PAGING_H

#include "mcp/method.h"
#include "mcp/session.h"

/* The pages of one list as they come, whoever fetches them. */
struct mcti_pages {
    enum mcti_kind kind;
    size_t max_pages, max_items; /* 0: those of base/limits.h */
    bool empty_ends;             /* an empty cursor ends the list; otherwise it is a cursor (2026-07-28 "Pagination") */
    /* One item as its server wrote it, borrowed for the call. False: no more can be taken. */
    bool (*on_item)(struct mcti_pages *p, struct mcti_str item);

    uint64_t *seen; /* hashes of the cursors so far */
    size_t n_seen, n_items;
};

/* Takes a page (the result of the list method); *ret_cursor is raw JSON, absent on the last page.
 * -1 with *err when it is no page, a cursor comes again, or there are too many pages or items: those
 * before are good. */
int mcti_pages_take(struct mcti_pages *p, struct mcti_str result, struct mcti_str *ret_cursor, struct mct_error *err);
void mcti_pages_done(struct mcti_pages *p);

struct mcti_pager {
    /* set by the caller */
    enum mcti_kind kind;
    unsigned timeout_ms;  /* per page */
    struct mcti_str meta; /* raw `_meta` for each request, absent: none; must outlive the pager */
    /* One item as its server wrote it, borrowed for the call. */
    void (*on_item)(struct mcti_pager *p, struct mcti_str item);
    /* Once, unless mcti_pager_stop(): err is NULL when the last page was read. Items given before an
     * error are good. */
    void (*done)(struct mcti_pager *p, const struct mct_error *err);
    void *data;

    struct mcti_session *session;
    struct mcti_outbound out;
    struct mcti_pages pages;
    bool has_ttl;    /* the first page says how long it is good */
    uint64_t ttl_ms; /* the shortest of all pages */
    bool is_public;  /* every page says so */
};

int mcti_pager_start(struct mcti_pager *p, struct mcti_session *session, struct mct_error *err);
void mcti_pager_stop(struct mcti_pager *p); /* safe when it is not running */

#endif
