/* The end of an instance: in steps, between turns of its loop, because nothing may wait. */
#include "api/impl.h"

#include <stdlib.h>

static void close_on_stopped(void *data)
{
    struct mct_instance *a = data;
    a->phase = API_STOPPED;
}

static void stop_servers(void *data)
{
    struct mct_instance *a = data;
    mcti_timer_stop(&a->loop.sched, &a->drain);
    if (a->drained)
        return;
    a->drained = true;
    if (a->http)
        mcti_front_http_free(a->http);
    if (a->on_stdio && a->stdio.peer)
        mcti_peer_end_listens(a->stdio.peer);
    if (a->on_stdio)
        mcti_front_stdio_close(&a->stdio);
    a->http = NULL;
    a->on_stdio = false;
    mcti_registry_stop(&a->registry, close_on_stopped, a);
}

/* What has been answered by now leaves before the clients go. */
static void close_begin_stop(struct mct_instance *a)
{
    mcti_task_init(&a->stop, stop_servers, a);
    mcti_timer_init(&a->drain, stop_servers, a);
    if (!a->http) {
        mcti_task_post(&a->loop.sched, &a->stop);
        return;
    }
    mcti_timer_set(&a->loop.sched, &a->drain, a->config.drain_ms);
    mcti_front_http_drain(a->http, stop_servers, a);
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
    mcti_timer_stop(&a->loop.sched, &a->tell);
    mcti_task_stop(&a->tell_states);
    close_begin_stop(a);
}

/* Servers and clients have gone: what is left is memory, and handles that libuv closes in its own time. */
static void free_hub(struct mct_instance *a)
{
    struct mcti_registry *r = &a->registry;
    if (a->has_gateway)
        mcti_gateway_done(&a->gateway);
    if (a->has_view)
        mcti_view_done(&a->view);
    a->has_gateway = a->has_view = false;
    mcti_watcher_remove(&a->watcher);
    mcti_hook_hosts_close(&a->hook_hosts);
    mcti_registry_done(r);
    mcti_hooks_done(&a->hooks);
    mcti_connect_done(&a->env);
    mcti_verdicts_done(&a->verdicts);
    mcti_api_forget_requests(a);
    mcti_api_end_tokens(a);
    mcti_reaper_unwatch(&a->reaper);
    uv_close((uv_handle_t *)&a->wake, NULL);
}

static void free_rest(struct mct_instance *a)
{
    void (*closed)(void *) = a->closed;
    void *data = a->closed_data;
    mcti_loop_done(&a->loop);
    mcti_reaper_stop(&a->reaper);
    mcti_api_free(a);
    if (closed)
        closed(data);
}

bool mcti_api_go_on_closing(struct mct_instance *a)
{
    if (a->phase != API_STOPPED)
        return false;
    if (!uv_is_closing((uv_handle_t *)&a->wake))
        free_hub(a);
    if (mcti_loop_busy(&a->loop))
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
    while (!mcti_api_go_on_closing(a));
}
