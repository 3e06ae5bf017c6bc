/* The local provider, its items and its requests: structs shared by the files of this folder only. */
#ifndef MCT_HUB_LOCAL_IMPL_H
#define MCT_HUB_LOCAL_IMPL_H

#include "base/seal.h"
#include "hub/local/local.h"

/* An item and its handler. */
struct mcti_local_item {
    struct mcti_map_node by_id;
    struct mcti_item *item; /* owned by the list of the provider */
    mcti_local_fn fn;
    void *data;
    void (*free_data)(void *data); /* NULL: data is borrowed */
    size_t n_users;                /* references: its requests, and the provider */
};

struct mcti_local {
    struct mcti_provider base;
    struct mcti_task ready;
    const struct mcti_local_life *life; /* NULL: ready at once */
    void *life_data;
    unsigned timeout_ms;               /* for calls without a timeout of their own; 0: none */
    struct mcti_list calls;            /* calls in flight, by call->node */
    struct mcti_list cancelled;        /* tool calls whose cancellation is not reported yet, see call.c */
    struct mcti_map items[MCT_KIND_N]; /* struct mcti_local_item */
    unsigned offered;                  /* bits 1 << kind: kinds of items that the provider has or has had */
    bool defined;                      /* it has definitions (def.h) */
    bool updates, completes;           /* one of them is a resource with updates, has a completion */
    struct mcti_map subs;              /* struct local_sub: subscribed resources that are definitions, see subs.c */
    struct mcti_list changed_subs;     /* those of which the program is told next */
    struct mcti_timer report_subs;
    const struct mcti_local_extension *extension; /* NULL: none */
    void *extension_data;
    mcti_local_fn complete; /* NULL: no completion */
    void *complete_data;
    char key[MCT_SEAL_KEY_BYTES]; /* seals the states that clients keep */
};

/* A request. Its texts are part of the same allocation. */
struct mcti_local_request {
    struct mcti_local *local;
    struct mcti_call *call;
    struct mcti_str params, subject, state; /* subject: the name or URI as text */
    struct mcti_str principal, client_info; /* of the caller; client_info is a raw object. Absent: unknown */
    bool bad_state;
    struct mcti_answerer can; /* flags only */
    struct mcti_timer turn;
    mcti_local_fn fn, cancelled; /* called in the next turn */
    void *fn_data, *cancelled_data;
    struct mcti_local_item *item; /* item that answers; NULL: none */
    void *memory, *side;
    void (*end_side)(void *side);
    unsigned timeout_ms;  /* 0: none */
    uint64_t deadline_ms; /* latest end, even with progress; used if timeout_ms is set */
    double progressed;
    bool has_progressed;
    bool suspended; /* the timeout does not run */
};

static inline struct mcti_local *mcti_local_of(const struct mcti_provider *p)
{
    return MCT_CONTAINER(p, struct mcti_local, base);
}

/* Returns the resource with that URI, or else the first template that matches; NULL: none. */
struct mcti_local_item *mcti_local_find_uri(const struct mcti_local *l, struct mcti_str uri);
struct mcti_local_item *mcti_local_find(const struct mcti_local *l, enum mcti_kind kind, struct mcti_str id);

/* Notes that a definition (def.h) was added, which may add a capability. */
struct mcti_local_def;
void mcti_local_note_def(const struct mcti_local_def *d);

/* Makes `x` the item that answers the request. */
void mcti_local_use(struct mcti_local_request *r, struct mcti_local_item *x);

/* Answers that the name or URI is unknown; `what` begins the message. */
void mcti_local_fail_unknown(struct mcti_local_request *r, const char *what);

/* Suspends the timeout of the request, or starts it anew. */
void mcti_local_suspend(struct mcti_local_request *r, bool suspend);

/* Releases a reference to the item; the last one frees it. `x` may be NULL. */
void mcti_local_unuse(struct mcti_local_item *x);

/* Operations of the provider on subscriptions, see subs.c. */
int mcti_local_subscribe(struct mcti_provider *p, struct mcti_str uri, struct mcti_agreement *w, struct mct_error *err);
void mcti_local_unsubscribe(struct mcti_provider *p, struct mcti_str uri);
void mcti_local_report_subs(void *data);
void mcti_local_subs_free(struct mcti_local *l);

/* Operations of the provider on calls. */
int mcti_local_op_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err);
void mcti_local_cancel(struct mcti_provider *p, struct mcti_call *call, const char *reason);

/* Fails all calls in flight because of `why`. */
void mcti_local_end_all(struct mcti_local *l, const struct mct_error *why);

/* Ends the request with the outcome, which may borrow from it. */
void mcti_local_finish(struct mcti_local_request *r, const struct mcti_outcome *o);

/* Appends the head of a sealed state: method and subject, so that the state is valid for one item only. */
void mcti_local_put_state_head(struct mcti_buf *to, const struct mcti_local_request *r);

#endif
