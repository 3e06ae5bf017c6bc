/*
 * Reaching servers for somebody who does not know which of them has what. A reach says which servers there are, on
 * whose behalf they are asked, and how a connection is found; listing.h and reading.h ask through it.
 */
#ifndef MCT_RESOURCES_REACH_H
#define MCT_RESOURCES_REACH_H

#include "hub/call/start.h"
#include "hub/core/branch.h"
#include "hub/view/view.h"

struct mct_cache;

struct mct_reach {
    struct mct_view *view;
    struct mct_call *behalf; /* requests are made as this call is: its answerer, owner and authority; what servers ask and log
                              * because of them is as if it had come up in it. NULL: the program's own. Outlives whatever
                              * asks through the reach */
    struct mct_events *events; /* who hears of the program's own requests; NULL: nobody */
    /* Which connection to a server it uses; *ret_branch is given back with mct_branch_unuse(). NULL: the shared one. */
    struct mct_provider *(*connect)(struct mct_call *behalf, struct mct_provider *p, struct mct_branch **ret_branch,
                                    struct mct_error *err);
    const char *const *uri_allow;  /* schemes that may be read; none: all */
    size_t n_uri_allow;
    unsigned settle_ms;            /* who has a URI is not known before all servers have started: waits so long for that */
    struct mct_cache *cache;       /* of what was read; NULL: none */
};

/* A request on behalf of somebody; params are the caller's to set, done too. */
struct mct_call mct_reach_call(const struct mct_reach *reach, enum mct_verb verb);

/* -1 with *err when the scheme of the URI (what stands before the first ':') is not among those that may be read. */
int mct_reach_admits(const struct mct_reach *reach, struct mct_str uri, struct mct_error *err);

/* The same, and a refusal is counted: at the server it is meant for, NULL: at the one that would have been asked first. */
int mct_reach_check(const struct mct_reach *reach, struct mct_provider *only, struct mct_str uri, struct mct_error *err);

/* What became of a call that has no result, as one error: a refusal with its code, MCT_ERR_NOT_FOUND where it says that
 * there is no such resource. `uri`: what was to be read, absent: it was no read. */
void mct_outcome_error(const struct mct_outcome *o, struct mct_str uri, struct mct_error *ret);

/* Waits until the connection to one server is up, or has failed to be. Embedded in whoever waits. */
struct mct_ready {
    const struct mct_reach *reach;
    struct mct_provider *origin, *connection; /* connection: to use once it is ready */
    struct mct_branch *branch;
    void (*done)(struct mct_ready *w); /* from the loop */
    struct mct_watcher watcher;
    struct mct_settle settle;
    struct mct_task told;
};

/* 1: w->connection is ready now; 0: w->done follows, unless mct_ready_done() comes before; -1 with *err. */
int mct_ready_open(struct mct_ready *w, const struct mct_reach *reach, struct mct_provider *p, struct mct_error *err);
void mct_ready_done(struct mct_ready *w); /* gives the connection back; safe on a zeroed one */

#endif
