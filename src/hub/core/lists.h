/*
 * Keeping a provider's lists equal to its server's: all kinds in parallel at the start, single kinds
 * again when the server says they changed (bursts are folded), differences only are told.
 */
#ifndef MCT_HUB_CORE_LISTS_H
#define MCT_HUB_CORE_LISTS_H

#include "hub/core/provider.h"
#include "mcp/paging.h"

struct mcti_lists;

struct mcti_list_fetch {
    struct mcti_pager pager;
    struct mcti_lists *owner;
    struct mcti_items fresh;
    struct mcti_map ids; /* of fresh: a second item of the same identity is left out */
    bool running;
    bool again;                             /* changed once more while it was being fetched */
    unsigned n_unusable, n_doubled, n_lost; /* lost: for want of memory */
    uint64_t stale_ms;                      /* when the list has served its time; 0: it says nothing of that */
};

struct mcti_lists {
    struct mcti_provider *provider;
    struct mcti_sched *sched;
    struct mcti_session *session; /* NULL: not running */
    struct mcti_str meta;
    unsigned timeout_ms, later_timeout_ms;
    struct mcti_list_fetch fetch[MCT_KIND_N];
    unsigned pending; /* kinds to fetch when the timer fires */
    struct mcti_timer debounce;
    bool checks_headers;         /* tools whose x-mcp-header is invalid are left out (2026-07-28 over HTTP) */
    void (*settled)(void *data); /* no fetch is running any more */
    void *data;
};

void mcti_lists_init(struct mcti_lists *l, struct mcti_provider *p, struct mcti_sched *sched,
                     void (*settled)(void *data), void *data);

/* Fetches every kind the server's capabilities name. `settled` follows, from the loop. A page may take
 * `first_timeout_ms` now and `timeout_ms` in later fetches. */
void mcti_lists_start(struct mcti_lists *l, struct mcti_session *session, struct mcti_str meta,
                      unsigned first_timeout_ms, unsigned timeout_ms);

void mcti_lists_refetch(struct mcti_lists *l, unsigned kinds);

/* Whether that list is being fetched, or about to be. */
bool mcti_lists_busy(const struct mcti_lists *l, enum mcti_kind kind);

/* Whether the list is what the server has, as far as anybody can know: it tells when it changes, or its ttlMs is not
 * over. */
bool mcti_lists_current(const struct mcti_lists *l, enum mcti_kind kind);

/* Fetches what is past its ttlMs (2026-07-28, "Caching"), unless the server tells when it changes. */
void mcti_lists_freshen(struct mcti_lists *l);
void mcti_lists_stop(struct mcti_lists *l);
void mcti_lists_done(struct mcti_lists *l);

#endif
