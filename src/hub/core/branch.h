/*
 * A branch is an additional connection to a server, besides the shared connection of its provider: for one caller, or
 * for clients with the same capabilities. It owns a provider that is not in the registry's list and publishes no items.
 * It exists from the first call that needs it until its owner is freed or it has been idle for a while.
 */
#ifndef MCT_HUB_CORE_BRANCH_H
#define MCT_HUB_CORE_BRANCH_H

#include "hub/core/registry.h"

/*
 * A `handshake` branch serves handshake clients if the shared connection speaks 2026-07-28. While a `spare` branch is
 * not connected, the shared connection is used instead. A `common` branch is shared by all handshake clients: it is
 * origin->handshake, and they see its lists.
 */
struct mcti_branch {
    struct mcti_list node; /* in registry->branches */
    struct mcti_registry *registry;
    struct mcti_provider *origin, *provider;
    const void *owner; /* NULL: none */
    char *key;
    unsigned n_users;
    bool handshake, spare, common;
    bool leaving, stopped; /* freed when it has stopped and has no users */
    unsigned shown;        /* of a common branch: lists that differ from the shared connection's, as bits 1 << kind */
    struct mcti_list waiting; /* struct mcti_settle */
    struct mcti_timer idle;
    struct mcti_task wake, bury;
};

struct mcti_branch_key {
    const char *text;                /* unique among the branches of one server */
    const void *owner;               /* compared only */
    const struct mcti_answerer *can; /* capabilities declared to the server; copied. NULL: those of the origin */
    bool handshake, spare, common;   /* as in struct mcti_branch */
};

/* Returns the connection to use now: that of the branch, or the shared one instead of it. */
struct mcti_provider *mcti_branch_provider(const struct mcti_branch *b);

/* Returns the branch with this key, and creates and starts it if there is none. On failure returns NULL and sets
 * *err. */
struct mcti_branch *mcti_branch_get(struct mcti_registry *r, struct mcti_provider *origin,
                                    const struct mcti_branch_key *key, struct mct_error *err);

/* Count the users of a branch; a branch with users is kept. A handshake branch is stopped in any case if its server
 * turns out to have no handshake era. */
void mcti_branch_use(struct mcti_branch *b);
void mcti_branch_unuse(struct mcti_branch *b); /* accepts NULL */

/* Calls w->done from the loop once the branch is connected or has failed to connect, or after max_ms (0: no limit).
 * mcti_settle_stop() ends the wait. */
void mcti_branch_wait(struct mcti_branch *b, struct mcti_settle *w, unsigned max_ms);

/* Stops the branches of an owner that is about to be freed. They must not be used any more. */
void mcti_branches_end(struct mcti_registry *r, const void *owner);

/* Stops the branches of a provider that is removed, and fails their calls. */
void mcti_branches_retire(struct mcti_registry *r, const struct mcti_provider *origin);

void mcti_branch_free(struct mcti_branch *b);

#endif
