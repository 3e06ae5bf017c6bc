/* Cancels the task of a call that nobody waits for any more. */
#include "hub/tasks/impl.h"

#include <stdlib.h>

/* A request of the hub's own; frees itself. */
struct cancellation {
    struct mcti_call call;
    char params[];
};

static void cancellation_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    (void)o; /* an unknown task has ended */
    free(MCT_CONTAINER(call, struct cancellation, call));
}

void mcti_hold_give_up(const struct mcti_hold *h)
{
    static const char form[] = "{\"taskId\":%s}";
    struct mct_error err;
    if (!h->id || h->resumes)
        return;
    size_t len = sizeof form + strlen(h->id);
    struct cancellation *c = malloc(sizeof *c + len);
    if (!c)
        return;
    c->call = (struct mcti_call){ .verb = MCT_VERB_TASKS_CANCEL,
                                  .tasks = MCT_TASKS_HELD,
                                  .caller = { .rev = MCT_REV_LATEST },
                                  .authority = h->call->authority,
                                  .done = cancellation_done };
    c->call.params = (struct mcti_str){ c->params, (size_t)snprintf(c->params, len, form, h->id) };
    if (mcti_call_begin(h->provider, &c->call, &err) < 0)
        free(c);
}
