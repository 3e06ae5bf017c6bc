/*
 * The registry is the table of all providers, in configuration order. It owns, starts and stops them, and passes their
 * events on to its watchers. Merged lists belong to views (hub/view/view.h).
 */
#ifndef MCT_HUB_CORE_REGISTRY_H
#define MCT_HUB_CORE_REGISTRY_H

#include "hub/core/provider.h"

struct mcti_rulings;

/* Receives the events of all providers. Embedded in its owner; removed before the owner is freed. */
struct mcti_watcher {
    struct mcti_list node;
    void (*changed)(struct mcti_watcher *w, struct mcti_provider *p, unsigned kinds);          /* may be NULL */
    void (*state)(struct mcti_watcher *w, struct mcti_provider *p);                            /* may be NULL */
    void (*message)(struct mcti_watcher *w, struct mcti_provider *p, struct mcti_str params);  /* too */
    void (*updated)(struct mcti_watcher *w, struct mcti_provider *p, struct mcti_str params);  /* too */
    void (*elicited)(struct mcti_watcher *w, struct mcti_provider *p, struct mcti_str params); /* too */
    void (*announced)(struct mcti_watcher *w, struct mcti_provider *p, unsigned kinds);        /* too */
    void (*outdated)(struct mcti_watcher *w, struct mcti_provider *p);                         /* too */
    void (*fetched)(struct mcti_watcher *w, struct mcti_provider *p);                          /* too */
    void (*joined)(struct mcti_watcher *w, struct mcti_provider *p); /* too; see mcti_registry_join() */
    void (*hosted)(struct mcti_watcher *w, struct mcti_provider *p); /* too */
    void (*ended)(struct mcti_watcher *w, struct mcti_branch *b);    /* too; see struct mcti_provider_events */
    void (*left)(struct mcti_watcher *w, struct mcti_provider *p);   /* too; see lease.h */
    /* Called for a new line of the provider's journal, which lasts during the call. May be NULL. */
    void (*said)(struct mcti_watcher *w, struct mcti_provider *p, const struct mcti_journal_line *line);
};

/* A wait until every provider has settled, or for a time. */
struct mcti_settle {
    struct mcti_list node;
    struct mcti_timer timer;
    void (*done)(struct mcti_settle *w);
    bool (*enough)(const struct mcti_settle *w); /* returns whether the wait may end; NULL: when all have settled */
    struct mcti_registry *registry;              /* NULL when not waiting */
};

/* An object that a higher layer keeps for a registry. Embedded in that object; freed with the registry. */
struct mcti_attached {
    struct mcti_list node;
    void (*free)(struct mcti_attached *a);
};

struct mcti_outside;
struct mcti_result_rules;

struct mcti_registry {
    struct mcti_sched *sched;
    struct mcti_provider **v;
    size_t n;
    struct mcti_provider **retired; /* removed ones, freed when nothing names them any more: see lease.h */
    size_t n_retired;
    struct mcti_list leases;                      /* struct mcti_lease, oldest first */
    uint64_t n_leases;                            /* so far */
    struct mcti_task bury;                        /* frees removed providers */
    const struct mcti_result_rules *result_rules; /* tools with budgets are listed without outputSchema; NULL: none */
    uint64_t generation;                          /* incremented with every change of items or states */
    struct mcti_list watchers, settles;
    struct mcti_list leavers;     /* struct mcti_watcher: those that are told only of `left` */
    struct mcti_list branches;    /* struct mcti_branch */
    size_t max_branches;          /* for one server */
    struct mcti_list attached;    /* struct mcti_attached */
    struct mcti_canon *canon;     /* names for policies, see hub/names/canon.h; NULL: not needed so far */
    struct mcti_vetter *vetter;   /* of all providers that list items of peers; borrowed. NULL: nothing is judged */
    struct mcti_outside *outside; /* of all providers, see hub/policy/outside.h; borrowed. NULL: none */
    struct mcti_rulings *rulings; /* see hub/policy/ruled.h; NULL: not needed so far */
    size_t n_running;             /* started and not yet stopped */
    size_t max_starting;          /* started at the same time by mcti_registry_start_all(); 0: all */
    bool starts_more;             /* some of them are not started yet */
    struct mcti_task start_task;
    bool stopping;
    mcti_later_fn stopped;
    void *stopped_data;
    struct mcti_task settle_task;
};

void mcti_registry_init(struct mcti_registry *r, struct mcti_sched *sched);
void mcti_registry_done(struct mcti_registry *r); /* frees the providers */

/* Takes the provider. Returns -1 and frees it when out of memory. */
int mcti_registry_add(struct mcti_registry *r, struct mcti_provider *take_p);
struct mcti_provider *mcti_registry_find(const struct mcti_registry *r, struct mcti_str name);

/* Starts all providers in parallel, or as many as r->max_starting allows, and the others as these have settled. */
void mcti_registry_start_all(struct mcti_registry *r);
void mcti_registry_start_one(struct mcti_registry *r, struct mcti_provider *p); /* added after start_all */

