/*
 * A list of resources, of templates or of an extension over several servers. All servers get a request at the same
 * time, under one deadline, and each has an outcome of its own. A list that the provider keeps current is taken from
 * memory; any other is requested page by page. A list of all servers waits for those that are slow or still starting
 * until the deadline, or, if grace_ms is set, so long after the latest complete answer; a server that is down gets no
 * time.
 */
#ifndef MCT_RESOURCES_LISTING_H
#define MCT_RESOURCES_LISTING_H

#include "resources/reach.h"
#include "mcp/paging.h"

struct mcti_listing;

/* A list of an extension. */
struct mcti_listing_of {
    const char *method, *key; /* key: member of the result that is the list */
    const char *what;         /* "skills": what a server without the extension lacks */
    bool (*declared)(struct mcti_str capabilities);
};

/* The list of one server. */
struct mcti_listing_part {
    struct mcti_provider *provider; /* the registry's provider, even if another connection was used */
    struct mct_error error;         /* kind NONE: the list is complete; otherwise `items` may hold a part of it */
    bool lacks;                     /* the server is connected and does not declare such items; `error` says so */
    bool is_late;  /* it failed for want of time, or its connection is being made again: a later list may
                                     * have its items */
    char *refusal; /* the error object of the server that `error` is made from, raw JSON; NULL: none */
    unsigned duration_ms;
    struct mcti_buf items; /* objects as the server wrote them, separated by commas */
    size_t n_items;
    char *cursor; /* raw JSON cursor of the next page, if one_page; NULL: last page */

    struct mcti_listing *listing; /* private from here on */
    struct mcti_ready ready;
    struct mcti_call call;
    struct mcti_pages pages;
    struct mcti_buf params;
    bool over, known;
};

struct mcti_listing {
    /* set by the caller */
    const struct mcti_reach *reach;
    enum mcti_kind kind;
    const struct mcti_listing_of *of;     /* a list of an extension instead of one of `kind`; NULL: none */
    struct mcti_provider *only;           /* NULL: all servers of the view */
    bool insists;                         /* with `only`: requests the list even if the server announces no resources */
    bool one_page;                        /* with `only`: just the page that `cursor` names */
    struct mcti_str cursor;               /* raw JSON string; absent: the first page */
    unsigned deadline_ms, grace_ms;       /* grace_ms 0: wait until the deadline */
    size_t max_pages;                     /* per server; 0: MCT_LIMIT_PAGES */
    size_t max_items;                     /* largest number of items taken from one server; 0: all */
    void (*done)(struct mcti_listing *l); /* called once, from the loop; parts are valid until mcti_listing_done() */
    void *data;

    struct mcti_listing_part *parts; /* in the order of the view */
    size_t n_parts;
    size_t n_open;
    uint64_t started_ms;
    struct mcti_timer deadline;
    struct mcti_task finish;
};

/* Starts the requests. Returns -1 when out of memory; then `done` is not called. */
int mcti_listing_start(struct mcti_listing *l);

/* Cancels requests and frees everything; safe on a zeroed listing. */
void mcti_listing_done(struct mcti_listing *l);

/* Iterates over the items of a part, like over a JSON array. */
static inline struct mcti_json_iter mcti_listing_items(const struct mcti_listing_part *part)
{
    return mcti_json_open(mcti_buf_str(&part->items));
}

#endif
