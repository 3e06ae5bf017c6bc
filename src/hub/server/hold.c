#include "hub/server/hold.h"

#include "hub/core/stage.h"
#include "hub/server/call.h"
#include "hub/server/lazy.h"

#include <stdlib.h>

struct held {
    struct mcti_list node;
    struct mcti_server *owner;
    struct mcti_call *call;
    enum mcti_rev rev; /* of the server, as far as was known */
    unsigned limit_ms;
    struct mcti_timer timer;
    char texts[]; /* what the spans of the call point to */
};

static struct held *held_of(struct mcti_list *it)
{
    return MCT_CONTAINER(it, struct held, node);
}

static void held_free(struct held *h)
{
    mcti_timer_stop(h->owner->opts.sched, &h->timer);
    mcti_list_remove(&h->node);
    free(h);
}

static void held_fail(struct held *h, const struct mct_error *why)
{
    struct mcti_call *call = h->call;
    struct mct_error wrapped = *why;
    mcti_error_wrap(&wrapped, "server '%s'", h->owner->base.name);
    held_free(h);
    mcti_call_finish(call, &(struct mcti_outcome){ .failed = &wrapped, .rev = call->provider->info.rev });
}

static void held_on_late(void *data)
{
    struct held *h = data;
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_TIMEOUT, "it is still starting, after %u s", h->limit_ms / 1000);
    held_fail(h, &err);
}

int mcti_server_hold(struct mcti_server *m, struct mcti_call *call, struct mct_error *err)
{
    struct held *h = malloc(sizeof *h + mcti_call_texts_len(call));
    if (!h)
        return mcti_no_memory(err);
    *h = (struct held){ .owner = m, .call = call, .rev = m->base.info.rev };
    mcti_call_keep_texts(call, h->texts);
    h->limit_ms =
        m->opts.call_timeout_ms > m->opts.start_timeout_ms ? m->opts.call_timeout_ms : m->opts.start_timeout_ms;
    if (call->timeout_ms)
        h->limit_ms = call->timeout_ms;
    h->limit_ms = mcti_call_rest_ms(call, h->limit_ms);
    mcti_timer_init(&h->timer, held_on_late, h);
    if (h->limit_ms)
        mcti_timer_set(m->opts.sched, &h->timer, h->limit_ms);
    mcti_list_append(&m->held, &h->node);
    mcti_server_wake(m);
    return 0;
}

bool mcti_server_unhold(struct mcti_server *m, const struct mcti_call *call)
{
    MCT_LIST_EACH(it, &m->held)
        if (held_of(it)->call == call) {
            held_free(held_of(it));
            return true;
        }
    return false;
}

/* Sends the call now that the server is up. What the caller has prepared depends on the era. */
static void held_send(struct held *h)
{
    struct mcti_server *m = h->owner;
    struct mct_error err;
    bool fits = !h->rev || mcti_rev_is_stateless(h->rev) == mcti_server_is_stateless(m);
    mcti_list_remove(&h->node); /* it may be held again */
    if (fits && mcti_server_call(&m->base, h->call, &err) == 0) {
        held_free(h);
        return;
    }
    if (!fits)
        mcti_fail(&err, MCT_ERR_CONNECT, "it speaks another protocol revision than before; call it again");
    held_fail(h, &err);
}

void mcti_server_held_go(struct mcti_server *m)
{
    while (m->up && !mcti_list_empty(&m->held))
        held_send(held_of(m->held.next));
}

void mcti_server_held_fail(struct mcti_server *m, const struct mct_error *why)
{
    while (!mcti_list_empty(&m->held))
        held_fail(held_of(m->held.next), why);
}
