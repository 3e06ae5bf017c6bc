/*
 * Tasks of calls (mcp/task.h). The stages "follow" and "hold" of hub/call consist of these functions: the first turns
 * what a caller reads of its task into the outcome of the tool, the second follows the task for a caller that does not.
 */
#ifndef MCT_HUB_TASKS_TASKS_H
#define MCT_HUB_TASKS_TASKS_H

#include "hub/core/provider.h"
#include "hub/core/stage.h"

/* Creates the stage of a request that reads a task. Returns NULL and sets *err when out of memory. */
struct mcti_stage *mcti_follow_new(struct mct_error *err);

void mcti_follow_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed);
void mcti_follow_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o);
void mcti_follow_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason);

/* Creates the stage of a call whose task is followed for the caller. `is_2025`: the server makes a task of 2025-11-25,
 * and the call asks for it. Returns NULL and sets *err when out of memory. */
struct mcti_stage *mcti_hold_new(struct mcti_call *call, bool is_2025, struct mct_error *err);

void mcti_hold_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed);
void mcti_hold_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o);
void mcti_hold_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason);

#endif
