/*
 * The outcome of tasks/get becomes that of the tool if the task has completed, so that all other stages
 * see the result as if the call had brought it. The caller gets the state before.
 */
#include "hub/tasks/tasks.h"

#include "mcp/task.h"

#include <stdlib.h>

struct mcti_stage *mcti_follow_new(struct mct_error *err)
{
    struct mcti_stage *s = malloc(sizeof *s);
    if (!s)
        mcti_no_memory(err);
    return s;
}

void mcti_follow_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed)
{
    (void)call;
    if (failed)
        free(s);
}

void mcti_follow_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason)
{
    (void)call;
    (void)reason;
    free(s);
}

/* Fails the request: what the server sent is no state of a task. */
static void follow_fail(struct mcti_call *call, const struct mcti_outcome *o, const struct mct_error *why)
{
    struct mct_error err = *why;
    mcti_error_wrap(&err, "server '%s'", call->provider->name);
    mcti_call_leave(call, &(struct mcti_outcome){ .failed = &err, .rev = o->rev });
}

void mcti_follow_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_task_state task;
    struct mct_error err;
    struct mcti_outcome own = *o;
    mcti_stage_take(call, s);
    free(s);
    if (o->result.p && mcti_task_read(o->result, &task, &err) < 0) {
        follow_fail(call, o, &err);
        return;
    }
    own.is_state = o->result.p;
    if (own.is_state && task.status == MCT_TASK_COMPLETED && task.result.p) {
        own.is_state = false;
        own.result = task.result;
        if (call->completed)
            call->completed(call, o->result);
    }
    mcti_call_leave(call, &own);
}
