/*
 * Access to the servers of a view. A reach determines the servers, the principal of the requests, and the way to find a
 * connection to a server. listing.h and reading.h send their requests through it. It owns no connection; mcti_ready
 * borrows one.
 */
#ifndef MCT_RESOURCES_REACH_H
#define MCT_RESOURCES_REACH_H

#include "hub/call/start.h"
#include "hub/core/branch.h"
#include "hub/view/view.h"

struct mcti_cache;
struct mcti_results;

struct mcti_reach {
    struct mcti_view *view;
    struct mcti_call *behalf;   /* the call that requests are made for; NULL: the program itself. Requests get its
                               * answerer, owner and authority; questions and log messages of servers belong to it.
                               * Outlives every use of the reach */
    struct mcti_events *events; /* receives events of the program's own requests; NULL: none */
    /* Returns the connection to use for a server. *ret_branch is released with mcti_branch_unuse(). NULL: the shared
     * connection. */
    struct mcti_provider *(*connect)(struct mcti_call *behalf, struct mcti_provider *p, struct mcti_branch **ret_branch,
                                     struct mct_error *err);
    const char *const *uri_allow; /* URI schemes that may be read; n_uri_allow 0: all */
    size_t n_uri_allow;
    unsigned settle_ms; /* how long a read waits for starting servers, because the owner of a URI is unknown until all
                         * have listed their resources */
    struct mcti_cache *cache;     /* of results of resources/read; NULL: none */
    struct mcti_results *results; /* results of tools that are kept; NULL: none */
};

/* Returns a call made through the reach; the caller sets `params` and `done`. */
struct mcti_call mcti_reach_call(const struct mcti_reach *reach, enum mcti_verb verb);

/* Checks the scheme of the URI (the text before the first ':') against uri_allow; if it is not allowed, returns -1 and
 * sets *err. */
int mcti_reach_admits(const struct mcti_reach *reach, struct mcti_str uri, struct mct_error *err);

/* Like mcti_reach_admits(), and counts a refusal at the server `only`; if that is NULL, at the first server that would
 * have got the request. */
int mcti_reach_check(const struct mcti_reach *reach, struct mcti_provider *only, struct mcti_str uri,
                     struct mct_error *err);

/* Converts an outcome without a result into one error: a JSON-RPC error keeps its code, and has the kind
 * MCT_ERR_NOT_FOUND if it says that the resource `uri` does not exist. `uri` is absent if the call was no read. */
void mcti_outcome_error(const struct mcti_outcome *o, struct mcti_str uri, struct mct_error *ret);

/* Sets *ret to the reason why a server is not connected. An error that it answered the handshake with has the kind
 * MCT_ERR_CONNECT: kinds like MCT_ERR_SERVER remain for answers over a working connection. */
void mcti_reach_down(const struct mcti_provider *p, struct mct_error *ret);

/* Returns milliseconds as seconds, rounded to tenths, for messages ("%g"). */
static inline double mcti_reach_seconds(uint64_t ms)
{
    return (double)((ms + 50) / 100) / 10;
}

/* Waits until the connection to one server is up or has failed. Embedded in the struct that waits. */
struct mcti_ready {
    const struct mcti_reach *reach;
    struct mcti_provider *origin, *connection; /* connection: the one to use once it is ready */
    struct mcti_branch *branch;
    void (*done)(struct mcti_ready *w); /* called from the loop */
    struct mcti_watcher watcher;
    struct mcti_settle settle;
    struct mcti_task notify;
};

/* Returns 1 if w->connection is ready now, 0 if w->done will be called (unless mcti_ready_done() comes first), and -1
 * with *err set on failure. */
int mcti_ready_open(struct mcti_ready *w, const struct mcti_reach *reach, struct mcti_provider *p,
                    struct mct_error *err);
void mcti_ready_done(struct mcti_ready *w); /* releases the connection; safe on a zeroed one */

#endif
