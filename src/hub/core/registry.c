#include "hub/core/registry.h"
#include "hub/core/hosted.h"

#include "base/limits.h"
#include "hub/core/branch.h"

#include <stdlib.h>

static void registry_on_changed(void *data, struct mcti_provider *p, unsigned kinds)
{
    struct mcti_registry *r = data;
    r->generation++;
    MCT_REGISTRY_TELL(r, changed, p, kinds)
}

static void registry_on_state(void *data, struct mcti_provider *p)
{
    struct mcti_registry *r = data;
    r->generation++;
    MCT_REGISTRY_TELL(r, state, p)
    if (r->starts_more)
        mcti_task_post(r->sched, &r->start_task);
    if (!mcti_list_empty(&r->settles))
        mcti_task_post(r->sched, &r->settle_task);
}

static void registry_on_message(void *data, struct mcti_provider *p, struct mcti_str params)
{
    MCT_REGISTRY_TELL((struct mcti_registry *)data, message, p, params)
}

static void registry_on_updated(void *data, struct mcti_provider *p, struct mcti_str params)
{
    MCT_REGISTRY_TELL((struct mcti_registry *)data, updated, p, params)
}

static void registry_on_elicited(void *data, struct mcti_provider *p, struct mcti_str params)
{
    MCT_REGISTRY_TELL((struct mcti_registry *)data, elicited, p, params)
}

static void registry_on_announced(void *data, struct mcti_provider *p, unsigned kinds)
{
    struct mcti_registry *r = data;
    MCT_REGISTRY_TELL(r, announced, p, kinds)
}

static void registry_on_outdated(void *data, struct mcti_provider *p)
{
    MCT_REGISTRY_TELL((struct mcti_registry *)data, outdated, p)
}

static void registry_on_fetched(void *data, struct mcti_provider *p)
{
    MCT_REGISTRY_TELL((struct mcti_registry *)data, fetched, p)
}

static void registry_on_hosted(void *data, struct mcti_provider *p)
{
    MCT_REGISTRY_TELL((struct mcti_registry *)data, hosted, p)
}

static void registry_on_said(void *data, struct mcti_provider *p, const struct mcti_journal_line *line)
{
    MCT_REGISTRY_TELL((struct mcti_registry *)data, said, p, line)
}

static void registry_on_ended(void *data, struct mcti_branch *b)
{
    MCT_REGISTRY_TELL((struct mcti_registry *)data, ended, b)
}

static void registry_on_stopped(void *data, struct mcti_provider *p)
{
    struct mcti_registry *r = data;
    for (int k = 0; p->retired && k < MCT_KIND_N; k++) {
        mcti_items_clear(&p->items[k]);
        mcti_items_clear(&p->barred[k]);
    }
    if (p->retired) { /* requests may still name it */
        p->retired_ended = true;
        mcti_journal_done(&p->journal);
        mcti_registry_plan_bury(r);
    }
    if (--r->n_running || !r->stopping)
        return;
    mcti_later_fn done = r->stopped;
    r->stopped = NULL;
    if (done)
        done(r->stopped_data);
}

static void registry_end_wait(struct mcti_settle *w)
{
    mcti_settle_stop(w);
    w->done(w);
}

static bool registry_is_enough(const struct mcti_registry *r, const struct mcti_settle *w)
{
    return w->enough ? w->enough(w) : mcti_registry_settled(r);
}

static void registry_on_settled(void *data)
{
    struct mcti_registry *r = data;
    struct mcti_list ready;
    mcti_list_init(&ready);
    MCT_LIST_EACH(it, &r->settles) {
        struct mcti_settle *w = MCT_CONTAINER(it, struct mcti_settle, node);
        if (!registry_is_enough(r, w))
            continue;
        mcti_list_remove(&w->node);
        mcti_list_append(&ready, &w->node);
    }
    while (!mcti_list_empty(&ready))
        registry_end_wait(MCT_CONTAINER(ready.next, struct mcti_settle, node));
}

