/* Watches of the program: reports of changed lists, updated resources and log messages of servers. Events are queued
 * and reported by a task, because a callback may change the servers that are just being read from. */
#include "api/impl.h"

#include <mcptools/watch.h>
#include <stdlib.h>

struct mct_watch {
    struct mcti_list node;    /* in instance->watches */
    struct mct_instance *api; /* NULL: the instance has been closed */
    struct mct_watch_opts opts;
    bool freed; /* by the program, while callbacks are being called */
};

/* One event; texts are owned. */
struct api_event {
    struct mcti_list node;
    char *server, *uri; /* server NULL: the program; uri NULL: it is a log message */
    char *level, *logger, *json;
};

/* ---- calling ---- */

static void watch_free(struct mct_watch *w)
{
    mcti_list_remove(&w->node);
    free(w);
}

static void call_lists(struct mct_watch *w, const void *server, const void *lists)
{
    if (w->opts.lists_changed)
        w->opts.lists_changed(w->api, server, *(const unsigned *)lists, w->opts.data);
}

static void call_event(struct mct_watch *w, const void *event, const void *unused)
{
    const struct api_event *e = event;
    (void)unused;
    if (e->uri && w->opts.resource_updated)
        w->opts.resource_updated(w->api, e->server, e->uri, w->opts.data);
    else if (!e->uri && w->opts.message)
        w->opts.message(w->api, e->server, e->level, e->logger, e->json, w->opts.data);
}

/* Calls `fn` for each watch. Watches that the program frees meanwhile are freed afterwards. */
static void call_all(struct mct_instance *a, void (*fn)(struct mct_watch *, const void *, const void *), const void *x,
                     const void *y)
{
    bool outermost = !a->reporting;
    a->reporting = true;
    MCT_LIST_EACH(it, &a->watches) {
        struct mct_watch *w = MCT_CONTAINER(it, struct mct_watch, node);
        if (!w->freed && a->phase == API_STARTED)
            fn(w, x, y);
        it_next = it->next; /* the callback may have added a watch */
    }
    a->reporting = !outermost;
    MCT_LIST_EACH(it, &a->watches) {
        struct mct_watch *w = MCT_CONTAINER(it, struct mct_watch, node);
        if (w->freed && outermost)
            watch_free(w);
    }
}

void mcti_api_watch_lists(struct mct_instance *a, const char *server, unsigned kinds)
{
    static const unsigned bits[MCT_KIND_N] = { [MCT_TOOL] = MCT_WATCH_TOOLS,
                                               [MCT_RESOURCE] = MCT_WATCH_RESOURCES,
                                               [MCT_TEMPLATE] = MCT_WATCH_TEMPLATES,
                                               [MCT_PROMPT] = MCT_WATCH_PROMPTS };
    unsigned lists = 0;
    for (int k = 0; k < MCT_KIND_N; k++)
        lists |= kinds & 1u << k ? bits[k] : 0;
    call_all(a, call_lists, server, &lists);
}

/* ---- events ---- */

static void watch_event_free(struct api_event *e)
{
    mcti_list_remove(&e->node);
    free(e->server);
    free(e->uri);
    free(e->level);
    free(e->logger);
    free(e->json);
    free(e);
}

static struct api_event *watch_event_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct api_event, node);
}

static void watch_report_events(void *data)
{
    struct mct_instance *a = data;
    while (!mcti_list_empty(&a->events)) {
        struct api_event *e = watch_event_of(a->events.next);
        mcti_list_remove(&e->node);
        call_all(a, call_event, e, NULL);
        watch_event_free(e);
    }
}

/* Queues an event of a provider. Returns NULL if no watch needs it, or when out of memory. */
static struct api_event *watch_event_new(struct mct_instance *a, const struct mcti_provider *p)
{
    struct api_event *e = a->phase == API_STARTED && mcti_api_is_watched(a) ? calloc(1, sizeof *e) : NULL;
    if (!e)
        return NULL;
    e->server = mcti_api_is_server(a, p) ? strdup(p->name) : NULL;
    mcti_list_append(&a->events, &e->node);
    mcti_task_post(&a->inst.loop.sched, &a->report_events);
    return e;
}

