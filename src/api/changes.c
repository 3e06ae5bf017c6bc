/* Reports changes of tools and server states to the program, from the loop. A burst of changes is reported once. */
#include "api/impl.h"

#include <stdlib.h>

enum { BURST_MS = 200 };

static void changes_on_changed(struct mcti_watcher *w, struct mcti_provider *p, unsigned kinds)
{
    struct mct_instance *a = MCT_CONTAINER(w, struct mct_instance, watcher);
    if (p->origin || !(kinds & 1u << MCT_TOOL) || !a->opts.tools_changed || a->phase != API_STARTED)
        return;
    a->changed = a->has_changed && a->changed != p ? NULL : p;
    a->has_changed = true;
    if (!a->report_tools.set)
        mcti_timer_set(&a->inst.loop.sched, &a->report_tools, BURST_MS);
}

static void changes_report_tools(void *data)
{
    struct mct_instance *a = data;
    const char *server = a->changed && mcti_api_is_server(a, a->changed) ? a->changed->name : NULL;
    a->changed = NULL;
    a->has_changed = false;
    a->opts.tools_changed(a, server, a->opts.data);
}

static void changes_on_state(struct mcti_watcher *w, struct mcti_provider *p)
{
    struct mct_instance *a = MCT_CONTAINER(w, struct mct_instance, watcher);
    (void)p;
    if (a->opts.state_changed && a->phase == API_STARTED)
        mcti_task_post(&a->inst.loop.sched, &a->report_states);
}

/* Reports each server whose state differs from the one reported last. */
static void changes_report_states(void *data)
{
    struct mct_instance *a = data;
    struct mcti_registry *r = &a->inst.registry;
    enum mcti_state *reported = a->n_reported < r->n ? realloc(a->reported, r->n * sizeof *reported) : a->reported;
    if (!reported)
        return;
    for (a->reported = reported; a->n_reported < r->n; a->n_reported++)
        reported[a->n_reported] = MCT_DISCONNECTED;
    for (size_t i = 0; i < a->n_reported && a->phase == API_STARTED; i++) {
        enum mcti_state now = r->v[i]->state;
        if (now == a->reported[i] || !mcti_api_is_server(a, r->v[i]))
            continue;
        a->reported[i] = now;
        a->opts.state_changed(a, r->v[i]->name, a->opts.data);
    }
}

void mcti_api_report_changes(struct mct_instance *a)
{
    mcti_timer_init(&a->report_tools, changes_report_tools, a);
    mcti_task_init(&a->report_states, changes_report_states, a);
    a->watcher = (struct mcti_watcher){ .changed = changes_on_changed, .state = changes_on_state };
    mcti_registry_watch(&a->inst.registry, &a->watcher);
}
