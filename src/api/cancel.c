/* Cancellation tokens. Firing one only wakes the loop, and the loop's thread cancels the requests: firing must be safe
 * in signal handlers. */
#include "api/request.h"

#include <stdlib.h>

struct mct_cancel {
    struct mcti_list node, requests;
    uv_async_t async;
    bool is_open;          /* `async` is not closed yet */
    atomic_bool is_linked; /* firing wakes the loop */
    bool freed;            /* the program has freed the token */
    atomic_bool fired;
};

static void cancel_on_closed(uv_handle_t *h)
{
    struct mct_cancel *c = h->data;
    c->is_open = false;
    if (c->freed)
        free(c);
}

static void cancel_end_all(struct mct_cancel *c)
{
    while (!mcti_list_empty(&c->requests)) {
        struct mct_request *q = MCT_CONTAINER(c->requests.next, struct mct_request, by_token);
        mcti_list_remove(&q->by_token);
        mct_request_cancel(q, "cancelled by its token");
    }
}

static void cancel_on_fired(uv_async_t *async)
{
    struct mct_cancel *c = async->data;
    if (atomic_load(&c->fired))
        cancel_end_all(c);
}

struct mct_cancel *mct_cancel_new(struct mct_instance *r, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (a->phase >= API_CLOSING) {
        mcti_fail(err, MCT_ERR_USAGE, "the instance is being closed");
        return NULL;
    }
    struct mct_cancel *c = calloc(1, sizeof *c);
    if (!c || uv_async_init(&a->inst.loop.uv, &c->async, cancel_on_fired) < 0) {
        free(c);
        mcti_no_memory(err);
        return NULL;
    }
    uv_unref((uv_handle_t *)&c->async);
    c->async.data = c;
    c->is_open = true;
    atomic_init(&c->is_linked, true);
    mcti_list_init(&c->requests);
    mcti_list_append(&a->tokens, &c->node);
    return c;
}

void mct_cancel_fire(struct mct_cancel *c)
{
    atomic_store(&c->fired, true);
    if (atomic_load(&c->is_linked)) /* false after the instance was closed */
        uv_async_send(&c->async);
}

static void cancel_close_handle(struct mct_cancel *c)
{
    mcti_list_remove(&c->node);
    atomic_store(&c->is_linked, false);
    if (c->is_open && !uv_is_closing((uv_handle_t *)&c->async))
        uv_close((uv_handle_t *)&c->async, cancel_on_closed);
}

void mct_cancel_free(struct mct_cancel *c)
{
    if (!c)
        return;
    if (atomic_load(&c->fired))
        cancel_end_all(c);
    while (!mcti_list_empty(&c->requests))
        mcti_list_remove(c->requests.next);
    c->freed = true;
    if (c->is_open)
        cancel_close_handle(c);
    else
        free(c);
}

void mcti_api_cancel_join(struct mct_cancel *c, struct mct_request *q)
{
    mcti_list_append(&c->requests, &q->by_token);
}

bool mcti_api_is_fired(const struct mct_cancel *c)
{
    return c && atomic_load(&c->fired);
}

void mcti_api_end_tokens(struct mct_instance *a)
{
    while (!mcti_list_empty(&a->tokens))
        cancel_close_handle(MCT_CONTAINER(a->tokens.next, struct mct_cancel, node));
}
