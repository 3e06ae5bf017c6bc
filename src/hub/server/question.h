/* Questions of a handshake server to its client, and the calls that they belong to. */
#ifndef MCT_HUB_SERVER_QUESTION_H
#define MCT_HUB_SERVER_QUESTION_H

#include "hub/server/impl.h"

/* Handles a request of the server. */
void mcti_server_on_request(struct mcti_server *m, const struct mcti_msg *msg, void *lane);

/* Returns the call that the current message of the server belongs to: the transport knows it, or it follows from the
 * owners of the calls in flight. Returns NULL if there is none, or if it cannot be determined (*ret_unclear). */
struct mcti_call *mcti_server_call_about(struct mcti_server *m, bool *ret_unclear);

/* Returns the call that the current notification of the server belongs to, or NULL if calls of several owners are in
 * flight: a question goes to the likeliest call, but a client must not see a notification of another one. `is_log`: the
 * notification is a log message, which a 2026-07-28 server sends only for calls that ask for them. */
struct mcti_call *mcti_server_call_aside(struct mcti_server *m, bool is_log);

/* Remembers whether calls like this one ask questions. */
void mcti_server_note_habit(struct mcti_server *m, struct mcti_call *call, enum mcti_habit habit);

/* Ends the questions of a call that has ended. If the call was cancelled (`answered` is false), further questions of it
 * may still arrive. */
void mcti_server_questions_end(struct mcti_server *m, const struct mcti_call *call, bool answered);

/* Remembers that a call has ended, for questions that arrive shortly afterwards. */
void mcti_server_note_end(struct mcti_server *m, const struct mcti_call *call, bool answered);

/* Passes on the questions and sends the calls that may proceed now; `data` is the server. */
void mcti_server_questions_recheck(void *data);

#endif
