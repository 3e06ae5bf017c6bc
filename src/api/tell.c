/* What changes is told to the program: from the loop, and bursts of it once. */
#include "api/impl.h"

#include <stdlib.h>

enum { TELL_MS = 200 };

static void tell_on_changed(struct mcti_watcher *w, struct mcti_provider *p, unsigned kinds)
{
    struct mct_instance *a = MCT_CONTAINER(w, struct mct_instance, watcher);
    if (p->origin || !(kinds & 1u << MCT_TOOL) || !a->opts.tools_changed || a->phase != API_STARTED)
        return;
    a->changed = a->has_changed && a->changed != p ? NULL : p;
    a->has_changed = true;
    if (!a->tell.set)
        mcti_timer_set(&a->inst.loop.sched, &a->tell, TELL_MS);
}

static void tell_on_tell(void *data)
{
    struct mct_instance *a = data;
    const char *server = a->changed && mcti_api_is_server(a, a->changed) ? a->changed->name : NULL;
    a->changed = NULL;
    a->has_changed = false;
    a->opts.tools_changed(a, server, a->opts.data);
}

static void tell_on_state(struct mcti_watcher *w, struct mcti_provider *p)
{
    struct mct_instance *a = MCT_CONTAINER(w, struct mct_instance, watcher);
    (void)p;
    if (a->opts.state_changed && a->phase == API_STARTED)
        mcti_task_post(&a->inst.loop.sched, &a->tell_states);
}

/* From the loop, as everything is told: each server whose state is not the one that was told last. */
static void tell_on_tell_states(void *data)
{
    struct mct_instance *a = data;
    struct mcti_registry *r = &a->inst.registry;
    enum mcti_state *told = a->n_told < r->n ? realloc(a->told, r->n * sizeof *told) : a->told;
    if (!told)
        return;
    for (a->told = told; a->n_told < r->n; a->n_told++)
        told[a->n_told] = MCT_DISCONNECTED;
    for (size_t i = 0; i < a->n_told && a->phase == API_STARTED; i++) {
        enum mcti_state now = r->v[i]->state;
        if (now == a->told[i] || !mcti_api_is_server(a, r->v[i]))
            continue;
        a->told[i] = now;
        a->opts.state_changed(a, r->v[i]->name, a->opts.data);
    }
}

void mcti_api_tell_changes(struct mct_instance *a)
{
    mcti_timer_init(&a->tell, tell_on_tell, a);
    mcti_task_init(&a->tell_states, tell_on_tell_states, a);
    a->watcher = (struct mcti_watcher){ .changed = tell_on_changed, .state = tell_on_state };
    mcti_registry_watch(&a->inst.registry, &a->watcher);
}
