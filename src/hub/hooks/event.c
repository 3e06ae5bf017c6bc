/* A running handler: its copy of the event, its time limit, and its one decision. */
#include "hub/hooks/hooks_impl.h"

#include "base/limits.h"

#include <stdlib.h>

struct mct_hook_event {
    struct mcti_list node; /* in hooks->events */
    struct mcti_hook *hook;
    char *json;
    char *decision; /* NULL: none, or `failed` */
    struct mct_error failed;
    bool over;      /* decided, failed, late or withdrawn: the handler is ignored from now on */
    bool released;  /* freed when `depth` is 0 */
    unsigned depth; /* number of callers that hold it */
    bool begun;     /* the handler has been called */
    bool counted;   /* in hooks->n_running; otherwise it waits in hooks->queues */
    struct mcti_list queue;
    struct mcti_timer timer;
    struct mcti_task begin, told;
    mcti_hook_decided_fn done;
    void *data;
};

static void free_event(struct mct_hook_event *e)
{
    free(e->json);
    free(e->decision);
    mcti_hook_unuse(e->hook);
    free(e);
}

/* Keeps the event during a callback, which may withdraw it. */
static void event_hold(struct mct_hook_event *e)
{
    e->depth++;
}

static void event_let_go(struct mct_hook_event *e)
{
    if (!--e->depth && e->released)
        free_event(e);
}

/* Lets the handler run: its time begins. */
static void event_run(struct mct_hook_event *e)
{
    struct mcti_hooks *h = e->hook->hooks;
    e->counted = true;
    h->n_running[e->hook->kind]++;
    mcti_timer_set(h->sched, &e->timer, e->hook->timeout_ms);
    mcti_task_post(h->sched, &e->begin);
}

/* Takes the event out of those that wait. */
static void event_unqueue(struct mct_hook_event *e)
{
    if (mcti_list_empty(&e->queue))
        return;
    mcti_list_remove(&e->queue);
    e->hook->hooks->n_waiting[e->hook->kind]--;
}

/* Gives the place of an event that is over to the one that has waited for the longest time. */
static void event_leave_place(struct mct_hook_event *e)
{
    struct mcti_hooks *h = e->hook->hooks;
    struct mcti_list *queue = &h->queues[e->hook->kind];
    if (!e->counted)
        return;
    e->counted = false;
    h->n_running[e->hook->kind]--;
    if (mcti_list_empty(queue))
        return;
    struct mct_hook_event *next = MCT_CONTAINER(queue->next, struct mct_hook_event, queue);
    event_unqueue(next);
    event_run(next);
}

/* Detaches the event from its hook and timer; it is freed once no caller holds it. */
static void event_release(struct mct_hook_event *e)
{
    struct mcti_hooks *h = e->hook->hooks;
    event_unqueue(e);
    event_leave_place(e);
    mcti_timer_stop(h->sched, &e->timer);
    mcti_task_stop(&e->begin);
    mcti_task_stop(&e->told);
    mcti_list_remove(&e->node);
    e->over = e->released = true;
}

static void call_back(struct mct_hook_event *e, mct_hook_fn fn)
{
    struct mcti_hook *hook = e->hook;
    if (!fn)
        return;
    mcti_hook_enter(hook);
    fn(e, hook->data);
    mcti_hook_leave(hook);
}

static void event_on_told(void *data)
{
    struct mct_hook_event *e = data;
    event_hold(e); /* it owns the text of the decision */
    event_release(e);
    e->done(e->data, mcti_str_of(e->decision), e->failed.kind ? &e->failed : NULL);
    event_let_go(e);
}

static void event_tell_withdrawn(struct mct_hook_event *e)
{
    if (e->begun)
        call_back(e, e->hook->withdrawn);
}

/* Ends the wait for the handler with a failure. */
static void fail_event(struct mct_hook_event *e, const struct mct_error *why)
{
    event_hold(e);
    e->over = true;
    e->failed = *why;
    event_unqueue(e);
    mcti_timer_stop(e->hook->hooks->sched, &e->timer);
    mcti_task_post(e->hook->hooks->sched, &e->told);
    event_tell_withdrawn(e);
    event_let_go(e);
}

static void event_on_late(void *data)
{
    struct mct_hook_event *e = data;
    struct mct_error err;
    if (e->counted)
        mcti_fail(&err, MCT_ERR_TIMEOUT, "took longer than %u ms", e->hook->timeout_ms);
    else
        mcti_fail(&err, MCT_ERR_TIMEOUT, "waited longer than %d ms for %d other handlers to end", MCT_HOOK_WAIT_MS,
                  MCT_LIMIT_HOOK_RUNS);
    fail_event(e, &err);
}

