/* Changes of the set of providers while they run: one joins, is removed, or replaces another one. */
#include "hub/core/branch.h"

#include <stdlib.h>

static size_t change_n_servers(const struct mcti_registry *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        n += !r->v[i]->bare;
    return n;
}

/* Reports that names may have changed: with the prefix "auto" they depend on whether there is one server or more. */
static void report_names(struct mcti_registry *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct mcti_provider *p = r->v[i];
        unsigned kinds = (p->items[MCT_TOOL].n ? 1u << MCT_TOOL : 0) | (p->items[MCT_PROMPT].n ? 1u << MCT_PROMPT : 0);
        if (!p->bare && kinds)
            p->events.changed(r, r->v[i], kinds);
    }
}

int mcti_registry_join(struct mcti_registry *r, struct mcti_provider *p)
{
    if (mcti_registry_add(r, p) < 0)
        return -1;
    r->generation++;
    if (change_n_servers(r) == 2)
        report_names(r);
    MCT_REGISTRY_TELL(r, joined, p)
    mcti_registry_start_one(r, p);
    return 0;
}

void mcti_registry_stop_retired(struct mcti_provider *p)
{
    mcti_task_stop(&p->retire);
    mcti_timer_stop(p->sched, &p->drain);
    if (p->retired_stops)
        return;
    p->retired_stops = p->settled = true;
    mcti_branches_retire(p->events.data, p);
    if (p->started)
        p->ops->stop(p);
    else
        p->retired_ended = true;
    mcti_registry_plan_bury(p->events.data);
}

static void registry_on_retire(void *data)
{
    mcti_registry_stop_retired(data);
}

static size_t registry_index(const struct mcti_registry *r, const struct mcti_provider *p)
{
    size_t i = 0;
    while (r->v[i] != p)
        i++;
    return i;
}

static void take_out(struct mcti_registry *r, const struct mcti_provider *p)
{
    size_t i = registry_index(r, p);
    memmove(&r->v[i], &r->v[i + 1], (r->n - i - 1) * sizeof(struct mcti_provider *));
    r->n--;
}

/* Runs `due` later with the provider, which has left the registry. Returns -1 when out of memory. */
static int registry_part(struct mcti_registry *r, struct mcti_provider *p, mcti_later_fn due)
{
    struct mcti_provider **retired = realloc(r->retired, (r->n_retired + 1) * sizeof(struct mcti_provider *));
    if (!retired)
        return -1;
    r->retired = retired;
    r->retired[r->n_retired++] = p;
    p->retired = true;
    mcti_error_keep_new(&p->error, MCT_ERR_CONNECT, "it was removed");
    mcti_timer_init(&p->drain, due, p);
    mcti_task_init(&p->retire, due, p);
    mcti_task_post(r->sched, &p->retire);
    return 0;
}

/* Reports that the provider has left. */
static void registry_parted(struct mcti_registry *r)
{
    r->generation++;
    if (change_n_servers(r) == 1)
        report_names(r);
    if (!mcti_list_empty(&r->settles))
        mcti_task_post(r->sched, &r->settle_task);
}

int mcti_registry_retire(struct mcti_registry *r, struct mcti_provider *p)
{
    if (registry_part(r, p, registry_on_retire) < 0)
        return -1;
    for (int k = 0; k < MCT_KIND_N; k++) { /* while it is in the registry, so that its clients are notified */
        struct mcti_items none = { 0 };
        mcti_provider_take_items(p, (enum mcti_kind)k, &none);
    }
    take_out(r, p);
    registry_parted(r);
    return 0;
}

static bool registry_is_busy(const struct mcti_registry *r, const struct mcti_provider *p)
{
    bool busy = p->ops->is_busy && p->ops->is_busy(p);
    MCT_LIST_EACH(it, &r->branches) {
        const struct mcti_branch *b = MCT_CONTAINER(it, struct mcti_branch, node);
        busy |= b->origin == p && b->provider->ops->is_busy && b->provider->ops->is_busy(b->provider);
    }
    return busy;
}

/* Stops the provider if no call runs there or they have had their time; looks again later otherwise. */
static void registry_on_drain(void *data)
{
    struct mcti_provider *p = data;
    enum { LOOK_AGAIN_MS = 20 };
    if (mcti_sched_now(p->sched) < p->drain_until_ms && registry_is_busy(p->events.data, p))
        mcti_timer_set(p->sched, &p->drain, LOOK_AGAIN_MS);
    else
        mcti_registry_stop_retired(p);
}

/* Returns the kinds of which the provider has items. */
static unsigned registry_kinds(const struct mcti_provider *p)
{
    unsigned kinds = 0;
    for (int k = 0; k < MCT_KIND_N; k++)
        kinds |= p->items[k].n ? 1u << k : 0;
    return kinds;
}

static void registry_drain(struct mcti_registry *r, struct mcti_provider *p, unsigned max_ms, unsigned kinds)
{
    p->drain_until_ms = mcti_sched_now(r->sched) + max_ms;
    if (kinds)
        p->events.changed(r, p, kinds); /* while it is in the registry, so that its clients are notified */
}

int mcti_registry_retire_later(struct mcti_registry *r, struct mcti_provider *p, unsigned max_ms)
{
    if (registry_part(r, p, registry_on_drain) < 0)
        return -1;
    registry_drain(r, p, max_ms, registry_kinds(p));
    take_out(r, p);
    registry_parted(r);
    return 0;
}

void mcti_registry_prepare(struct mcti_registry *r, struct mcti_provider *p,
                           void (*state)(void *data, struct mcti_provider *p), void *data)
{
    p->events = (struct mcti_provider_events){ .state = state, .data = data };
    mcti_registry_vet_one(r, p);
    mcti_registry_start_one(r, p);
}

int mcti_registry_replace(struct mcti_registry *r, struct mcti_provider *old, struct mcti_provider *p, unsigned max_ms)
{
    if (registry_part(r, old, registry_on_drain) < 0)
        return -1;
    registry_drain(r, old, max_ms, registry_kinds(old) | registry_kinds(p));
    r->v[registry_index(r, old)] = p;
    mcti_registry_listen(r, p);
    MCT_REGISTRY_TELL(r, joined, p)
    p->events.state(r, p);
    return 0;
}

struct mcti_provider *mcti_registry_current(struct mcti_provider *p)
{
    if (!p->retired || p->origin || p->state == MCT_CONNECTED)
        return p;
    struct mcti_provider *now = mcti_registry_find(p->events.data, mcti_str_of(p->name));
    return now ? now : p;
}

int mcti_registry_discard(struct mcti_registry *r, struct mcti_provider *p)
{
    if (registry_part(r, p, registry_on_retire) < 0)
        return -1;
    mcti_registry_listen(r, p);
    return 0;
}

void mcti_registry_sort(struct mcti_registry *r, size_t (*rank)(const void *data, const struct mcti_provider *p),
                        const void *data)
{
    for (size_t i = 1; i < r->n; i++)
        for (size_t k = i; k && rank(data, r->v[k - 1]) > rank(data, r->v[k]); k--) {
            struct mcti_provider *p = r->v[k];
            r->v[k] = r->v[k - 1];
            r->v[k - 1] = p;
            r->generation++;
        }
}
