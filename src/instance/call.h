/* Calls of the program itself: the one entry of the library's functions and of the commands. What they pass is
 * hub/call/stages.c. */
#ifndef MCT_INSTANCE_CALL_H
#define MCT_INSTANCE_CALL_H

#include "hub/call/start.h"
#include "instance/instance.h"

/* Finds a tool or prompt of the instance's view; as mcti_view_named(), and *err tells when servers are still
 * connecting. */
const struct mcti_exposure *mcti_instance_find(struct mcti_instance *i, enum mcti_kind kind, const char *name,
                                               struct mct_error *err);

/* Calls a tool or gets a prompt of the instance's view. Of `call` the verb, the callbacks and a time limit are set; of
 * `start` the name, and `found` with `is_looked_up` where the caller has found it. `arguments`: a JSON object; absent:
 * {}. As mcti_call_start(). */
int mcti_instance_call(struct mcti_instance *i, struct mcti_call *call, struct mcti_call_start *start,
                       struct mcti_str arguments, struct mct_error *err);

/* Sends another request to one server; of `call` the params are set, too. As mcti_call_start(). */
int mcti_instance_request(struct mcti_instance *i, struct mcti_call *call, struct mcti_provider *p,
                          struct mct_error *err);

#endif
