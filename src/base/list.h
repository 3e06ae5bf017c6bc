/* An intrusive, circular, doubly linked list. A node in no list points to itself. */
#ifndef MCT_BASE_LIST_H
#define MCT_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct mcti_list {
    struct mcti_list *prev, *next;
};

/* Converts a pointer to a member into a pointer to its struct. */
#define MCT_CONTAINER(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

static inline void mcti_list_init(struct mcti_list *l)
{
    l->prev = l->next = l;
}

static inline bool mcti_list_empty(const struct mcti_list *l)
{
    return l->next == l;
}

static inline void mcti_list_append(struct mcti_list *head, struct mcti_list *node)
{
    node->prev = head->prev;
    node->next = head;
    head->prev->next = node;
    head->prev = node;
}

/* does nothing for a node in no list */
static inline void mcti_list_remove(struct mcti_list *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
    mcti_list_init(node);
}

/* Moves all nodes from `from` to the empty list `to`. */
static inline void mcti_list_take(struct mcti_list *to, struct mcti_list *from)
{
    mcti_list_init(to);
    if (mcti_list_empty(from))
        return;
    *to = *from;
    to->prev->next = to->next->prev = to;
    mcti_list_init(from);
}

/* The body may remove `it`, but no other node. */
#define MCT_LIST_EACH(it, head)                                                                                        \
    for (struct mcti_list *it = (head)->next, *it##_next = it->next; it != (head); it = it##_next, it##_next = it->next)

#endif
