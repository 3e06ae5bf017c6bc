#include "hub/core/lease.h"

#include "hub/core/branch.h"

#include <stdlib.h>

/* ---- leases ---- */

void mcti_lease_begin(struct mcti_lease *l, struct mcti_registry *r)
{
    *l = (struct mcti_lease){ .registry = r, .number = ++r->n_leases };
    mcti_list_append(&r->leases, &l->node);
}

static struct mcti_lease *lease_oldest(const struct mcti_registry *r)
{
    return mcti_list_empty(&r->leases) ? NULL : MCT_CONTAINER(r->leases.next, struct mcti_lease, node);
}

void mcti_lease_end(struct mcti_lease *l)
{
    struct mcti_registry *r = l->registry;
    if (!r)
        return;
    bool was_oldest = lease_oldest(r) == l;
    mcti_list_remove(&l->node);
    l->registry = NULL;
    if (was_oldest)
        mcti_registry_plan_bury(r);
}

/* ---- removed providers ---- */

static void retired_free(struct mcti_registry *r, size_t i)
{
    struct mcti_provider *p = r->retired[i];
    r->retired[i] = r->retired[--r->n_retired];
    mcti_task_stop(&p->retire);
    mcti_timer_stop(r->sched, &p->drain);
    p->ops->free(p);
}

static bool retired_has_branches(const struct mcti_registry *r, const struct mcti_provider *p)
{
    MCT_LIST_EACH(it, &r->branches)
        if (MCT_CONTAINER(it, struct mcti_branch, node)->origin == p)
            return true;
    return false;
}

/* Returns whether a lease from before the report that the provider has left may name it. */
static bool retired_is_leased(const struct mcti_registry *r, const struct mcti_provider *p)
{
    const struct mcti_lease *oldest = lease_oldest(r);
    return oldest && oldest->number <= p->left_at;
}

static void retired_tell(struct mcti_registry *r, struct mcti_provider *p)
{
    MCT_REGISTRY_TELL(r, left, p)
    MCT_WATCHERS_TELL(&r->leavers, left, p)
}

/* Reports that the provider has left. Returns whether it can be freed. */
static bool retired_leave(struct mcti_registry *r, struct mcti_provider *p)
{
    if (!p->retired_stops || !p->retired_ended || retired_has_branches(r, p))
        return false;
    bool was_told = p->left_at;
    if (!was_told) {
        retired_tell(r, p);
        p->left_at = r->n_leases ? r->n_leases : 1;
    }
    if (retired_is_leased(r, p))
        return false;
    if (was_told)
        retired_tell(r, p);
    return true;
}

static void registry_on_bury(void *data)
{
    struct mcti_registry *r = data;
    for (size_t i = r->stopping ? 0 : r->n_retired; i-- > 0;) /* at the end the registry frees them all */
        if (retired_leave(r, r->retired[i]))
            retired_free(r, i);
}

/* Not in this turn: its other tasks may have found the provider in a view. */
void mcti_registry_plan_bury(struct mcti_registry *r)
{
    if (r->n_retired)
        mcti_task_defer(r->sched, &r->bury);
}

void mcti_leases_init(struct mcti_registry *r)
{
    mcti_list_init(&r->leases);
    mcti_task_init(&r->bury, registry_on_bury, r);
}

void mcti_leases_done(struct mcti_registry *r)
{
    mcti_task_stop(&r->bury);
    while (!mcti_list_empty(&r->leases)) {
        struct mcti_lease *l = lease_oldest(r);
        mcti_list_remove(&l->node);
        l->registry = NULL;
    }
    while (r->n_retired)
        retired_free(r, r->n_retired - 1);
    free(r->retired);
    r->retired = NULL;
}