/* Adds a provider while others run, and starts it. Takes the provider. Returns -1 and frees it when out of memory. */
int mcti_registry_join(struct mcti_registry *r, struct mcti_provider *take_p);

/* Removes a provider that runs: its items leave the lists at once; in the next turn of the loop its calls fail, and it
 * stops. Its branches end, too. It is freed as lease.h describes. Returns -1 when out of memory. */
int mcti_registry_retire(struct mcti_registry *r, struct mcti_provider *p);

/* The same, but its running calls may still end within `max_ms`; the provider stops after the last one. */
int mcti_registry_retire_later(struct mcti_registry *r, struct mcti_provider *p, unsigned max_ms);

/* Starts a provider that is in no registry yet. Until mcti_registry_replace() or mcti_registry_discard() takes it, its
 * only event is `state`. */
void mcti_registry_prepare(struct mcti_registry *r, struct mcti_provider *p,
                           void (*state)(void *data, struct mcti_provider *p), void *data);

/* Puts a prepared provider in the place of `old`, which is retired as by mcti_registry_retire_later(). Returns -1 when
 * out of memory; then nothing changes. */
int mcti_registry_replace(struct mcti_registry *r, struct mcti_provider *old, struct mcti_provider *take_p,
                          unsigned max_ms);

/* Returns the provider that has replaced a removed one that is not connected any more; otherwise `p`. */
struct mcti_provider *mcti_registry_current(struct mcti_provider *p);

/* Stops a prepared provider, which is not needed any more. Returns -1 when out of memory: the caller keeps it. */
int mcti_registry_discard(struct mcti_registry *r, struct mcti_provider *take_p);

/* Sorts the providers by the number that `rank` returns; those with the same number keep their order. */
void mcti_registry_sort(struct mcti_registry *r, size_t (*rank)(const void *data, const struct mcti_provider *p),
                        const void *data);

/* Restarts the provider, which has the operation, and its branches. */
void mcti_registry_restart(struct mcti_registry *r, struct mcti_provider *p);

/* Connects those of the provider and its branches again that have failed, without the pause between attempts. */
void mcti_registry_retry(struct mcti_registry *r, struct mcti_provider *p);

/* Judges everything that servers list again, with r->vetter. */
void mcti_registry_vet(struct mcti_registry *r);

/* ---- shared by registry.c, change.c, branch.c and lease.c ---- */

/* Calls the member `what` of all watchers of a list that have it. */
#define MCT_WATCHERS_TELL(list, what, ...)                                                                             \
    MCT_LIST_EACH(it, list) {                                                                                          \
        struct mcti_watcher *w = MCT_CONTAINER(it, struct mcti_watcher, node);                                         \
        if (w->what)                                                                                                   \
            w->what(w, __VA_ARGS__);                                                                                   \
    }
#define MCT_REGISTRY_TELL(registry, what, ...) MCT_WATCHERS_TELL(&(registry)->watchers, what, __VA_ARGS__)

/* Makes the registry the receiver of the provider's events, and its vetter that of the provider. */
void mcti_registry_listen(struct mcti_registry *r, struct mcti_provider *p);

/* Sets the vetter of the provider, and has it judge the items that are there already. */
void mcti_registry_vet_one(const struct mcti_registry *r, struct mcti_provider *p);

/* Stops a removed provider and its branches, unless that has begun. */
void mcti_registry_stop_retired(struct mcti_provider *p);

/* Looks from the loop whether removed providers can be freed. */
void mcti_registry_plan_bury(struct mcti_registry *r);

void mcti_leases_init(struct mcti_registry *r);
void mcti_leases_done(struct mcti_registry *r); /* frees the removed providers, whatever names them */

/* Stops all providers in parallel; `done` is called when the last one has stopped. */
void mcti_registry_stop(struct mcti_registry *r, mcti_later_fn done, void *data);

void mcti_registry_watch(struct mcti_registry *r, struct mcti_watcher *w);

/* For a watcher that has nothing but `left`, of which there are as many as servers: other events pass it by. */
void mcti_registry_watch_leaving(struct mcti_registry *r, struct mcti_watcher *w);

void mcti_watcher_remove(struct mcti_watcher *w);

bool mcti_registry_settled(const struct mcti_registry *r);

/* Returns true if the first attempt of every server has ended and all required servers are connected, with lists,
 * and no hook that cannot run blocks calls of others. */
bool mcti_registry_ready(const struct mcti_registry *r);

/* Returns the remaining time for which lists wait for servers that have not settled, if each may delay them for
 * `max_ms` from its start on. */
unsigned mcti_registry_hold_ms(const struct mcti_registry *r, unsigned max_ms);

/* Calls w->done from the loop once all providers have settled or after `max_ms`. */
void mcti_registry_wait(struct mcti_registry *r, struct mcti_settle *w, unsigned max_ms);
void mcti_settle_stop(struct mcti_settle *w); /* safe when not waiting */

#endif
