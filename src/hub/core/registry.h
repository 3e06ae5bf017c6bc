/*
 * All providers in configuration order. It starts and stops them, hears their changes, and tells its
 * watchers. It owns the providers; it makes no lists of its own (see hub/view/view.h).
 */
#ifndef MCT_HUB_CORE_REGISTRY_H
#define MCT_HUB_CORE_REGISTRY_H

#include "hub/core/provider.h"

struct mcti_rulings;

/* Hears about changes. Embedded in its owner; removed before the owner goes. */
struct mcti_watcher {
    struct mcti_list node;
    void (*changed)(struct mcti_watcher *w, struct mcti_provider *p, unsigned kinds);          /* may be NULL */
    void (*state)(struct mcti_watcher *w, struct mcti_provider *p);                            /* may be NULL */
    void (*message)(struct mcti_watcher *w, struct mcti_provider *p, struct mcti_str params);  /* too */
    void (*updated)(struct mcti_watcher *w, struct mcti_provider *p, struct mcti_str params);  /* too */
    void (*elicited)(struct mcti_watcher *w, struct mcti_provider *p, struct mcti_str params); /* too */
    void (*outdated)(struct mcti_watcher *w, struct mcti_provider *p);                         /* too */
    void (*fetched)(struct mcti_watcher *w, struct mcti_provider *p);                          /* too */
    void (*ended)(struct mcti_watcher *w, struct mcti_branch *b); /* too; see struct mcti_provider_events */
};

/* Waits until every provider has settled, or for a time. */
struct mcti_settle {
    struct mcti_list node;
    struct mcti_timer timer;
    void (*done)(struct mcti_settle *w);
    bool (*enough)(const struct mcti_settle *w); /* whether those have that it waits for; NULL: it waits for all */
    struct mcti_registry *registry;              /* NULL when not waiting */
};

/* Something that a higher room keeps for a registry. Embedded in it; freed with the registry. */
struct mcti_attached {
    struct mcti_list node;
    void (*free)(struct mcti_attached *a);
};

struct mcti_registry {
    struct mcti_sched *sched;
    struct mcti_provider **v;
    size_t n;
    uint64_t generation; /* moves with every change of items or states */
    struct mcti_list watchers, settles;
    struct mcti_list branches;    /* struct mcti_branch */
    size_t max_branches;          /* for one server */
    struct mcti_list attached;    /* struct mcti_attached */
    struct mcti_canon *canon;     /* names for policies, see hub/names/canon.h; NULL: nobody has asked */
    struct mcti_rulings *rulings; /* see hub/policy/ruled.h; NULL: nobody has asked */
    size_t n_running;             /* started and not yet stopped */
    bool stopping;
    mcti_later_fn stopped;
    void *stopped_data;
    struct mcti_task settle_task;
};

void mcti_registry_init(struct mcti_registry *r, struct mcti_sched *sched);
void mcti_registry_done(struct mcti_registry *r); /* frees the providers */

/* Takes the provider. -1 when out of memory (it is freed then). */
int mcti_registry_add(struct mcti_registry *r, struct mcti_provider *take_p);
struct mcti_provider *mcti_registry_find(const struct mcti_registry *r, struct mcti_str name);

void mcti_registry_start_all(struct mcti_registry *r);                          /* all in parallel */
void mcti_registry_start_one(struct mcti_registry *r, struct mcti_provider *p); /* that was added later */

/* Stops all in parallel; `done` follows from the loop when the last process has gone. */
void mcti_registry_stop(struct mcti_registry *r, mcti_later_fn done, void *data);

void mcti_registry_watch(struct mcti_registry *r, struct mcti_watcher *w);
void mcti_watcher_remove(struct mcti_watcher *w);

bool mcti_registry_settled(const struct mcti_registry *r);

/* Returns for how long a list still waits for servers that have not settled, if each may hold up lists for `max_ms`
 * from its start on. 0: for none. */
unsigned mcti_registry_hold_ms(const struct mcti_registry *r, unsigned max_ms);

/* w->done is called from the loop once all are settled or `max_ms` have passed. */
void mcti_registry_wait(struct mcti_registry *r, struct mcti_settle *w, unsigned max_ms);
void mcti_settle_stop(struct mcti_settle *w); /* safe when not waiting */

#endif
