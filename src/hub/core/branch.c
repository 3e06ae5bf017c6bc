#include "hub/core/branch.h"

#include "base/limits.h"

#include <stdlib.h>

static void on_message(void *data, struct mct_provider *p, struct mct_str params)
{
    const struct mct_provider_events *e = &((struct mct_branch *)data)->origin->events;
    e->message(e->data, p, params);
}

static void on_updated(void *data, struct mct_provider *p, struct mct_str params)
{
    const struct mct_provider_events *e = &((struct mct_branch *)data)->origin->events;
    e->updated(e->data, p, params);
}

static void on_elicited(void *data, struct mct_provider *p, struct mct_str params)
{
    const struct mct_provider_events *e = &((struct mct_branch *)data)->origin->events;
    e->elicited(e->data, p, params);
}

static void on_outdated(void *data, struct mct_provider *p)
{
    const struct mct_provider_events *e = &((struct mct_branch *)data)->origin->events;
    e->outdated(e->data, p);
}

/* Which lists its clients see other than those of the shared connection. */
static unsigned differing(const struct mct_branch *b)
{
    unsigned kinds = 0;
    for (int k = 0; b->provider->state == MCT_CONNECTED && k < MCT_KIND_N; k++)
        if (!mct_items_same(&b->provider->items[k], &b->origin->items[k]))
            kinds |= 1u << k;
    return kinds;
}

static void tell_lists(const struct mct_branch *b, unsigned kinds)
{
    const struct mct_provider_events *e = &b->origin->events;
    b->registry->generation++;
    if (kinds)
        e->changed(e->data, b->provider, kinds);
}

/* Lists that are fetched before it is connected are nobody's yet. */
static void on_changed(void *data, struct mct_provider *p, unsigned kinds)
{
    const struct mct_branch *b = data;
    if (b->common)
        tell_lists(b, p->state == MCT_CONNECTED ? kinds : 0);
}

/* Its clients see its lists from now on, or no longer do. */
static void show_lists(struct mct_branch *b)
{
    unsigned before = b->shown;
    b->shown = b->leaving ? 0 : differing(b);
    tell_lists(b, before | b->shown);
}

static void on_state(void *data, struct mct_provider *p)
{
    struct mct_branch *b = data;
    if (b->common)
        show_lists(b);
    if (p->settled)
        mct_task_post(b->registry->sched, &b->wake);
}

static void on_stopped(void *data, struct mct_provider *p)
{
    struct mct_branch *b = data;
    const struct mct_provider_events *e = &b->origin->events;
    b->stopped = true;
    if (!b->registry->stopping && !b->n_users)
        mct_task_post(b->registry->sched, &b->bury);
    e->stopped(e->data, p);
}

static void end(struct mct_branch *b);

/* The server has turned out not to know the era of this one. */
static bool is_useless(const struct mct_branch *b)
{
    return b->handshake && b->origin->both == MCT_BOTH_NO && b->provider->state != MCT_CONNECTED;
}

static void on_wake(void *data)
{
    struct mct_branch *b = data;
    struct mct_list ready;
    mct_list_take(&ready, &b->waiting);
    while (!mct_list_empty(&ready)) {
        struct mct_settle *w = MCT_CONTAINER(ready.next, struct mct_settle, node);
        mct_settle_stop(w);
        w->done(w);
    }
    if (is_useless(b))
        end(b);
}

static void on_bury(void *data)
{
    mct_branch_free(data);
}

static void disown(struct mct_branch *b)
{
    if (b->origin->handshake == b->provider)
        b->origin->handshake = NULL;
    b->registry->generation++;
}

static void end(struct mct_branch *b)
{
    if (b->leaving)
        return;
    b->leaving = true;
    tell_lists(b, b->shown);
    b->shown = 0;
    disown(b);
    b->provider->answerer = NULL; /* its owner */
    mct_timer_stop(b->registry->sched, &b->idle);
    b->origin->events.ended(b->origin->events.data, b);
    b->provider->ops->stop(b->provider);
}

static void on_idle(void *data)
{
    end(data);
}

