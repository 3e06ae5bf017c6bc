/* Shared by the provider_local*.c files only. */
#ifndef MCT_HUB_LOCAL_IMPL_H
#define MCT_HUB_LOCAL_IMPL_H

#include "base/seal.h"
#include "hub/local/local.h"

/* An item and who answers for it. */
struct local_item {
    struct mct_map_node by_id;
    struct mct_item *item; /* owned by the list of the provider */
    mct_local_fn fn;
    void *data;
    void (*free_data)(void *data); /* NULL: nobody's */
    size_t n_users;                /* requests it answers, and the provider */
};

struct local {
    struct mct_provider base;
    struct mct_task ready;
    const struct mct_local_life *life; /* NULL: it is ready at once */
    void *life_data;
    unsigned timeout_ms;              /* of calls that name none; 0: none */
    struct mct_list calls;            /* call->node of those that are under way */
    struct mct_list cancelled;        /* see tool.c */
    struct mct_map items[MCT_KIND_N]; /* struct local_item */
    unsigned offered;                 /* bits of the kinds it has ever had */
    mct_local_fn complete;            /* NULL: it completes nothing */
    void *complete_data;
    char key[MCT_SEAL_KEY_BYTES];     /* of the states that clients keep */
};

/* One allocation, with the texts behind it. */
struct mct_local_request {
    struct local *local;
    struct mct_call *call;
    struct mct_str params, subject, state; /* subject: the name or URI as text */
    bool bad_state;
    struct mct_answerer can;       /* flags only */
    struct mct_timer turn;
    mct_local_fn fn, cancelled;    /* of the next turn */
    void *fn_data, *cancelled_data;
    struct local_item *item;       /* that answers; NULL: none yet, or none does */
    void *memory, *side;
    void (*end_side)(void *side);
    unsigned timeout_ms;           /* 0: none */
    uint64_t deadline_ms;          /* the hard end; with timeout_ms only */
    double progressed;
    bool has_progressed;
};

static inline struct local *local_of(const struct mct_provider *p)
{
    return MCT_CONTAINER(p, struct local, base);
}

/* Who answers for a resource or the template that matches; NULL: nobody. */
struct local_item *local_find_uri(const struct local *l, struct mct_str uri);
struct local_item *local_find(const struct local *l, enum mct_kind kind, struct mct_str id);

void local_unuse(struct local_item *x);

/* The operations on calls. */
int local_call(struct mct_provider *p, struct mct_call *call, struct mct_error *err);
void local_cancel(struct mct_provider *p, struct mct_call *call, const char *reason);
void local_end_all(struct local *l, const struct mct_error *why);

/* Ends the request; the outcome may borrow from it. */
void local_finish(struct mct_local_request *r, const struct mct_outcome *o);

/* What a state is sealed with, so that it is good for one item only. */
void local_put_state_head(struct mct_buf *to, const struct mct_local_request *r);

#endif
