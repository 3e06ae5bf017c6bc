#include "hub/provider_builtin.h"

#include "hub/demo.h"

#include <stdio.h>
#include <stdlib.h>

struct builtin {
    struct mct_provider base;
    struct mct_sched *sched;
    struct mct_task ready;
    struct mct_list calls;
};

static struct builtin *from_provider(const struct mct_provider *p)
{
    return MCT_CONTAINER(p, struct builtin, base);
}

static void load_items(struct mct_provider *p)
{
    for (int k = 0; k < MCT_KIND_N; k++) {
        size_t n;
        const char *const *v = mct_demo_items((enum mct_kind)k, &n);
        for (size_t i = 0; i < n; i++) {
            struct mct_item *item = mct_item_new((enum mct_kind)k, mct_str_of(v[i]));
            if (item)
                mct_items_add(&p->items[k], item);
        }
    }
}

static void on_ready(void *data)
{
    struct builtin *b = data;
    mct_provider_set_state(&b->base, MCT_CONNECTED, NULL);
    b->base.events.changed(b->base.events.data, &b->base, (1u << MCT_KIND_N) - 1);
}

static void builtin_start(struct mct_provider *p)
{
    struct builtin *b = from_provider(p);
    p->state = MCT_CONNECTING;
    mct_task_post(b->sched, &b->ready);
}

static void forget(struct builtin *b, struct mct_call *call)
{
    mct_timer_stop(b->sched, &call->timer);
    mct_list_remove(&call->node);
    free(call->kept);
    call->kept = NULL;
    call->provider = NULL;
}

/* {"code":…,"message":…} as a server would answer it. */
static void finish_refused(struct builtin *b, struct mct_call *call, const struct mct_error *err)
{
    struct mct_buf text;
    mct_buf_init(&text, 4096);
    mct_session_put_error(&text, err, MCT_STR_NONE);
    struct mct_outcome o = { .error = mct_buf_str(&text), .rev = b->base.info.rev };
    forget(b, call);
    call->done(call, &o);
    mct_buf_done(&text);
}

/* The next step of a slow tool, or its end when the caller's time is over first. */
static void plan_step(struct builtin *b, struct mct_call *call, unsigned step_ms)
{
    bool too_late = call->timeout_ms && step_ms > call->timeout_ms;
    call->out.deadline_ms = too_late ? mct_sched_now(b->sched) + call->timeout_ms : UINT64_MAX;
    mct_timer_set(b->sched, &call->timer, too_late ? call->timeout_ms : step_ms);
}

static void finish_late(struct builtin *b, struct mct_call *call)
{
    struct mct_error err;
    struct mct_outcome o = { .failed = &err, .rev = b->base.info.rev };
    mct_fail_late(&err, call->timeout_ms);
    mct_error_wrap(&err, "server '%s'", b->base.name);
    forget(b, call);
    call->done(call, &o);
}

static void run(struct builtin *b, struct mct_call *call, bool last)
{
    struct mct_error err;
    struct mct_buf result;
    unsigned steps;
    struct mct_str params = mct_str_of(call->kept);
    mct_buf_init(&result, params.len + 65536);
    int r = mct_demo_answer(call->verb, params, last, &result, &steps, &err);
    if (r == 0 && steps) {
        plan_step(b, call, mct_demo_step_ms(params));
    } else if (r < 0 || !mct_buf_ok(&result)) {
        if (r == 0)
            mct_fail(&err, MCT_ERR_LIMIT, "the result is too large");
        finish_refused(b, call, &err);
    } else {
        struct mct_outcome o = { .result = mct_buf_str(&result), .rev = b->base.info.rev };
        forget(b, call);
        call->done(call, &o);
    }
    mct_buf_done(&result);
}

static void report(struct mct_call *call, unsigned total)
{
    char params[128];
    snprintf(params, sizeof params, "{\"progressToken\":0,\"progress\":%llu,\"total\":%u,\"message\":"
             "\"step %llu of %u\"}", (unsigned long long)call->step, total,
             (unsigned long long)call->step, total);
    call->progress(call, mct_str_of(params));
}

/* The first turn answers what is quick; later turns are the steps of a slow tool. */
static void on_turn(void *data)
{
    struct mct_call *call = data;
    struct builtin *b = from_provider(call->provider);
    struct mct_buf nothing;
    struct mct_error err;
    unsigned total = 0;
    if (call->step == 0) {
        call->step = 1;
        run(b, call, false);
        return;
    }
    if (mct_sched_now(b->sched) >= call->out.deadline_ms) {
        finish_late(b, call);
        return;
    }
    mct_buf_init(&nothing, 16);
    mct_demo_answer(call->verb, mct_str_of(call->kept), false, &nothing, &total, &err);
    mct_buf_done(&nothing);
    if (call->progress)
        report(call, total);
    if (call->step++ >= total)
        run(b, call, true);
    else
        plan_step(b, call, mct_demo_step_ms(mct_str_of(call->kept)));
}

static int builtin_call(struct mct_provider *p, struct mct_call *call, struct mct_error *err)
{
    struct builtin *b = from_provider(p);
    struct mct_buf params;
    mct_buf_init(&params, call->params.len + call->subject.value.len + 64);
    mct_json_put_object(&params, call->params, &call->subject, call->subject.value.p ? 1 : 0);
    call->kept = mct_buf_take(&params);
    if (!call->kept)
        return mct_fail(err, MCT_ERR_INTERNAL, "out of memory");
    call->step = 0;
    mct_timer_init(&call->timer, on_turn, call);
    mct_list_append(&b->calls, &call->node);
    mct_timer_set(b->sched, &call->timer, 0);
    return 0;
}

static void builtin_cancel(struct mct_provider *p, struct mct_call *call, const char *reason)
{
    (void)reason;
    forget(from_provider(p), call);
}

static void builtin_stop(struct mct_provider *p)
{
    mct_provider_set_state(p, MCT_DISCONNECTED, NULL);
    p->events.stopped(p->events.data, p);
}

static void builtin_free(struct mct_provider *p)
{
    struct builtin *b = from_provider(p);
    struct mct_error why;
    mct_fail(&why, MCT_ERR_CONNECT, "the server is shutting down");
    struct mct_outcome o = { .failed = &why };
    while (!mct_list_empty(&b->calls)) {
        struct mct_call *call = MCT_CONTAINER(b->calls.next, struct mct_call, node);
        forget(b, call);
        call->done(call, &o);
    }
    mct_task_stop(&b->ready);
    mct_provider_done(p);
    free(b);
}

static const struct mct_provider_ops ops = {
    .type = "builtin",
    .start = builtin_start,
    .call = builtin_call,
    .cancel = builtin_cancel,
    .stop = builtin_stop,
    .free = builtin_free,
};

struct mct_provider *mct_provider_builtin_new(const char *name, struct mct_sched *sched,
                                              const struct mct_log *log)
{
    struct builtin *b = calloc(1, sizeof *b);
    if (!b || mct_provider_init(&b->base, &ops, name, sched, log) < 0) {
        free(b);
        return NULL;
    }
    b->sched = sched;
    mct_list_init(&b->calls);
    mct_task_init(&b->ready, on_ready, b);
    b->base.info.rev = MCT_REV_LATEST_HANDSHAKE;
    b->base.info.capabilities = strdup("{\"tools\":{},\"resources\":{},\"prompts\":{},\"completions\":{}}");
    b->base.info.server_info = strdup("{\"name\":\"mcptools-demo\",\"title\":\"mcptools demo server\","
                                      "\"version\":\"" MCT_VERSION "\"}");
    load_items(&b->base);
    return &b->base;
}
