#include "hub/branch.h"

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

static void on_state(void *data, struct mct_provider *p)
{
    struct mct_branch *b = data;
    if (p->settled)
        mct_task_post(b->registry->sched, &b->wake);
}

static void on_stopped(void *data, struct mct_provider *p)
{
    struct mct_branch *b = data;
    const struct mct_provider_events *e = &b->origin->events;
    if (!b->registry->stopping)
        mct_task_post(b->registry->sched, &b->bury);
    e->stopped(e->data, p);
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
}

static void on_bury(void *data)
{
    mct_branch_free(data);
}

static void end(struct mct_branch *b)
{
    if (b->leaving)
        return;
    b->leaving = true;
    b->provider->answerer = NULL; /* its owner */
    mct_timer_stop(b->registry->sched, &b->idle);
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
    *b = (struct mct_branch){ .registry = r, .origin = origin, .owner = key->owner, .key = strdup(key->text) };
    mct_list_init(&b->waiting);
    mct_list_init(&b->node);
    mct_timer_init(&b->idle, on_idle, b);
    mct_task_init(&b->wake, on_wake, b);
    mct_task_init(&b->bury, on_bury, b);
    b->provider = b->key ? origin->ops->branch(origin, key->can) : NULL;
    if (!b->provider) {
        mct_branch_free(b);
        return NULL;
    }
    b->provider->origin = origin;
    b->provider->events = (struct mct_provider_events){ .state = on_state, .message = on_message, .updated = on_updated,
                                                        .elicited = on_elicited, .outdated = on_outdated,
                                                        .stopped = on_stopped, .data = b };
    mct_list_append(&r->branches, &b->node);
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
        mct_fail(err, MCT_ERR_LIMIT, "server '%s': its %zu connections of their own (\"isolation\") are all in use; see "
                 "limits.server_connections", origin->name, n);
        mct_log(origin->log, MCT_LOG_WARN, "%s", err->message);
        return NULL;
    }
    b = begin(r, origin, key);
    if (!b)
        mct_fail(err, MCT_ERR_INTERNAL, "out of memory");
    return b;
}

void mct_branch_use(struct mct_branch *b)
{
    b->n_users++;
    mct_timer_stop(b->registry->sched, &b->idle);
}

/* One that has an owner stays until that goes: the server may remember things for it. */
void mct_branch_unuse(struct mct_branch *b)
{
    if (b && --b->n_users == 0 && !b->owner && !b->leaving)
        mct_timer_set(b->registry->sched, &b->idle, MCT_BRANCH_IDLE_MS);
}

void mct_branch_wait(struct mct_branch *b, struct mct_settle *w)
{
    w->registry = b->registry;
    mct_timer_init(&w->timer, NULL, NULL);
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
    if (b->provider)
        b->provider->ops->free(b->provider);
    free(b->key);
    free(b);
}