static void registry_start_more(void *data)
{
    struct mcti_registry *r = data;
    size_t n_starting = 0;
    r->starts_more = false;
    for (size_t i = 0; i < r->n; i++)
        n_starting += r->v[i]->started && !r->v[i]->settled;
    for (size_t i = 0; i < r->n && !r->stopping; i++) {
        struct mcti_provider *p = r->v[i];
        bool waits = !p->started && r->max_starting && n_starting >= r->max_starting;
        r->starts_more |= waits;
        if (p->started || waits)
            continue;
        mcti_registry_start_one(r, p);
        n_starting += !p->settled;
    }
}

void mcti_registry_init(struct mcti_registry *r, struct mcti_sched *sched)
{
    *r = (struct mcti_registry){ .sched = sched, .generation = 1, .max_branches = MCT_LIMIT_BRANCHES };
    mcti_list_init(&r->watchers);
    mcti_list_init(&r->leavers);
    mcti_list_init(&r->settles);
    mcti_list_init(&r->branches);
    mcti_list_init(&r->attached);
    mcti_leases_init(r);
    mcti_task_init(&r->settle_task, registry_on_settled, r);
    mcti_task_init(&r->start_task, registry_start_more, r);
}

void mcti_registry_done(struct mcti_registry *r)
{
    mcti_task_stop(&r->settle_task);
    mcti_task_stop(&r->start_task);
    while (!mcti_list_empty(&r->branches))
        mcti_branch_free(MCT_CONTAINER(r->branches.next, struct mcti_branch, node));
    for (size_t i = 0; i < r->n; i++)
        r->v[i]->ops->free(r->v[i]);
    mcti_leases_done(r);
    while (!mcti_list_empty(&r->attached)) {
        struct mcti_attached *a = MCT_CONTAINER(r->attached.next, struct mcti_attached, node);
        mcti_list_remove(&a->node);
        a->free(a);
    }
    r->canon = NULL;
    r->rulings = NULL;
    free(r->v);
    r->v = NULL;
    r->n = 0;
}

void mcti_registry_listen(struct mcti_registry *r, struct mcti_provider *p)
{
    p->events = (struct mcti_provider_events){ .changed = registry_on_changed,
                                               .state = registry_on_state,
                                               .message = registry_on_message,
                                               .updated = registry_on_updated,
                                               .elicited = registry_on_elicited,
                                               .announced = registry_on_announced,
                                               .outdated = registry_on_outdated,
                                               .fetched = registry_on_fetched,
                                               .hosted = registry_on_hosted,
                                               .said = registry_on_said,
                                               .stopped = registry_on_stopped,
                                               .ended = registry_on_ended,
                                               .data = r };
    p->outside = r->outside;
    mcti_registry_vet_one(r, p);
}

void mcti_registry_vet_one(const struct mcti_registry *r, struct mcti_provider *p)
{
    if (p->vetter || !r->vetter || !p->ops->lists_foreign)
        return;
    p->vetter = r->vetter;
    p->vetter->again(p);
}

static void registry_vet_again(const struct mcti_registry *r, struct mcti_provider *p)
{
    if (p->vetter)
        p->vetter->again(p);
    else
        mcti_registry_vet_one(r, p);
}

void mcti_registry_vet(struct mcti_registry *r)
{
    for (size_t i = 0; i < r->n; i++) {
        registry_vet_again(r, r->v[i]);
    }
    MCT_LIST_EACH(it, &r->branches) {
        struct mcti_branch *b = MCT_CONTAINER(it, struct mcti_branch, node);
        registry_vet_again(r, b->provider);
    }
    r->generation++;
}

int mcti_registry_add(struct mcti_registry *r, struct mcti_provider *p)
{
    struct mcti_provider **v = p ? realloc(r->v, (r->n + 1) * sizeof(struct mcti_provider *)) : NULL;
    if (!v) {
        if (p)
            p->ops->free(p);
        return -1;
    }
    r->v = v;
    r->v[r->n++] = p;
    mcti_registry_listen(r, p);
    return 0;
}

struct mcti_provider *mcti_registry_find(const struct mcti_registry *r, struct mcti_str name)
{
    for (size_t i = 0; i < r->n; i++)
        if (mcti_str_is(name, r->v[i]->name))
            return r->v[i];
    return NULL;
}

