/* The end of an instance: in steps, after turns of its loop, because nothing may wait. */
#include "api/impl.h"

/* Nothing of the servers and clients is left. */
static void on_hub_gone(void *data)
{
    struct api *a = data;
    api_forget_requests(a);
    api_end_tokens(a);
    uv_close((uv_handle_t *)&a->wake, NULL);
}

void mct_registry_close(struct mct_registry *r, void (*closed)(void *data), void *data)
{
    struct api *a = r ? api_of(r) : NULL;
    if (!a || a->phase >= API_CLOSING)
        return;
    a->phase = API_CLOSING;
    a->closed = closed;
    a->closed_data = data;
    api_end_questions(a);
    api_end_requests(a);
    mct_watcher_remove(&a->watcher);
    mct_timer_stop(&a->inst.loop.sched, &a->tell);
    mct_task_stop(&a->tell_states);
    mcti_instance_stop(&a->inst, &(struct mcti_stop_opts){ .hub_gone = on_hub_gone, .data = a });
}

static void free_rest(struct api *a)
{
    void (*closed)(void *) = a->closed;
    void *data = a->closed_data;
    api_free(a);
    if (closed)
        closed(data);
}

bool api_go_on_closing(struct api *a)
{
    if (a->phase != API_CLOSED)
        return false;
    if (a->attached)
        api_detach(a, free_rest);
    else
        free_rest(a);
    return true;
}

void mct_registry_close_wait(struct mct_registry *r)
{
    struct api *a = r ? api_of(r) : NULL;
    struct mct_error err;
    if (!a)
        return;
    if (api_may_wait(a, &err) < 0) {
        mct_log(&a->log, MCT_LOG_ERROR, "%s", err.message);
        return;
    }
    mct_registry_close(r, NULL, NULL);
    do
        api_turn(a, UV_RUN_ONCE);
    while (!api_go_on_closing(a));
}
