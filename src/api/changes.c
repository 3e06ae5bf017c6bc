/* Reports changes of lists and server states to the program, from the loop. A burst of changes is reported once. */
#include "api/impl.h"

#include <stdlib.h>

enum { BURST_MS = 200 };

/* A server whose lists have changed. It may be removed before that is reported. */
struct api_changed {
    struct mcti_text *label; /* its name */
    bool is_server;
    unsigned kinds; /* bits 1 << kind */
};

/* State of a server that was last reported to the program. */
struct api_reported {
    const struct mcti_provider *provider;
    enum mcti_state state;
    bool lacks; /* a list is missing or incomplete */
};

static bool is_listened_to(const struct mct_instance *a)
{
    return a->phase == API_STARTED && (a->opts.tools_changed || mcti_api_is_watched(a));
}

static struct api_changed *changes_of(struct mct_instance *a, const struct mcti_provider *p)
{
    for (size_t i = 0; i < a->n_changed; i++)
        if (a->changed[i].label == p->label)
            return &a->changed[i];
    struct api_changed *all = realloc(a->changed, (a->n_changed + 1) * sizeof *all);
    if (!all)
        return NULL;
    a->changed = all;
    all[a->n_changed] = (struct api_changed){ mcti_text_ref(p->label), mcti_api_is_server(a, p), 0 };
    return &all[a->n_changed++];
}

static void changes_on_changed(struct mcti_watcher *w, struct mcti_provider *p, unsigned kinds)
{
    struct mct_instance *a = MCT_CONTAINER(w, struct mct_instance, watcher);
    struct api_changed *c = p->origin || !is_listened_to(a) ? NULL : changes_of(a, p);
    if (!c)
        return;
    c->kinds |= kinds;
    if (!a->report_lists.set)
        mcti_timer_set(&a->inst.loop.sched, &a->report_lists, BURST_MS);
}

static void changes_report_one(struct mct_instance *a, const struct api_changed *c)
{
    const char *server = c->is_server ? c->label->p : NULL;
    if (a->opts.tools_changed && c->kinds & 1u << MCT_TOOL)
        a->opts.tools_changed(a, server, a->opts.data);
    if (a->phase == API_STARTED)
        mcti_api_watch_lists(a, server, c->kinds);
}

static void changes_free(struct api_changed *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mcti_text_unref(all[i].label);
    free(all);
}

static void changes_report_lists(void *data)
{
    struct mct_instance *a = data;
    struct api_changed *all = a->changed;
    size_t n = a->n_changed;
    a->changed = NULL; /* a callback may cause further changes */
    a->n_changed = 0;
    for (size_t i = 0; i < n && a->phase == API_STARTED; i++)
        changes_report_one(a, &all[i]);
    changes_free(all, n);
}

void mcti_api_check_states(struct mct_instance *a)
{
    if (a->opts.state_changed && a->phase == API_STARTED)
        mcti_task_post(&a->inst.loop.sched, &a->report_states);
}

static void changes_on_state(struct mcti_watcher *w, struct mcti_provider *p)
{
    (void)p;
    mcti_api_check_states(MCT_CONTAINER(w, struct mct_instance, watcher));
}

static bool has_reported(const struct mct_instance *a, const struct mcti_provider *p)
{
    for (size_t i = 0; i < a->n_reported; i++)
        if (a->reported[i].provider == p)
            return true;
    return false;
}

/* Adds the servers that are new to a->reported. Returns -1 when out of memory. */
static int note_new_servers(struct mct_instance *a)
{
    const struct mcti_registry *r = &a->inst.registry;
    struct api_reported *all = realloc(a->reported, (a->n_reported + r->n + 1) * sizeof *all);
    if (!all)
        return -1;
    a->reported = all;
    for (size_t i = 0; i < r->n; i++)
        if (mcti_api_is_server(a, r->v[i]) && !has_reported(a, r->v[i]))
            all[a->n_reported++] = (struct api_reported){ .provider = r->v[i], .state = MCT_DISCONNECTED };
    return 0;
}

static void report_state(struct mct_instance *a, size_t i)
{
    struct api_reported *at = &a->reported[i];
    const struct mcti_provider *p = at->provider;
    const struct api_reported now = { p, p->state, mcti_provider_lacks_lists(p, NULL) != 0 };
    if (p->retired)
        *at = a->reported[--a->n_reported];
    else if (now.state == at->state && now.lacks == at->lacks)
        return;
    else
        *at = now;
    a->opts.state_changed(a, p->name, a->opts.data);
}

/* Reports each server whose state differs from the one reported last, and each that was removed. */
static void changes_report_states(void *data)
{
    struct mct_instance *a = data;
    if (note_new_servers(a) < 0)
        return;
    for (size_t i = 0, n = a->n_reported; i < n && a->phase == API_STARTED; i++)
        if (!a->reported[i].provider->retired)
            report_state(a, i);
    for (size_t i = a->n_reported; i-- > 0 && a->phase == API_STARTED;)
        if (a->reported[i].provider->retired)
            report_state(a, i);
}

static void changes_on_left(struct mcti_watcher *w, struct mcti_provider *p)
{
    struct mct_instance *a = MCT_CONTAINER(w, struct mct_instance, watcher);
    mcti_api_forget_subs(a, p);
    for (size_t i = a->n_reported; i-- > 0;)
        if (a->reported[i].provider == p)
            a->reported[i] = a->reported[--a->n_reported];
}

void mcti_api_report_changes(struct mct_instance *a)
{
    mcti_timer_init(&a->report_lists, changes_report_lists, a);
    mcti_task_init(&a->report_states, changes_report_states, a);
    a->watcher = (struct mcti_watcher){ .changed = changes_on_changed,
                                        .state = changes_on_state,
                                        .fetched = changes_on_state,
                                        .updated = mcti_api_watch_on_updated,
                                        .message = mcti_api_watch_on_message,
                                        .left = changes_on_left };
    mcti_registry_watch(&a->inst.registry, &a->watcher);
}

void mcti_api_end_changes(struct mct_instance *a)
{
    mcti_watcher_remove(&a->watcher);
    mcti_timer_stop(&a->inst.loop.sched, &a->report_lists);
    mcti_task_stop(&a->report_states);
    changes_free(a->changed, a->n_changed);
    a->changed = NULL;
    a->n_changed = 0;
}
