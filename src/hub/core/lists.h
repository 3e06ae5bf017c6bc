/*
 * Keeps a provider's lists equal to those of its server. Fetches all kinds in parallel at the start, and single kinds
 * again when the server reports a change; bursts of reports are folded. After a failure a list is fetched again, with
 * growing pauses, until that succeeds. The registry is notified of differences, and of reports without a difference.
 */
#ifndef MCT_HUB_CORE_LISTS_H
#define MCT_HUB_CORE_LISTS_H

#include "hub/core/provider.h"
#include "mcp/paging.h"

struct mcti_lists;

/* A list while it is being fetched. */
struct mcti_list_fetch {
    struct mcti_pager pager;
    struct mcti_lists *owner;
    struct mcti_items fresh;
    struct mcti_index ids;                  /* of `fresh`; a duplicate is left out */
    unsigned n_unusable, n_doubled, n_lost; /* n_lost: out of memory */
};

struct mcti_lists {
    struct mcti_provider *provider;
    struct mcti_sched *sched;
    struct mcti_session *session; /* NULL: stopped */
    struct mcti_str meta;
    unsigned timeout_ms, later_timeout_ms;
    struct mcti_list_fetch *fetch[MCT_KIND_N]; /* owned; NULL: it is not being fetched */
    uint64_t stale_ms[MCT_KIND_N];             /* time at which the ttlMs of the list is over; 0: it has no ttlMs */
    unsigned again;                            /* kinds that have changed while they were being fetched */
    unsigned pending;                          /* kinds to fetch when the timer fires */
    unsigned announced;                        /* kinds whose change the server has reported since they were fetched */
    struct mcti_timer debounce;
    unsigned failed; /* kinds whose last fetch failed */
    struct mcti_timer retry;
    unsigned retry_ms;           /* the next pause before a retry; 0: the first */
    bool checks_headers;         /* tools whose x-mcp-header is invalid are left out (2026-07-28 over HTTP) */
    void (*settled)(void *data); /* called when the last fetch has ended */
    void *data;
};

void mcti_lists_init(struct mcti_lists *l, struct mcti_provider *p, struct mcti_sched *sched,
                     void (*settled)(void *data), void *data);

/* Fetches every kind that the server's capabilities name; `settled` is called later from the loop. A page may take
 * `first_timeout_ms` now and `timeout_ms` in later fetches. */
void mcti_lists_start(struct mcti_lists *l, struct mcti_session *session, struct mcti_str meta,
                      unsigned first_timeout_ms, unsigned timeout_ms);

void mcti_lists_refetch(struct mcti_lists *l, unsigned kinds);

/* Does the same because the server has reported a change; `tells`: the registry is notified in any case. */
void mcti_lists_announced(struct mcti_lists *l, unsigned kinds, bool tells);

/* Returns whether the list is being fetched, or about to be. */
bool mcti_lists_busy(const struct mcti_lists *l, enum mcti_kind kind);

/* Returns whether the stored list is still valid: the server reports changes, or the ttlMs of the list has not passed.
 */
bool mcti_lists_current(const struct mcti_lists *l, enum mcti_kind kind);

/* Fetches the lists whose ttlMs is over (2026-07-28 "Caching"), unless the server reports their changes. */
void mcti_lists_freshen(struct mcti_lists *l);
void mcti_lists_stop(struct mcti_lists *l);
void mcti_lists_done(struct mcti_lists *l);

#endif
