/*
 * JSON-RPC batches, which exist in revision 2025-03-26 only: whether one may be taken, and its answers, which leave
 * together. A session uses it for the batches of its client; the HTTP front, whose answers may leave as events, shares
 * the checks and the array.
 */
#ifndef MCT_MCP_BATCH_H
#define MCT_MCP_BATCH_H

#include "mcp/session.h"

/* A batch whose requests are being answered. It frees itself when the last has been. */
struct mcti_batch {
    struct mcti_session *session; /* NULL: nobody waits any more */
    void *lane;
    struct mcti_buf answers;
    size_t n_open; /* users: requests without an answer, and whoever still reads the batch */
};

/* Checks that a client may send this array, except for the revision: not empty, at most MCT_LIMIT_BATCH messages, all
 * of them JSON-RPC, no initialize, none that names a revision of its own. Sets *ret_requests. -1 with *err. */
int mcti_batch_check(struct mcti_str batch, size_t *ret_requests, struct mct_error *err);

/* Checks the revision of the session, too. */
int mcti_batch_admit(enum mcti_rev rev, struct mcti_str batch, size_t *ret_requests, struct mct_error *err);

/* Appends an answer to an array that mcti_batch_close() ends. False, with nothing written: it is full. */
bool mcti_batch_put(struct mcti_buf *array, struct mcti_str answer);
struct mcti_str mcti_batch_close(struct mcti_buf *array);

/* Gives each message of the batch to the session. */
void mcti_batch_deliver(struct mcti_session *s, struct mcti_str batch, void *lane);

/* What the session does with a batch: a client's is checked and answered with one array, a server's is taken as it
 * comes, message by message. -1 with *err: refused. */
int mcti_batch_receive(struct mcti_session *s, struct mcti_str batch, void *lane, struct mct_error *err);

/* The session has an answer to one of the requests. */
void mcti_batch_answer(struct mcti_batch *b, struct mcti_str frame);

/* One user less. */
void mcti_batch_leave(struct mcti_batch *b);

#endif
