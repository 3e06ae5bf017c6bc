/*
 * A fair queue. Items belong to a lane, and lanes to a group: sessions of a principal. Groups take turns, in a group
 * its lanes take turns, and the items of a lane keep their order. So the time that an item waits depends on the number
 * of others who wait, not on how much each of them has queued. Knows nothing of its items.
 */
#ifndef MCT_HUB_GUARD_FAIR_H
#define MCT_HUB_GUARD_FAIR_H

#include "base/table/map.h"

struct mcti_fair_lane;

/* Embedded in what waits. */
struct mcti_fair_item {
    struct mcti_list node;
    struct mcti_fair_lane *lane;
};

struct mcti_fair {
    struct mcti_list groups; /* the next one first */
    struct mcti_map lanes;   /* groups and lanes by their numbers */
    size_t n;
};

/* Who an item belongs to. */
struct mcti_fair_key {
    uint64_t group, lane;
};

void mcti_fair_init(struct mcti_fair *f);
void mcti_fair_done(struct mcti_fair *f); /* the queue is empty */

/* Appends an item. Returns -1 when out of memory. */
int mcti_fair_push(struct mcti_fair *f, struct mcti_fair_item *item, const struct mcti_fair_key *key);

/* Removes and returns the next item; NULL: the queue is empty. */
struct mcti_fair_item *mcti_fair_pop(struct mcti_fair *f);

void mcti_fair_remove(struct mcti_fair *f, struct mcti_fair_item *item);

/* Returns the item that gives way to one of `key` when the queue is full: the newest of those who have queued most.
 * NULL: `key` itself has queued most. */
struct mcti_fair_item *mcti_fair_loser(const struct mcti_fair *f, const struct mcti_fair_key *key);

#endif
