#include "instance/replace.h"

#include <stdlib.h>

struct replacement {
    struct mcti_list node;
    struct mcti_replacements *all;
    struct mcti_provider *fresh;
    struct mcti_task ready;
    struct mcti_timer late;
};

enum { LONGEST_DRAIN_MS = 600000, LONGEST_START_MS = 30000 };

unsigned mcti_replacements_drain_ms(const struct mcti_instance *i)
{
    unsigned call = i->config.call_timeout_ms ? i->config.call_timeout_ms : LONGEST_DRAIN_MS;
    return call > i->config.drain_ms ? call : i->config.drain_ms;
}

void mcti_replacements_init(struct mcti_replacements *all, struct mcti_instance *i)
{
    *all = (struct mcti_replacements){ .instance = i };
    mcti_list_init(&all->list);
}

static void replacement_free(struct replacement *r)
{
    mcti_task_stop(&r->ready);
    mcti_timer_stop(&r->all->instance->loop.sched, &r->late);
    mcti_list_remove(&r->node);
    free(r);
}

/* Puts the new server in the place of the old one. */
static void replacement_take_place(void *data)
{
    struct replacement *r = data;
    struct mcti_instance *i = r->all->instance;
    struct mcti_provider *old = mcti_registry_find(&i->registry, mcti_str_of(r->fresh->name));
    if (old && mcti_registry_replace(&i->registry, old, r->fresh, mcti_replacements_drain_ms(i)) == 0)
        replacement_free(r);
    else if (mcti_registry_discard(&i->registry, r->fresh) == 0)
        replacement_free(r);
}

static void replacement_on_state(void *data, struct mcti_provider *p)
{
    struct replacement *r = data;
    if ((p->state == MCT_CONNECTED && p->standby != MCT_STANDBY_STARTING) || p->state == MCT_FAILED)
        mcti_task_post(&r->all->instance->loop.sched, &r->ready);
}

static int begin_at_once(struct mcti_instance *i, struct mcti_provider *old, struct mcti_provider *fresh)
{
    if (mcti_registry_replace(&i->registry, old, fresh, 0) < 0) {
        fresh->ops->free(fresh);
        return -1;
    }
    mcti_registry_start_one(&i->registry, fresh);
    return 0;
}

int mcti_replacements_begin(struct mcti_replacements *all, const struct mcti_config_server *s,
                            struct mcti_provider *old)
{
    struct mcti_instance *i = all->instance;
    mcti_replacements_drop(all, s->name);
    struct mcti_provider *fresh = mcti_connect_make(&i->config, s, &i->env, &i->registry);
    if (fresh)
        fresh->only_one = old->only_one;
    if (!fresh || old->state != MCT_CONNECTED)
        return fresh ? begin_at_once(i, old, fresh) : -1;
    struct replacement *r = calloc(1, sizeof *r);
    if (!r) {
        fresh->ops->free(fresh);
        return -1;
    }
    r->all = all;
    r->fresh = fresh;
    mcti_task_init(&r->ready, replacement_take_place, r);
    mcti_timer_init(&r->late, replacement_take_place, r);
    mcti_timer_set(&i->loop.sched, &r->late, LONGEST_START_MS);
    mcti_list_append(&all->list, &r->node);
    mcti_registry_prepare(&i->registry, fresh, replacement_on_state, r);
    if (fresh->standby == MCT_STANDBY_ASLEEP) /* it starts with its first call */
        mcti_task_post(&i->loop.sched, &r->ready);
    return 0;
}

void mcti_replacements_drop(struct mcti_replacements *all, const char *name)
{
    MCT_LIST_EACH(it, &all->list) {
        struct replacement *r = MCT_CONTAINER(it, struct replacement, node);
        if ((!name || !strcmp(r->fresh->name, name)) && mcti_registry_discard(&all->instance->registry, r->fresh) == 0)
            replacement_free(r);
    }
}