static void event_on_begin(void *data)
{
    struct mct_hook_event *e = data;
    event_hold(e);
    e->begun = true;
    call_back(e, e->hook->run);
    event_let_go(e);
}

/* Keeps the event until another one of its kind is over. */
static void event_wait(struct mct_hook_event *e)
{
    struct mcti_hooks *h = e->hook->hooks;
    mcti_list_append(&h->queues[e->hook->kind], &e->queue);
    h->n_waiting[e->hook->kind]++;
    mcti_timer_set(h->sched, &e->timer, MCT_HOOK_WAIT_MS);
}

struct mct_hook_event *mcti_hook_event_start(struct mcti_hook *hook, char *take_json, mcti_hook_decided_fn done,
                                             void *data, struct mct_error *err)
{
    struct mcti_hooks *h = hook->hooks;
    bool must_wait = h->n_running[hook->kind] >= MCT_LIMIT_HOOK_RUNS;
    bool full = must_wait && h->n_waiting[hook->kind] >= MCT_LIMIT_HOOK_WAITS;
    struct mct_hook_event *e = take_json && !hook->removed && !full ? calloc(1, sizeof *e) : NULL;
    if (!e) {
        free(take_json);
        if (hook->removed)
            mcti_fail(err, MCT_ERR_INTERNAL, "it was removed");
        else if (full)
            mcti_fail(err, MCT_ERR_LIMIT, "%d of its handlers are running and %d wait", MCT_LIMIT_HOOK_RUNS,
                      MCT_LIMIT_HOOK_WAITS);
        else
            mcti_no_memory(err);
        return NULL;
    }
    *e = (struct mct_hook_event){ .hook = hook, .json = take_json, .done = done, .data = data };
    mcti_timer_init(&e->timer, event_on_late, e);
    mcti_task_init(&e->begin, event_on_begin, e);
    mcti_task_init(&e->told, event_on_told, e);
    mcti_list_init(&e->queue);
    mcti_list_append(&h->events, &e->node);
    mcti_hook_use(hook);
    if (must_wait)
        event_wait(e);
    else
        event_run(e);
    return e;
}

void mcti_hook_event_withdraw(struct mct_hook_event *e)
{
    if (!e)
        return;
    bool over = e->over;
    event_hold(e);
    event_release(e);
    if (!over)
        event_tell_withdrawn(e);
    event_let_go(e);
}

static struct mct_hook_event *first_open(struct mcti_hooks *h, const struct mcti_hook *hook)
{
    MCT_LIST_EACH(it, &h->events) {
        struct mct_hook_event *e = MCT_CONTAINER(it, struct mct_hook_event, node);
        if (e->hook == hook && !e->over)
            return e;
    }
    return NULL;
}

void mcti_hook_events_abandon(struct mcti_hook *hook)
{
    struct mct_hook_event *e;
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_CANCELLED, "it was removed");
    while ((e = first_open(hook->hooks, hook)))
        fail_event(e, &err);
}

void mcti_hook_events_withdraw(struct mcti_hooks *h)
{
    while (!mcti_list_empty(&h->events))
        mcti_hook_event_withdraw(MCT_CONTAINER(h->events.next, struct mct_hook_event, node));
}

/* ---- for handlers ---- */

const char *mct_hook_event_json(const struct mct_hook_event *e)
{
    return e->json;
}

/* Returns whether the handler may still decide; logs a second decision, which is an error in the handler. */
static bool is_open(const struct mct_hook_event *e)
{
    if (!e->over)
        return true;
    mcti_log(e->hook->hooks->log, MCT_LOG_WARN,
             "hook '%s': second or late decision about a call: "
             "ignored",
             e->hook->name);
    return false;
}

static void event_decided(struct mct_hook_event *e)
{
    e->over = true;
    mcti_timer_stop(e->hook->hooks->sched, &e->timer);
    mcti_task_post(e->hook->hooks->sched, &e->told);
}

void mct_hook_decide(struct mct_hook_event *e, const char *decision)
{
    if (!is_open(e))
        return;
    e->decision = decision ? strdup(decision) : NULL;
    if (decision && !e->decision)
        mcti_no_memory(&e->failed);
    event_decided(e);
}

void mct_hook_fail(struct mct_hook_event *e, const char *message)
{
    if (!is_open(e))
        return;
    mcti_fail(&e->failed, MCT_ERR_SERVER, "%s", message ? message : "the handler failed without a message");
    event_decided(e);
}
