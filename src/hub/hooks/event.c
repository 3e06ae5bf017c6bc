/* One handler at work: its copy of the event, its time limit, and its one decision. */
#include "hub/hooks/hooks_impl.h"

#include "base/limits.h"

#include <stdlib.h>

struct mct_hook_event {
    struct mct_list node; /* in hooks->events */
    struct mct_hook *hook;
    char *json;
    char *decision;       /* NULL: nothing, or `failed` */
    struct mct_error failed;
    bool over;            /* decided, failed, late or withdrawn: nothing more is heard of the handler */
    bool released;        /* freed when nobody holds it any more */
    unsigned depth;       /* of those that hold it */
    bool begun;           /* the handler has heard of it */
    struct mct_timer timer;
    struct mct_task begin, told;
    hook_decided_fn done;
    void *data;
};

static void free_event(struct mct_hook_event *e)
{
    free(e->json);
    free(e->decision);
    hook_unuse(e->hook);
    free(e);
}

/* Whoever calls back holds the event meanwhile: its handler may withdraw it. */
static void hold(struct mct_hook_event *e)
{
    e->depth++;
}

static void let_go(struct mct_hook_event *e)
{
    if (!--e->depth && e->released)
        free_event(e);
}

/* Takes it out of everything; it is freed when it is let go. */
static void release(struct mct_hook_event *e)
{
    struct mct_hooks *h = e->hook->hooks;
    h->n_running[e->hook->kind]--;
    mct_timer_stop(h->sched, &e->timer);
    mct_task_stop(&e->begin);
    mct_task_stop(&e->told);
    mct_list_remove(&e->node);
    e->over = e->released = true;
}

static void call_back(struct mct_hook_event *e, mct_hook_fn fn)
{
    struct mct_hook *hook = e->hook;
    if (!fn)
        return;
    hook_enter(hook);
    fn(e, hook->data);
    hook_leave(hook);
}

static void on_told(void *data)
{
    struct mct_hook_event *e = data;
    hold(e); /* the decision stands in its memory */
    release(e);
    e->done(e->data, mct_str_of(e->decision), e->failed.kind ? &e->failed : NULL);
    let_go(e);
}

static void tell_withdrawn(struct mct_hook_event *e)
{
    if (e->begun)
        call_back(e, e->hook->withdrawn);
}

/* The handler is not waited for any more, and whoever has waited hears that. */
static void fail_event(struct mct_hook_event *e, const struct mct_error *why)
{
    hold(e);
    e->over = true;
    e->failed = *why;
    mct_timer_stop(e->hook->hooks->sched, &e->timer);
    mct_task_post(e->hook->hooks->sched, &e->told);
    tell_withdrawn(e);
    let_go(e);
}

static void on_late(void *data)
{
    struct mct_hook_event *e = data;
    struct mct_error err;
    mct_fail(&err, MCT_ERR_TIMEOUT, "took longer than %u ms", e->hook->timeout_ms);
    fail_event(e, &err);
}

static void on_begin(void *data)
{
    struct mct_hook_event *e = data;
    hold(e);
    e->begun = true;
    call_back(e, e->hook->run);
    let_go(e);
}

struct mct_hook_event *hook_event_start(struct mct_hook *hook, char *take_json, hook_decided_fn done, void *data,
                                        struct mct_error *err)
{
    struct mct_hooks *h = hook->hooks;
    bool full = h->n_running[hook->kind] >= MCT_LIMIT_HOOK_RUNS;
    struct mct_hook_event *e = take_json && !hook->removed && !full ? calloc(1, sizeof *e) : NULL;
    if (!e) {
        free(take_json);
        if (hook->removed)
            mct_fail(err, MCT_ERR_INTERNAL, "it is not there any more");
        else if (full)
            mct_fail(err, MCT_ERR_LIMIT, "too many are running already");
        else
            mct_no_memory(err);
        return NULL;
    }
    *e = (struct mct_hook_event){ .hook = hook, .json = take_json, .done = done, .data = data };
    mct_timer_init(&e->timer, on_late, e);
    mct_task_init(&e->begin, on_begin, e);
    mct_task_init(&e->told, on_told, e);
    mct_list_append(&h->events, &e->node);
    h->n_running[hook->kind]++;
    hook_use(hook);
    mct_timer_set(h->sched, &e->timer, hook->timeout_ms);
    mct_task_post(h->sched, &e->begin);
    return e;
}

void hook_event_withdraw(struct mct_hook_event *e)
{
    if (!e)
        return;
    bool over = e->over;
    hold(e);
    release(e);
    if (!over)
        tell_withdrawn(e);
    let_go(e);
}

static struct mct_hook_event *first_open(struct mct_hooks *h, const struct mct_hook *hook)
{
    MCT_LIST_EACH(it, &h->events) {
        struct mct_hook_event *e = MCT_CONTAINER(it, struct mct_hook_event, node);
        if (e->hook == hook && !e->over)
            return e;
    }
    return NULL;
}

void hook_events_abandon(struct mct_hook *hook)
{
    struct mct_hook_event *e;
    struct mct_error err;
    mct_fail(&err, MCT_ERR_CANCELLED, "it was removed");
    while ((e = first_open(hook->hooks, hook)))
        fail_event(e, &err);
}

void hook_events_withdraw(struct mct_hooks *h)
{
    while (!mct_list_empty(&h->events))
        hook_event_withdraw(MCT_CONTAINER(h->events.next, struct mct_hook_event, node));
}

/* ---- what handlers call ---- */

const char *mct_hook_event_json(const struct mct_hook_event *e)
{
    return e->json;
}

/* Whether the handler may say what it says now; a second word is an error of its author's, which is logged. */
static bool is_open(const struct mct_hook_event *e)
{
    if (!e->over)
        return true;
    mct_log(e->hook->hooks->log, MCT_LOG_WARN, "hook '%s' decides about a call that it has decided about, or that is over: "
            "ignored", e->hook->name);
    return false;
}

static void decided(struct mct_hook_event *e)
{
    e->over = true;
    mct_timer_stop(e->hook->hooks->sched, &e->timer);
    mct_task_post(e->hook->hooks->sched, &e->told);
}

void mct_hook_decide(struct mct_hook_event *e, const char *decision)
{
    if (!is_open(e))
        return;
    e->decision = decision ? strdup(decision) : NULL;
    if (decision && !e->decision)
        mct_no_memory(&e->failed);
    decided(e);
}

void mct_hook_fail(struct mct_hook_event *e, const char *message)
{
    if (!is_open(e))
        return;
    mct_fail(&e->failed, MCT_ERR_SERVER, "%s", message ? message : "it says that it cannot decide");
    decided(e);
}
