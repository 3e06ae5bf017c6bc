#include "hub/guard/fair.h"

#include <stdlib.h>

/* A group, or a lane of one. Exists while items wait in it. */
struct mcti_fair_lane {
    struct mcti_list node;        /* among the groups, or the lanes of the group */
    struct mcti_list waiting;     /* lanes of a group, or items of a lane; the next one first */
    struct mcti_fair_lane *group; /* NULL: it is a group */
    size_t n;                     /* items in it */
    struct mcti_map_node by_number;
    uint64_t number[3]; /* group, lane, and whether it is a lane */
};

void mcti_fair_init(struct mcti_fair *f)
{
    mcti_list_init(&f->groups);
    mcti_map_init(&f->lanes);
    f->n = 0;
}

void mcti_fair_done(struct mcti_fair *f)
{
    mcti_map_done(&f->lanes);
}

static struct mcti_fair_lane *fair_lane_of(struct mcti_list *it)
{
    return MCT_CONTAINER(it, struct mcti_fair_lane, node);
}

static struct mcti_fair_item *fair_item_of(struct mcti_list *it)
{
    return MCT_CONTAINER(it, struct mcti_fair_item, node);
}

static struct mcti_fair_lane *fair_find(const struct mcti_fair *f, const uint64_t number[3])
{
    struct mcti_map_node *n = mcti_map_get(&f->lanes, (struct mcti_str){ (const char *)number, 3 * sizeof *number });
    return n ? MCT_CONTAINER(n, struct mcti_fair_lane, by_number) : NULL;
}

static void fair_free(struct mcti_fair *f, struct mcti_fair_lane *l)
{
    if (!l || l->n)
        return;
    mcti_map_remove(&f->lanes, &l->by_number);
    mcti_list_remove(&l->node);
    free(l);
}

/* Returns the lane or group with this number, a new one if there is none. NULL when out of memory. */
static struct mcti_fair_lane *fair_get(struct mcti_fair *f, const uint64_t number[3], struct mcti_fair_lane *group)
{
    struct mcti_fair_lane *l = fair_find(f, number);
    if (l)
        return l;
    l = malloc(sizeof *l);
    if (!l)
        return NULL;
    *l = (struct mcti_fair_lane){ .group = group, .number = { number[0], number[1], number[2] } };
    mcti_list_init(&l->waiting);
    if (mcti_map_put(&f->lanes, &l->by_number, (struct mcti_str){ (const char *)l->number, sizeof l->number }) < 0) {
        free(l);
        return NULL;
    }
    mcti_list_append(group ? &group->waiting : &f->groups, &l->node);
    return l;
}

int mcti_fair_push(struct mcti_fair *f, struct mcti_fair_item *item, const struct mcti_fair_key *key)
{
    const uint64_t whole[3] = { key->group, 0, 0 }, part[3] = { key->group, key->lane, 1 };
    struct mcti_fair_lane *group = fair_get(f, whole, NULL);
    struct mcti_fair_lane *lane = group ? fair_get(f, part, group) : NULL;
    if (!lane) {
        fair_free(f, group);
        return -1;
    }
    item->lane = lane;
    mcti_list_append(&lane->waiting, &item->node);
    lane->n++;
    group->n++;
    f->n++;
    return 0;
}

void mcti_fair_remove(struct mcti_fair *f, struct mcti_fair_item *item)
{
    struct mcti_fair_lane *lane = item->lane, *group = lane->group;
    mcti_list_remove(&item->node);
    item->lane = NULL;
    f->n--;
    group->n--;
    lane->n--;
    fair_free(f, lane);
    fair_free(f, group);
}

/* Lets the first lane or group be the last one. */
static struct mcti_fair_lane *fair_turn(struct mcti_list *of)
{
    struct mcti_fair_lane *l = fair_lane_of(of->next);
    mcti_list_remove(&l->node);
    mcti_list_append(of, &l->node);
    return l;
}

struct mcti_fair_item *mcti_fair_pop(struct mcti_fair *f)
{
    if (!f->n)
        return NULL;
    struct mcti_fair_lane *lane = fair_turn(&fair_turn(&f->groups)->waiting);
    struct mcti_fair_item *item = fair_item_of(lane->waiting.next);
    mcti_fair_remove(f, item);
    return item;
}

/* Returns the lane or group with the most items. */
static struct mcti_fair_lane *fair_longest(const struct mcti_list *of)
{
    struct mcti_fair_lane *longest = NULL;
    for (struct mcti_list *it = of->next; it != of; it = it->next)
        if (!longest || fair_lane_of(it)->n > longest->n)
            longest = fair_lane_of(it);
    return longest;
}

/* Returns whether one of these items gives way to one more of `own`, which may be NULL. */
static bool fair_yields(const struct mcti_fair_lane *longest, const struct mcti_fair_lane *own)
{
    return longest && longest != own && longest->n > (own ? own->n : 0) + 1;
}

struct mcti_fair_item *mcti_fair_loser(const struct mcti_fair *f, const struct mcti_fair_key *key)
{
    const uint64_t whole[3] = { key->group, 0, 0 }, part[3] = { key->group, key->lane, 1 };
    const struct mcti_fair_lane *group = fair_find(f, whole), *lane = fair_find(f, part);
    struct mcti_fair_lane *longest = fair_longest(&f->groups);
    if (!longest)
        return NULL;
    bool other = fair_yields(longest, group);
    struct mcti_fair_lane *of = fair_longest(other ? &longest->waiting : group ? &group->waiting : &f->groups);
    if (!other && (!group || !fair_yields(of, lane)))
        return NULL;
    return fair_item_of(of->waiting.prev);
}
