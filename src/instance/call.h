/* Starts the calls that the program itself makes, through the library or a command. hub/call/stages.c lists the stages
 * that they pass. */
#ifndef MCT_INSTANCE_CALL_H
#define MCT_INSTANCE_CALL_H

#include "hub/call/start.h"
#include "instance/instance.h"

/* Finds a tool or prompt in the view as mcti_view_named() does. *err also says if servers are still connecting. */
const struct mcti_exposure *mcti_instance_find(struct mcti_instance *i, enum mcti_kind kind, const char *name,
                                               struct mct_error *err);

/* Calls a tool or gets a prompt of the instance's view. The caller has set the verb, the callbacks and the time limit
 * in `call`, and the name in `start`, with `found` and `is_looked_up` if it has looked the name up. `arguments`: a JSON
 * object; absent: {}. Returns as mcti_call_start(). */
int mcti_instance_call(struct mcti_instance *i, struct mcti_call *call, struct mcti_call_start *start,
                       struct mcti_str arguments, struct mct_error *err);

/* Sends another kind of request to one server. The caller has also set the params in `call`. Returns as
 * mcti_call_start(). */
int mcti_instance_request(struct mcti_instance *i, struct mcti_call *call, struct mcti_provider *p,
                          struct mct_error *err);

/* Sends a request about the task `id` (a JSON string) of the server: tasks/get, or tasks/cancel. The caller has set
 * the verb, the callbacks and the time limit in `call`, and `tasks` to FOLLOWED, or to HELD to wait for the task.
 * Returns as mcti_call_start(). */
int mcti_instance_task(struct mcti_instance *i, struct mcti_call *call, struct mcti_provider *p, struct mcti_str id,
                       struct mct_error *err);

#endif