void mcti_api_watch_on_updated(struct mcti_watcher *w, struct mcti_provider *p, struct mcti_str params)
{
    struct mct_instance *a = MCT_CONTAINER(w, struct mct_instance, watcher);
    char *uri = mcti_json_dup(mcti_json_get(params, "uri"));
    struct api_event *e = uri ? watch_event_new(a, p) : NULL;
    if (e)
        e->uri = uri;
    else
        free(uri);
}

void mcti_api_watch_on_message(struct mcti_watcher *w, struct mcti_provider *p, struct mcti_str params)
{
    struct mct_instance *a = MCT_CONTAINER(w, struct mct_instance, watcher);
    char *level = mcti_json_dup(mcti_json_get(params, "level")), *json = mcti_str_dup(mcti_json_get(params, "data"));
    struct api_event *e = level && json ? watch_event_new(a, p) : NULL;
    if (!e) {
        free(level);
        free(json);
        return;
    }
    e->level = level;
    e->json = json;
    e->logger = mcti_json_dup(mcti_json_get(params, "logger"));
}

/* ---- life ---- */

void mcti_api_watch_init(struct mct_instance *a)
{
    mcti_list_init(&a->watches);
    mcti_list_init(&a->events);
    mcti_task_init(&a->report_events, watch_report_events, a);
}

void mcti_api_end_watches(struct mct_instance *a)
{
    mcti_task_stop(&a->report_events);
    while (!mcti_list_empty(&a->events))
        watch_event_free(watch_event_of(a->events.next));
    MCT_LIST_EACH(it, &a->watches) {
        struct mct_watch *w = MCT_CONTAINER(it, struct mct_watch, node);
        if (a->reporting)
            continue; /* freed, or detached, when the instance is freed */
        mcti_list_remove(it);
        w->api = NULL;
    }
}

struct mct_watch *mct_instance_watch(struct mct_instance *a, const struct mct_watch_opts *opts, struct mct_error *err)
{
    struct mct_watch_opts copy;
    if (!opts || a->phase >= API_CLOSING) {
        mcti_fail(err, MCT_ERR_USAGE, opts ? "the instance is being closed" : "the options are NULL");
        return NULL;
    }
    if (mcti_sized_copy(&copy, sizeof copy, opts, "struct mct_watch_opts", err) < 0)
        return NULL;
    struct mct_watch *w = calloc(1, sizeof *w);
    if (!w) {
        mcti_no_memory(err);
        return NULL;
    }
    *w = (struct mct_watch){ .api = a, .opts = copy };
    mcti_list_append(&a->watches, &w->node);
    return w;
}

void mct_watch_free(struct mct_watch *w)
{
    if (!w)
        return;
    w->freed = true;
    if (!w->api || !w->api->reporting)
        watch_free(w);
}

/* ---- log level ---- */

static const struct {
    const char *word, *json;
} watch_levels[] = {
    { "debug", "\"debug\"" },     { "info", "\"info\"" },           { "notice", "\"notice\"" },
    { "warning", "\"warning\"" }, { "error", "\"error\"" },         { "critical", "\"critical\"" },
    { "alert", "\"alert\"" },     { "emergency", "\"emergency\"" },
};

void mcti_api_request_level(const struct mct_instance *a, struct mcti_provider *p)
{
    if (a->log_level_word && !a->inst.service.gateway && p->ops->set_level)
        p->ops->set_level(p, a->log_level_word);
}

int mct_instance_set_log_level(struct mct_instance *a, const char *level, struct mct_error *err)
{
    enum { N = sizeof watch_levels / sizeof *watch_levels };
    size_t k = 0;
    if (mcti_api_check_started(a, err) < 0)
        return -1;
    while (k < N && (!level || strcmp(watch_levels[k].word, level) != 0))
        k++;
    if (k == N)
        return mcti_fail(err, MCT_ERR_USAGE,
                         "level '%s': must be debug, info, notice, warning, error, critical, alert or emergency",
                         level ? level : "(NULL)");
    a->log_level = watch_levels[k].json;
    a->log_level_word = watch_levels[k].word;
    if (a->inst.service.gateway)
        mcti_gateway_set_program_level(a->inst.service.gateway, mcti_str_of(a->log_level));
    for (size_t i = 0; i < a->inst.registry.n; i++)
        mcti_api_request_level(a, a->inst.registry.v[i]);
    return 0;
}
