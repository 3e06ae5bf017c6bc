/*
 * Further connections to a server, beside the one its provider stands for: one for each caller, or set of client
 * capabilities, that must not share. A branch is a provider without a place in the registry's list: it shows no items,
 * and exists from the first call that needs it until its owner goes or nobody has used it for a while.
 */
#ifndef MCT_HUB_CORE_BRANCH_H
#define MCT_HUB_CORE_BRANCH_H

#include "hub/core/registry.h"

/*
 * A branch in the handshake era (`handshake`) serves clients of that era where the shared connection speaks
 * 2026-07-28. While one that is `spare` is not connected, the shared connection takes its place. The one that is
 * `common` to all such clients stands in origin->handshake, and its lists are theirs.
 */
struct mcti_branch {
    struct mcti_list node; /* in registry->branches */
    struct mcti_registry *registry;
    struct mcti_provider *origin, *provider;
    const void *owner; /* NULL: nobody in particular */
    char *key;
    unsigned n_users;
    bool handshake, spare, common;
    bool leaving, stopped; /* it is freed when it has stopped and nobody uses it */
    unsigned shown;        /* of one that is common: bits 1 << kind: lists that differ from the shared connection's */
    struct mcti_list waiting; /* struct mcti_settle */
    struct mcti_timer idle;
    struct mcti_task wake, bury;
};

struct mcti_branch_key {
    const char *text;                /* what tells it from other branches of that server */
    const void *owner;               /* compared only */
    const struct mcti_answerer *can; /* what the server is told that can be asked; copied. NULL: as the origin */
    bool handshake, spare, common;   /* as in struct mcti_branch */
};

/* The connection to use now: the branch's, or the shared one in its place. */
struct mcti_provider *mcti_branch_provider(const struct mcti_branch *b);

/* The branch with this key, begun if there is none. NULL with *err. */
struct mcti_branch *mcti_branch_get(struct mcti_registry *r, struct mcti_provider *origin,
                                    const struct mcti_branch_key *key, struct mct_error *err);

/* It is kept while somebody uses it. One whose server does not know its era is stopped all the same. */
void mcti_branch_use(struct mcti_branch *b);
void mcti_branch_unuse(struct mcti_branch *b); /* NULL: nothing */

/* w->done is called from the loop once it is connected or has failed to, or after max_ms (0: no such limit).
 * mcti_settle_stop() ends the wait. */
void mcti_branch_wait(struct mcti_branch *b, struct mcti_settle *w, unsigned max_ms);

/* The owner goes: its branches are stopped. Nobody may use them any more. */
void mcti_branches_end(struct mcti_registry *r, const void *owner);

void mcti_branch_free(struct mcti_branch *b);

#endif