void mcti_registry_start_one(struct mcti_registry *r, struct mcti_provider *p)
{
    r->n_running++;
    p->started = true;
    p->started_ms = mcti_sched_now(r->sched);
    p->ops->start(p);
}

void mcti_registry_start_all(struct mcti_registry *r)
{
    registry_start_more(r);
}

static void registry_restart_one(struct mcti_provider *p, bool only_failed)
{
    if (p->ops->restart && (!only_failed || p->state == MCT_FAILED))
        p->ops->restart(p);
}

/* Restarts the provider and its branches, or those of them that have failed. */
static void registry_restart(struct mcti_registry *r, struct mcti_provider *p, bool only_failed)
{
    registry_restart_one(p, only_failed);
    MCT_LIST_EACH(it, &r->branches) {
        const struct mcti_branch *b = MCT_CONTAINER(it, struct mcti_branch, node);
        if (b->origin == p && !b->leaving)
            registry_restart_one(b->provider, only_failed);
    }
}

void mcti_registry_restart(struct mcti_registry *r, struct mcti_provider *p)
{
    if (!p->started) {
        mcti_registry_start_one(r, p);
        return;
    }
    p->started_ms = mcti_sched_now(r->sched);
    registry_restart(r, p, false);
}

void mcti_registry_retry(struct mcti_registry *r, struct mcti_provider *p)
{
    if (!p->retired && !r->stopping)
        registry_restart(r, p, true);
}

void mcti_registry_stop(struct mcti_registry *r, mcti_later_fn done, void *data)
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
        struct mcti_branch *b = MCT_CONTAINER(it, struct mcti_branch, node);
        if (!b->leaving)
            b->provider->ops->stop(b->provider);
        b->leaving = true;
    }
    for (size_t i = 0; i < r->n_retired; i++)
        mcti_registry_stop_retired(r->retired[i]);
    for (size_t i = 0; i < r->n; i++)
        if (r->v[i]->started)
            r->v[i]->ops->stop(r->v[i]);
}

void mcti_registry_watch(struct mcti_registry *r, struct mcti_watcher *w)
{
    mcti_list_append(&r->watchers, &w->node);
}

void mcti_registry_watch_leaving(struct mcti_registry *r, struct mcti_watcher *w)
{
    mcti_list_append(&r->leavers, &w->node);
}

void mcti_watcher_remove(struct mcti_watcher *w)
{
    mcti_list_remove(&w->node);
}

bool mcti_registry_settled(const struct mcti_registry *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (!r->v[i]->settled)
            return false;
    return true;
}

/* Returns whether a server keeps the registry from being ready: its first attempt has not ended, it is required and not
 * there as a whole, with its lists, or hooks of its plugins cannot run and block calls of other servers' tools. */
static bool is_missed(const struct mcti_provider *p)
{
    bool whole = p->state == MCT_CONNECTED && !mcti_provider_misses_list(p) && mcti_hosted_whole(p);
    return !p->settled || (p->required && !whole) || p->bars_calls || mcti_hosted_blocks(p);
}

bool mcti_registry_ready(const struct mcti_registry *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (is_missed(r->v[i]))
            return false;
    return true;
}

unsigned mcti_registry_hold_ms(const struct mcti_registry *r, unsigned max_ms)
{
    unsigned longest = 0;
    for (size_t i = 0; i < r->n; i++) {
        unsigned ms = mcti_provider_hold_ms(r->v[i], max_ms);
        if (ms > longest)
            longest = ms;
    }
    return longest;
}

static void registry_on_wait_over(void *data)
{
    registry_end_wait(data);
}

void mcti_registry_wait(struct mcti_registry *r, struct mcti_settle *w, unsigned max_ms)
{
    w->registry = r;
    mcti_timer_init(&w->timer, registry_on_wait_over, w);
    mcti_timer_set(r->sched, &w->timer, max_ms);
    mcti_list_append(&r->settles, &w->node);
    if (registry_is_enough(r, w))
        mcti_task_post(r->sched, &r->settle_task);
}

void mcti_settle_stop(struct mcti_settle *w)
{
    if (!w->registry)
        return;
    mcti_timer_stop(w->registry->sched, &w->timer);
    mcti_list_remove(&w->node);
    w->registry = NULL;
}
