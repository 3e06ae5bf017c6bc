/* An instance attached to the uv_loop_t of the program, which watches the loop of the instance and a timer. */
#include "api/impl.h"

#include <mcptools/uv.h>
#include <stdlib.h>

struct api_attached {
    struct mct_instance *api;
    uv_poll_t poll;
    uv_timer_t timer;
    uv_prepare_t prepare;
    unsigned n_open;
    void (*then)(struct mct_instance *a);
};

static void attach_on_closed(uv_handle_t *h)
{
    struct api_attached *t = h->data;
    if (--t->n_open)
        return;
    struct mct_instance *a = t->api;
    void (*then)(struct mct_instance *) = t->then;
    free(t);
    if (!then)
        return;
    a->attached = NULL;
    then(a);
}

static void close_all(struct api_attached *t)
{
    uv_handle_t *const handles[] = { (uv_handle_t *)&t->poll, (uv_handle_t *)&t->timer, (uv_handle_t *)&t->prepare };
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        if (!uv_is_closing(handles[i]))
            uv_close(handles[i], attach_on_closed);
}

void mcti_api_detach(struct mct_instance *a, void (*then)(struct mct_instance *a))
{
    a->inst.loop.sched.planned = NULL;
    a->attached->then = then;
    close_all(a->attached);
}

static void attach_on_readable(uv_poll_t *poll, int status, int events)
{
    struct api_attached *t = poll->data;
    (void)status;
    (void)events;
    mct_instance_dispatch(t->api);
}

static void attach_on_time(uv_timer_t *timer)
{
    struct api_attached *t = timer->data;
    mct_instance_dispatch(t->api);
}

/* Sets the timer just before the program's loop waits. */
static void attach_on_prepare(uv_prepare_t *prepare)
{
    struct api_attached *t = prepare->data;
    int in = mct_instance_timeout(t->api);
    if (in < 0)
        uv_timer_stop(&t->timer);
    else
        uv_timer_start(&t->timer, attach_on_time, (uint64_t)in, 0);
}

/* Wakes the program's loop when a task or timer was added outside of a turn: it may be about to wait for longer. */
static void attach_on_planned(void *data)
{
    struct mct_instance *a = MCT_CONTAINER(data, struct mct_instance, inst.loop);
    if (!a->depth)
        uv_async_send(&a->wake);
}

int mct_instance_attach(struct mct_instance *r, uv_loop_t *loop, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    struct mct_error why;
    if (mcti_api_may_wait(a, &why) < 0)
        return mcti_fail(err, MCT_ERR_USAGE,
                         "the instance is already attached to a loop, or the function was called from a callback");
    struct api_attached *t = calloc(1, sizeof *t);
    if (!t)
        return mcti_no_memory(err);
    int failed = uv_poll_init(loop, &t->poll, mct_instance_fd(r));
    if (failed) {
        free(t);
        return mcti_fail(err, MCT_ERR_INTERNAL, "attaching to the loop: %s", uv_strerror(failed));
    }
    t->api = a;
    t->n_open = 3;
    uv_timer_init(loop, &t->timer);
    uv_prepare_init(loop, &t->prepare);
    t->poll.data = t->timer.data = t->prepare.data = t;
    uv_prepare_start(&t->prepare, attach_on_prepare);
    uv_poll_start(&t->poll, UV_READABLE, attach_on_readable);
    a->attached = t;
    a->inst.loop.sched.planned = attach_on_planned;
    return 0;
}
