/*
 * What waits before it is sent to an HTTP server, and for what: a request or a word (an answer or a
 * notification of ours) for its turn, as only so many are under way at once; all for a barrier.
 */
#include "mcp/http/exchange.h"

#include "base/limits.h"
#include "mcp/http_refusal.h"

static bool is_word(const struct mct_exchange *x)
{
    return x->kind == MCT_EX_NOTICE;
}

static bool has_turn(const struct mct_exchange *x)
{
    const struct mct_http *h = x->http;
    return (!is_word(x) && x->kind != MCT_EX_REQUEST) || mct_http_has_turn(is_word(x), h->n_words, h->n_requests, h->max_requests);
}

bool mct_http_is_held(const struct mct_exchange *x)
{
    const struct mct_http *h = x->http;
    return h->barrier || (h->opening && x->is_call) || !has_turn(x);
}

static void stop_waiting(struct mct_exchange *x)
{
    if (x->waits) {
        x->http->n_waiting--;
        x->http->waiting_bytes -= x->frame_len;
    }
    x->waits = false;
    mct_list_remove(&x->node);
}

void mct_http_hold(struct mct_exchange *x)
{
    struct mct_http *h = x->http;
    stop_waiting(x);
    x->started = false;
    mct_list_append(&h->held, &x->node);
    x->waits = is_word(x);
    h->n_waiting += x->waits;
    h->waiting_bytes += x->waits ? x->frame_len : 0;
}

void mct_http_set_off(struct mct_exchange *x)
{
    stop_waiting(x);
    x->started = true;
    mct_list_append(&x->http->exchanges, &x->node);
}

void mct_exchange_count(struct mct_exchange *x)
{
    struct mct_http *h = x->http;
    size_t *n = is_word(x) ? &h->n_words : &h->n_requests;
    bool runs = x->fetch && (is_word(x) || x->kind == MCT_EX_REQUEST);
    if (x->counted == runs)
        return;
    x->counted = runs;
    *n += runs ? 1 : (size_t)-1;
    if (!runs && !mct_list_empty(&h->held))
        mct_task_post(&h->loop->sched, &h->release);
}

void mct_http_forget_place(struct mct_exchange *x)
{
    stop_waiting(x);
    mct_exchange_count(x);
}

static struct mct_exchange *first_with_turn(struct mct_http *h)
{
    if (h->barrier || (h->n_words >= MCT_HTTP_WORDS && h->n_requests >= h->max_requests))
        return NULL;
    MCT_LIST_EACH(it, &h->held)
        if (!mct_http_is_held(mct_exchange_of(it)))
            return mct_exchange_of(it);
    return NULL;
}

void mct_http_release(void *data)
{
    struct mct_http *h = data;
    struct mct_error err;
    struct mct_exchange *x;
    mct_http_enter(h);
    while (!h->closing && !h->freed && (x = first_with_turn(h)))
        if (mct_exchange_start(x, &err) < 0)
            mct_http_ended(x, &err);
    mct_http_leave(h);
}

/* The words of a call that nobody waits for any more get the time of last words. */
static void hasten(struct mct_list *list, uint64_t about)
{
    MCT_LIST_EACH(it, list) {
        struct mct_exchange *x = mct_exchange_of(it);
        if (is_word(x) && x->about == about && x != x->http->barrier)
            mct_timer_set(&x->http->loop->sched, &x->timer, MCT_HTTP_BYE_MS);
    }
}

void mct_http_hasten(struct mct_http *h, uint64_t about)
{
    if (h->n_words)
        hasten(&h->exchanges, about);
    if (h->n_waiting)
        hasten(&h->held, about);
}
