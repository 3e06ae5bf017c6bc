/*
 * Reaching servers for somebody who does not know which of them has what. A reach says which servers there are, on
 * whose behalf they are asked, and how a connection is found; listing.h and reading.h ask through it.
 */
#ifndef MCT_RESOURCES_REACH_H
#define MCT_RESOURCES_REACH_H

#include "hub/call/start.h"
#include "hub/core/branch.h"
#include "hub/view/view.h"

struct mcti_cache;

struct mcti_reach {
    struct mcti_view *view;
    struct mcti_call *behalf; /* requests are made as this call is: its answerer, owner and authority; what servers ask
                               * and log because of them is as if it had come up in it. NULL: the program's own.
                               * Outlives whatever asks through the reach */
    struct mcti_events *events; /* who hears of the program's own requests; NULL: nobody */
    /* Which connection to a server it uses; *ret_branch is given back with mcti_branch_unuse(). NULL: the shared one.
     */
    struct mcti_provider *(*connect)(struct mcti_call *behalf, struct mcti_provider *p, struct mcti_branch **ret_branch,
                                     struct mct_error *err);
    const char *const *uri_allow; /* schemes that may be read; none: all */
    size_t n_uri_allow;
    unsigned settle_ms;       /* who has a URI is not known before all servers have started: waits so long for that */
    struct mcti_cache *cache; /* of what was read; NULL: none */
};

/* A request on behalf of somebody; params are the caller's to set, done too. */
struct mcti_call mcti_reach_call(const struct mcti_reach *reach, enum mcti_verb verb);

/* -1 with *err when the scheme of the URI (what stands before the first ':') is not among those that may be read. */
int mcti_reach_admits(const struct mcti_reach *reach, struct mcti_str uri, struct mct_error *err);

/* The same, and a refusal is counted: at the server it is meant for, NULL: at the one that would have been asked first.
 */
int mcti_reach_check(const struct mcti_reach *reach, struct mcti_provider *only, struct mcti_str uri,
                     struct mct_error *err);

/* What became of a call that has no result, as one error: a refusal with its code, MCT_ERR_NOT_FOUND where it says that
 * there is no such resource. `uri`: what was to be read, absent: it was no read. */
void mcti_outcome_error(const struct mcti_outcome *o, struct mcti_str uri, struct mct_error *ret);

/* Waits until the connection to one server is up, or has failed to be. Embedded in whoever waits. */
struct mcti_ready {
    const struct mcti_reach *reach;
    struct mcti_provider *origin, *connection; /* connection: to use once it is ready */
    struct mcti_branch *branch;
    void (*done)(struct mcti_ready *w); /* from the loop */
    struct mcti_watcher watcher;
    struct mcti_settle settle;
    struct mcti_task told;
};

/* 1: w->connection is ready now; 0: w->done follows, unless mcti_ready_done() comes before; -1 with *err. */
int mcti_ready_open(struct mcti_ready *w, const struct mcti_reach *reach, struct mcti_provider *p,
                    struct mct_error *err);
void mcti_ready_done(struct mcti_ready *w); /* gives the connection back; safe on a zeroed one */

#endif