static struct mct_branch *find(struct mct_registry *r, const struct mct_provider *origin, const char *key, size_t *ret_n)
{
    *ret_n = 0;
    MCT_LIST_EACH(it, &r->branches) {
        struct mct_branch *b = MCT_CONTAINER(it, struct mct_branch, node);
        if (b->origin != origin || b->leaving)
            continue;
        ++*ret_n;
        if (!strcmp(b->key, key))
            return b;
    }
    return NULL;
}

static struct mct_branch *begin(struct mct_registry *r, struct mct_provider *origin, const struct mct_branch_key *key)
{
    struct mct_branch *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    *b = (struct mct_branch){ .registry = r, .origin = origin, .owner = key->owner, .key = strdup(key->text),
                              .handshake = key->handshake, .spare = key->spare, .common = key->common };
    mct_list_init(&b->waiting);
    mct_list_init(&b->node);
    mct_timer_init(&b->idle, on_idle, b);
    mct_task_init(&b->wake, on_wake, b);
    mct_task_init(&b->bury, on_bury, b);
    b->provider = b->key ? origin->ops->branch(origin, key->can, key->handshake) : NULL;
    if (!b->provider) {
        mct_branch_free(b);
        return NULL;
    }
    b->provider->origin = origin;
    b->provider->events = (struct mct_provider_events){ .changed = on_changed, .state = on_state,
                                                        .message = on_message, .updated = on_updated,
                                                        .elicited = on_elicited, .outdated = on_outdated,
                                                        .stopped = on_stopped, .data = b };
    mct_list_append(&r->branches, &b->node);
    if (b->common)
        origin->handshake = b->provider;
    r->n_running++;
    b->provider->ops->start(b->provider);
    return b;
}

struct mct_branch *mct_branch_get(struct mct_registry *r, struct mct_provider *origin, const struct mct_branch_key *key,
                                  struct mct_error *err)
{
    size_t n;
    struct mct_branch *b = find(r, origin, key->text, &n);
    if (b)
        return b;
    if (n >= r->max_branches || r->stopping) {
        mct_fail(err, MCT_ERR_LIMIT, "server '%s': all %zu additional connections are in use (limits.server_connections)",
                 origin->name, n);
        if (!origin->told_full)
            mct_log(origin->log, MCT_LOG_WARN, "%s", err->message);
        origin->told_full = true;
        return NULL;
    }
    origin->told_full = false;
    b = begin(r, origin, key);
    if (!b)
        mct_no_memory(err);
    return b;
}

struct mct_provider *mct_branch_provider(const struct mct_branch *b)
{
    bool waits = !b->provider->settled || b->provider->state == MCT_CONNECTED;
    return waits || !b->spare ? b->provider : b->origin;
}

void mct_branch_use(struct mct_branch *b)
{
    b->n_users++;
    mct_timer_stop(b->registry->sched, &b->idle);
}

/* One that has an owner stays until that goes: the server may remember things for it. */
void mct_branch_unuse(struct mct_branch *b)
{
    if (!b || --b->n_users)
        return;
    if (!b->leaving && !b->owner)
        mct_timer_set(b->registry->sched, &b->idle, MCT_BRANCH_IDLE_MS);
    else if (b->stopped && !b->registry->stopping)
        mct_task_post(b->registry->sched, &b->bury);
}

static void on_wait_over(void *data)
{
    struct mct_settle *w = data;
    mct_settle_stop(w);
    w->done(w);
}

void mct_branch_wait(struct mct_branch *b, struct mct_settle *w, unsigned max_ms)
{
    w->registry = b->registry;
    mct_timer_init(&w->timer, on_wait_over, w);
    if (max_ms)
        mct_timer_set(b->registry->sched, &w->timer, max_ms);
    mct_list_append(&b->waiting, &w->node);
    if (b->provider->settled)
        mct_task_post(b->registry->sched, &b->wake);
}

void mct_branches_end(struct mct_registry *r, const void *owner)
{
    MCT_LIST_EACH(it, &r->branches) {
        struct mct_branch *b = MCT_CONTAINER(it, struct mct_branch, node);
        if (b->owner == owner)
            end(b);
    }
}

void mct_branch_free(struct mct_branch *b)
{
    mct_timer_stop(b->registry->sched, &b->idle);
    mct_task_stop(&b->wake);
    mct_task_stop(&b->bury);
    mct_list_remove(&b->node);
    disown(b);
    if (b->provider)
        b->provider->ops->free(b->provider);
    free(b->key);
    free(b);
}
