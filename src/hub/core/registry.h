/*
 * All providers in configuration order. It starts and stops them, hears their changes, and tells its
 * watchers. It owns the providers; it makes no lists of its own (see hub/view/view.h).
 */
#ifndef MCT_HUB_CORE_REGISTRY_H
#define MCT_HUB_CORE_REGISTRY_H

#include "hub/core/provider.h"

struct mct_rulings;

/* Hears about changes. Embedded in its owner; removed before the owner goes. */
struct mct_watcher {
    struct mct_list node;
    void (*changed)(struct mct_watcher *w, struct mct_provider *p, unsigned kinds); /* may be NULL */
    void (*state)(struct mct_watcher *w, struct mct_provider *p);                   /* may be NULL */
    void (*message)(struct mct_watcher *w, struct mct_provider *p, struct mct_str params); /* too */
    void (*updated)(struct mct_watcher *w, struct mct_provider *p, struct mct_str params); /* too */
    void (*elicited)(struct mct_watcher *w, struct mct_provider *p, struct mct_str params); /* too */
    void (*outdated)(struct mct_watcher *w, struct mct_provider *p);                /* too */
    void (*fetched)(struct mct_watcher *w, struct mct_provider *p);                 /* too */
    void (*ended)(struct mct_watcher *w, struct mct_branch *b);                     /* too; see struct mct_provider_events */
};

/* Waits until every provider has settled, or for a time. */
struct mct_settle {
    struct mct_list node;
    struct mct_timer timer;
    void (*done)(struct mct_settle *w);
    bool (*enough)(const struct mct_settle *w); /* whether those have that it waits for; NULL: it waits for all */
    struct mct_registry *registry; /* NULL when not waiting */
};

/* Something that a higher room keeps for a registry. Embedded in it; freed with the registry. */
struct mct_attached {
    struct mct_list node;
    void (*free)(struct mct_attached *a);
};

struct mct_registry {
    struct mct_sched *sched;
    struct mct_provider **v;
    size_t n;
    uint64_t generation; /* moves with every change of items or states */
    struct mct_list watchers, settles;
    struct mct_list branches; /* struct mct_branch */
    size_t max_branches;      /* for one server */
    struct mct_list attached; /* struct mct_attached */
    struct mct_canon *canon;  /* names for policies, see hub/names/canon.h; NULL: nobody has asked */
    struct mct_rulings *rulings; /* see hub/policy/ruled.h; NULL: nobody has asked */
    size_t n_running;    /* started and not yet stopped */
    bool stopping;
    mct_later_fn stopped;
    void *stopped_data;
    struct mct_task settle_task;
};

void mct_registry_init(struct mct_registry *r, struct mct_sched *sched);
void mct_registry_done(struct mct_registry *r); /* frees the providers */

/* Takes the provider. -1 when out of memory (it is freed then). */
int mct_registry_add(struct mct_registry *r, struct mct_provider *take_p);
struct mct_provider *mct_registry_find(const struct mct_registry *r, struct mct_str name);

void mct_registry_start_all(struct mct_registry *r); /* all in parallel */
void mct_registry_start_one(struct mct_registry *r, struct mct_provider *p); /* that was added later */

/* Stops all in parallel; `done` follows from the loop when the last process has gone. */
void mct_registry_stop(struct mct_registry *r, mct_later_fn done, void *data);

void mct_registry_watch(struct mct_registry *r, struct mct_watcher *w);
void mct_watcher_remove(struct mct_watcher *w);

bool mct_registry_settled(const struct mct_registry *r);

/* Returns for how long a list still waits for servers that have not settled, if each may hold up lists for `max_ms` from its start
 * on. 0: for none. */
unsigned mct_registry_hold_ms(const struct mct_registry *r, unsigned max_ms);

/* w->done is called from the loop once all are settled or `max_ms` have passed. */
void mct_registry_wait(struct mct_registry *r, struct mct_settle *w, unsigned max_ms);
void mct_settle_stop(struct mct_settle *w); /* safe when not waiting */

#endif
