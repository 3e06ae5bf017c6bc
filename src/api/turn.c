/* Running the loop of an instance: descriptor, timeout, dispatch and the functions that wait. */
#include "api/request.h"

#include "base/log/names.h"

#include <mcptools/servers.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { TURNS = 16 };

/* Signals that a failing write sends to its thread: no reader (SIGPIPE), or the file size limit (SIGXFSZ). They must
 * not end the program, and signal handlers belong to the program. So a turn blocks them for its thread and then
 * discards those that arrived. */
static const int write_signals[] = { SIGPIPE, SIGXFSZ };

struct write_guard {
    sigset_t held, before; /* held: signals to discard if not pending before the turn; before: previous signal mask */
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

void mcti_api_turn(struct mct_instance *a, uv_run_mode mode)
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

/* Returns true if libuv watches descriptors that it has not passed to the kernel yet, which happens when the loop next
 * waits. libuv has no function for that. uv_loop_t has had this queue under this name since its first version: two
 * pointers, which point to the queue itself when it is empty. */
static bool has_unwatched(struct mct_instance *a)
{
    const void *const *queue = (const void *const *)(const void *)&a->inst.loop.uv.watcher_queue;
    return *queue != queue;
}

static bool is_pending(struct mct_instance *a)
{
    return mcti_sched_next_ms(&a->inst.loop.sched) == 0 || has_unwatched(a);
}

int mct_instance_fd(struct mct_instance *r)
{
    return uv_backend_fd(&mcti_api_of(r)->inst.loop.uv);
}

int mct_instance_timeout(struct mct_instance *r)
{
    struct mct_instance *a = mcti_api_of(r);
    uv_update_time(&a->inst.loop.uv);
    if (is_pending(a))
        return 0;
    int64_t own = mcti_sched_next_ms(&a->inst.loop.sched);
    int uv = uv_backend_timeout(&a->inst.loop.uv);
    return own >= 0 && (uv < 0 || own < uv) ? (int)own : uv;
}

void mct_instance_dispatch(struct mct_instance *r)
{
    struct mct_instance *a = mcti_api_of(r);
    int n = 0;
    if (a->depth)
        return;
    do
        mcti_api_turn(a, UV_RUN_NOWAIT);
    while (!mcti_api_close_finish(a) && is_pending(a) && ++n < TURNS);
}

int mcti_api_may_wait(const struct mct_instance *a, struct mct_error *err)
{
    if (a->depth)
        return mcti_fail(err, MCT_ERR_USAGE, "a function that waits was called from a callback");
    if (a->attached)
        return mcti_fail(err, MCT_ERR_USAGE,
                         "a function that waits was called for an instance that is attached to a loop");
    return 0;
}

static void turn_on_time(void *data)
{
    *(bool *)data = true;
}

static int turn_fail_down(const struct mcti_registry *r, enum mct_error_kind kind, struct mct_error *err)
{
    struct mcti_names names = { .err = err };
    char name[256];
    mcti_fail(err, kind, "not connected: ");
    for (size_t i = 0; i < r->n; i++) {
        snprintf(name, sizeof name, "'%s'", r->v[i]->name);
        if (r->v[i]->state != MCT_CONNECTED)
            mcti_names_add(&names, mcti_str_of(name));
    }
    return mcti_names_end(&names);
}

static int turn_fail_lists(const struct mcti_registry *r, struct mct_error *err)
{
    struct mcti_names names = { .err = err };
    struct mct_error why;
    char name[256 + sizeof why.message];
    mcti_fail(err, MCT_ERR_PARTIAL, "lists are incomplete: ");
    for (size_t i = 0; i < r->n; i++) {
        if (!mcti_provider_lacks_lists(r->v[i], &why))
            continue;
        snprintf(name, sizeof name, "'%s' (%s)", r->v[i]->name, why.message);
        mcti_names_add(&names, mcti_str_of(name));
    }
    return mcti_names_end(&names);
}

/* Fails with the names of the servers that are not connected or, if there are none, of those that lack lists. */
static int turn_report(const struct mct_instance *a, struct mct_error *err)
{
    const struct mcti_registry *r = &a->inst.registry;
    size_t n_down = 0, n_lacking = 0, n_servers = 0;
    for (size_t i = 0; i < r->n; i++) {
        n_servers += mcti_api_is_server(a, r->v[i]);
        n_down += r->v[i]->state != MCT_CONNECTED;
        n_lacking += mcti_provider_lacks_lists(r->v[i], NULL) > 0;
    }
    if (n_down)
        return turn_fail_down(r, n_down == n_servers ? MCT_ERR_CONNECT : MCT_ERR_PARTIAL, err);
    return n_lacking ? turn_fail_lists(r, err) : 0;
}

bool mct_instance_is_ready(const struct mct_instance *r)
{
    return mcti_api_of(r)->phase == API_STARTED && mcti_registry_settled(&mcti_api_of(r)->inst.registry);
}

int mct_instance_wait_ready(struct mct_instance *r, unsigned timeout_ms, struct mct_error *err)
{
    return mct_instance_wait_ready_cancel(r, timeout_ms, NULL, err);
}

int mct_instance_wait_ready_cancel(struct mct_instance *r, unsigned timeout_ms, struct mct_cancel *cancel,
                                   struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    struct mcti_timer timer;
    bool late = false;
    if (mcti_api_may_wait(a, err) < 0)
        return -1;
    if (mcti_api_check_started(a, err) < 0)
        return -1;
    mcti_timer_init(&timer, turn_on_time, &late);
    mcti_timer_set(&a->inst.loop.sched, &timer, timeout_ms);
    while (!late && !mcti_api_is_fired(cancel) && a->phase == API_STARTED && !mcti_registry_settled(&a->inst.registry))
        mcti_api_turn(a, UV_RUN_ONCE);
    mcti_timer_stop(&a->inst.loop.sched, &timer);
    if (a->phase != API_STARTED)
        return mcti_fail(err, MCT_ERR_CANCELLED, "the instance is being closed");
    if (!mcti_registry_settled(&a->inst.registry) && mcti_api_is_fired(cancel))
        return mcti_fail(err, MCT_ERR_CANCELLED, "cancelled by its token");
    if (!mcti_registry_settled(&a->inst.registry))
        return mcti_fail(err, MCT_ERR_TIMEOUT, "servers are still connecting after %u ms", timeout_ms);
    return turn_report(a, err);
}

int mct_request_wait(struct mct_request *q, struct mct_error *err)
{
    if (!q || (!q->over && mcti_api_may_wait(q->api, err) < 0))
        return -1;
    while (!q->over)
        mcti_api_turn(q->api, UV_RUN_ONCE);
    if (q->error.kind && err)
        *err = q->error;
    return q->error.kind ? -1 : 0;
}

int mct_instance_run(struct mct_instance *r, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (mcti_api_may_wait(a, err) < 0)
        return -1;
    while (!atomic_exchange(&a->stopping, false)) {
        mcti_api_turn(a, UV_RUN_ONCE);
        if (mcti_api_close_finish(a))
            return 0;
    }
    return 0;
}

void mct_instance_stop(struct mct_instance *r)
{
    struct mct_instance *a = mcti_api_of(r);
    atomic_store(&a->stopping, true);
    uv_async_send(&a->wake);
}
