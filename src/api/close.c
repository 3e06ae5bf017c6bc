/* The end of an instance: in steps, between turns of its loop, because nothing may wait. */
#include "api/impl.h"

#include <stdlib.h>

static void on_stopped(void *data)
{
    struct api *a = data;
    a->phase = API_STOPPED;
}

static void stop_servers(void *data)
{
    struct api *a = data;
    mct_timer_stop(&a->loop.sched, &a->drain);
    if (a->drained)
        return;
    a->drained = true;
    if (a->http)
        mct_front_http_free(a->http);
    if (a->on_stdio && a->stdio.peer)
        mct_peer_end_listens(a->stdio.peer);
    if (a->on_stdio)
        mct_front_stdio_close(&a->stdio);
    a->http = NULL;
    a->on_stdio = false;
    mct_registry_stop(&a->registry, on_stopped, a);
}

/* What has been answered by now leaves before the clients go. */
static void begin_stop(struct api *a)
{
    mct_task_init(&a->stop, stop_servers, a);
    mct_timer_init(&a->drain, stop_servers, a);
    if (!a->http) {
        mct_task_post(&a->loop.sched, &a->stop);
        return;
    }
    mct_timer_set(&a->loop.sched, &a->drain, a->config.drain_ms);
    mct_front_http_drain(a->http, stop_servers, a);
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
    mct_timer_stop(&a->loop.sched, &a->tell);
    mct_task_stop(&a->tell_states);
    begin_stop(a);
}

/* Servers and clients have gone: what is left is memory, and handles that libuv closes in its own time. */
static void free_hub(struct api *a)
{
    struct mct_registry *r = &a->registry;
    if (a->has_gateway)
        mct_gateway_done(&a->gateway);
    if (a->has_view)
        mct_view_done(&a->view);
    a->has_gateway = a->has_view = false;
    mct_watcher_remove(&a->watcher);
    mct_hook_hosts_close(&a->hook_hosts);
    mct_registry_done(r);
    mct_hooks_done(&a->hooks);
    mct_connect_done(&a->env);
    mct_verdicts_done(&a->verdicts);
    api_forget_requests(a);
    api_end_tokens(a);
    mct_reaper_unwatch(&a->reaper);
    uv_close((uv_handle_t *)&a->wake, NULL);
}

static void free_rest(struct api *a)
{
    void (*closed)(void *) = a->closed;
    void *data = a->closed_data;
    mct_loop_done(&a->loop);
    mct_reaper_stop(&a->reaper);
    api_free(a);
    if (closed)
        closed(data);
}

bool api_go_on_closing(struct api *a)
{
    if (a->phase != API_STOPPED)
        return false;
    if (!uv_is_closing((uv_handle_t *)&a->wake))
        free_hub(a);
    if (mct_loop_busy(&a->loop))
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
