/*
 * One list of several servers: their resources or templates. All are asked at once, under one deadline; each has an
 * outcome of its own. A list that its server keeps us told about is taken from memory, any other is fetched anew, page
 * by page. Where all are asked, nobody waits long for one: a server that is still starting has settle_ms of the reach,
 * one that is down none, and who takes longer than grace_ms after the latest answer is given up.
 */
#ifndef MCT_RESOURCES_LISTING_H
#define MCT_RESOURCES_LISTING_H

#include "resources/reach.h"
#include "mcp/paging.h"

struct mcti_listing;

/* What one server has said. */
struct mcti_listing_part {
    struct mcti_provider *provider; /* of the registry, even where another connection was used */
    struct mct_error error;         /* kind NONE: that is all; otherwise what came before it is here nevertheless */
    bool lacks;                     /* it is connected and has no resources: said with the error */
    unsigned duration_ms;
    struct mcti_buf items; /* objects as the server wrote them, commas between */
    size_t n_items;
    char *cursor; /* of the page behind this one, raw JSON; NULL: there is none. With one_page only */

    struct mcti_listing *listing; /* below: its own */
    struct mcti_ready ready;
    struct mcti_call call;
    struct mcti_pages pages;
    struct mcti_buf params;
    bool over, remembered;
};

struct mcti_listing {
    /* set by the caller */
    const struct mcti_reach *reach;
    enum mcti_kind kind;
    struct mcti_provider *only;           /* NULL: all of the view */
    bool one_page;                        /* with `only`: the page behind `cursor` as the server gives it */
    struct mcti_str cursor;               /* raw JSON string; absent: the first page */
    unsigned deadline_ms, grace_ms;       /* grace_ms 0: until the deadline */
    size_t max_pages;                     /* of one server; 0: MCT_LIMIT_PAGES */
    size_t max_items;                     /* no more than these of one server are wanted; 0: all */
    void (*done)(struct mcti_listing *l); /* once, from the loop; parts are good until mcti_listing_done() */
    void *data;

    struct mcti_listing_part *parts; /* in the order of the view */
    size_t n_parts;
    size_t n_open;
    uint64_t started_ms;
    struct mcti_timer deadline, settle;
    struct mcti_task told;
};

/* -1 when out of memory: then done is not called. */
int mcti_listing_start(struct mcti_listing *l);

/* Ends and frees everything; safe on a zeroed one. */
void mcti_listing_done(struct mcti_listing *l);

/* Over the items of a part, as a JSON array is. */
static inline struct mcti_json_iter mcti_listing_items(const struct mcti_listing_part *part)
{
    return mcti_json_open(mcti_buf_str(&part->items));
}

#endif
