#include "hub/core/registry.h"

#include "base/limits.h"
#include "hub/core/branch.h"

#include <stdlib.h>

/* Tells all watchers that want to hear `what`, a member. */
#define TELL(registry, what, ...)                                                                                      \
    MCT_LIST_EACH(it, &(registry)->watchers) {                                                                         \
        struct mct_watcher *w = MCT_CONTAINER(it, struct mct_watcher, node);                                           \
        if (w->what)                                                                                                   \
            w->what(w, __VA_ARGS__);                                                                                   \
    }

static void on_changed(void *data, struct mct_provider *p, unsigned kinds)
{
    struct mct_registry *r = data;
    r->generation++;
    TELL(r, changed, p, kinds)
}

static void on_state(void *data, struct mct_provider *p)
{
    struct mct_registry *r = data;
    r->generation++;
    TELL(r, state, p)
    if (!mct_list_empty(&r->settles))
        mct_task_post(r->sched, &r->settle_task);
}

static void on_message(void *data, struct mct_provider *p, struct mct_str params)
{
    TELL((struct mct_registry *)data, message, p, params)
}

static void on_updated(void *data, struct mct_provider *p, struct mct_str params)
{
    TELL((struct mct_registry *)data, updated, p, params)
}

static void on_elicited(void *data, struct mct_provider *p, struct mct_str params)
{
    TELL((struct mct_registry *)data, elicited, p, params)
}

static void on_outdated(void *data, struct mct_provider *p)
{
    TELL((struct mct_registry *)data, outdated, p)
}

static void on_fetched(void *data, struct mct_provider *p)
{
    TELL((struct mct_registry *)data, fetched, p)
}

static void on_ended(void *data, struct mct_branch *b)
{
    TELL((struct mct_registry *)data, ended, b)
}

static void on_stopped(void *data, struct mct_provider *p)
{
    struct mct_registry *r = data;
    (void)p;
    if (--r->n_running || !r->stopping)
        return;
    mct_later_fn done = r->stopped;
    r->stopped = NULL;
    if (done)
        done(r->stopped_data);
}

static void end_wait(struct mct_settle *w)
{
    mct_settle_stop(w);
    w->done(w);
}

static bool is_enough(const struct mct_registry *r, const struct mct_settle *w)
{
    return w->enough ? w->enough(w) : mct_registry_settled(r);
}

static void on_settled(void *data)
{
    struct mct_registry *r = data;
    struct mct_list ready;
    mct_list_init(&ready);
    MCT_LIST_EACH(it, &r->settles) {
        struct mct_settle *w = MCT_CONTAINER(it, struct mct_settle, node);
        if (!is_enough(r, w))
            continue;
        mct_list_remove(&w->node);
        mct_list_append(&ready, &w->node);
    }
    while (!mct_list_empty(&ready))
        end_wait(MCT_CONTAINER(ready.next, struct mct_settle, node));
}

void mct_registry_init(struct mct_registry *r, struct mct_sched *sched)
{
    *r = (struct mct_registry){ .sched = sched, .generation = 1, .max_branches = MCT_LIMIT_BRANCHES };
    mct_list_init(&r->watchers);
    mct_list_init(&r->settles);
    mct_list_init(&r->branches);
    mct_list_init(&r->attached);
    mct_task_init(&r->settle_task, on_settled, r);
}

void mct_registry_done(struct mct_registry *r)
{
    mct_task_stop(&r->settle_task);
    while (!mct_list_empty(&r->branches))
        mct_branch_free(MCT_CONTAINER(r->branches.next, struct mct_branch, node));
    for (size_t i = 0; i < r->n; i++)
        r->v[i]->ops->free(r->v[i]);
    while (!mct_list_empty(&r->attached)) {
        struct mct_attached *a = MCT_CONTAINER(r->attached.next, struct mct_attached, node);
        mct_list_remove(&a->node);
        a->free(a);
    }
    r->canon = NULL;
    r->rulings = NULL;
    free(r->v);
    r->v = NULL;
    r->n = 0;
}

int mct_registry_add(struct mct_registry *r, struct mct_provider *p)
{
    struct mct_provider **v = p ? realloc(r->v, (r->n + 1) * sizeof(struct mct_provider *)) : NULL;
    if (!v) {
        if (p)
            p->ops->free(p);
        return -1;
    }
    r->v = v;
    r->v[r->n++] = p;
    p->events = (struct mct_provider_events){ .changed = on_changed, .state = on_state,
                                              .message = on_message, .updated = on_updated,
                                              .elicited = on_elicited,
                                              .outdated = on_outdated,
                                              .fetched = on_fetched,
                                              .stopped = on_stopped,
                                              .ended = on_ended,
                                              .data = r };
    return 0;
}

struct mct_provider *mct_registry_find(const struct mct_registry *r, struct mct_str name)
{
    for (size_t i = 0; i < r->n; i++)
        if (mct_str_is(name, r->v[i]->name))
            return r->v[i];
    return NULL;
}

void mct_registry_start_one(struct mct_registry *r, struct mct_provider *p)
{
    r->n_running++;
    p->started_ms = mct_sched_now(r->sched);
    p->ops->start(p);
}

void mct_registry_start_all(struct mct_registry *r)
{
    for (size_t i = 0; i < r->n; i++)
        mct_registry_start_one(r, r->v[i]);
}

void mct_registry_stop(struct mct_registry *r, mct_later_fn done, void *data)
{
    r->stopping = true;
    r->stopped = done;
    r->stopped_data = data;
    if (!r->n_running) {
        r->stopped = NULL;
        done(data);
        return;
    }
    MCT_LIST_EACH(it, &r->branches) {
        struct mct_branch *b = MCT_CONTAINER(it, struct mct_branch, node);
        if (!b->leaving)
            b->provider->ops->stop(b->provider);
        b->leaving = true;
    }
    for (size_t i = 0; i < r->n; i++)
        r->v[i]->ops->stop(r->v[i]);
}

void mct_registry_watch(struct mct_registry *r, struct mct_watcher *w)
{
    mct_list_append(&r->watchers, &w->node);
}

void mct_watcher_remove(struct mct_watcher *w)
{
    mct_list_remove(&w->node);
}

bool mct_registry_settled(const struct mct_registry *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (!r->v[i]->settled)
            return false;
    return true;
}

unsigned mct_registry_hold_ms(const struct mct_registry *r, unsigned max_ms)
{
    unsigned longest = 0;
    for (size_t i = 0; i < r->n; i++) {
        unsigned ms = mct_provider_hold_ms(r->v[i], max_ms);
        if (ms > longest)
            longest = ms;
    }
    return longest;
}

static void on_wait_over(void *data)
{
    end_wait(data);
}

void mct_registry_wait(struct mct_registry *r, struct mct_settle *w, unsigned max_ms)
{
    w->registry = r;
    mct_timer_init(&w->timer, on_wait_over, w);
    mct_timer_set(r->sched, &w->timer, max_ms);
    mct_list_append(&r->settles, &w->node);
    if (is_enough(r, w))
        mct_task_post(r->sched, &r->settle_task);
}

void mct_settle_stop(struct mct_settle *w)
{
    if (!w->registry)
        return;
    mct_timer_stop(w->registry->sched, &w->timer);
    mct_list_remove(&w->node);
    w->registry = NULL;
}
