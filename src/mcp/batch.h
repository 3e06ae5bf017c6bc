/*
 * JSON-RPC batches, which exist in revision 2025-03-26 only: validation, and collecting the answers into one array. A
 * session uses this for the batches of its client. The HTTP front, which may send the answers as events, shares the
 * validation and the array.
 */
#ifndef MCT_MCP_BATCH_H
#define MCT_MCP_BATCH_H

#include "mcp/session.h"

/* A batch whose requests are being answered. Frees itself after the last answer. */
struct mcti_batch {
    struct mcti_session *session; /* NULL: the answers are not needed any more */
    void *lane;
    struct mcti_buf answers;
    size_t n_open; /* users: unanswered requests, and the loop that is reading the batch */
};

/* Checks a client's batch, except for the revision: not empty, at most MCT_LIMIT_BATCH messages, all of them valid
 * JSON-RPC, no initialize, and no message that names a revision of its own. Sets *ret_requests to the number of
 * requests. Returns -1 and sets *err on failure. */
int mcti_batch_check(struct mcti_str batch, size_t *ret_requests, struct mct_error *err);

/* Checks the revision of the session as well. */
int mcti_batch_admit(enum mcti_rev rev, struct mcti_str batch, size_t *ret_requests, struct mct_error *err);

/* Appends an answer to an array, which mcti_batch_close() completes. Returns false, with nothing written, if the array
 * is full. */
bool mcti_batch_put(struct mcti_buf *array, struct mcti_str answer);
struct mcti_str mcti_batch_close(struct mcti_buf *array);

/* Passes each message of the batch to the session. */
void mcti_batch_deliver(struct mcti_session *s, struct mcti_str batch, void *lane);

/* Receives a batch. A client's batch is checked and answered with one array; the messages of a server's batch are
 * received one by one. Returns -1 and sets *err if it is refused. */
int mcti_batch_receive(struct mcti_session *s, struct mcti_str batch, void *lane, struct mct_error *err);

/* Adds the session's answer to one of the requests. */
void mcti_batch_answer(struct mcti_batch *b, struct mcti_str frame);

/* Releases one user. */
void mcti_batch_leave(struct mcti_batch *b);

#endif
