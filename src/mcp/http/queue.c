/*
 * The queue of exchanges that cannot be sent yet: while a barrier is active, everything waits; requests and notices
 * (notifications and answers of ours) also wait while too many are in progress.
 */
#include "mcp/http/exchange.h"

#include "base/limits.h"
#include "mcp/http_refusal.h"

static bool is_notice(const struct mcti_exchange *x)
{
    return x->kind == MCT_EX_NOTICE;
}

static bool may_send(const struct mcti_exchange *x)
{
    const struct mcti_http *h = x->http;
    return (!is_notice(x) && x->kind != MCT_EX_REQUEST) ||
           mcti_http_may_send(is_notice(x), h->n_notices, h->n_requests, h->max_requests);
}

bool mcti_http_must_wait(const struct mcti_exchange *x)
{
    const struct mcti_http *h = x->http;
    return h->barrier || (h->opening && x->is_call) || x->use.waits || !may_send(x);
}

static void queue_stop_waiting(struct mcti_exchange *x)
{
    if (x->waits) {
        x->http->n_waiting--;
        x->http->waiting_bytes -= x->frame.pieces.len;
    }
    x->waits = false;
    mcti_list_remove(&x->node);
}

void mcti_http_queue(struct mcti_exchange *x)
{
    struct mcti_http *h = x->http;
    queue_stop_waiting(x);
    x->started = false;
    mcti_list_append(&h->held, &x->node);
    x->waits = is_notice(x);
    h->n_waiting += x->waits;
    h->waiting_bytes += x->waits ? x->frame.pieces.len : 0;
}

void mcti_exchange_hold_back(struct mcti_exchange *x)
{
    bool barrier = x == x->http->barrier;
    mcti_http_queue(x);
    if ((barrier || is_notice(x)) && !x->timer.set)
        mcti_timer_set(&x->http->loop->sched, &x->timer, barrier ? MCT_HTTP_BARRIER_MS : MCT_HTTP_NOTICE_MS);
}

void mcti_http_mark_started(struct mcti_exchange *x)
{
    queue_stop_waiting(x);
    x->started = true;
    mcti_list_append(&x->http->exchanges, &x->node);
}

void mcti_exchange_count(struct mcti_exchange *x)
{
    struct mcti_http *h = x->http;
    size_t *n = is_notice(x) ? &h->n_notices : &h->n_requests;
    bool runs = x->fetch && (is_notice(x) || x->kind == MCT_EX_REQUEST);
    if (x->counted == runs)
        return;
    x->counted = runs;
    *n += runs ? 1 : (size_t)-1;
    if (!runs && !mcti_list_empty(&h->held))
        mcti_task_post(&h->loop->sched, &h->release);
}

void mcti_http_unqueue(struct mcti_exchange *x)
{
    queue_stop_waiting(x);
    mcti_exchange_count(x);
}

static struct mcti_exchange *first_sendable(struct mcti_http *h)
{
    if (h->barrier || (h->n_notices >= MCT_HTTP_NOTICES && h->n_requests >= h->max_requests))
        return NULL;
    MCT_LIST_EACH(it, &h->held)
        if (!mcti_http_must_wait(mcti_exchange_of(it)))
            return mcti_exchange_of(it);
    return NULL;
}

void mcti_http_release(void *data)
{
    struct mcti_http *h = data;
    struct mct_error err;
    struct mcti_exchange *x;
    mcti_http_enter(h);
    while (!h->closing && !h->freed && (x = first_sendable(h)))
        if (mcti_exchange_start(x, &err) < 0)
            mcti_http_on_ended(x, &err);
    mcti_http_leave(h);
}

/* Limits the wait of notices that belong to an ended call. */
static void queue_limit_wait(struct mcti_list *list, uint64_t about)
{
    MCT_LIST_EACH(it, list) {
        struct mcti_exchange *x = mcti_exchange_of(it);
        if (is_notice(x) && x->about == about && x != x->http->barrier)
            mcti_timer_set(&x->http->loop->sched, &x->timer, MCT_HTTP_CLOSE_MS);
    }
}

void mcti_http_limit_wait(struct mcti_http *h, uint64_t about)
{
    if (h->n_notices)
        queue_limit_wait(&h->exchanges, about);
    if (h->n_waiting)
        queue_limit_wait(&h->held, about);
}
