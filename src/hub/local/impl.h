/* Shared by the provider_local*.c files only. */
#ifndef MCT_HUB_LOCAL_IMPL_H
#define MCT_HUB_LOCAL_IMPL_H

#include "base/seal.h"
#include "hub/local/local.h"

/* An item and who answers for it. */
struct mcti_local_item {
    struct mcti_map_node by_id;
    struct mcti_item *item; /* owned by the list of the provider */
    mcti_local_fn fn;
    void *data;
    void (*free_data)(void *data); /* NULL: nobody's */
    size_t n_users;                /* requests it answers, and the provider */
};

struct mcti_local {
    struct mcti_provider base;
    struct mcti_task ready;
    const struct mcti_local_life *life; /* NULL: it is ready at once */
    void *life_data;
    unsigned timeout_ms;               /* of calls that name none; 0: none */
    struct mcti_list calls;            /* call->node of those that are under way */
    struct mcti_list cancelled;        /* see tool.c */
    struct mcti_map items[MCT_KIND_N]; /* struct mcti_local_item */
    unsigned offered;                  /* bits of the kinds it has ever had */
    mcti_local_fn complete;            /* NULL: it completes nothing */
    void *complete_data;
    char key[MCT_SEAL_KEY_BYTES]; /* of the states that clients keep */
};

/* One allocation, with the texts behind it. */
struct mcti_local_request {
    struct mcti_local *local;
    struct mcti_call *call;
    struct mcti_str params, subject, state; /* subject: the name or URI as text */
    bool bad_state;
    struct mcti_answerer can; /* flags only */
    struct mcti_timer turn;
    mcti_local_fn fn, cancelled; /* of the next turn */
    void *fn_data, *cancelled_data;
    struct mcti_local_item *item; /* that answers; NULL: none yet, or none does */
    void *memory, *side;
    void (*end_side)(void *side);
    unsigned timeout_ms;  /* 0: none */
    uint64_t deadline_ms; /* the hard end; with timeout_ms only */
    double progressed;
    bool has_progressed;
};

static inline struct mcti_local *mcti_local_of(const struct mcti_provider *p)
{
    return MCT_CONTAINER(p, struct mcti_local, base);
}

/* Who answers for a resource or the template that matches; NULL: nobody. */
struct mcti_local_item *mcti_local_find_uri(const struct mcti_local *l, struct mcti_str uri);
struct mcti_local_item *mcti_local_find(const struct mcti_local *l, enum mcti_kind kind, struct mcti_str id);

void mcti_local_unuse(struct mcti_local_item *x);

/* The operations on calls. */
int mcti_local_op_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err);
void mcti_local_cancel(struct mcti_provider *p, struct mcti_call *call, const char *reason);
void mcti_local_end_all(struct mcti_local *l, const struct mct_error *why);

/* Ends the request; the outcome may borrow from it. */
void mcti_local_finish(struct mcti_local_request *r, const struct mcti_outcome *o);

/* What a state is sealed with, so that it is good for one item only. */
void mcti_local_put_state_head(struct mcti_buf *to, const struct mcti_local_request *r);

#endif
