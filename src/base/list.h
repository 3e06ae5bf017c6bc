/* An intrusive, circular, doubly linked list. A node that is in no list points to itself. */
#ifndef MCT_BASE_LIST_H
#define MCT_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct mct_list {
    struct mct_list *prev, *next;
};

/* From a member back to the struct around it. */
#define MCT_CONTAINER(ptr, type, member) ((type *)(void *)((char *)(ptr) - offsetof(type, member)))

static inline void mct_list_init(struct mct_list *l)
{
    l->prev = l->next = l;
}

static inline bool mct_list_empty(const struct mct_list *l)
{
    return l->next == l;
}

static inline void mct_list_append(struct mct_list *head, struct mct_list *node)
{
    node->prev = head->prev;
    node->next = head;
    head->prev->next = node;
    head->prev = node;
}

/* Safe on a node that is in no list. */
static inline void mct_list_remove(struct mct_list *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
    mct_list_init(node);
}

/* Moves everything from `from` to the empty list `to`. */
static inline void mct_list_take(struct mct_list *to, struct mct_list *from)
{
    mct_list_init(to);
    if (mct_list_empty(from))
        return;
    *to = *from;
    to->prev->next = to->next->prev = to;
    mct_list_init(from);
}

/* The body may remove `it` itself, but no other node. */
#define MCT_LIST_EACH(it, head)                                                                    \
    for (struct mct_list *it = (head)->next, *it##_next = it->next; it != (head);                  \
         it = it##_next, it##_next = it->next)

#endif
