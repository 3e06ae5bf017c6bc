/* Driving an instance: descriptor, time-out, dispatch, and the functions that wait. */
#include "api/impl.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { TURNS = 16 };

/* Signals that a failing write sends to its thread: the reader went away, the file may not grow further. They must not
 * end a program that has not said what they mean to it. Handlers are the program's: the signals are held back for this
 * thread, and those that came meanwhile taken away. */
static const int write_signals[] = { SIGPIPE, SIGXFSZ };

struct write_guard {
    sigset_t held, before; /* held: those that were not pending already */
};

static void guard_begin(struct write_guard *g)
{
    sigset_t pending, all;
    sigemptyset(&g->held);
    sigemptyset(&all);
    sigpending(&pending);
    for (size_t i = 0; i < sizeof write_signals / sizeof *write_signals; i++) {
        sigaddset(&all, write_signals[i]);
        if (!sigismember(&pending, write_signals[i]))
            sigaddset(&g->held, write_signals[i]);
    }
    pthread_sigmask(SIG_BLOCK, &all, &g->before);
}

static void guard_end(const struct write_guard *g)
{
    static const struct timespec now = { 0, 0 };
    while (sigtimedwait(&g->held, NULL, &now) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &g->before, NULL);
}

void api_turn(struct api *a, uv_run_mode mode)
{
    struct write_guard g;
    guard_begin(&g);
    a->depth++;
    a->inst.loop.outside = false;
    uv_run(&a->inst.loop.uv, mode);
    a->inst.loop.outside = true;
    if (a->phase == API_CLOSING && mcti_instance_step(&a->inst))
        a->phase = API_CLOSED;
    a->depth--;
    guard_end(&g);
}

/* Descriptors that libuv has been told of, and the kernel not yet: that happens when the loop next waits. libuv has no
 * function that says so; the queue has been in uv_loop_t under that name since its beginnings, two pointers that lead to itself
 * when it is empty. */
static bool has_unwatched(struct api *a)
{
    const void *const *queue = (const void *const *)(const void *)&a->inst.loop.uv.watcher_queue;
    return *queue != queue;
}

static bool is_pending(struct api *a)
{
    return mct_sched_next_ms(&a->inst.loop.sched) == 0 || has_unwatched(a);
}

int mct_registry_fd(struct mct_registry *r)
{
    return uv_backend_fd(&api_of(r)->inst.loop.uv);
}

int mct_registry_timeout(struct mct_registry *r)
{
    struct api *a = api_of(r);
    uv_update_time(&a->inst.loop.uv);
    if (is_pending(a))
        return 0;
    int64_t own = mct_sched_next_ms(&a->inst.loop.sched);
    int uv = uv_backend_timeout(&a->inst.loop.uv);
    return own >= 0 && (uv < 0 || own < uv) ? (int)own : uv;
}

void mct_registry_dispatch(struct mct_registry *r)
{
    struct api *a = api_of(r);
    int n = 0;
    if (a->depth)
        return;
    do
        api_turn(a, UV_RUN_NOWAIT);
    while (!api_go_on_closing(a) && is_pending(a) && ++n < TURNS);
}

int api_may_wait(const struct api *a, struct mct_error *err)
{
    if (a->depth)
        return mct_fail(err, MCT_ERR_USAGE, "a function that waits was called from a callback");
    if (a->attached)
        return mct_fail(err, MCT_ERR_USAGE, "a function that waits was called on a registry that is attached to a loop");
    return 0;
}

static void on_time(void *data)
{
    *(bool *)data = true;
}

/* What has become of all, in words. */
static int report(const struct api *a, struct mct_error *err)
{
    const struct mct_registry *r = &a->inst.registry;
    size_t n_down = 0, n_servers = 0;
    struct mct_buf names;
    mct_buf_init(&names, 400);
    for (size_t i = 0; i < r->n; i++) {
        n_servers += api_is_server(a, r->v[i]);
        if (r->v[i]->state != MCT_CONNECTED)
            mct_buf_printf(&names, "%s'%s'", n_down++ ? ", " : "", r->v[i]->name);
    }
    if (n_down)
        mct_fail(err, n_down == n_servers ? MCT_ERR_CONNECT : MCT_ERR_PARTIAL, "not connected: %.*s",
                 MCT_STR_ARG(mct_buf_str(&names)));
    mct_buf_done(&names);
    return n_down ? -1 : 0;
}

int mct_registry_ready(const struct mct_registry *r)
{
    return api_of(r)->phase == API_STARTED && mct_registry_settled(r);
}

int mct_registry_wait_ready(struct mct_registry *r, unsigned timeout_ms, struct mct_error *err)
{
    struct api *a = api_of(r);
    struct mct_timer timer;
    bool late = false;
    if (api_may_wait(a, err) < 0)
        return -1;
    if (api_check_started(a, err) < 0)
        return -1;
    mct_timer_init(&timer, on_time, &late);
    mct_timer_set(&a->inst.loop.sched, &timer, timeout_ms);
    while (!late && a->phase == API_STARTED && !mct_registry_settled(r))
        api_turn(a, UV_RUN_ONCE);
    mct_timer_stop(&a->inst.loop.sched, &timer);
    if (a->phase != API_STARTED)
        return mct_fail(err, MCT_ERR_CANCELLED, "the registry is being closed");
    if (!mct_registry_settled(r))
        return mct_fail(err, MCT_ERR_TIMEOUT, "servers are still connecting after %u ms", timeout_ms);
    return report(a, err);
}

int mct_request_wait(struct mct_request *q)
{
    struct mct_error err;
    if (!q)
        return -1;
    if (!q->over && api_may_wait(q->api, &err) < 0) {
        mct_log(&q->api->log, MCT_LOG_ERROR, "%s", err.message);
        return -2;
    }
    while (!q->over)
        api_turn(q->api, UV_RUN_ONCE);
    return q->error.kind ? -1 : 0;
}

void mct_registry_run_wait(struct mct_registry *r, const volatile bool *stop)
{
    struct api *a = api_of(r);
    struct mct_error err;
    if (api_may_wait(a, &err) < 0) {
        mct_log(&a->log, MCT_LOG_ERROR, "%s", err.message);
        return;
    }
    while (!*stop) {
        api_turn(a, UV_RUN_ONCE);
        if (api_go_on_closing(a))
            return;
    }
}

void mct_registry_wake(struct mct_registry *r)
{
    uv_async_send(&api_of(r)->wake);
}
