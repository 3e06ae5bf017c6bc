#include "hub/core/branch.h"

#include "base/limits.h"

#include <stdlib.h>

static void core_branch_on_message(void *data, struct mcti_provider *p, struct mcti_str params)
{
    const struct mcti_provider_events *e = &((struct mcti_branch *)data)->origin->events;
    e->message(e->data, p, params);
}

static void core_branch_on_updated(void *data, struct mcti_provider *p, struct mcti_str params)
{
    const struct mcti_provider_events *e = &((struct mcti_branch *)data)->origin->events;
    e->updated(e->data, p, params);
}

static void core_branch_on_elicited(void *data, struct mcti_provider *p, struct mcti_str params)
{
    const struct mcti_provider_events *e = &((struct mcti_branch *)data)->origin->events;
    e->elicited(e->data, p, params);
}

static void core_branch_on_outdated(void *data, struct mcti_provider *p)
{
    const struct mcti_provider_events *e = &((struct mcti_branch *)data)->origin->events;
    e->outdated(e->data, p);
}

/* Returns the kinds whose lists differ from those of the shared connection. */
static unsigned core_branch_differing(const struct mcti_branch *b)
{
    unsigned kinds = 0;
    for (int k = 0; b->provider->state == MCT_CONNECTED && k < MCT_KIND_N; k++)
        if (!mcti_items_same(&b->provider->items[k], &b->origin->items[k]))
            kinds |= 1u << k;
    return kinds;
}

static void tell_lists(const struct mcti_branch *b, unsigned kinds)
{
    const struct mcti_provider_events *e = &b->origin->events;
    b->registry->generation++;
    if (kinds)
        e->changed(e->data, b->provider, kinds);
}

/* Lists fetched before the branch is connected are not shown yet. */
static void core_branch_on_changed(void *data, struct mcti_provider *p, unsigned kinds)
{
    const struct mcti_branch *b = data;
    if (b->common)
        tell_lists(b, p->state == MCT_CONNECTED ? kinds : 0);
}

static void core_branch_on_announced(void *data, struct mcti_provider *p, unsigned kinds)
{
    const struct mcti_branch *b = data;
    const struct mcti_provider_events *e = &b->origin->events;
    if (b->common && p->state == MCT_CONNECTED)
        e->announced(e->data, p, kinds);
}

/* Updates `shown` and reports the changes to the branch's clients. A branch that is ending shows no lists. */
static void show_lists(struct mcti_branch *b)
{
    unsigned before = b->shown;
    b->shown = b->leaving ? 0 : core_branch_differing(b);
    tell_lists(b, before | b->shown);
}

static void core_branch_on_state(void *data, struct mcti_provider *p)
{
    struct mcti_branch *b = data;
    if (b->common)
        show_lists(b);
    if (p->settled)
        mcti_task_post(b->registry->sched, &b->wake);
}

static void core_branch_on_stopped(void *data, struct mcti_provider *p)
{
    struct mcti_branch *b = data;
    const struct mcti_provider_events *e = &b->origin->events;
    b->stopped = true;
    if (!b->registry->stopping && !b->n_users)
        mcti_task_post(b->registry->sched, &b->bury);
    e->stopped(e->data, p);
}

static void core_branch_end(struct mcti_branch *b);

/* Returns whether the server has turned out to have no handshake era. */
static bool is_useless(const struct mcti_branch *b)
{
    return b->handshake && b->origin->both == MCT_BOTH_NO && b->provider->state != MCT_CONNECTED;
}

static void core_branch_on_wake(void *data)
{
    struct mcti_branch *b = data;
    struct mcti_list ready;
    mcti_list_take(&ready, &b->waiting);
    while (!mcti_list_empty(&ready)) {
        struct mcti_settle *w = MCT_CONTAINER(ready.next, struct mcti_settle, node);
        mcti_settle_stop(w);
        w->done(w);
    }
    if (is_useless(b))
        core_branch_end(b);
}

static void core_branch_on_bury(void *data)
{
    mcti_branch_free(data);
}

static void core_branch_disown(struct mcti_branch *b)
{
    if (b->origin->handshake == b->provider)
        b->origin->handshake = NULL;
    b->registry->generation++;
}

static void core_branch_end(struct mcti_branch *b)
{
    if (b->leaving)
        return;
    b->leaving = true;
    tell_lists(b, b->shown);
    b->shown = 0;
    core_branch_disown(b);
    b->provider->answerer = NULL; /* its owner */
    b->provider->settled = true;  /* nobody waits for it any more */
    mcti_timer_stop(b->registry->sched, &b->idle);
    b->origin->events.ended(b->origin->events.data, b);
    b->provider->ops->stop(b->provider);
}

static void core_branch_on_idle(void *data)
{
    core_branch_end(data);
}

static struct mcti_branch *core_branch_find(struct mcti_registry *r, const struct mcti_provider *origin,
                                            const char *key, size_t *ret_n)
{
    *ret_n = 0;
    MCT_LIST_EACH(it, &r->branches) {
        struct mcti_branch *b = MCT_CONTAINER(it, struct mcti_branch, node);
        if (b->origin != origin || b->leaving)
            continue;
        ++*ret_n;
        if (!strcmp(b->key, key))
            return b;
    }
    return NULL;
}

