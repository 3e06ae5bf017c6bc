/*
 * Stands before a server. Every request that a call makes passes it: the entrance counts the request while it runs,
 * lets it wait, or refuses it. hub/guard has the entrance of MCP servers; providers without a peer have none.
 */
#ifndef MCT_HUB_CORE_ENTRANCE_H
#define MCT_HUB_CORE_ENTRANCE_H

#include "hub/core/stage.h"

struct mcti_buf;

struct mcti_entrance_ops {
    /* Decides about a call to a server. MCT_PASS: the entrance has set call->entrance and counts the call until left().
     * MCT_HOLD: the call waits, and the entrance has set call->entrance and call->turn; it calls mcti_call_deliver()
     * later, or ends the call. MCT_ANSWER: refused, *err has the reason. */
    enum mcti_pass (*enter)(struct mcti_entrance *e, struct mcti_call *call, struct mct_error *err);
    /* A counted call has ended; `o` NULL: it was cancelled, or its provider has refused it. */
    void (*left)(struct mcti_entrance *e, struct mcti_call *call, const struct mcti_outcome *o);
    /* Forgets a waiting call. */
    void (*forget)(struct mcti_entrance *e, struct mcti_call *call);
    /* A counted call waits for a person (`pauses`), or goes on: a question must not keep others out. */
    void (*pause)(struct mcti_entrance *e, struct mcti_call *call, bool pauses);
    /* Forgets past failures: a person restarts the server. */
    void (*reset)(struct mcti_entrance *e);
    /* Writes the state as members of the server's status. */
    void (*put_status)(const struct mcti_entrance *e, struct mcti_buf *to);
};

struct mcti_entrance {
    const struct mcti_entrance_ops *ops;
};

/* Gives a call that has waited to its provider. On failure returns -1 and sets *err, which names the server; the call
 * is not counted any more. */
int mcti_call_deliver(struct mcti_call *call, struct mct_error *err);

/* Tells the entrance that the call waits for an answer to a question, or that it goes on. */
void mcti_call_pause(struct mcti_call *call, bool pauses);

#endif
