/* Closing an instance. It proceeds in steps between turns of the loop, because mct_instance_close() must not wait. */
#include "api/request.h"

/* Runs when all servers and clients have ended. */
static void api_on_hub_freed(void *data)
{
    struct mct_instance *a = data;
    mcti_api_forget_requests(a);
    mcti_api_forget_subs(a, NULL);
    mcti_api_end_watches(a);
    mcti_api_end_tokens(a);
    uv_close((uv_handle_t *)&a->wake, NULL);
}

void mct_instance_close(struct mct_instance *r, void (*closed)(void *data), void *data)
{
    struct mct_instance *a = r ? mcti_api_of(r) : NULL;
    if (!a || a->phase >= API_CLOSING)
        return;
    a->phase = API_CLOSING;
    a->closed = closed;
    a->closed_data = data;
    mcti_api_end_questions(a);
    mcti_api_end_requests(a);
    mcti_api_end_changes(a);
    mcti_api_end_watches(a);
    mcti_instance_stop(&a->inst, &(struct mcti_stop_opts){ .hub_freed = api_on_hub_freed, .data = a });
}

static void free_rest(struct mct_instance *a)
{
    void (*closed)(void *) = a->closed;
    void *data = a->closed_data;
    mcti_api_free(a);
    if (closed)
        closed(data);
}

bool mcti_api_close_finish(struct mct_instance *a)
{
    if (a->phase != API_CLOSED)
        return false;
    if (a->attached)
        mcti_api_detach(a, free_rest);
    else
        free_rest(a);
    return true;
}

void mct_instance_close_wait(struct mct_instance *r)
{
    struct mct_instance *a = r ? mcti_api_of(r) : NULL;
    struct mct_error err;
    if (!a)
        return;
    if (mcti_api_may_wait(a, &err) < 0) {
        mcti_log(&a->log, MCT_LOG_ERROR, "%s", err.message);
        return;
    }
    mct_instance_close(r, NULL, NULL);
    do
        mcti_api_turn(a, UV_RUN_ONCE);
    while (!mcti_api_close_finish(a));
}
