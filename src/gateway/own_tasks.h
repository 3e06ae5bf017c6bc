/*
 * Tasks that the gateway makes of calls itself. It does so where client and server have no form of tasks in common: for
 * a client of 2025-11-25 that asks for a task, and for a 2026-07-28 client with the extension in front of a tool that
 * needs a task of 2025-11-25. Such a task is a call of a client inside of the gateway, so it passes everything that a
 * call passes, and its questions wait until the client asks for them. It goes on when the client disconnects, and ends
 * with the gateway.
 */
#ifndef MCT_GATEWAY_OWN_TASKS_H
#define MCT_GATEWAY_OWN_TASKS_H

#include "gateway/impl.h"

struct mcti_own_task;

/* Returns whether clients of 2025-11-25 may ask for tasks at this endpoint. */
bool mcti_gw_offers_tasks_2025(const struct mcti_view *v);

/* Returns whether tasks/list is answered: only where the clients can be told apart (2025-11-25 "Tasks", security). */
bool mcti_gw_lists_tasks(const struct mcti_peer *p);

/* Checks whether a client of 2025-11-25 may use a method about tasks. If not, returns -1 and sets *err. */
int mcti_gw_admits_task_2025(const struct mcti_peer *p, const struct mcti_msg *msg, enum mcti_verb verb,
                             struct mct_error *err);

/* Makes a task of the call if its client asks for one, or must get one. GO_ON: the call is made as usual. */
enum mcti_gw_step mcti_gw_own_task_begin(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                         const struct mcti_msg_meta *meta);

/* Handles the methods about tasks of 2025-11-25. */
void mcti_gw_task_2025(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

/* Answers tasks/get, tasks/update or tasks/cancel of the extension, if `id` is of the form that such tasks have. */
enum mcti_gw_step mcti_gw_own_task_answer(struct mcti_gw_request *r, const struct mcti_msg *msg, struct mcti_str id);

/* Returns the peer whose session the requests of `p` belong to: for the client of a task, the client that asked for
 * the task. NULL: that one has no session, or has left. */
struct mcti_peer *mcti_gw_session_of(struct mcti_peer *p);

/* Forgets that the peer has tasks. They go on. */
void mcti_gw_own_tasks_left(struct mcti_peer *p);

#endif
