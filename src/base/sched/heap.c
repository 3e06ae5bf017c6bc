#include "base/sched/heap.h"

#include <stddef.h>

/* Merges two trees and returns the root. Their roots have no siblings; `a` and `b` may be NULL. */
static struct mcti_heap_node *heap_meld(const struct mcti_heap *h, struct mcti_heap_node *a, struct mcti_heap_node *b)
{
    if (!a || !b)
        return a ? a : b;
    struct mcti_heap_node *parent = h->before(b, a) ? b : a, *child = parent == a ? b : a;
    child->next = parent->child;
    child->prev = parent;
    if (child->next)
        child->next->prev = child;
    parent->child = child;
    return parent;
}

/* Removes the first tree from the list and returns it; NULL if the list is empty. */
static struct mcti_heap_node *heap_shift(struct mcti_heap_node **list)
{
    struct mcti_heap_node *node = *list;
    if (node) {
        *list = node->next;
        node->next = node->prev = NULL;
    }
    return node;
}

/* Merges a list of siblings into one tree: in pairs from left to right, then the pairs from right to left. */
static struct mcti_heap_node *heap_meld_all(const struct mcti_heap *h, struct mcti_heap_node *list)
{
    struct mcti_heap_node *pairs = NULL, *all = NULL;
    while (list) {
        struct mcti_heap_node *a = heap_shift(&list), *pair = heap_meld(h, a, heap_shift(&list));
        pair->next = pairs;
        pairs = pair;
    }
    while (pairs)
        all = heap_meld(h, all, heap_shift(&pairs));
    return all;
}

void mcti_heap_add(struct mcti_heap *h, struct mcti_heap_node *node)
{
    *node = (struct mcti_heap_node){ 0 };
    h->first = heap_meld(h, h->first, node);
}

void mcti_heap_remove(struct mcti_heap *h, struct mcti_heap_node *node)
{
    struct mcti_heap_node *rest = heap_meld_all(h, node->child);
    if (!node->prev) {
        h->first = rest;
        return;
    }
    if (node->prev->child == node)
        node->prev->child = node->next;
    else
        node->prev->next = node->next;
    if (node->next)
        node->next->prev = node->prev;
    h->first = heap_meld(h, h->first, rest);
}
