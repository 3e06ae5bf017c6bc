/*
 * The tasks that clients follow and that have not ended, as far as the gateway knows. While there is one, the
 * connection to its server is kept, up to MCT_TASK_KEEP_MS after the client last asked for the task.
 */
#ifndef MCT_GATEWAY_TASKS_OPEN_H
#define MCT_GATEWAY_TASKS_OPEN_H

#include "gateway/tasks.h"

/* Adds the task that `connection` has made of the request. `id`: under which the client knows it. */
void mcti_open_task_add(struct mcti_gw_request *r, struct mcti_provider *connection, struct mcti_str id);

/* Records that the client has read the state of the task, or that the server does not know it any more. */
void mcti_open_task_seen(struct mcti_gateway *g, struct mcti_str id, bool is_over);

/* Returns the number of such tasks of a server. */
size_t mcti_open_tasks_count(const struct mcti_gateway *g, const char *server);

#endif
