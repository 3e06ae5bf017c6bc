/*
 * Tasks (2026-07-28, the extension io.modelcontextprotocol/tasks; mcp/task.h). A 2026-07-28 client that declares the
 * extension follows tasks itself: it gets ids that the gateway has sealed, and tasks/get, tasks/update and tasks/cancel
 * reach the server that has made the task. For all other clients see hub/tasks/tasks.h.
 *
 * An id names server and tool, and is valid for the principal it was made for. Every request with it is decided like a
 * call of the tool: policy applies to tasks that run.
 */
#ifndef MCT_GATEWAY_TASKS_H
#define MCT_GATEWAY_TASKS_H

#include "gateway/impl.h"

/* Returns whether a server of the view makes tasks, of either revision: the extension is offered then. */
bool mcti_gw_offers_tasks(const struct mcti_view *v);

/* Checks that `_meta` of a request declares the extension, which `method` needs. If not, returns -1 and sets *err, and
 * writes the JSON of the error's data to *ret_data (2026-07-28 "Errors", -32021). */
int mcti_gw_needs_tasks(struct mcti_str method, const struct mcti_msg_meta *meta, struct mcti_buf *ret_data,
                        struct mct_error *err);

/* Decides who follows a task that `connection` may make of the call; `s` is its start. Returns -1 and sets *err when
 * out of memory. */
int mcti_gw_task_prepare(struct mcti_gw_request *r, struct mcti_provider *connection, const struct mcti_call_start *s,
                         struct mcti_str capabilities, struct mct_error *err);

/* Handles tasks/get, tasks/update and tasks/cancel. */
void mcti_gw_task(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

/* Keeps the state of the task whose result the call will bring. See struct mcti_call. */
void mcti_gw_task_on_completed(struct mcti_call *call, struct mcti_str state);

/* Answers with the outcome of a request that has r->task. Returns GO_ON if the outcome is that of a tool. */
enum mcti_gw_step mcti_gw_task_answer(struct mcti_gw_request *r, const struct mcti_outcome *o);

/* Forgets the tasks of a connection that ends; NULL: of all, so that nothing is kept because of them. */
void mcti_gw_open_tasks_drop(struct mcti_gateway *g, const struct mcti_provider *connection);

void mcti_gw_task_free(struct mcti_gw_tasked *t); /* accepts NULL */

/* ---- tasks of the gateway's own (gateway/tasks/own.c) ---- */

/*
 * Tasks that the gateway makes of calls itself. It does so where client and server have no form of tasks in common: for
 * a client of 2025-11-25 that asks for a task, and for a 2026-07-28 client with the extension in front of a tool that
 * needs a task of 2025-11-25. Such a task is a call of a client inside of the gateway, so it passes everything that a
 * call passes, and its questions wait until the client asks for them. It goes on when the client disconnects, and ends
 * with the gateway.
 */

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

/* ---- subscriptions (gateway/tasks/watch.c) ---- */

/*
 * Tasks that a subscriptions/listen names (2026-07-28, extension io.modelcontextprotocol/tasks, notifications/tasks).
 * The gateway reads those of servers at their interval, as the client would with tasks/get, and tells changes. Its own
 * tasks tell theirs.
 */

/* Takes the tasks of the list `ids` that the client has. Others are left out silently, as if they had ended. */
void mcti_gw_watch_take(struct mcti_gw_request *r, struct mcti_str ids);

/* Writes the member "taskIds" with those that were taken; nothing for NULL. */
void mcti_gw_watch_put(struct mcti_buf *to, const struct mcti_gw_watch *w);

/* Begins to tell, after the acknowledgement. Accepts NULL. */
void mcti_gw_watch_start(struct mcti_gw_watch *w);

void mcti_gw_watch_free(struct mcti_gw_watch *w); /* accepts NULL */

#endif