static struct mcti_branch *core_branch_begin(struct mcti_registry *r, struct mcti_provider *origin,
                                             const struct mcti_branch_key *key)
{
    struct mcti_branch *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    *b = (struct mcti_branch){ .registry = r,
                               .origin = origin,
                               .owner = key->owner,
                               .key = strdup(key->text),
                               .handshake = key->handshake,
                               .spare = key->spare,
                               .common = key->common };
    mcti_list_init(&b->waiting);
    mcti_list_init(&b->node);
    mcti_timer_init(&b->idle, core_branch_on_idle, b);
    mcti_task_init(&b->wake, core_branch_on_wake, b);
    mcti_task_init(&b->bury, core_branch_on_bury, b);
    b->provider = b->key ? origin->ops->branch(origin, key->can, key->handshake) : NULL;
    if (!b->provider) {
        mcti_branch_free(b);
        return NULL;
    }
    b->provider->origin = origin;
    b->provider->vetter = origin->vetter;
    b->provider->outside = origin->outside;
    b->provider->is_attached = origin->is_attached;
    b->provider->events = (struct mcti_provider_events){ .changed = core_branch_on_changed,
                                                         .state = core_branch_on_state,
                                                         .message = core_branch_on_message,
                                                         .updated = core_branch_on_updated,
                                                         .elicited = core_branch_on_elicited,
                                                         .announced = core_branch_on_announced,
                                                         .outdated = core_branch_on_outdated,
                                                         .stopped = core_branch_on_stopped,
                                                         .data = b };
    mcti_list_append(&r->branches, &b->node);
    if (b->common)
        origin->handshake = b->provider;
    r->n_running++;
    b->provider->ops->start(b->provider);
    return b;
}

struct mcti_branch *mcti_branch_get(struct mcti_registry *r, struct mcti_provider *origin,
                                    const struct mcti_branch_key *key, struct mct_error *err)
{
    size_t n;
    struct mcti_branch *b = core_branch_find(r, origin, key->text, &n);
    if (b)
        return b;
    if (origin->retired) {
        mcti_fail(err, MCT_ERR_CONNECT, "server '%s' was removed", origin->name);
        return NULL;
    }
    if (n >= r->max_branches || r->stopping) {
        mcti_fail(err, MCT_ERR_LIMIT,
                  "server '%s': all %zu additional connections are in use (limits.server_connections)", origin->name,
                  n);
        if (!origin->told_full)
            mcti_log(origin->log, MCT_LOG_WARN, "%s", err->message);
        origin->told_full = true;
        return NULL;
    }
    origin->told_full = false;
    b = core_branch_begin(r, origin, key);
    if (!b)
        mcti_no_memory(err);
    return b;
}

struct mcti_provider *mcti_branch_provider(const struct mcti_branch *b)
{
    bool waits = !b->provider->settled || b->provider->state == MCT_CONNECTED;
    return waits || !b->spare ? b->provider : b->origin;
}

void mcti_branch_use(struct mcti_branch *b)
{
    b->n_users++;
    mcti_timer_stop(b->registry->sched, &b->idle);
}

/* A branch with an owner is not stopped when idle, because the server may keep state for the owner. */
void mcti_branch_unuse(struct mcti_branch *b)
{
    if (!b || --b->n_users)
        return;
    if (!b->leaving && !b->owner)
        mcti_timer_set(b->registry->sched, &b->idle, MCT_BRANCH_IDLE_MS);
    else if (b->stopped && !b->registry->stopping)
        mcti_task_post(b->registry->sched, &b->bury);
}

static void core_branch_on_wait_over(void *data)
{
    struct mcti_settle *w = data;
    mcti_settle_stop(w);
    w->done(w);
}

void mcti_branch_wait(struct mcti_branch *b, struct mcti_settle *w, unsigned max_ms)
{
    w->registry = b->registry;
    mcti_timer_init(&w->timer, core_branch_on_wait_over, w);
    if (max_ms)
        mcti_timer_set(b->registry->sched, &w->timer, max_ms);
    mcti_list_append(&b->waiting, &w->node);
    if (b->provider->settled)
        mcti_task_post(b->registry->sched, &b->wake);
}

void mcti_branches_end(struct mcti_registry *r, const void *owner)
{
    MCT_LIST_EACH(it, &r->branches) {
        struct mcti_branch *b = MCT_CONTAINER(it, struct mcti_branch, node);
        if (b->owner == owner)
            core_branch_end(b);
    }
}

void mcti_branches_retire(struct mcti_registry *r, const struct mcti_provider *origin)
{
    MCT_LIST_EACH(it, &r->branches) {
        struct mcti_branch *b = MCT_CONTAINER(it, struct mcti_branch, node);
        if (b->origin != origin || b->leaving)
            continue;
        b->provider->retired = true;
        mcti_error_keep_new(&b->provider->error, MCT_ERR_CONNECT, "it was removed");
        core_branch_end(b);
    }
}

void mcti_branch_free(struct mcti_branch *b)
{
    mcti_timer_stop(b->registry->sched, &b->idle);
    mcti_task_stop(&b->wake);
    mcti_task_stop(&b->bury);
    mcti_list_remove(&b->node);
    core_branch_disown(b);
    if (b->provider)
        b->provider->ops->free(b->provider);
    if (b->origin->retired)
        mcti_registry_plan_bury(b->registry);
    free(b->key);
    free(b);
}
