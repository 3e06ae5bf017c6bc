/*
 * What waits before it is sent to an HTTP server, and for what: a request or a word (an answer or a
 * notification of ours) for its turn, as only so many are under way at once; all for a barrier.
 */
#include "mcp/http/exchange.h"

#include "base/limits.h"
#include "mcp/http_refusal.h"

static bool is_word(const struct mcti_exchange *x)
{
    return x->kind == MCT_EX_NOTICE;
}

static bool has_turn(const struct mcti_exchange *x)
{
    const struct mcti_http *h = x->http;
    return (!is_word(x) && x->kind != MCT_EX_REQUEST) ||
           mcti_http_has_turn(is_word(x), h->n_words, h->n_requests, h->max_requests);
}

bool mcti_http_is_held(const struct mcti_exchange *x)
{
    const struct mcti_http *h = x->http;
    return h->barrier || (h->opening && x->is_call) || !has_turn(x);
}

static void queue_stop_waiting(struct mcti_exchange *x)
{
    if (x->waits) {
        x->http->n_waiting--;
        x->http->waiting_bytes -= x->frame_len;
    }
    x->waits = false;
    mcti_list_remove(&x->node);
}

void mcti_http_hold(struct mcti_exchange *x)
{
    struct mcti_http *h = x->http;
    queue_stop_waiting(x);
    x->started = false;
    mcti_list_append(&h->held, &x->node);
    x->waits = is_word(x);
    h->n_waiting += x->waits;
    h->waiting_bytes += x->waits ? x->frame_len : 0;
}

void mcti_http_set_off(struct mcti_exchange *x)
{
    queue_stop_waiting(x);
    x->started = true;
    mcti_list_append(&x->http->exchanges, &x->node);
}

void mcti_exchange_count(struct mcti_exchange *x)
{
    struct mcti_http *h = x->http;
    size_t *n = is_word(x) ? &h->n_words : &h->n_requests;
    bool runs = x->fetch && (is_word(x) || x->kind == MCT_EX_REQUEST);
    if (x->counted == runs)
        return;
    x->counted = runs;
    *n += runs ? 1 : (size_t)-1;
    if (!runs && !mcti_list_empty(&h->held))
        mcti_task_post(&h->loop->sched, &h->release);
}

void mcti_http_forget_place(struct mcti_exchange *x)
{
    queue_stop_waiting(x);
    mcti_exchange_count(x);
}

static struct mcti_exchange *first_with_turn(struct mcti_http *h)
{
    if (h->barrier || (h->n_words >= MCT_HTTP_WORDS && h->n_requests >= h->max_requests))
        return NULL;
    MCT_LIST_EACH(it, &h->held)
        if (!mcti_http_is_held(mcti_exchange_of(it)))
            return mcti_exchange_of(it);
    return NULL;
}

void mcti_http_release(void *data)
{
    struct mcti_http *h = data;
    struct mct_error err;
    struct mcti_exchange *x;
    mcti_http_enter(h);
    while (!h->closing && !h->freed && (x = first_with_turn(h)))
        if (mcti_exchange_start(x, &err) < 0)
            mcti_http_ended(x, &err);
    mcti_http_leave(h);
}

/* The words of a call that nobody waits for any more get the time of last words. */
static void queue_hasten(struct mcti_list *list, uint64_t about)
{
    MCT_LIST_EACH(it, list) {
        struct mcti_exchange *x = mcti_exchange_of(it);
        if (is_word(x) && x->about == about && x != x->http->barrier)
            mcti_timer_set(&x->http->loop->sched, &x->timer, MCT_HTTP_BYE_MS);
    }
}

void mcti_http_hasten(struct mcti_http *h, uint64_t about)
{
    if (h->n_words)
        queue_hasten(&h->exchanges, about);
    if (h->n_waiting)
        queue_hasten(&h->held, about);
}
