/*
 * An intrusive pairing heap: the nodes are embedded in what they order, so that adding one cannot fail. Adding takes
 * constant time, removing O(log n) on average.
 */
#ifndef MCT_BASE_SCHED_HEAP_H
#define MCT_BASE_SCHED_HEAP_H

#include <stdbool.h>

struct mcti_heap_node {
    struct mcti_heap_node *child, *next; /* its first child; its next sibling */
    struct mcti_heap_node *prev;         /* its previous sibling, the parent of a first child, NULL for the root */
};

struct mcti_heap {
    struct mcti_heap_node *first; /* the least node; NULL: the heap is empty */
    bool (*before)(const struct mcti_heap_node *a, const struct mcti_heap_node *b);
};

/* Adds `node`, which is in no heap. */
void mcti_heap_add(struct mcti_heap *h, struct mcti_heap_node *node);

/* Removes `node`, which is in this heap. */
void mcti_heap_remove(struct mcti_heap *h, struct mcti_heap_node *node);

#endif
