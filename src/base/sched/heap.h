/*
 * An intrusive pairing heap: nodes are embedded in the structs that the heap orders, so adding one cannot fail. Adding
 * takes constant time; removing takes O(log n), amortized.
 */
#ifndef MCT_BASE_SCHED_HEAP_H
#define MCT_BASE_SCHED_HEAP_H

#include <stdbool.h>

struct mcti_heap_node {
    struct mcti_heap_node *child, *next; /* first child, next sibling */
    struct mcti_heap_node *prev;         /* previous sibling; for a first child, the parent; for the root, NULL */
};

struct mcti_heap {
    struct mcti_heap_node *first; /* node that comes before all others; NULL: the heap is empty */
    bool (*before)(const struct mcti_heap_node *a, const struct mcti_heap_node *b);
};

/* Adds `node`, which is in no heap. */
void mcti_heap_add(struct mcti_heap *h, struct mcti_heap_node *node);

/* Removes `node`, which is in this heap. */
void mcti_heap_remove(struct mcti_heap *h, struct mcti_heap_node *node);

#endif
