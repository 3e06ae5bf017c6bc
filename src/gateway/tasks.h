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

#endif
