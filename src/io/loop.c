#include "io/loop.h"

#include <stdlib.h>

static uint64_t clock_now(void *data)
{
    struct mcti_loop *loop = data;
    if (loop->outside)
        uv_update_time(&loop->uv);
    return uv_now(&loop->uv);
}

static void loop_on_check(uv_check_t *check)
{
    struct mcti_loop *loop = check->data;
    mcti_sched_run(&loop->sched, uv_now(&loop->uv));
}

static void loop_on_timer(uv_timer_t *timer)
{
    struct mcti_loop *loop = timer->data;
    loop->timer_due_ms = 0;
    loop->timed = true;
    mcti_sched_run(&loop->sched, uv_now(&loop->uv));
}

static void loop_on_idle(uv_idle_t *idle)
{
    uv_idle_stop(idle); /* only keeps the poll from waiting */
}

static void loop_on_prepare(uv_prepare_t *prepare)
{
    struct mcti_loop *loop = prepare->data;
    int64_t next = mcti_sched_next_ms(&loop->sched);
    uint64_t due = next > 0 ? uv_now(&loop->uv) + (uint64_t)next : 0;
    if (next == 0 || loop->timed) /* do not wait after a timer: the caller that runs one turn may have waited for it */
        uv_idle_start(&loop->idle, loop_on_idle);
    loop->timed = false;
    if (due == loop->timer_due_ms)
        return;
    loop->timer_due_ms = due;
    if (due)
        uv_timer_start(&loop->timer, loop_on_timer, (uint64_t)next, 0);
    else
        uv_timer_stop(&loop->timer);
}

int mcti_loop_init(struct mcti_loop *loop, const struct mcti_log *log, struct mct_error *err)
{
    *loop = (struct mcti_loop){ .log = log, .read_bytes = malloc(MCT_LOOP_READ_BYTES) };
    int r = loop->read_bytes ? uv_loop_init(&loop->uv) : UV_ENOMEM;
    if (r < 0) {
        free(loop->read_bytes);
        if (r == UV_ENOMEM)
            return mcti_no_memory(err);
        return mcti_fail(err, MCT_ERR_INTERNAL, "starting the event loop: %s", uv_strerror(r));
    }
    mcti_sched_init(&loop->sched);
    loop->sched.now_ms = uv_now(&loop->uv);
    loop->sched.clock = clock_now;
    loop->sched.data = loop;
    uv_prepare_init(&loop->uv, &loop->prepare);
    uv_check_init(&loop->uv, &loop->check);
    uv_idle_init(&loop->uv, &loop->idle);
    uv_timer_init(&loop->uv, &loop->timer);
    loop->prepare.data = loop->check.data = loop->timer.data = loop;
    uv_prepare_start(&loop->prepare, loop_on_prepare);
    uv_check_start(&loop->check, loop_on_check);
    return 0;
}

void mcti_loop_stop(struct mcti_loop *loop)
{
    uv_stop(&loop->uv);
}

struct others {
    struct mcti_loop *loop;
    size_t n;
};

static void count_other(uv_handle_t *h, void *data)
{
    struct others *o = data;
    const struct mcti_loop *l = o->loop;
    const void *const own[] = { &l->prepare, &l->check, &l->idle, &l->timer };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if ((const void *)h == own[i])
            return;
    o->n++;
}

bool mcti_loop_busy(struct mcti_loop *loop)
{
    struct others o = { loop, 0 };
    uv_walk(&loop->uv, count_other, &o);
    return o.n > 0;
}

void mcti_loop_done(struct mcti_loop *loop)
{
    while (mcti_loop_busy(loop)) /* timers are needed: a freed transport still ends its process */
        uv_run(&loop->uv, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&loop->prepare, NULL);
    uv_close((uv_handle_t *)&loop->check, NULL);
    uv_close((uv_handle_t *)&loop->idle, NULL);
    uv_close((uv_handle_t *)&loop->timer, NULL);
    while (uv_loop_close(&loop->uv) == UV_EBUSY)
        uv_run(&loop->uv, UV_RUN_ONCE);
    free(loop->read_bytes);
}

void mcti_loop_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *ret)
{
    struct mcti_loop *loop = MCT_CONTAINER(handle->loop, struct mcti_loop, uv);
    (void)hint;
    *ret = uv_buf_init(loop->read_bytes, MCT_LOOP_READ_BYTES);
}
