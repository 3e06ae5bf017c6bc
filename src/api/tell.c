/* What changes is told to the program: from the loop, and bursts of it once. */
#include "api/impl.h"

#include <stdlib.h>

enum { TELL_MS = 200 };

static void on_changed(struct mct_watcher *w, struct mct_provider *p, unsigned kinds)
{
    struct api *a = MCT_CONTAINER(w, struct api, watcher);
    if (p->origin || !(kinds & 1u << MCT_TOOL) || !a->opts.tools_changed || a->phase != API_STARTED)
        return;
    a->changed = a->has_changed && a->changed != p ? NULL : p;
    a->has_changed = true;
    if (!a->tell.set)
        mct_timer_set(&a->loop.sched, &a->tell, TELL_MS);
}

static void on_tell(void *data)
{
    struct api *a = data;
    const char *server = a->changed && api_is_server(a, a->changed) ? a->changed->name : NULL;
    a->changed = NULL;
    a->has_changed = false;
    a->opts.tools_changed(&a->registry, server, a->opts.data);
}

static void on_state(struct mct_watcher *w, struct mct_provider *p)
{
    struct api *a = MCT_CONTAINER(w, struct api, watcher);
    (void)p;
    if (a->opts.state_changed && a->phase == API_STARTED)
        mct_task_post(&a->loop.sched, &a->tell_states);
}

/* From the loop, as everything is told: each server whose state is not the one that was told last. */
static void on_tell_states(void *data)
{
    struct api *a = data;
    struct mct_registry *r = &a->registry;
    enum mct_state *told = a->n_told < r->n ? realloc(a->told, r->n * sizeof *told) : a->told;
    if (!told)
        return;
    for (a->told = told; a->n_told < r->n; a->n_told++)
        told[a->n_told] = MCT_DISCONNECTED;
    for (size_t i = 0; i < a->n_told && a->phase == API_STARTED; i++) {
        enum mct_state now = r->v[i]->state;
        if (now == a->told[i] || !api_is_server(a, r->v[i]))
            continue;
        a->told[i] = now;
        a->opts.state_changed(r, r->v[i]->name, a->opts.data);
    }
}

void api_tell_changes(struct api *a)
{
    mct_timer_init(&a->tell, on_tell, a);
    mct_task_init(&a->tell_states, on_tell_states, a);
    a->watcher = (struct mct_watcher){ .changed = on_changed, .state = on_state };
    mct_registry_watch(&a->registry, &a->watcher);
}
